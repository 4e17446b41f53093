package flow

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/flowcode"
)

// TestLoopHeadsDominateTheWayBack compares LoopHeads with the definition, on random graphs: some predecessor of a head
// can be reached, but not without passing the head.
func TestLoopHeadsDominateTheWayBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	heads := 0
	for range 3000 {
		data := make([]byte, 1+rng.IntN(24))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f := graphCode(data)
		g, r := New(f), newReference(f)
		reached := r.reachable(0, func(int) bool { return true })
		for b, got := range g.LoopHeads() {
			start, want := g.Blocks()[b].Start, false
			around := r.reachable(0, func(pc int) bool { return pc != start })
			for _, p := range g.Blocks()[b].Pred {
				last := g.Blocks()[p].End - 1
				want = want || reached[start] && reached[last] && !around[last]
			}
			if got != want {
				t.Fatalf("block %d is a head: %v, want %v, in\n%s", b, got, want, flowcode.Listing(f))
			}
			if got {
				heads++
			}
		}
	}
	if heads < 1000 {
		t.Errorf("%d heads", heads)
	}
}
