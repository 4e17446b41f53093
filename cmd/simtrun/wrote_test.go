//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writingFlag matches the usage of flags that name what a command writes.
var writingFlag = regexp.MustCompile("(?i)^(write|save|plot|keep|with --accuracy, plot)\\b.*(`FILE`|`DIR`|KIND\\[:FILE\\]|^save )")

// writers are command lines that write OUT, by command and flag.
var writers = map[string]string{
	"run": "run k.s", "profile": "profile k.s", "report": "report run.json", "test": "test k.s",
	"occupancy": "occupancy k.s", "sweep": "sweep k.s --grid 1,2", "explore": "explore k.s", "host": "host PROGRAM",
}

// costly are commands that this test does not execute: verify needs a GPU, and validate --accuracy takes a minute.
var costly = []string{"validate", "verify"}

// TestFilesThatAreWrittenAreNamed: of every flag of every command that names a file to write, a line on standard error
// says that it was written; with --quiet there is no such line, and no page of a report that is in a file.
func TestFilesThatAreWrittenAreNamed(t *testing.T) {
	writeFiles(t, map[string]string{"k.s": strings.Replace(racing, "div.u32 %r5, %r1, 0;", "", 1)})
	typed(t, "run", "k.s", "-o", "run.json")
	program := hostFolder(t, "echo '{}' | tee $SIMTRUN_REPORT $SIMTRUN_LOG; mkdir -p $SIMTRUN_SAVE")
	for _, cmd := range newRoot().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !writingFlag.MatchString(f.Usage) || writers[cmd.Name()] == "" {
				if writingFlag.MatchString(f.Usage) && !slices.Contains(costly, cmd.Name()) {
					t.Errorf("%s --%s: no command line writes it", cmd.Name(), f.Name)
				}
				return
			}
			checkNamed(t, cmd, f, strings.Fields(strings.Replace(writers[cmd.Name()], "PROGRAM", program, 1)))
		})
	}
}

// checkNamed executes a command line with a flag that names what is written.
func checkNamed(t *testing.T, cmd *cobra.Command, f *pflag.Flag, words []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out.svg")
	value := path
	switch f.Name {
	case "save":
		if cmd.Name() != hostName {
			value = "x=" + path
		}
	case "trace":
		value = "mask:" + path
	}
	flag := "--" + f.Name + "=" + value
	args := append([]string{words[0], flag}, words[1:]...)
	got := typed(t, args...)
	if _, err := os.Stat(path); err != nil || !strings.Contains("\n"+got.stderr, "\nwrote "+path+"\n") {
		t.Errorf("%s: exit %d, %v\n%s", strings.Join(args, " "), got.code, err, got.stderr)
	}
	if cmd.Flags().Lookup("quiet") == nil {
		return
	}
	page := cmd.Name() == "profile" && slices.Contains([]string{"save", "trace", "sarif", "junit"}, f.Name) // no report is in the file
	if got := typed(t, append(args, "-q")...); (got.stdout != "") != page || strings.Contains(got.stderr, "wrote") {
		t.Errorf("%s -q: %s%s", strings.Join(args, " "), got.stdout, got.stderr)
	}
}
