package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/jsondoc"
	"github.com/simtrun/simtrun/internal/report"
)

// TestDiffShowsChangedSectors compares a load with stride 1 to one with stride 2: 32 words are 4 sectors, or 8.
func TestDiffShowsChangedSectors(t *testing.T) {
	dir := t.TempDir()
	source, one := filepath.Join(dir, "k.s"), filepath.Join(dir, "one.run")
	if err := os.WriteFile(source, []byte(strided), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := typed(t, source, "-q", "-o", one, "--dump", "x:u32:4"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, "diff", one, one); got.code != 0 || got.stdout != "no difference\n" {
		t.Errorf("a run and itself: %+v", got)
	}
	if got := typed(t, "diff", one, source+" --dump x:u32:4 --grid 1 --sched lrr"); got.code != 0 || !strings.Contains(got.stdout, "  sched                              gty, lrr\n") {
		t.Errorf("a run and the same with another scheduler: %+v", got)
	}
	two := source + " --arg n=2 --dump x:u32:4"
	got := typed(t, "diff", one, two)
	for _, want := range []string{
		"  global_load_sectors                             4              8  +100.0 %\n",
		"  shared_load_wavefronts                          1              2  +100.0 %\n",
		"     14    14  ld.global.u32 %r4, [%rd2];",
		"  4, 8\n",
	} {
		if got.code != exitFindings || !strings.Contains(got.stdout, want) {
			t.Errorf("a stride of two lacks %q: %s", want, got.stdout)
		}
	}
	got = typed(t, "diff", one, source+" --arg x=iota:4096:u32 --dump x:u32:4")
	if want := "x: 3 of 4 elements differ\n  [1] 0, 1\n"; got.code != exitFindings || !strings.Contains(got.stdout, want) {
		t.Errorf("another buffer: %+v", got)
	}
	// For a run with a clock and one without, only metrics that both have are compared.
	const onlyA = "no difference\nlaunch 0: k\n  gpu                                h100, none\n  only a has a clock: times are not compared\n"
	if got = typed(t, "diff", one, source+" --functional --dump x:u32:4"); got.code != 0 || got.stdout != onlyA {
		t.Errorf("without a clock: %+v", got)
	}
	got = typed(t, "diff", two+" --functional", one)
	if got.code != exitFindings || !strings.Contains(got.stdout, "  only b has a clock: times are not compared\n") || strings.Contains(got.stdout, "  issued_instructions ") ||
		!strings.Contains(got.stdout, "  global_load_sectors                             8              4   -50.0 %\n") || strings.Count(got.stdout, "ld.global.u32") != 1 || strings.Contains(got.stdout, "add.u32") {
		t.Errorf("with a clock: %+v", got)
	}

	got = typed(t, "diff", one, two, "--json")
	var object map[string]any
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != exitFindings {
		t.Fatalf("%v: %+v", err, got)
	}
	if err := jsondoc.Read(t, "../../docs/json.md")[report.DiffSchema].Validate(object); err != nil {
		t.Error(err)
	}
}

// TestDiffNeedsRuns checks the errors for files that are not runs.
func TestDiffNeedsRuns(t *testing.T) {
	dir := t.TempDir()
	junk := filepath.Join(dir, "junk")
	if err := os.WriteFile(junk, []byte(`{"schema": "simtrun.run/v1"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ a, want string }{
		{filepath.Join(dir, "none"), "no file "},
		{junk, "is not a report that run or profile saved with -o"},
		{"none.s --grid 4", "no file none.s"},
		{"none.s --gird 4", "did you mean --grid?"},
		{"'", "neither a saved run nor a command line"},
	} {
		if got := typed(t, "diff", c.a, junk); got.code != exitUsage || !strings.Contains(got.stderr, c.want) {
			t.Errorf("%s: %+v, want %q", c.a, got, c.want)
		}
	}
}

// TestDiffMatchesLinesByText checks that lines of two sources are matched by their text.
func TestDiffMatchesLinesByText(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.s"), filepath.Join(dir, "b.s")
	other := strings.Replace(strided, "GLOBAL:\n", "\n// a comment\n\n", 1)
	for path, text := range map[string]string{a: strided, b: other} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := typed(t, "diff", a, b); got.code != 0 || !strings.Contains(got.stdout, "no difference\n") {
		t.Errorf("%+v", got)
	}
}
