package functional_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestBarrierLoopsThatEndAreNoHangs tries at many places of loops around barriers that end to prove that they do not.
func TestBarrierLoopsThatEndAreNoHangs(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/rounds.txt") {
		for _, model := range kerneltest.Models {
			t.Run(c.Name+"/"+model.String(), func(t *testing.T) {
				tried := 0
				k := c.Kernel(t)
				k.Words, k.Grid, k.Block, k.Config.Divergence = []int{16}, kerneltest.Dim(2, 1), kerneltest.Dim(64, 1), model
				k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := functional.BeginWithSlice(m, l, 64)
					for n := uint64(1); err == nil && !s.Done(); n = s.Stats().WarpInstrs + 211 {
						s.PauseAt(n)
						if err = s.Continue(t.Context()); err == nil && !s.Done() {
							tried++
							err = s.ProveNow(1 << 11)
						}
					}
					return s.Stats(), err
				}
				if out, _, err := k.Run(t); err != nil || out[0][0] != 2 {
					t.Errorf("after %d attempts: %v; words are %d, want 2 in word 0", tried, err, out)
				}
				if tried < 10 {
					t.Errorf("only %d attempts", tried)
				}
			})
		}
	}
}
