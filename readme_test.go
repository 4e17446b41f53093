package simtrun_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme types what README.md shows after "$ simtrun" and compares what
// comes back.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "simtrun")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	examples := 0
	lines := strings.Split(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], "    $ simtrun ")
		if !ok {
			continue
		}
		var want []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
			i++
			want = append(want, lines[i][4:])
		}
		out, err := exec.Command(binary, strings.Fields(command)...).CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Split(strings.TrimRight(string(out), "\n"), "\n")); diff != "" {
			t.Errorf("simtrun %s (-README +now):\n%s", command, diff)
		}
		examples++
	}
	if examples == 0 {
		t.Error("README.md shows no example")
	}
}
