package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sweep"
)

// triple stores 3*i for every thread i of 64.
const triple = `//sim:arg out = zeros:64:u32
//sim:expect out[63] == 189
//sim:arg seed = @seed.bin
.entry triple(.param .u64 out, .param .u64 seed)
{
	ld.param.u64 %rd1, [out];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	mul.lo.u32 %r6, %r5, 3;
	mul.wide.u32 %rd2, %r5, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r6;
	ret;
}
`

// program returns a source in a folder, with an input file.
func program(t *testing.T, folder, source string) *sweep.Program {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "seed.bin"), []byte("seed"), 0o666); err != nil {
		t.Fatal(err)
	}
	return parse(t, folder, source)
}

func parse(t *testing.T, folder, source string) *sweep.Program {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	header, err := launch.ParseHeader("k.s", folder, []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return &sweep.Program{Module: mod, Layers: []*launch.Layer{header}, Texts: []sweep.Text{{Name: "k.s", Content: []byte(source)}}, Version: "v1"}
}

// run runs all points of a sweep.
func run(t *testing.T, s *sweep.Sweep, jobs int, dir *sweep.Dir) *sweep.Table {
	t.Helper()
	points, err := s.Points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if dir != nil {
		if err := dir.Begin(t.Context(), s, points, true); err != nil {
			t.Fatal(err)
		}
	}
	table := &sweep.Table{Files: s.Program.Names(), Matrix: s.Matrix}
	err = sweep.RunAll(t.Context(), points, jobs, dir, func(r *sweep.Result) { table.Results = append(table.Results, r) })
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func open(t *testing.T, path string) *sweep.Dir {
	t.Helper()
	dir, err := sweep.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

// written returns a table in all formats.
func written(t *testing.T, table *sweep.Table) string {
	t.Helper()
	var b bytes.Buffer
	for _, err := range []error{table.WriteText(&b), table.WriteCSV(&b), table.WriteJSON(&b)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestJobsDoNotChangeOutput checks that points with every kind of outcome are in order, and that the output does not
// depend on the number of jobs.
func TestJobsDoNotChangeOutput(t *testing.T) {
	p := program(t, t.TempDir(), triple)
	m := matrix(t, "block", "64,1,2048,128,32", "gpu", "h100,a100", "grid", "1,2")
	first := run(t, sweep.New(p, m), 1, nil)
	for i, want := range []sweep.Status{sweep.OK, sweep.Fault, sweep.OK, sweep.Fault, sweep.Expect, sweep.Expect, sweep.Expect, sweep.Expect,
		sweep.Refused, sweep.Refused, sweep.Refused, sweep.Refused, sweep.Fault, sweep.Fault, sweep.Fault, sweep.Fault, sweep.Expect, sweep.OK, sweep.Expect, sweep.OK} {
		r := first.Results[i]
		if r.Index != i || r.Status != want {
			t.Errorf("point %d, %v, is %s, and is to be %s: %s", r.Index, r.Values, r.Status, want, r.Error)
		}
		if (r.Figures != nil) != (want == sweep.OK || want == sweep.Expect) || (r.Error == "") != (want == sweep.OK) || strings.Contains(r.Error, "\n") {
			t.Errorf("point %d: %+v %q", i, r.Figures, r.Error)
		}
	}
	for _, jobs := range []int{2, 7, 100} {
		if diff := cmp.Diff(written(t, first), written(t, run(t, sweep.New(p, m), jobs, nil))); diff != "" {
			t.Errorf("%d points at a time:\n%s", jobs, diff)
		}
	}
}

// TestFiguresMatchHandCount checks two blocks of 64 threads on an H100, on which 32 blocks and 64 warps are resident.
func TestFiguresMatchHandCount(t *testing.T) {
	f := run(t, sweep.New(program(t, t.TempDir(), triple), matrix(t, "block", "32", "grid", "2")), 1, nil).Results[0].Figures
	if f.Kernel != "triple" || f.GPU != "h100" || f.Grid != [3]uint32{2, 1, 1} || f.Block != [3]uint32{32, 1, 1} || f.Instrs != 20 {
		t.Errorf("%+v", f)
	}
	// One warp on each of two SMs: no other warp issues, and 1/64 of the warps is resident.
	if f.Occupancy.CTAs != 32 || f.Occupancy.Theoretical != 0.5 || f.Warps != 1 || f.Occupancy.Achieved != 1.0/64 || f.Waves.Count != 1 || f.Waves.PerMultiprocessor != 2.0/(32*132) {
		t.Errorf("%+v", f)
	}
	// The kernel stores 64 words: 8 sectors of 32 bytes.
	if f.L2Bytes < 256 || f.Microseconds != float64(f.Cycles)/1980 || f.SlotsUsed != f.IPC/4 {
		t.Errorf("%+v", f)
	}
}

// TestResumeUsesOnlyOwnResults checks that existing results are used, unless they belong to something else.
func TestResumeUsesOnlyOwnResults(t *testing.T) {
	folder, kept := t.TempDir(), filepath.Join(t.TempDir(), "a", "results")
	dir := open(t, kept)
	axes := []string{"block", "32,64"}
	want := written(t, run(t, sweep.New(program(t, folder, triple), matrix(t, axes...)), 1, dir))
	file := filepath.Join(kept, "point-000001.json")
	// edit changes a result to values that no run has, to see whether it is used.
	edit := func() {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var o map[string]any
		if err := json.Unmarshal(text, &o); err != nil {
			t.Fatal(err)
		}
		o["point"].(map[string]any)["cycles"] = 1
		if text, err = json.Marshal(o); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	used := func(p *sweep.Program, axes ...string) bool {
		t.Helper()
		edit()
		return run(t, sweep.New(p, matrix(t, axes...)), 1, dir).Results[1].Cycles == 1
	}
	if !used(program(t, folder, triple), axes...) {
		t.Error("a result that is there is not used")
	}
	other := program(t, folder, triple)
	other.Version = "v2"
	for name, p := range map[string]*sweep.Program{"source": program(t, folder, triple+"// changed\n"), "version": other} {
		if used(p, axes...) {
			t.Errorf("a result is used though the %s is another", name)
		}
	}
	flags := program(t, folder, triple)
	flags.Flags = []sweep.Flag{{Directive: "dual-issue", Value: "true"}}
	if used(flags, axes...) || used(program(t, folder, triple), "block", "32,33") || used(program(t, folder, triple), "block", "32,64", "sched", "lrr") {
		t.Error("a result is used of another point")
	}
	p := program(t, folder, triple)
	if err := os.WriteFile(filepath.Join(folder, "seed.bin"), []byte("SEED"), 0o666); err != nil {
		t.Fatal(err)
	}
	if used(parse(t, folder, triple), axes...) {
		t.Error("a result is used though a file that the program reads has changed")
	}
	// A broken file is run again, with the original result.
	if err := os.WriteFile(file, []byte(`{"schema":`), 0o666); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, written(t, run(t, sweep.New(p, matrix(t, axes...)), 1, dir))); diff != "" {
		t.Error(diff)
	}
}

// TestChangedGPUFileDiscardsResult checks that a result is not used after a GPU's file has changed.
func TestChangedGPUFileDiscardsResult(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "mine.toml")
	digest := func(text string) string {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		points, err := sweep.New(program(t, folder, triple), matrix(t, "gpu", file)).Points(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return points[0].Digest
	}
	a, b, again := digest("base = \"h100\"\n"), digest("base = \"h100\"\nsms = 66\n"), digest("# the same\nbase = \"h100\"\n")
	if a == b || a != again {
		t.Errorf("%s %s %s", a, b, again)
	}
}

// TestMergedResultsEqualOneRun checks that the merged results of several runs equal those of one, and that missing
// points are marked.
func TestMergedResultsEqualOneRun(t *testing.T) {
	folder, kept := t.TempDir(), t.TempDir()
	m := matrix(t, "block", "32,64,2048", "grid", "1,2")
	want := run(t, sweep.New(program(t, folder, triple), m), 2, nil)
	if _, err := sweep.Merge(kept); err == nil || !strings.Contains(err.Error(), "no results of a sweep") {
		t.Error(err)
	}
	for task := range 3 { // like a job: each in a process of its own
		s := sweep.New(program(t, folder, triple), m)
		points, err := s.Points(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		dir := open(t, kept)
		if err := dir.Begin(t.Context(), s, points, true); err != nil {
			t.Fatal(err)
		}
		if err := sweep.RunAll(t.Context(), []*sweep.Point{points[task], points[task+3]}, 1, dir, func(*sweep.Result) {}); err != nil {
			t.Fatal(err)
		}
		merged, err := sweep.Merge(kept)
		if err != nil {
			t.Fatal(err)
		}
		missing := []string{"1-2 4-5", "2 5", ""}[task]
		if got := merged.Indexes(sweep.Missing); got != missing {
			t.Errorf("missing %q, want %q", got, missing)
		}
		if task < 2 {
			continue
		}
		if diff := cmp.Diff(written(t, want), written(t, merged)); diff != "" {
			t.Error(diff)
		}
	}
	// The results of another source are not used.
	s := sweep.New(program(t, folder, triple+"// changed\n"), m)
	points, err := s.Points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := open(t, kept).Begin(t.Context(), s, points, false); err != nil {
		t.Fatal(err)
	}
	if merged, err := sweep.Merge(kept); err != nil || merged.Count(sweep.Missing) != 6 {
		t.Errorf("%v %v", merged, err)
	}
}

// TestInterruptLeavesNoPartialResult checks that the end of the context ends the sweep, and leaves no partial result.
func TestInterruptLeavesNoPartialResult(t *testing.T) {
	kept := t.TempDir()
	s := sweep.New(program(t, t.TempDir(), triple), matrix(t, "block", "32,64,96"))
	points, err := s.Points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	err = sweep.RunAll(ctx, points, 1, open(t, kept), func(*sweep.Result) { done++; cancel() })
	if !errors.Is(err, context.Canceled) || done == 0 {
		t.Errorf("%d points, %v", done, err)
	}
	entries, err := os.ReadDir(kept)
	if err != nil || len(entries) > 3 {
		t.Errorf("%v %v", entries, err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Error(e.Name())
		}
	}
}

// TestMistakesAreFoundBeforeRunning checks that mistakes in the settings of a sweep are found before anything runs.
func TestMistakesAreFoundBeforeRunning(t *testing.T) {
	two := triple + "//sim:launch triple grid=1 block=32\n//sim:launch triple grid=1 block=64\n"
	two = strings.Replace(two, "//sim:arg out = zeros:64:u32\n", "", 1)
	two = strings.Replace(strings.Replace(two, "//sim:arg seed = @seed.bin\n", "", 1), "//sim:expect out[63] == 189\n", "", 1)
	two = strings.ReplaceAll(two, "block=32", "block=32 args=0,0")
	two = strings.ReplaceAll(two, "block=64", "block=64 args=0,0")
	for _, c := range []struct{ source, directive, values, want string }{
		{triple, "block", "32,6four", "--block 6four"},
		{triple, "arg", "m=1,2", "--arg m=1"},
		{triple, "gpu", "h100,h1000", "--gpu h1000"},
		{two, "sched", "gty,lrr", "2 launches"},
		{triple + "//sim:functional\n", "divergence", "its", "the launch is functional"},
	} {
		_, err := sweep.New(program(t, t.TempDir(), c.source), matrix(t, c.directive, c.values)).Points(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s %s: %v", c.directive, c.values, err)
		}
	}
}
