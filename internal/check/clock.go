package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// epoch counts the releases of a warp, at barriers, fences and accesses, from 1: accesses of the same epoch have no
// release between them. All lanes of the warp share the count. With its warp it is an epoch c@t of FastTrack
// (Flanagan and Freund, 2009). 0 is before all accesses.
type epoch uint32

// warpClock is the part of a vector clock for one warp: for each lane the last epoch with accesses that happen before
// the clock owner's next access.
type warpClock struct {
	all   epoch               // lower bound for every lane
	lanes *[lanes.Width]epoch // of each lane, at least all; nil if all lanes have all
}

// of returns the epoch of one lane.
func (w warpClock) of(lane int) epoch {
	if w.lanes != nil {
		return w.lanes[lane]
	}
	return w.all
}

// unordered returns the lanes of m with accesses in epoch e that do not happen before.
func (w warpClock) unordered(m lanes.Mask, e epoch) lanes.Mask {
	switch {
	case e <= w.all:
		return 0
	case w.lanes == nil:
		return m
	}
	for left := m; left != 0; left &= left - 1 {
		if lane := firstLane(left); e <= w.lanes[lane] {
			m &^= 1 << lane
		}
	}
	return m
}

// with returns w joined with epoch e of the lanes of m, for a warp with the given threads.
func (w warpClock) with(m lanes.Mask, e epoch, threads lanes.Mask) warpClock {
	next := warpClock{all: w.all}
	if m&threads == threads {
		if next.all = max(e, w.all); w.lanes == nil || slices.Max(w.lanes[:]) <= e {
			return next
		}
	}
	next.lanes = new([lanes.Width]epoch)
	for lane := range next.lanes {
		next.lanes[lane] = w.of(lane)
		if m>>lane&1 != 0 {
			next.lanes[lane] = max(e, w.of(lane))
		}
	}
	return next
}

// covers reports whether w is at least another clock, in all lanes.
func (w warpClock) covers(other warpClock) bool {
	if w.lanes == nil && other.lanes == nil || w.lanes == other.lanes {
		return w.all >= other.all
	}
	if w.all >= other.all && other.lanes == nil {
		return true
	}
	var spread, spreadOther [lanes.Width]epoch
	of, ofOther := w.spread(&spread), other.spread(&spreadOther)
	for lane := range of {
		if of[lane] < ofOther[lane] {
			return false
		}
	}
	return true
}

// joinWarpClocks returns the join of a and b: one of them if it covers the other.
func joinWarpClocks(a, b warpClock) warpClock {
	if a.lanes == nil && b.lanes == nil || a.lanes == b.lanes {
		if a.all >= b.all {
			return a
		}
		return b
	}
	var spreadA, spreadB, j [lanes.Width]epoch
	ofA, ofB := a.spread(&spreadA), b.spread(&spreadB)
	for lane := range j {
		j[lane] = max(ofA[lane], ofB[lane])
	}
	switch j {
	case *ofA:
		return a
	case *ofB:
		return b
	}
	own := j // j itself stays on the stack
	return warpClock{max(a.all, b.all), &own}
}

// spread returns the epochs of all lanes: those that w has, or to, which it fills.
func (w warpClock) spread(to *[lanes.Width]epoch) *[lanes.Width]epoch {
	if w.lanes != nil {
		return w.lanes
	}
	for lane := range to {
		to[lane] = w.all
	}
	return to
}

// ctaClock is the part of a vector clock for the warps of one CTA, by number. It is immutable, and shared by equal
// clocks. It may be shorter than the number of warps: missing entries are 0.
type ctaClock []warpClock

func (c ctaClock) warp(n int) warpClock {
	if n < len(c) {
		return c[n]
	}
	return warpClock{}
}

func (c ctaClock) same(other ctaClock) bool {
	return len(c) == len(other) && (len(c) == 0 || &c[0] == &other[0])
}

// with returns c with w for warp n of warps.
func (c ctaClock) with(n, warps int, w warpClock) ctaClock {
	next := make(ctaClock, warps)
	copy(next, c)
	next[n] = w
	return next
}

func (c ctaClock) covers(other ctaClock) bool {
	for n := range other {
		if !c.warp(n).covers(other[n]) {
			return false
		}
	}
	return true
}

// joinCTAClocks returns the join of a and b: one of them if it covers the other, so that equal clocks stay shared.
func joinCTAClocks(a, b ctaClock) ctaClock {
	switch {
	case a.same(b) || len(b) == 0 || a.covers(b):
		return a
	case b.covers(a):
		return b
	}
	j := make(ctaClock, max(len(a), len(b)))
	for n := range j {
		j[n] = joinWarpClocks(a.warp(n), b.warp(n))
	}
	return j
}
