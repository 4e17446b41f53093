package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/hostlink"
)

// hostSetting is a flag of the host command that becomes an environment variable of the program.
type hostSetting struct{ flag, variable, value string }

// given returns the flags that become variables, of those that are set.
func (o *hostOptions) given() (all []hostSetting) {
	add := func(flag, variable, value string) {
		if value != "" {
			all = append(all, hostSetting{flag, variable, value})
		}
	}
	add("gpu", cuda.EnvGPU, o.gpu)
	add("check", cuda.EnvCheck, o.check)
	add("divergence", cuda.EnvDivergence, o.divergence)
	add("shared-init", cuda.EnvSharedInit, o.sharedInit)
	add("report", cuda.EnvReport, o.report)
	add("metrics", cuda.EnvMetrics, o.metrics)
	add("save", cuda.EnvSave, o.save)
	add("log", cuda.EnvLog, o.log)
	add("suppressions", cuda.EnvSuppressions, suppressionFiles(o.ci.suppressions))
	if o.split != 0 {
		add("split", cuda.EnvSplit, strconv.FormatUint(o.split, 10))
	}
	if o.launchTimeout != 0 {
		add("launch-timeout", cuda.EnvLaunchTimeout, o.launchTimeout.String())
	}
	if o.clock {
		add("clock", cuda.EnvFunctional, "0")
	}
	return all
}

// prepare parses what the driver library will read in the environment of the program. Without it, a program would find
// no GPU if a flag is wrong, and might end as if all was well.
func (o *hostOptions) prepare() error {
	given := o.given()
	find := func(name string) *hostSetting {
		for i := range given {
			if given[i].variable == name {
				return &given[i]
			}
		}
		return nil
	}
	get := func(name string) string {
		if s := find(name); s != nil {
			return s.value
		}
		return os.Getenv(name)
	}
	spell := func(name, value string) string {
		switch s := find(name); {
		case s == nil:
			return name
		case name == cuda.EnvFunctional:
			return "--" + s.flag
		default:
			return "--" + s.flag + " " + value
		}
	}
	var err error
	if o.settings, err = hostlink.ParseSettings(get, spell); err != nil {
		return &usageError{msg: err.Error()}
	}
	for _, name := range []string{cuda.EnvReport, cuda.EnvLog} {
		if err := appendable(get(name)); err != nil {
			return &usageError{msg: fmt.Sprintf("%s: %v", spell(name, get(name)), err)}
		}
	}
	if folder := get(cuda.EnvSave); folder != "" {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return &usageError{msg: fmt.Sprintf("%s: %v", spell(cuda.EnvSave, folder), err)}
		}
	}
	return nil
}

// appendable returns the error if a file, unless its name is empty, cannot be opened as the driver library opens it.
func appendable(name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // a pipe would lose its reader
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
