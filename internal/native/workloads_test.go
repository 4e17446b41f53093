package native_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// TestCompiledWorkloadsAgree runs the benchmark's kernels by lane functions alone, and compiled from the first
// instruction on: results and counters are the same, even if the rest of the code is compiled when it is needed.
func TestCompiledWorkloadsAgree(t *testing.T) {
	short.Skip(t)
	mod := workloads.Load(t)
	for i, w := range workloads.All {
		t.Run(w.Name, func(t *testing.T) {
			models := []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC}
			for _, model := range models[i%3:][:1] { // TestWorkloadsPassUnderEveryModel has all of them
				run := func(c interp.Compilation) (interp.Stats, []byte) {
					p := w.Prepare(t, mod, kerneltest.Config(interp.Config{Divergence: model, Compile: c, Lanes: kerneltest.LevelOf(i)}))
					stats := p.Run(t)
					if err := p.Check(); err != nil {
						t.Errorf("%v, compilation %d: %v", model, c, err)
					}
					return stats, p.Out()
				}
				want, out := run(interp.CompileNever)
				for _, c := range []interp.Compilation{interp.CompileAlways, interp.CompileWanted} {
					got, compiled := run(c)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%v, compilation %d: counters (-lane functions +compiled):\n%s", model, c, diff)
					}
					if !bytes.Equal(out, compiled) {
						t.Errorf("%v, compilation %d: memory differs", model, c)
					}
				}
			}
		})
	}
}

// divergences counts the divergent branches of which it is notified.
type divergences uint64

func (d *divergences) Diverged(*interp.Place, int, []divergence.Group) { *d++ }

// TestDivergencesAreObserved: an observer of divergence only, which leaves accesses to compiled code, is notified of
// each divergent branch.
func TestDivergencesAreObserved(t *testing.T) {
	mod := workloads.Load(t)
	for _, w := range workloads.All {
		if w.Name != "mandelbrot" && w.Name != "reduce" {
			continue
		}
		p := w.Prepare(t, mod, kerneltest.Config(interp.Config{Compile: interp.CompileAlways}))
		var seen divergences
		p.Launch.Observers = []interp.Observer{&seen}
		if stats := p.Run(t); stats.DivergentBranches == 0 || uint64(seen) != stats.DivergentBranches {
			t.Errorf("%s: notified of %d divergent branches, %d were counted", w.Name, seen, stats.DivergentBranches)
		}
	}
}
