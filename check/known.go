package check

import (
	"slices"

	"github.com/simtrun/simtrun/lanes"
)

// clock counts what a warp has done to order memory: from 1, which is the time
// of the accesses before the first such event. 0 is before all accesses.
type clock uint32

// known is up to which clock, inclusive, the accesses of each lane of a warp are
// known to have happened before.
type known struct {
	all   clock               // of every lane
	lanes *[lanes.Width]clock // of each, no less than all; nil if all says everything
}

// of is what is known of one lane.
func (k known) of(lane int) clock {
	if k.lanes != nil {
		return k.lanes[lane]
	}
	return k.all
}

// unordered are the lanes of m whose accesses at time c are not known.
func (k known) unordered(m lanes.Mask, c clock) lanes.Mask {
	switch {
	case c <= k.all:
		return 0
	case k.lanes == nil:
		return m
	}
	for left := m; left != 0; left &= left - 1 {
		if lane := firstLane(left); c <= k.lanes[lane] {
			m &^= 1 << lane
		}
	}
	return m
}

// with is k and that the lanes of m are known up to c, of a warp that has the
// given threads.
func (k known) with(m lanes.Mask, c clock, threads lanes.Mask) known {
	next := known{all: k.all}
	if m&threads == threads {
		if next.all = max(c, k.all); k.lanes == nil || slices.Max(k.lanes[:]) <= c {
			return next
		}
	}
	next.lanes = new([lanes.Width]clock)
	for lane := range next.lanes {
		next.lanes[lane] = k.of(lane)
		if m>>lane&1 != 0 {
			next.lanes[lane] = max(c, k.of(lane))
		}
	}
	return next
}

// covers reports whether k is no less than other of any lane.
func (k known) covers(other known) bool {
	if k.lanes == nil && other.lanes == nil || k.lanes == other.lanes {
		return k.all >= other.all
	}
	for lane := range lanes.Width {
		if k.of(lane) < other.of(lane) {
			return false
		}
	}
	return true
}

func joinKnown(a, b known) known {
	switch {
	case a.covers(b):
		return a
	case b.covers(a):
		return b
	}
	j := known{max(a.all, b.all), new([lanes.Width]clock)}
	for lane := range j.lanes {
		j.lanes[lane] = max(a.of(lane), b.of(lane))
	}
	return j
}

// crew is what is known of the warps of one CTA, by number. It is never changed:
// threads that know the same share it. It may be shorter than the CTA has warps,
// and nil if nothing is known.
type crew []known

func (c crew) warp(n int) known {
	if n < len(c) {
		return c[n]
	}
	return known{}
}

func (c crew) same(other crew) bool {
	return len(c) == len(other) && (len(c) == 0 || &c[0] == &other[0])
}

// with is c with what is known of warp n of warps.
func (c crew) with(n, warps int, k known) crew {
	next := make(crew, warps)
	copy(next, c)
	next[n] = k
	return next
}

func (c crew) covers(other crew) bool {
	for n := range other {
		if !c.warp(n).covers(other[n]) {
			return false
		}
	}
	return true
}

// joinCrews is what a and b know together: one of them where it covers the other,
// so that what is equal stays shared.
func joinCrews(a, b crew) crew {
	switch {
	case a.same(b) || len(b) == 0 || a.covers(b):
		return a
	case b.covers(a):
		return b
	}
	j := make(crew, max(len(a), len(b)))
	for n := range j {
		j[n] = joinKnown(a.warp(n), b.warp(n))
	}
	return j
}
