package profile

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/lanes"
)

// warpState is what a warp's lost lane slots are charged by. A slot that a lane
// does not fill has one cause:
//
//   - the block's size, if the lane has no thread;
//   - the instruction at which the lane ended;
//   - else the one at which the lane and those that run last parted, of which the
//     lowest stands for all.
type warpState struct {
	threads lanes.Mask // that the warp started with
	// The mask of the instructions that ran last, and how many of them are not
	// yet charged.
	mask  lanes.Mask
	steps uint64
	ended []ending
	// partings are those since the start of the warp that still matter, the
	// latest last. Together they say of each two lanes where they last parted.
	partings []parting
	// open are instructions from which not all lanes may have gone on together:
	// of the lanes b that ran one, a have not run since. No lane is in two of
	// the a.
	open []parting
}

// ending is lanes that ended at a site.
type ending struct {
	lanes lanes.Mask
	site  int
}

// parting is lanes a that parted from lanes b at a site.
type parting struct {
	a, b lanes.Mask
	site int
}

// mostPartings is when those that later ones hide are looked for. At most 496
// are not: one for each two lanes.
const mostPartings = 1024

func (w *warpState) start(m lanes.Mask) {
	*w = warpState{threads: m, ended: w.ended[:0], partings: w.partings[:0], open: w.open[:0]}
}

// live is the lanes that have not ended.
func (w *warpState) live() lanes.Mask {
	m := w.threads
	for _, e := range w.ended {
		m &^= e.lanes
	}
	return m
}

// settle charges the lost slots of the instructions that ran under w.mask.
func (w *warpState) settle(lost []uint64) {
	n := w.steps
	w.steps = 0
	if n == 0 || w.mask == lanes.AllLanes {
		return
	}
	lost[noSite] += n * uint64((^w.threads).Count())
	idle := w.threads &^ w.mask
	for _, e := range w.ended {
		lost[e.site] += n * uint64((idle & e.lanes).Count())
		idle &^= e.lanes
	}
	first := w.mask & -w.mask
	for i := len(w.partings) - 1; i >= 0 && idle != 0; i-- {
		p := &w.partings[i]
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

// part notes that lanes of one split part, into a and b.
func (w *warpState) part(a, b lanes.Mask, site int) {
	w.drop(a | b)
	w.add(parting{a, b, site})
}

// drop forgets the partings of lanes that are together again, in m, and of those
// that have ended.
func (w *warpState) drop(m lanes.Mask) {
	live := w.live()
	w.partings = slices.DeleteFunc(w.partings, func(p parting) bool {
		return (p.a|p.b)&^m == 0 || p.a&live == 0 || p.b&live == 0
	})
}

func (w *warpState) add(p parting) {
	if w.partings = append(w.partings, p); len(w.partings) > mostPartings {
		w.dropHidden()
	}
}

// dropHidden forgets the partings whose lanes have all parted again since.
func (w *warpState) dropHidden() {
	var known [lanes.Width]lanes.Mask // from which a later parting tells a lane apart
	for i := len(w.partings) - 1; i >= 0; i-- {
		p := &w.partings[i]
		a, b, hidden := p.a, p.b, true
		for m := a; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(uint32(m))
			hidden = hidden && b&^known[lane] == 0
			known[lane] |= b
		}
		for m := b; m != 0; m &= m - 1 {
			known[bits.TrailingZeros32(uint32(m))] |= a
		}
		if hidden {
			p.a, p.b = 0, 0
		}
	}
	w.partings = slices.DeleteFunc(w.partings, func(p parting) bool { return p.a == 0 })
}

// end notes that the lanes of m ended.
func (w *warpState) end(m lanes.Mask, site int) {
	w.ended = append(w.ended, ending{m, site})
	for i := range w.open {
		w.open[i].a &^= m
	}
}
