package check

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// At most barriers all warps of a CTA arrive as a whole, with equal clocks, and wait. Then an arrival is a bit, and the
// clocks after the barrier are not made: they have the epoch in which each warp arrived, its barrierEpoch. cta.settle
// makes them before something else than such barriers changes a clock.

// arrivesWhole records an arrival of all threads of a warp at a barrier, to wait, if all arrivals there are of that
// kind so far, and reports whether it did.
func (r *Races) arrivesWhole(w *warp, b *barrier, m lanes.Mask) bool {
	c := w.cta
	if r.direct || r.lockstep || r.byLane || m != w.threads || !c.equal || len(b.arrivals) > 0 || len(w.groups) != 1 || w.syncs != nil {
		return false
	}
	b.whole |= 1 << w.number
	w.nextEpoch()
	return true
}

// ArrivedTogether implements interp.TogetherObserver.
func (r *Races) ArrivedTogether(at *interp.Place, id, warps int) bool {
	c := r.ctas[at.Slot]
	b := &c.barriers[id]
	all := uint32(1)<<len(c.warps) - 1
	if r.direct || r.lockstep || r.byLane || !c.equal || warps != len(c.warps) || c.whole != all || b.whole != 0 || len(b.arrivals) > 0 {
		return false
	}
	for _, w := range c.warps {
		if len(w.groups) != 1 || w.syncs != nil {
			return false
		}
	}
	for _, w := range c.warps {
		w.nextEpoch()
	}
	b.whole = all
	return r.releasesWhole(c, b)
}

// releasesWhole is Released for a barrier at which all warps of a CTA have arrived as a whole. It reports whether the
// barrier is one. If not, it adds to the arrivals what arrivesWhole has recorded.
func (r *Races) releasesWhole(c *cta, b *barrier) bool {
	all := uint32(1)<<len(c.warps) - 1
	if b.whole != all || c.whole != all {
		c.listArrivals(b)
		return false
	}
	r.atBarrier(c, true)
	c.barrier, b.whole, c.unsettled = nil, 0, true
	for _, w := range c.warps {
		w.barrierEpoch, w.barrierLanes = w.epoch-1, w.threads
		w.iterations.reset()
	}
	return true
}

// listArrivals adds to the arrivals at a barrier what arrivesWhole has recorded.
func (c *cta) listArrivals(b *barrier) {
	if b.whole == 0 {
		return
	}
	c.settle()
	for left := b.whole; left != 0; left &= left - 1 {
		w := c.warps[bits.TrailingZeros32(left)]
		a := arrival{warp: w, lanes: w.threads, epoch: w.epoch - 1, waits: true, alike: len(b.arrivals) > 0}
		if !a.alike {
			a.clock = w.groups[0].clock
		}
		b.arrivals = append(b.arrivals, a)
	}
	b.whole = 0
}

// settle makes the clocks that the latest barrier has not made.
func (c *cta) settle() {
	if !c.unsettled {
		return
	}
	c.unsettled = false
	own := make(ctaClock, len(c.warps))
	for i, w := range c.warps {
		own[i].all = w.barrierEpoch
	}
	for _, w := range c.warps {
		w.groups[0].clock.cta = own
	}
}
