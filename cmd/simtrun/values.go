package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mayBeEmpty are the flags with a value that may be empty: options of the compiler, and a command of the debugger,
// which repeats the last one.
var mayBeEmpty = []string{"cc", "execute"}

// readFlags are the flags that name files which are read.
var readFlags = []string{"script", "replay", "command-file", "sass", "counts", "ptxas", "suppressions", "baseline"}

// checkValues refuses empty values of flags that always have one, and files that cannot be read, before a command does
// anything.
func checkValues(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		values := []string{f.Value.String()}
		if all, ok := f.Value.(pflag.SliceValue); ok {
			values = all.GetSlice()
		}
		if f.NoOptDefVal == "" && !slices.Contains(mayBeEmpty, f.Name) && slices.Contains(values, "") {
			what, _ := pflag.UnquoteUsage(f)
			err = &usageError{fmt.Sprintf("--%s needs a value: --%s %s", f.Name, f.Name, what), helpPage(cmd)}
		}
		for _, path := range values {
			if err == nil && slices.Contains(readFlags, f.Name) && path != "-" {
				if failed := readable(path); failed != nil {
					err = &usageError{badValue(f.Name, path, failed).Error(), helpPage(cmd)}
				}
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
		return failed.Err
	}
	return err
}
