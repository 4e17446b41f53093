package main

import (
	"cmp"
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
	for _, s := range []hostSetting{
		{"gpu", cuda.EnvGPU, o.gpu},
		{"check", cuda.EnvCheck, o.check},
		{"divergence", cuda.EnvDivergence, o.divergence},
		{"shared-init", cuda.EnvSharedInit, o.sharedInit},
		{"report", cuda.EnvReport, o.report},
		{"metrics", cuda.EnvMetrics, o.metrics},
		{"save", cuda.EnvSave, cmp.Or(o.save, o.profile.folder)},
		{"log", cuda.EnvLog, o.log},
		{"suppressions", cuda.EnvSuppressions, suppressionFiles(o.ci.suppressions)},
		{"split", cuda.EnvSplit, textUnless(o.split == 0, strconv.FormatUint(o.split, 10))},
		{"launch-timeout", cuda.EnvLaunchTimeout, textUnless(o.launchTimeout == 0, o.launchTimeout.String())},
		{"clock", cuda.EnvFunctional, textUnless(!o.clock, "0")},
	} {
		if s.value != "" {
			all = append(all, s)
		}
	}
	return all
}

// textUnless returns text, or "" if a condition holds.
func textUnless(condition bool, text string) string {
	if condition {
		return ""
	}
	return text
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
		return &usageError{msg: explain(err)}
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
