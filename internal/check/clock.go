package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// epoch counts the releases of a warp, at barriers, fences and accesses, from 1:
// accesses of the same epoch have no release between them. All lanes of the warp
// have the count in common. With a warp it is what FastTrack (Flanagan and Freund,
// 2009) calls an epoch, c@t. 0 is before all accesses.
type epoch uint32

// warpClock is the part of a vector clock that is about one warp: for each lane the
// last epoch whose accesses happen before what the clock's owner does next.
type warpClock struct {
	all   epoch               // of every lane
	lanes *[lanes.Width]epoch // of each lane, no less than all; nil if they are all the same
}

// of is the epoch of one lane.
func (w warpClock) of(lane int) epoch {
	if w.lanes != nil {
		return w.lanes[lane]
	}
	return w.all
}

// unordered are the lanes of m whose accesses in epoch e do not happen before.
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

// with is w joined with epoch e of the lanes of m, for a warp that has the given
// threads.
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

// covers reports whether w is no less than another clock, of all lanes.
func (w warpClock) covers(other warpClock) bool {
	if w.lanes == nil && other.lanes == nil || w.lanes == other.lanes {
		return w.all >= other.all
	}
	for lane := range lanes.Width {
		if w.of(lane) < other.of(lane) {
			return false
		}
	}
	return true
}

func joinWarpClocks(a, b warpClock) warpClock {
	switch {
	case a.covers(b):
		return a
	case b.covers(a):
		return b
	}
	j := warpClock{max(a.all, b.all), new([lanes.Width]epoch)}
	for lane := range j.lanes {
		j.lanes[lane] = max(a.of(lane), b.of(lane))
	}
	return j
}

// ctaClock is the part of a vector clock that is about the warps of one CTA, by
// number. It is never changed, and shared by the clocks that have it in common. It may
// be shorter than the CTA has warps: what is missing is 0.
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

// with is c with w for warp n of so many.
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

// joinCTAClocks is the join of a and b: one of them where it covers the other, so
// that what is equal stays shared.
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
