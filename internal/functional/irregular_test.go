package functional_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// accessCount counts accesses.
type accessCount struct{ n uint64 }

func (c *accessCount) Accessed(*interp.Place, *interp.Access) { c.n++ }

// TestIrregularLoopsRunInCode: the detector of livelocks observes hardly any access of warps in loops with a number of
// iterations that comes from memory. Compiled code does not execute while it observes accesses.
func TestIrregularLoopsRunInCode(t *testing.T) {
	short.Alternates(t, 2, 3)
	mod := workloads.Irregular.Load(t)
	for _, w := range workloads.Irregular.Workloads {
		p := w.Prepare(t, mod, interp.Config{})
		var observed accessCount
		instrs := uint64(0)
		for n := range max(w.Launches, 1) {
			p.SetLaunch(n)
			s, err := functional.Begin(p.Machine, p.Launch)
			if err != nil {
				t.Fatal(err)
			}
			s.AlsoDetect(&observed)
			if err := s.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			instrs += s.Stats().WarpInstrs
		}
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		if observed.n > instrs/1000 {
			t.Errorf("%s: %d accesses are observed in %d instructions", w.Name, observed.n, instrs)
		}
	}
}

// TestEndlessIrregularLoopsAreProven: cycles in lists and trees, and full hash tables, are found long before the step
// limit, in code as in the Go loop.
func TestEndlessIrregularLoopsAreProven(t *testing.T) {
	list := func(nodes int) string { // each node leads to the next one, and the last one to the first
		return kerneltest.Source(t, "testdata/kernels/irregular.txt", "a cycle in a list", "$nodes", fmt.Sprint(nodes))
	}
	table := func(places int) string { // every place is taken by a key that none of the lanes has
		return kerneltest.Source(t, "testdata/kernels/irregular.txt", "a full hash table", "$places2", fmt.Sprint(places-1), "$places", fmt.Sprint(places))
	}
	for name, src := range map[string]string{
		"a list of 1 node":                     list(1),
		"a list of 7 nodes":                    list(7),
		"a list of 200 nodes":                  list(200),
		"a table of 1 place":                   table(1),
		"a table of 32 places":                 table(32),
		"a tree with a child that is its root": kerneltest.Source(t, "testdata/kernels/irregular.txt", "a tree with a child that is its root"),
		"a work list that holds nothing":       kerneltest.Source(t, "testdata/kernels/irregular.txt", "a work list that holds nothing"),
	} {
		for _, model := range kerneltest.Models {
			var instrs [2]uint64
			for i, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways} {
				_, stats, err := kerneltest.Kernel{Source: kerneltest.Entry + src, Grid: kerneltest.Dim(3, 1), Words: []int{1024},
					Config: interp.Config{Divergence: model, MaxSteps: 1e6, Compile: compile}}.Run(t)
				var hang *interp.Hang
				if !errors.As(err, &hang) || hang.Rule != interp.RuleLivelock {
					t.Errorf("%s, %v, compilation %d: got %v after %d instructions, want a proof", name, model, compile, err, stats.WarpInstrs)
				}
				instrs[i] = stats.WarpInstrs
			}
			if instrs[0] != instrs[1] {
				t.Errorf("%s, %v: proven after %d instructions, in code after %d", name, model, instrs[0], instrs[1])
			}
			t.Logf("%s, %v: %d instructions", name, model, instrs[0])
		}
	}
}
