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

// unordered are the programs in which warps take places in memory in the order of their arrival.
var unordered = map[string]bool{"ballot_compaction.s": true}

// TestClockKeepsResults runs every program with a clock and without one, under all models of divergence, on GPUs with
// many SMs and with one, and with other scheduling policies: the runs end in the same way and leave the same memory.
// The counters are the same, too, except for programs in which threads poll.
func TestClockKeepsResults(t *testing.T) {
	oneSM := filepath.Join(t.TempDir(), "one.toml")
	if err := os.WriteFile(oneSM, []byte("base = \"h100\"\ngpcs = 1\ntpcs = 1\nsms = 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	machines := []struct {
		name  string
		flags []directive
	}{
		{"its", []directive{{"divergence", "its"}}},
		{"stack", []directive{{"divergence", "stack"}}},
		{"minpc", []directive{{"divergence", "minpc"}}},
		{"one SM", []directive{{"gpu", oneSM}, {"sched", "random:3"}}},
		{"minimal", []directive{{"gpu", "minimal"}, {"divergence", "its"}, {"sched", "lrr"}}},
		{"dual issue", []directive{{"gpu", "v100"}, {"cta-order", "linear"}, {"cost", "ptx"}, {"dual-issue", ""}}},
	}
	for i, file := range sources(t) {
		if short.Skips(i) {
			continue
		}
		for j, m := range machines {
			if short.Waits(i+j, 4) {
				continue
			}
			if (file == "cluster_reduce.s" || file == "gemm_cluster.s") && m.name == "dual issue" { // V100 has no clusters
				continue
			}
			t.Run(file+" "+m.name, func(t *testing.T) {
				functional, want := ended(t, file, m.flags, false)
				timed, got := ended(t, file, m.flags, true)
				if want != got {
					t.Fatalf("functional: %q, timed: %q", want, got)
				}
				if want != "" { // a launch that hangs may have been at another place
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

// ended returns the result of a program, and the rule of the hang that ends it.
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

// countersOf returns the counters of a launch: in total, and per instruction.
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
