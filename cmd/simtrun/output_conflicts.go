package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
)

// absolute returns the absolute path; if there is no working directory, it returns the path unchanged.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// isStream reports whether path is a device, a pipe or a process's descriptor, where writing overwrites nothing.
func isStream(path string) bool {
	if isOpen(path) { // a link, to a file if the output is redirected
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// checkOutputs refuses an output file that would overwrite an input or another output of the run. Devices and pipes,
// such as /dev/null, may be written several times.
func (o *runOptions) checkOutputs(flags *pflag.FlagSet, files []string) error {
	taken := make(map[string]string)
	for _, f := range files {
		taken[absolute(f)] = "the program"
	}
	if o.script != "" {
		taken[absolute(o.script)] = "the script"
	}
	outputs := [][2]string{{"-o", o.output}, {"--html", o.pictures.html}, {"--pprof", o.pictures.pprof}, {"--timeline", o.trace.timeline.file}}
	for _, kind := range o.trace.kinds {
		_, file, _ := strings.Cut(kind, ":")
		outputs = append(outputs, [2]string{"--trace", file})
	}
	var saves []string
	if f := flags.Lookup("save"); f != nil {
		saves = f.Value.(pflag.SliceValue).GetSlice()
	}
	for _, save := range saves {
		_, file, _ := strings.Cut(save, "=")
		outputs = append(outputs, [2]string{"--save", strings.TrimSpace(file)})
	}
	for _, output := range outputs {
		flag, path := output[0], absolute(output[1])
		if output[1] == "" || isStream(path) {
			continue
		}
		if what, clash := taken[path]; clash {
			o.output = "" // otherwise the report would be written there
			return &usageError{msg: fmt.Sprintf("%s %s: that file is %s", flag, output[1], what)}
		}
		taken[path] = "written by " + flag + " already"
	}
	return nil
}
