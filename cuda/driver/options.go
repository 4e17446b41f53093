package main

// #include <stdio.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/hostlink"
	"github.com/simtrun/simtrun/internal/verdict"
)

// getenv returns the current value of an environment variable. Go's own environment is a copy from the time of
// loading.
func getenv(name string) string {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return C.GoString(C.getenv(n))
}

// variable names a setting in messages.
func variable(name, _ string) string { return name }

// outlet is the library's output: messages to standard error, or to the file of SIMTRUN_LOG; and files of launches.
type outlet struct {
	log      io.Writer        // nil before open
	report   launchLog        // SIMTRUN_REPORT
	summary  launchLog        // SIMTRUN_SUMMARY: without metrics, for simtrun host
	progress progressLine     // SIMTRUN_PROGRESS
	saver    saver            // SIMTRUN_SAVE
	findings simtrun.Findings // of all launches
	allowed  verdict.Suppressions
	refused  bool // a comment that allows findings is wrong
}

func (o *outlet) open(file string) error {
	o.log = os.Stderr
	if file != "" {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("%s: %w", cuda.EnvLog, err)
		}
		o.log = f
	}
	for _, name := range filepath.SplitList(getenv(cuda.EnvSuppressions)) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = o.allowed.AddFile(name, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", cuda.EnvSuppressions, err)
		}
	}
	var err error
	if folder := getenv(cuda.EnvSave); folder != "" {
		if o.saver.to, err = simtrun.NewSaves(folder); err != nil {
			return fmt.Errorf("%s: %w", cuda.EnvSave, err)
		}
		o.saver.seen = make(map[savedKind]bool)
	}
	o.report.batches = true
	if err = o.report.open(cuda.EnvReport); err != nil {
		return err
	}
	columns, err := hostlink.Number(getenv, cuda.EnvProgress)
	if err != nil {
		return err
	}
	o.progress = openProgress(columns)
	o.summary.sums = new(launchSums)
	return o.summary.open(cuda.EnvSummary)
}

// say writes a text of one or more lines.
func (o *outlet) say(format string, args ...any) {
	to := o.log
	if to == nil {
		to = os.Stderr
	}
	fmt.Fprintf(to, "simtrun: "+format+"\n", args...)
}

// stdout is the standard output of the program. It keeps the order with the program's own buffered output.
type stdout struct{}

func (stdout) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return int(C.fwrite(unsafe.Pointer(unsafe.SliceData(p)), 1, C.size_t(len(p)), C.stdout)), nil
}
