package main

// #include <stdio.h>
// #include <stdlib.h>
import "C"

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/verdict"
)

// options are the settings from the environment. The names are those of the command's flags.
type options struct {
	machine simtrun.Options
	races   bool
	sync    bool          // find undefined results of shuffles, registers of pending instructions, missing fences
	init    bool          // find uses of unwritten values
	calls   bool          // report calls that fail
	leaks   bool          // report memory that is not freed
	streams bool          // find races between the work of streams, of graphs and of the host
	metrics []string      // for lines of the report
	limit   time.Duration // for each launch; 0 for none
}

// getenv returns the current value of an environment variable. Go's own environment is a copy from the time of
// loading.
func getenv(name string) string {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return C.GoString(C.getenv(n))
}

// optionsOf parses the options in an environment.
func optionsOf(env func(string) string) (o options, err error) {
	o.machine.GPU = cmp.Or(env(cuda.EnvGPU), "h100")
	for check := range strings.SplitSeq(env(cuda.EnvCheck), ",") {
		switch strings.TrimSpace(check) {
		case "race":
			o.races = true
		case "sync":
			o.sync = true
		case "init":
			o.init = true
		case "api":
			o.calls = true
		case "leak":
			o.leaks = true
		case "stream":
			o.streams = true
		case "all":
			o.races, o.sync, o.init, o.calls, o.leaks, o.streams = true, true, true, true, true, true
		case "", "mem", "memory":
		default:
			return o, fmt.Errorf("SIMTRUN_CHECK: no check %q; there are api, init, leak, race, stream, sync, all, and mem, which is always on", check)
		}
	}
	switch model := env(cuda.EnvDivergence); model {
	case "", simtrun.ITS.String():
	case simtrun.Stack.String():
		o.machine.Divergence = simtrun.Stack
	case simtrun.MinPC.String():
		o.machine.Divergence = simtrun.MinPC
	default:
		return o, fmt.Errorf("SIMTRUN_DIVERGENCE: no model %q; there are %s, %s and %s", model, simtrun.ITS, simtrun.Stack, simtrun.MinPC)
	}
	if o.metrics, err = metricsOf(env(cuda.EnvMetrics)); err != nil {
		return o, err
	}
	switch init := env(cuda.EnvSharedInit); init {
	case "", "pattern":
	case "zero":
		o.machine.ZeroShared = true
	default:
		return o, fmt.Errorf("%s is pattern or zero, not %q", cuda.EnvSharedInit, init)
	}
	if o.machine.Split, err = number(env, cuda.EnvSplit); err != nil {
		return o, err
	}
	if o.machine.MaxSteps, err = number(env, cuda.EnvMaxSteps); err != nil {
		return o, err
	}
	if o.limit, err = limitOf(env(cuda.EnvLaunchTimeout)); err != nil {
		return o, err
	}
	threads, err := number(env, cuda.EnvThreads)
	if err != nil {
		return o, err
	}
	o.machine.Threads = int(min(threads, 1<<16))
	bytes, err := number(env, cuda.EnvMemory)
	if err != nil {
		return o, err
	}
	o.machine.Memory = int64(min(bytes, 1<<62))
	switch functional := env(cuda.EnvFunctional); functional {
	case "", "1", "true":
	case "0", "false":
		o.machine.Clock = new(simtrun.Clock)
	default:
		return o, fmt.Errorf("SIMTRUN_FUNCTIONAL: %q is neither 1 nor 0", functional)
	}
	if o.machine.Clock != nil && (o.races || o.sync || o.init || o.streams) {
		return o, fmt.Errorf("SIMTRUN_CHECK is for launches without a clock; leave out SIMTRUN_FUNCTIONAL=0")
	}
	return o, nil
}

// limitOf parses the time limit of a launch; 0 for none.
func limitOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit < 0 {
		return 0, fmt.Errorf("%s: %q is not a time such as 30s or 5m", cuda.EnvLaunchTimeout, text)
	}
	return limit, nil
}

// metricsOf parses a list of metrics: "all", or names separated by commas.
func metricsOf(list string) (names []string, err error) {
	all := make([]string, 0, len(profile.Metrics()))
	for _, m := range profile.Metrics() {
		all = append(all, m.Name)
	}
	for name := range strings.SplitSeq(list, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case name == "all":
			return all, nil
		case !slices.Contains(all, name):
			return nil, fmt.Errorf("%s: no metric %q; simtrun metrics lists them, and \"all\" means all of them", cuda.EnvMetrics, name)
		default:
			names = append(names, name)
		}
	}
	return names, nil
}

func number(env func(string) string, name string) (uint64, error) {
	text := env(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a number", name, text)
	}
	return n, nil
}

// outlet is the library's output: messages to standard error, or to the file of SIMTRUN_LOG; and files of launches.
type outlet struct {
	log      io.Writer        // nil before open
	report   sink             // SIMTRUN_REPORT
	summary  sink             // SIMTRUN_SUMMARY: without metrics, for simtrun host
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
	columns, err := number(getenv, cuda.EnvProgress)
	if err != nil {
		return err
	}
	o.progress = openProgress(columns)
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
