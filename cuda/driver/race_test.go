//go:build race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere are programs that need what a program with the driver within does not have: forkfirst and handlers the
// Makefile's flags and a later start of Go, misuse its own lines as callers, which here are those of the entry points,
// and standins the folder of the driver library. Those named dl* load the library themselves.
var elsewhere = map[string]bool{"forkfirst": true, "handlers": true, "misuse": true, "standins": true}

// TestProgramsHaveNoHostRaces runs the C programs of testdata with Go's race detector in the driver, which ends the
// program with status 66 at the first race. The detector does not work in shared libraries, and needs a program at its
// link-time addresses, so the programs are linked with the entry points and an archive. Calls that do not overlap in
// time count as ordered, because cgo orders them.
func TestProgramsHaveNoHostRaces(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "libcuda.a")
	build := exec.Command("go", "build", "-race", "-buildmode=c-archive", "-o", archive, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	entries, _ := filepath.Glob("entry/*.c")
	files, _ := filepath.Glob("testdata/*.c")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".c")
		if strings.HasPrefix(name, "dl") || elsewhere[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			program := compile(t, "", file, append(entries, "-D_GNU_SOURCE", "-no-pie", "-Wl,-u,simtrun_start", archive, "-pthread", "-ldl", "-lm")...)
			for _, r := range runsOf(t, file) {
				if name == "ends" && r.name() == "handlers" {
					continue // needs a later start of Go
				}
				t.Run(r.name(), func(t *testing.T) {
					r.env = append(r.env, "GORACE=halt_on_error=1")
					r.stderr = append(r.stderr, "") // allow any output: the exit status reports races
					r.do(t, "", program)
				})
			}
		})
	}
}
