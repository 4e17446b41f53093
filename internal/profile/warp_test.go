package profile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// TestDroppingSupersededKeepsCauses has random lanes diverge and checks that dropping superseded divergences does not
// change the cause of any lane slot, and leaves at most one for each pair of lanes.
func TestDroppingSupersededKeepsCauses(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const sites = 2000
	var w warpState
	w.start(lanes.AllLanes)
	for site := 1; site < sites; site++ {
		all := lanes.Mask(r.Uint32() & r.Uint32())
		a := all & lanes.Mask(r.Uint32())
		if b := all &^ a; a != 0 && b != 0 {
			w.diverged = append(w.diverged, diverged{a, b, site})
		}
	}
	charges := func() (lost []uint64) {
		lost = make([]uint64, sites)
		for lane := range lanes.Width {
			w.mask, w.steps = 1<<lane, uint64(lane)+1
			w.charge(lost)
		}
		return lost
	}
	before := charges()
	w.dropSuperseded()
	if len(w.diverged) > 496 {
		t.Errorf("%d divergences are left", len(w.diverged))
	}
	if !slices.Equal(before, charges()) {
		t.Error("a lane slot has another cause than before")
	}
}
