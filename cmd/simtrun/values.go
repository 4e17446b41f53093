package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/gpu"
)

// mayBeEmpty are the flags with a value that may be empty: options of the compiler, and a command of the debugger,
// which repeats the last one.
var mayBeEmpty = []string{"cc", "execute"}

// readFlags are the flags that name files which are read.
var readFlags = []string{"script", "replay", "command-file", "sass", "counts", "ptxas", "suppressions", "baseline"}

// fileValue is the name, in help texts, of a flag's value that is a file. The command writes these files, except those
// that it reads.
const fileValue = "FILE"

// checkValues refuses empty values of flags that always have one, files that cannot be read or written, and unknown
// GPUs, before a command does anything.
func checkValues(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		values := []string{f.Value.String()}
		if all, ok := f.Value.(pflag.SliceValue); ok {
			values = all.GetSlice()
		}
		what, _ := pflag.UnquoteUsage(f)
		if f.NoOptDefVal == "" && !slices.Contains(mayBeEmpty, f.Name) && slices.Contains(values, "") {
			err = &usageError{fmt.Sprintf("--%s needs a value: --%s %s", f.Name, f.Name, what), helpPage(cmd)}
		}
		usable := func(string) error { return nil }
		switch {
		case slices.Contains(readFlags, f.Name):
			usable = readable
		case what == fileValue:
			usable = writable
		case what == "DIR":
			usable = folder
		case f.Name == "gpu":
			usable = knownGPUs
		}
		for _, path := range values {
			if failed := usable(path); failed != nil && err == nil && path != "-" {
				err = &usageError{badValue(f.Name, path, failed).Error(), helpPage(cmd)}
			}
		}
	})
	return err
}

// readable returns why a file cannot be read, as far as that is known without opening pipes.
func readable(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return errors.New("it is a folder")
	}
	if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(path); err == nil {
			return f.Close()
		}
	}
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return errors.New(problemOf(failed))
	}
	return err
}

// problemOf says what is wrong with a file that the message has already named.
func problemOf(failed *fs.PathError) string {
	switch {
	case errors.Is(failed, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(failed, fs.ErrPermission):
		return "no permission to read it"
	}
	return failed.Err.Error()
}

// writable returns why a file cannot be written, as far as that is known without creating it.
func writable(path string) error {
	if isStream(path) { // its state may change, as when a reader goes
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return errors.New("it is a folder")
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil {
		return fmt.Errorf("there is no folder %s", folder)
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", folder)
	}
	return nil
}

// knownGPUs returns why one of some GPUs, which commas separate, cannot be modelled.
func knownGPUs(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		if _, _, err := gpu.Open(strings.TrimSpace(name)); err != nil {
			return err
		}
	}
	return nil
}

// folder returns why a folder, which need not be there yet, cannot be written to.
func folder(path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return errors.New("it is not a folder")
	}
	return nil
}
