package check

import (
	"math/rand/v2"
	"testing"
)

// TestGridClockIsAMap compares clocks with maps that are joined entry by entry.
func TestGridClockIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type entry struct {
		g *gridClock
		m map[int64]epoch
	}
	var all []entry
	pick := func() entry {
		if len(all) == 0 || r.IntN(5) == 0 {
			return entry{nil, map[int64]epoch{}}
		}
		return all[r.IntN(len(all))]
	}
	for range 3000 {
		a, b := pick(), pick()
		e := entry{m: make(map[int64]epoch)}
		for n, c := range a.m {
			e.m[n] = c
		}
		if r.IntN(2) == 0 {
			n, c := r.Int64N(1<<(1+r.IntN(40))), epoch(1+r.IntN(5))
			e.g = a.g.with(n, ctaClock{{all: c}})
			e.m[n] = c
		} else {
			e.g = joinGridClocks(a.g, b.g)
			for n, c := range b.m {
				e.m[n] = max(e.m[n], c)
			}
		}
		for n, c := range e.m {
			if got := e.g.of(n).warp(0).all; got != c {
				t.Fatalf("CTA %d: epoch %d, want %d", n, got, c)
			}
		}
		if n := r.Int64N(1 << 41); e.m[n] == 0 && e.g.of(n) != nil {
			t.Fatalf("CTA %d has a clock", n)
		}
		if len(all) < 40 {
			all = append(all, e)
		} else {
			all[r.IntN(len(all))] = e
		}
	}
}

// TestJoinSharesUnchangedNodes checks that a join that adds nothing makes no new nodes.
func TestJoinSharesUnchangedNodes(t *testing.T) {
	var g *gridClock
	for n := range int64(1000) {
		g = g.with(n*7, ctaClock{{all: 3}})
	}
	part := g.with(14, ctaClock{{all: 2}})
	if joinGridClocks(g, part) != g || joinGridClocks(part, g) != g || joinGridClocks(g, nil) != g || joinGridClocks(nil, g) != g {
		t.Error("a join with less is not the same clock")
	}
	if more := g.with(5, ctaClock{{all: 1}}); joinGridClocks(g, more) != more {
		t.Error("a join with more is not that clock")
	}
}

// TestWarpClockHoldsEpochPerLane checks the clock of a warp with different epochs in its lanes.
func TestWarpClockHoldsEpochPerLane(t *testing.T) {
	const threads = 0xff
	w := warpClock{all: 2}.with(0x0f, 5, threads)
	if m := w.unordered(0xff, 2); m != 0 {
		t.Errorf("%x is not ordered in epoch 2", m)
	}
	if m := w.unordered(0xff, 3); m != 0xf0 {
		t.Errorf("%x is not ordered in epoch 3", m)
	}
	j := joinWarpClocks(w, warpClock{all: 1}.with(0xf0, 4, threads))
	if m := j.unordered(0xff, 5); m != 0xf0 || j.unordered(0xff, 4) != 0 {
		t.Errorf("%x is not ordered in epoch 5", m)
	}
	if whole := w.with(threads, 6, threads); whole.lanes != nil || whole.unordered(0xff, 6) != 0 {
		t.Error("a whole warp has a clock by lanes")
	}
}
