package profile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/lanes"
)

// TestDropHidden parts random lanes and expects that forgetting the partings
// that later ones hide changes no lane slot's cause, and leaves one for each two
// lanes at the most.
func TestDropHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const sites = 2000
	var w warpState
	w.start(lanes.AllLanes)
	for site := 1; site < sites; site++ {
		all := lanes.Mask(r.Uint32() & r.Uint32())
		a := all & lanes.Mask(r.Uint32())
		if b := all &^ a; a != 0 && b != 0 {
			w.partings = append(w.partings, parting{a, b, site})
		}
	}
	charges := func() (lost []uint64) {
		lost = make([]uint64, sites)
		for lane := range lanes.Width {
			w.mask, w.steps = 1<<lane, uint64(lane)+1
			w.settle(lost)
		}
		return lost
	}
	before := charges()
	w.dropHidden()
	if len(w.partings) > 496 {
		t.Errorf("%d partings are left", len(w.partings))
	}
	if !slices.Equal(before, charges()) {
		t.Error("a lane slot has another cause than before")
	}
}
