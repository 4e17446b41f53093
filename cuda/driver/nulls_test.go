package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// exportedNames returns the functions that a library exports, without versions, whose names have a prefix.
func exportedNames(t *testing.T, library, prefix string) []string {
	t.Helper()
	needs.Tool(t, "nm")
	text, err := exec.Command("nm", "-D", "--defined-only", "-f", "posix", library).Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if name, rest, _ := strings.Cut(line, " "); strings.HasPrefix(name, prefix) && strings.HasPrefix(rest, "T") {
			name, _, _ = strings.Cut(name, "@")
			names = append(names, name)
		}
	}
	return names
}

// TestRequiredPointersMayNotBeNull calls every function of a runtime with null pointers. Where one is required, CUDA's
// runtime returns an error. If cases take turns, one of the runtimes is tried with each commit.
func TestRequiredPointersMayNotBeNull(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/names/nulls.c")
	for i, version := range []string{"11.0", "12", "13"} {
		if short.Waits(i, 3) {
			continue
		}
		library := filepath.Join(dir, "libcudart.so."+version)
		names := slices.DeleteFunc(exportedNames(t, library, "cuda"), func(name string) bool {
			return strings.HasPrefix(name, "cudaMemset3D") || name == "cudaCreateChannelDesc" || // structures by value
				name == "cudaLaunchHostFunc" || name == "cudaStreamAddCallback" // the buffer as code
		})
		if len(names) < 250 {
			t.Fatal(names)
		}
		cmd := exec.Command(program, append([]string{library}, names...)...)
		cmd.Env = append(cmd.Environ(), "LD_LIBRARY_PATH="+dir)
		out, err := cmd.Output()
		last := string(out[1+strings.LastIndex(strings.TrimSpace(string(out)), "\n"):])
		if err != nil || last != "done\n" {
			t.Errorf("%s: %v after %s", library, err, last)
		}
	}
}
