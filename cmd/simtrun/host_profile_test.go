//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/launch"
)

// TestHostProfilesSavedLaunches: after the program, the launches that it saved have a profile with a clock, in their
// order. Those of an earlier run have none, a launch that fails is named, and a temporary folder is removed.
func TestHostProfilesSavedLaunches(t *testing.T) {
	good, err := filepath.Abs("../../programs/if_else.s")
	if err != nil {
		t.Fatal(err)
	}
	script := "set -e; echo it ran; echo $SIMTRUN_SAVE > folder; cd $SIMTRUN_SAVE; mkdir 0002-first 0003-fails 0004-last; " +
		"cp " + good + " 0002-first/kernel.ptx; cp " + good + " 0004-last/kernel.ptx; " +
		"echo '.entry fails() { ld.global.u32 %r1, [0]; ret; }' > 0003-fails/kernel.ptx"
	program := hostFolder(t, script)
	earlier := t.TempDir()
	writeFiles(t, map[string]string{filepath.Join(earlier, "0001-earlier", launch.KernelFile): ".entry earlier() { ret; }"})
	for name, flags := range map[string][]string{"temporary": {"--profile"}, "the user's": {"--profile", "--save", earlier}} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			got := typed(t, append(append([]string{"host"}, flags...), program)...)
			text := got.stdout
			for _, want := range []string{"it ran\n", "\nif_else  ", "\ntime ", "\nIssue ", "\nlaunch 0003-fails fails, so it is not profiled\n", "\nif_else  "} {
				before, after, found := strings.Cut(text, want)
				if !found {
					t.Fatalf("no %q, or not in this order: %s in\n%s%s", want, before, got.stdout, got.stderr)
				}
				text = after
			}
			if strings.Contains(got.stdout, "0001-earlier") || strings.Contains(got.stdout, "\nearlier ") {
				t.Errorf("a launch of an earlier run has a profile:\n%s", got.stdout)
			}
			folder := strings.TrimSpace(readFile(t, "folder"))
			if _, err := os.Stat(folder); (err == nil) != (folder == earlier) {
				t.Errorf("folder %s: %v", folder, err)
			}
		})
	}
}
