package interp

import "testing"

// TestStoreAtEdgeKeepsNeighbours: a store that lane functions make is allowed in a window that contains only a part of
// it, and the bytes beside it are not.
func TestStoreAtEdgeKeepsNeighbours(t *testing.T) {
	for from := range 16 {
		for at := range 24 {
			for changed := range 32 {
				var memory [32]byte
				l := &storeLog{all: []stored{{at: &memory[at], size: 8}}}
				g := &guard{}
				g.window(memory[from : from+16])
				memory[changed]++
				want := changed - from
				if want < 0 || want >= 16 || changed >= at && changed < at+8 {
					want = -1
				}
				if got := g.windows[0].unlogged(l); got != want {
					t.Fatalf("a window of bytes %d to %d, a store at %d, and byte %d changed: %d, want %d", from, from+15, at, changed, got, want)
				}
			}
		}
	}
}
