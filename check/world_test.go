package check

import (
	"math/rand/v2"
	"testing"
)

// TestWorldIsAMap compares worlds with maps that are joined entry by entry.
func TestWorldIsAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type entry struct {
		w *world
		m map[int64]clock
	}
	var all []entry
	pick := func() entry {
		if len(all) == 0 || r.IntN(5) == 0 {
			return entry{nil, map[int64]clock{}}
		}
		return all[r.IntN(len(all))]
	}
	for range 3000 {
		a, b := pick(), pick()
		e := entry{m: make(map[int64]clock)}
		for n, c := range a.m {
			e.m[n] = c
		}
		if r.IntN(2) == 0 {
			n, c := r.Int64N(1<<(1+r.IntN(40))), clock(1+r.IntN(5))
			e.w = a.w.with(n, crew{{all: c}})
			e.m[n] = c
		} else {
			e.w = joinWorlds(a.w, b.w)
			for n, c := range b.m {
				e.m[n] = max(e.m[n], c)
			}
		}
		for n, c := range e.m {
			if got := e.w.of(n).warp(0).all; got != c {
				t.Fatalf("of CTA %d %d is known, want %d", n, got, c)
			}
		}
		if n := r.Int64N(1 << 41); e.m[n] == 0 && e.w.of(n) != nil {
			t.Fatalf("something is known of CTA %d", n)
		}
		if len(all) < 40 {
			all = append(all, e)
		} else {
			all[r.IntN(len(all))] = e
		}
	}
}

// TestJoinShares checks that nothing is made anew where nothing is added.
func TestJoinShares(t *testing.T) {
	var w *world
	for n := range int64(1000) {
		w = w.with(n*7, crew{{all: 3}})
	}
	part := w.with(14, crew{{all: 2}})
	if joinWorlds(w, part) != w || joinWorlds(part, w) != w || joinWorlds(w, nil) != w || joinWorlds(nil, w) != w {
		t.Error("a join with less is not the same world")
	}
	if more := w.with(5, crew{{all: 1}}); joinWorlds(w, more) != more {
		t.Error("a join with more is not that world")
	}
}

// TestKnownLanes checks what is known of lanes that differ.
func TestKnownLanes(t *testing.T) {
	const threads = 0xff
	k := known{all: 2}.with(0x0f, 5, threads)
	if m := k.unordered(0xff, 2); m != 0 {
		t.Errorf("%x is not known at time 2", m)
	}
	if m := k.unordered(0xff, 3); m != 0xf0 {
		t.Errorf("%x is not known at time 3", m)
	}
	j := joinKnown(k, known{all: 1}.with(0xf0, 4, threads))
	if m := j.unordered(0xff, 5); m != 0xf0 || j.unordered(0xff, 4) != 0 {
		t.Errorf("%x is not known at time 5", m)
	}
	if whole := k.with(threads, 6, threads); whole.lanes != nil || whole.unordered(0xff, 6) != 0 {
		t.Error("a whole warp is not known as one")
	}
}
