package profile

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// warpState is what a warp's lost lane slots are charged by. A slot that a lane
// does not fill has one cause:
//
//   - the block's size, if the lane has no thread;
//   - the instruction at which the lane exited;
//   - else the one at which the lane and the lowest active one last diverged.
type warpState struct {
	threads lanes.Mask // that the warp started with
	// The mask of the instructions that ran last, and how many of them are not
	// yet charged.
	mask   lanes.Mask
	steps  uint64
	exited []exited
	// diverged are the divergences since the start of the warp that are not
	// superseded by later ones, the latest last. Together they say of each two lanes
	// where they last diverged.
	diverged []diverged
	// pending are instructions after which lanes may turn out to have diverged: of
	// the lanes b that executed one, a have not executed anything since. No lane is in
	// two of the a.
	pending []diverged
}

// exited is lanes that exited at a site.
type exited struct {
	lanes lanes.Mask
	site  int
}

// diverged is lanes a that diverged from lanes b at a site.
type diverged struct {
	a, b lanes.Mask
	site int
}

// mostDiverged is how many divergences there are at the most before superseded ones are
// dropped. At most 496 are left: one for each two lanes.
const mostDiverged = 1024

func (w *warpState) start(m lanes.Mask) {
	*w = warpState{threads: m, exited: w.exited[:0], diverged: w.diverged[:0], pending: w.pending[:0]}
}

// live is the lanes that have not exited.
func (w *warpState) live() lanes.Mask {
	m := w.threads
	for _, e := range w.exited {
		m &^= e.lanes
	}
	return m
}

// charge charges the lost slots of the instructions that ran under w.mask.
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

// diverge notes that lanes of one split diverged, into a and b.
func (w *warpState) diverge(a, b lanes.Mask, site int) {
	w.drop(a | b)
	w.add(diverged{a, b, site})
}

// drop drops the divergences of lanes that have reconverged, in m, and of those that
// have exited.
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
	var later [lanes.Width]lanes.Mask // by lane, those that it diverged from later
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

// exit notes that the lanes of m exited.
func (w *warpState) exit(m lanes.Mask, site int) {
	w.exited = append(w.exited, exited{m, site})
	for i := range w.pending {
		w.pending[i].a &^= m
	}
}
