// Package needs skips tests that need a tool which is not installed, and records them for
// CI, so that a test skipped because of a missing tool does not count as passed.
package needs

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// listed is the environment variable that names the file to which Skip appends a line
// "TOOL TEST". Unset, no list is kept.
const listed = "SIMTRUN_TEST_SKIPS"

// Tool returns the path of the first command of names that is installed. If none is, it
// skips the test, and records that the first is missing.
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

// File skips the test if a file of the tool does not exist.
func File(t testing.TB, tool, path string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		Skip(t, tool)
	}
}

// Skip skips the test because a tool is missing; tool is its name in .ci/tools.
func Skip(t testing.TB, tool string) {
	t.Helper()
	if path := os.Getenv(listed); path != "" {
		if err := note(path, tool, t.Name()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip(tool + " is not installed")
}

// note appends a line to the list in one write, since test processes of several packages append at the same time.
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
