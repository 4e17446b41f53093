package programs_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// unordered are the programs whose warps take places in memory in the order in which
// they come.
var unordered = map[string]bool{"ballot_compaction.s": true}

// TestClock runs every program with a clock and without one, under all models of
// divergence, on GPUs with many SMs and with one, and with other ways to schedule: they
// end alike and leave the same in memory. Unless their threads look again and again at
// what others write, the counters are the same, too.
func TestClock(t *testing.T) {
	oneSM := filepath.Join(t.TempDir(), "one.toml")
	if err := os.WriteFile(oneSM, []byte("base = \"h100\"\ngpcs = 1\ntpcs = 1\nsms = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	machines := map[string][]directive{
		"its":        {{"divergence", "its"}},
		"stack":      {{"divergence", "stack"}},
		"minpc":      {{"divergence", "minpc"}},
		"one SM":     {{"gpu", oneSM}, {"sched", "random:3"}},
		"minimal":    {{"gpu", "minimal"}, {"divergence", "its"}, {"sched", "lrr"}},
		"dual issue": {{"gpu", "v100"}, {"cta-order", "linear"}, {"cost", "ptx"}, {"dual-issue", ""}},
	}
	for i, file := range sources(t) {
		if short.Skips(i) {
			continue
		}
		for name, flags := range machines {
			if (file == "cluster_reduce.s" || file == "gemm_cluster.s") && name == "dual issue" { // V100 has no clusters
				continue
			}
			t.Run(file+" "+name, func(t *testing.T) {
				functional, want := ended(t, file, flags, false)
				timed, got := ended(t, file, flags, true)
				if want != got {
					t.Fatalf("functional: %q, timed: %q", want, got)
				}
				if want != "" { // a launch that hangs may have been at other places
					return
				}
				if len(timed.Failed) != len(functional.Failed) && !spinning[file] {
					t.Errorf("functional: %v, timed: %v", functional.Failed, timed.Failed)
				}
				if !unordered[file] {
					compareMemory(t, functional, timed)
				}
				for i := range timed.Launches {
					l := &timed.Launches[i]
					if err := l.Timing.Check(); err != nil {
						t.Error(err)
					}
					if spinning[file] || unordered[file] {
						continue
					}
					if diff := cmp.Diff(countersOf(functional, i), countersOf(timed, i)); diff != "" {
						t.Errorf("counters (-functional +timed):\n%s", diff)
					}
				}
			})
		}
	}
}

// ended is what a run of a program leaves, and the rule of the hang that it ends by.
func ended(t *testing.T, file string, flags []directive, with clock) (*launch.Result, string) {
	t.Helper()
	p := plan(t, file, flags)
	if p.Profile = true; with {
		p.UseClock()
	}
	res, err := p.Run(t.Context())
	if hang, ok := errors.AsType[*interp.Hang](err); ok {
		return res, string(hang.Rule)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return res, ""
}

// countersOf are the counters of a launch: in all, and of each instruction.
func countersOf(res *launch.Result, i int) (all []profile.Counts) {
	p := res.Launches[i].Profile
	all = append(all, p.Total)
	for _, f := range p.Funcs {
		all = append(all, f.Instrs...)
	}
	for i := range all {
		all[i].Time = nil
	}
	return all
}

func compareMemory(t *testing.T, want, got *launch.Result) {
	t.Helper()
	for i := range want.Buffers {
		if a, b := &want.Buffers[i], &got.Buffers[i]; !bytes.Equal(a.Data, b.Data) {
			t.Errorf("%s differs:\n%s", a.Name, cmp.Diff(a.Data, b.Data))
		}
	}
}
