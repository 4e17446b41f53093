package flowgraph

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHeightsMatchArray compares with an array of heights.
func TestHeightsMatchArray(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for places := 1; places < 40; places++ {
		h, want := newHeights(places), make([]int, places)
		for range 60 {
			from := r.IntN(places)
			to := from + 1 + r.IntN(places-from)
			got := h.highest(from, to)
			if got != slices.Max(want[from:to]) {
				t.Fatalf("%d places: %d from %d up to %d, of %v", places, got, from, to, want)
			}
			if r.IntN(2) == 0 {
				h.raise(from, to, got+1)
				for i := from; i < to; i++ {
					want[i] = got + 1
				}
			}
		}
	}
}
