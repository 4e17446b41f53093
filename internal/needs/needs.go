// Package needs skips tests that need a tool which is not installed, and keeps a list of
// them for the continuous integration: a missing tool must not pass for a passed test.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// List is the environment variable that names the file to which Skip appends a line
// "TOOL TEST". Unset, no list is kept.
const List = "SIMTRUN_TEST_SKIPS"

// Tool is the path of the first command of names that is installed. Without any, the test is
// skipped for want of the first.
func Tool(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Skip(t, names[0])
	return ""
}

// File skips the test for want of a tool if the tool's file is not there.
func File(t testing.TB, tool, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		Skip(t, tool)
	}
}

// Skip skips the test for want of a tool, which is named as in .ci/tools.
func Skip(t testing.TB, tool string) {
	t.Helper()
	if path := os.Getenv(List); path != "" {
		if err := note(path, tool, t.Name()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip(tool + " is not installed")
}

// note appends a line to the list. Processes of several packages append at the same time, each line in one write.
func note(path, tool, test string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s\n", tool, test)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
