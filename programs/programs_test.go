// Package programs_test runs every kernel of this directory as a user would,
// with the command.
package programs_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/simtrun/simtrun/launch" // see build
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPrograms(t *testing.T) {
	cmd := build(t)
	for _, file := range sources(t) {
		t.Run(file, func(t *testing.T) {
			cmd.checkGolden(t, file)
			cmd.checkPathOrders(t, file)
			cmd.checkGrids(t, file)
		})
	}
}

// sources are the programs, sorted.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.s")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	return files
}

// command is the path of the built simtrun.
type command string

// build builds simtrun. What go build reads is hidden from the cache of test
// results, so this test imports package launch, and with it all that the
// command is made of, and looks at the command's own directory: a change in
// any of them runs it again.
func build(t *testing.T) command {
	t.Helper()
	if _, err := os.ReadDir("../cmd/simtrun"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "simtrun")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/simtrun").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return command(path)
}

// run is what simtrun prints about a file on its standard output. It must exit
// 0, which it does only if all expectations of the file hold.
func (c command) run(t *testing.T, file string, flags ...string) string {
	t.Helper()
	cmd := exec.Command(string(c), append([]string{file}, flags...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("simtrun %s: %v\n%s%s", strings.Join(cmd.Args[1:], " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

func (c command) checkGolden(t *testing.T, file string) {
	t.Helper()
	got := c.run(t, file)
	golden := strings.TrimSuffix(file, ".s") + ".golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// checkPathOrders checks that it does not show which side of a branch runs
// first: the sides of a structured branch run apart and meet before anything
// else does. So not only memory but also the counts stay.
func (c command) checkPathOrders(t *testing.T, file string) {
	t.Helper()
	want := c.run(t, file, "--path-order", "taken")
	for _, order := range []string{"fallthrough", "majority"} {
		if diff := cmp.Diff(want, c.run(t, file, "--path-order", order)); diff != "" {
			t.Errorf("path order (-taken +%s):\n%s", order, diff)
		}
	}
}

// tiled are the programs whose grid must cover their data. The others divide
// their work over any grid.
var tiled = map[string]bool{"matmul_naive.s": true, "matmul_tiled.s": true, "transpose.s": true}

// checkGrids checks that memory is the same with other grids.
func (c command) checkGrids(t *testing.T, file string) {
	t.Helper()
	grids := []string{"132x4"}
	if !tiled[file] {
		grids = append(grids, "1", "7", "3x5")
	}
	want := c.run(t, file, "--quiet")
	for _, grid := range grids {
		if diff := cmp.Diff(want, c.run(t, file, "--quiet", "--grid", grid)); diff != "" {
			t.Errorf("grid (-default +%s):\n%s", grid, diff)
		}
	}
}

// The course must list every program, and every program must check what it
// says is worked out.
func TestCourse(t *testing.T) {
	course, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(src, []byte("\n//sim:expect ")) {
			t.Errorf("%s expects nothing", file)
		}
		if !bytes.Contains(course, []byte("("+file+")")) {
			t.Errorf("README.md does not list %s", file)
		}
	}
}
