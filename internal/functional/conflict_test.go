package functional_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// conflictCases returns the kernels of testdata/conflicts.txt.
func conflictCases(t *testing.T) []kerneltest.Case {
	t.Helper()
	return kerneltest.Cases(t, "testdata/conflicts.txt", "block", "want", "warns", "alone")
}

// TestHarmlessRacesGiveGPUResult: kernels with a race that give the right result on every GPU give it here under each
// way of execution, and a warning says that they depend on the order of warps.
func TestHarmlessRacesGiveGPUResult(t *testing.T) {
	for _, c := range conflictCases(t) {
		for _, model := range kerneltest.Models {
			for _, on := range []interp.Config{{Threads: 1, Compile: interp.CompileNever}, {Threads: 1, Compile: interp.CompileAlways}, {Threads: 3, Compile: interp.CompileAlways}} {
				t.Run(fmt.Sprintf("%s/%v/%d threads/%d", c.Name, model, on.Threads, on.Compile), func(t *testing.T) {
					on.Divergence = model
					ctas := 12 // more than trialCTAs
					if c.Has("alone") {
						ctas = 1
					}
					block, want := kerneltest.Dim(256, 1), c.Words(t, "want")
					if c.Has("block") {
						block = c.Dim(t, "block")
					}
					k := kerneltest.Kernel{Source: c.Body, Grid: kerneltest.Dim(uint32(ctas), 1), Block: block, Words: []int{256 * ctas}, Config: on}
					stats := k.Want(t, func(i int) uint32 { return want[i%256] })
					warned := false
					for _, w := range stats.Warnings {
						warned = warned || w.Rule == interp.RuleOrder
					}
					if warned != c.Has("warns") {
						t.Errorf("warnings %v", stats.Warnings)
					}
				})
			}
		}
	}
}

// TestConflictsEndInHangs: a hang is found although a warp spins on an access at which its time slice ends.
func TestConflictsEndInHangs(t *testing.T) {
	_, _, err := kerneltest.Kernel{Block: kerneltest.Dim(64, 1), Words: []int{64}, Source: kerneltest.Source(t, "testdata/kernels/conflict.txt", "conflicts end in hangs")}.Run(t)
	kerneltest.WantHang(t, err, "sync-spin")
}

// TestCodeExecutesConflictsInGlobalMemory: compiled code executes accesses to global memory that may conflict with
// those of other warps, and warps have the same turns as in Go.
func TestCodeExecutesConflictsInGlobalMemory(t *testing.T) {
	k := kerneltest.Kernel{Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(256, 1), Words: []int{3 * 256}, Source: kerneltest.Source(t, "testdata/kernels/conflict.txt", "conflicts in global memory")}
	for _, model := range kerneltest.Models {
		k.Config = interp.Config{Compile: interp.CompileNever, Divergence: model, Threads: 1}
		want, stats, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range kerneltest.Levels() {
			k.Config.Compile, k.Config.Lanes, k.Config.Verify = interp.CompileAlways, level, true
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := functional.Begin(m, l)
				if err != nil {
					return interp.Stats{}, err
				}
				err = s.Continue(context.Background())
				if left := s.Leaves(); level > jit.None && len(left) > 0 {
					t.Errorf("%v, %v: code leaves %+v", model, level, left)
				}
				return s.Stats(), err
			}
			got, counts, err := k.Run(t)
			if err != nil || !reflect.DeepEqual(got, want) || counts.WarpInstrs != stats.WarpInstrs || counts.DivergentBranches != stats.DivergentBranches {
				t.Errorf("%v, %v: %v, %+v, in Go %+v, or words differ", model, level, err, counts, stats)
			}
		}
		k.Driver = nil
	}
}

// stepThrough runs a launch instruction by instruction.
type stepThrough struct{}

func (stepThrough) Step(interp.Warp, divergence.Split) bool { return false }

// TestConflictsStepByStep: a launch that is run instruction by instruction has the same time slices and results.
func TestConflictsStepByStep(t *testing.T) {
	for _, c := range conflictCases(t) {
		if c.Has("block") {
			continue
		}
		k := kerneltest.Kernel{Source: c.Body, Block: kerneltest.Dim(256, 1), Words: []int{256}}
		words := c.Words(t, "want")
		_, want, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			l.Observers = append(l.Observers, stepThrough{})
			return functional.Run(context.Background(), m, l)
		}
		if got := k.Want(t, func(i int) uint32 { return words[i] }); got.WarpInstrs != want.WarpInstrs || len(got.Warnings) != len(want.Warnings) {
			t.Errorf("%s: %d instructions, %d warnings; not step by step %d and %d", c.Name, got.WarpInstrs, len(got.Warnings), want.WarpInstrs, len(want.Warnings))
		}
	}
}
