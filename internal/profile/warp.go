package profile

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// warpState is the state of a warp from which the causes of lost lane slots follow. An unfilled lane slot has one
// cause:
//
//   - the block's size, if the lane has no thread;
//   - the instruction at which the lane exited;
//   - else the one at which the lane and the lowest active one last diverged.
type warpState struct {
	threads lanes.Mask // lanes with which the warp started
	// The mask of the latest instructions, and how many of them are not yet charged.
	mask   lanes.Mask
	steps  uint64
	exited []exited
	// diverged holds the divergences since the start of the warp that later ones do not supersede, the latest last.
	// They give, for each pair of lanes, where they last diverged.
	diverged []diverged
	// pending holds instructions after which lanes may turn out to have diverged: of the lanes b that executed one,
	// the lanes a have not executed anything since. No lane is in two of the a.
	pending []diverged
}

// exited is the lanes that exited at a site.
type exited struct {
	lanes lanes.Mask
	site  int
}

// diverged is a divergence of lanes a from lanes b at a site.
type diverged struct {
	a, b lanes.Mask
	site int
}

// mostDiverged is the most divergences before superseded ones are dropped. At most 496 remain, one for each pair of
// lanes.
const mostDiverged = 1024

func (w *warpState) start(m lanes.Mask) {
	*w = warpState{threads: m, exited: w.exited[:0], diverged: w.diverged[:0], pending: w.pending[:0]}
}

// live returns the lanes that have not exited.
func (w *warpState) live() lanes.Mask {
	m := w.threads
	for _, e := range w.exited {
		m &^= e.lanes
	}
	return m
}

// charge attributes the lost slots of the instructions that executed under w.mask.
func (w *warpState) charge(lost []uint64) {
	n := w.steps
	w.steps = 0
	if n == 0 || w.mask == lanes.AllLanes {
		return
	}
	lost[noSite] += n * uint64((^w.threads).Count())
	idle := w.threads &^ w.mask
	for _, e := range w.exited {
		lost[e.site] += n * uint64((idle & e.lanes).Count())
		idle &^= e.lanes
	}
	first := w.mask & -w.mask
	for i := len(w.diverged) - 1; i >= 0 && idle != 0; i-- {
		p := &w.diverged[i]
		others := p.b
		if p.b&first != 0 {
			others = p.a
		} else if p.a&first == 0 {
			continue
		}
		lost[p.site] += n * uint64((idle & others).Count())
		idle &^= others
	}
}

// diverge records that lanes of one split diverged into a and b.
func (w *warpState) diverge(a, b lanes.Mask, site int) {
	w.drop(a | b)
	w.add(diverged{a, b, site})
}

// drop drops the divergences of lanes that have reconverged, in m, and of lanes that have exited.
func (w *warpState) drop(m lanes.Mask) {
	live := w.live()
	w.diverged = slices.DeleteFunc(w.diverged, func(p diverged) bool {
		return (p.a|p.b)&^m == 0 || p.a&live == 0 || p.b&live == 0
	})
}

func (w *warpState) add(p diverged) {
	if w.diverged = append(w.diverged, p); len(w.diverged) > mostDiverged {
		w.dropSuperseded()
	}
}

// dropSuperseded drops the divergences whose lanes have all diverged again since.
func (w *warpState) dropSuperseded() {
	var later [lanes.Width]lanes.Mask // by lane, the lanes from which it diverged later
	for i := len(w.diverged) - 1; i >= 0; i-- {
		d := &w.diverged[i]
		a, b, superseded := d.a, d.b, true
		for m := a; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(uint32(m))
			superseded = superseded && b&^later[lane] == 0
			later[lane] |= b
		}
		for m := b; m != 0; m &= m - 1 {
			later[bits.TrailingZeros32(uint32(m))] |= a
		}
		if superseded {
			d.a, d.b = 0, 0
		}
	}
	w.diverged = slices.DeleteFunc(w.diverged, func(d diverged) bool { return d.a == 0 })
}

// exit records that the lanes of m exited.
func (w *warpState) exit(m lanes.Mask, site int) {
	w.exited = append(w.exited, exited{m, site})
	for i := range w.pending {
		w.pending[i].a &^= m
	}
}
