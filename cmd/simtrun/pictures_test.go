package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
)

// profiled runs a command line, and reads the report and the profile that it writes.
func profiled(t *testing.T, args ...string) (*report.Document, *profile.Profile, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	d, _ := saved(t, append([]string{"--pprof", path}, args...)...)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	return d, p, path
}

// TestProfilesAddUp checks that the samples of a profile add up to the report's figures for launches, and by line to
// those for instructions.
func TestProfilesAddUp(t *testing.T) {
	for name, args := range reportedRuns {
		if name == "no kernel" {
			continue
		}
		d, p, _ := profiled(t, args...)
		want, wantAt := make(map[string]int64), make(map[string]int64)
		for i := range d.Launches {
			l := &d.Launches[i]
			for _, m := range l.Metrics {
				switch m.Name {
				case "warp_instructions", "lane_instructions", "lost_lane_slots":
					want[m.Name] += int64(m.Value)
				}
			}
			if l.Time != nil {
				want["warp_cycles"] += int64(l.Time.WarpCycles)
				want["stall_cycles"] += int64(l.Time.WarpCycles) - int64(l.Time.Stalls[sm.Selected])
				for s, n := range l.Time.Stalls {
					want[sm.State(s).String()] += int64(n)
				}
			}
			for k := range l.Instructions {
				in := &l.Instructions[k]
				wantAt[fmt.Sprintf("warp_instructions %s %s:%d", in.Function, in.File, in.Line)] += int64(in.Counts.Runs)
				wantAt[fmt.Sprintf("long_scoreboard %s %s:%d", in.Function, in.File, in.Line)] += int64(in.Stalls[sm.LongScoreboard])
			}
		}
		got, gotAt := make(map[string]int64), make(map[string]int64)
		for _, s := range p.Sample {
			for k, v := range p.SampleType {
				got[v.Type] += s.Value[k]
				if at := s.Location[0].Line[0]; (v.Type == "warp_instructions" || v.Type == "long_scoreboard") && at.Line > 0 {
					gotAt[fmt.Sprintf("%s %s %s:%d", v.Type, at.Function.Name, at.Function.Filename, at.Line)] += s.Value[k]
				}
			}
		}
		for _, m := range []map[string]int64{want, wantAt, got, gotAt} {
			for k, n := range m {
				if n == 0 {
					delete(m, k)
				}
			}
		}
		delete(got, "sectors")
		delete(got, "shared_wavefronts")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-report +profile):\n%s", name, diff)
		}
		if diff := cmp.Diff(wantAt, gotAt); diff != "" {
			t.Errorf("%s, by line (-report +profile):\n%s", name, diff)
		}
	}
}

// TestPprofShowsSumsOfReport checks that go tool pprof shows the sums of the report, lines of the source, and the
// kernel above its callees.
func TestPprofShowsSumsOfReport(t *testing.T) {
	short.Skip(t)
	d, _, path := profiled(t, "../../programs/recursion.s")
	pprof := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", append([]string{"tool", "pprof", "-symbolize=none"}, append(args, path)...)...)
		cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	l := &d.Launches[0]
	of := func(function string, count func(in *report.Instruction) uint64) (n uint64) {
		for i := range l.Instructions {
			if in := &l.Instructions[i]; function == "" || in.Function == function {
				n += count(in)
			}
		}
		return n
	}
	runs := func(in *report.Instruction) uint64 { return in.Counts.Runs }
	top := pprof("-top", "-sample_index=warp_instructions")
	for _, want := range []string{
		fmt.Sprintf(`accounting for %d, 100%% of %[1]d total`, l.Counts.Runs),
		fmt.Sprintf(`\n +%d +[\d.]+%% +[\d.]+%% +%[1]d +[\d.]+%%  fib\n`, of("fib", runs)),
		fmt.Sprintf(`\n +%d +[\d.]+%% +100%% +%d +100%%  recursion\n`, of("recursion", runs), l.Counts.Runs),
	} {
		if !regexp.MustCompile(want).MatchString(top) {
			t.Errorf("-top has no %s:\n%s", want, top)
		}
	}
	if top := pprof("-top"); !strings.Contains(top, "Type: stall_cycles\n") || !strings.Contains(top, fmt.Sprintf("of %dcycles total", l.Time.WarpCycles-l.Time.Stalls[sm.Selected])) {
		t.Errorf("-top:\n%s", top)
	}
	list := pprof("-list", "fib", "-sample_index=warp_instructions")
	for i := range l.Instructions {
		in := &l.Instructions[i]
		line := regexp.MustCompile(fmt.Sprintf(`\n +%d +\d+ +%d:.*%s`, in.Counts.Runs, in.Line, regexp.QuoteMeta(strings.Fields(in.Text)[0])))
		if in.Function == "fib" && !line.MatchString(list) {
			t.Errorf("-list has no %s:\n%s", line, list)
		}
	}
	tree := pprof("-traces", "-sample_index=warp_instructions")
	if !regexp.MustCompile(`fib\n +recursion\n`).MatchString(tree) {
		t.Errorf("no call in\n%s", tree)
	}
}

// compiledSource has .loc lines of a compiled source, and a function that is called once.
//
//go:embed testdata/kernels/compiled_source.s
var compiledSource string

// TestPprofShowsInlinedPositions checks that a location has the .loc positions above its own line, and the only call of
// a function above both.
func TestPprofShowsInlinedPositions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k.s")
	if err := os.WriteFile(file, []byte(compiledSource), 0o666); err != nil {
		t.Fatal(err)
	}
	_, p, _ := profiled(t, file)
	var got []string
	for _, s := range p.Sample {
		var stack []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				stack = append(stack, fmt.Sprintf("%s %s:%d", line.Function.Name, filepath.Base(line.Function.Filename), line.Line))
			}
		}
		got = append(got, strings.Join(stack, " < "))
	}
	want := []string{
		"k k.cu:11",
		"k k.cu:12",
		"k k.cu:12",
		"half k.cu:3 < k k.cu:12",
		"half k.cu:3 < k k.cu:12",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stacks (-want +got):\n%s", diff)
	}
}
