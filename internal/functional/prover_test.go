package functional_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestProofsEndAtChanges: a proof that a launch hangs ends where the launch changes memory, in the same iteration of a
// loop, since it proves nothing from there on.
func TestProofsEndAtChanges(t *testing.T) {
	proofs := 0
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/prover.txt", "proofs end at changes"), Words: []int{1}, Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		p := new(functional.Prover)
		s, err := sm.Begin(m, l, sm.Options{Prove: func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
			proofs++
			err := p.Prove(g, ctas, waiting, steps)
			if n := p.Executed(); n > 2*4 {
				t.Errorf("proof %d has executed %d instructions of a loop of 4", proofs, n)
			}
			return err
		}})
		if err == nil {
			err = s.Continue(t.Context())
		}
		return interp.Stats{}, err
	}}
	if _, _, err := k.Run(t); err != nil || proofs == 0 {
		t.Errorf("%v; %d proofs", err, proofs)
	}
}
