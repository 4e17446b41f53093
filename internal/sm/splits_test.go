package sm_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestLocksReadOperandsInLocalMemory: lanes of a warp take a lock in turn. A lane that has it waits for those that poll
// until their convergence barrier is broken, which must not take longer if operands are in local memory, as in code
// without optimisation.
func TestLocksReadOperandsInLocalMemory(t *testing.T) {
	const most = 30_000 // 32 lanes, each after 64 polls of up to 8 instructions, and 14 of its own
	for _, c := range kerneltest.Cases(t, "testdata/locks.txt") {
		t.Run(c.Name, func(t *testing.T) {
			k := kerneltest.Kernel{Source: c.Body, Words: []int{4}, Block: kerneltest.Dim(32, 1), Config: interp.Config{MaxSteps: most}}
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
				if err != nil {
					return interp.Stats{}, err
				}
				err = s.Continue(context.Background())
				return s.Stats(), err
			}
			out, stats, err := k.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			if out[0][1] != 32 || stats.WarpInstrs > most {
				t.Errorf("%d lanes had the lock, want 32; %d instructions, want at most %d", out[0][1], stats.WarpInstrs, most)
			}
		})
	}
}
