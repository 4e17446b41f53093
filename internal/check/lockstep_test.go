package check_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/interp"
)

// underSplit returns the contents of the buffer after a case, with forced divergence by a seed; 0 for lock step.
func (c *raceCase) underSplit(t *testing.T, seed uint64) []byte {
	t.Helper()
	mod := parsed(t, c.source())
	m, l, g := launchOf(t, mod, interp.Config{Split: seed, MaxSteps: 1e6}, c.grid, c.block)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	return g.Data
}

// TestLockstepRelianceShowsUnderDivergence: the result of a kernel that relies on lock step changes under some forced
// divergence; that of other kernels never does.
func TestLockstepRelianceShowsUnderDivergence(t *testing.T) {
	const seeds = 20
	differs := func(c *raceCase) bool {
		want := c.underSplit(t, 0)
		for seed := range uint64(seeds) {
			if !bytes.Equal(want, c.underSplit(t, seed+1)) {
				return true
			}
		}
		return false
	}
	// Lanes that diverge at a branch reconverge at its end, also under forced divergence; a GPU need not do that.
	reconverge := map[string]bool{"steps of ever fewer lanes": true, "one lane writes for all": true, "sorting of pairs": true}
	for _, c := range races(t, "lockstep") {
		if !reconverge[c.name] && !differs(&c) {
			t.Errorf("%s: the result is the same under %d forced divergences", c.name, seeds)
		}
	}
	for _, c := range races(t, "lanes") {
		if differs(&c) {
			t.Errorf("%s: the result depends on forced divergence", c.name)
		}
	}
}

// TestLockstepUnderEachModel: the findings about strong accesses do not depend on the model of divergence.
func TestLockstepUnderEachModel(t *testing.T) {
	for _, c := range races(t, "lockstep") {
		want := summary(c.run(t, divergence.IndependentThreads))
		if got := summary(c.run(t, divergence.ReconvergenceStack)); len(got) != len(want) {
			t.Errorf("%s: %v with a stack, %v without", c.name, got, want)
		}
	}
}
