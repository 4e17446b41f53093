package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// numBarriers is the number of barriers that a CTA has (PTX ISA 9.7.13.1).
const numBarriers = 16

// barrier is the arrivals at one of a CTA's barriers since it last completed.
type barrier struct {
	arrivals []arrival
	whole    uint32 // in place of arrivals: warps that arrivesWhole has recorded, one bit each
}

// arrival is lanes of a warp that arrived together, and what they release: their clock, and their own accesses up to
// an epoch.
type arrival struct {
	warp  *warp
	lanes lanes.Mask
	epoch epoch
	clock vectorClock
	alike bool // the clock is that of the first arrival, and not set
	waits bool // false for bar.arrive, at which lanes do not wait
	// At barriers of a cluster: whether the arrival is .relaxed, and the accesses executed before it.
	relaxed  bool
	executed *gridClock
}

// Arrived implements interp.ArrivalObserver.
func (r *Races) Arrived(at *interp.Place, pc int, id int, m lanes.Mask) {
	w := r.warp(at)
	b := &w.cta.barriers[id]
	waits := r.sites[at.Func][pc].in().Mods[isa.BarOp] != isa.BarArrive
	if waits && r.arrivesWhole(w, b, m) {
		return
	}
	w.cta.listArrivals(b)
	w.cta.settle()
	for i := range w.groups {
		g := &w.groups[i]
		some := g.lanes & m
		if some == 0 {
			continue
		}
		b.arrivals = slices.Grow(b.arrivals, 1)[:len(b.arrivals)+1] // set by field: a copy waits for the stores of its parts
		a := &b.arrivals[len(b.arrivals)-1]
		a.warp, a.lanes, a.epoch, a.waits = w, some, w.epoch, waits
		if a.alike = w.syncs == nil && a != &b.arrivals[0] && g.clock.same(&b.arrivals[0].clock); a.alike {
			continue
		}
		a.clock = g.clock
		if w.syncs != nil {
			a.clock.scFences = joinGridClocks(a.clock.scFences, w.scFencesOf(some))
		}
	}
	w.nextEpoch()
}

// Released implements interp.ReleaseObserver: waiting lanes acquire what all lanes released at their arrival. Threads
// that have exited did not arrive.
func (r *Races) Released(at *interp.Place, id int) {
	c := r.ctas[at.Slot]
	b := &c.barriers[id]
	if r.releasesWhole(c, b) || len(b.arrivals) == 0 || r.releasedAlike(c, b) {
		return
	}
	completes := c.completes(b.arrivals)
	r.atBarrier(c, completes)
	v := b.arrivals[0].clock
	for i := range b.arrivals[1:] {
		if next := &b.arrivals[i+1]; !next.alike && !v.same(&next.clock) {
			v = joinVectorClocks(v, next.clock)
		}
	}
	own := make(ctaClock, len(c.warps))
	copy(own, v.cta)
	for i := range b.arrivals {
		a := &b.arrivals[i]
		if to := &own[a.warp.number]; to.lanes == nil && a.lanes == a.warp.threads {
			to.all = max(to.all, a.epoch)
		} else {
			*to = to.with(a.lanes, a.epoch, a.warp.threads)
		}
	}
	v.cta = own
	for i := range b.arrivals {
		if a := &b.arrivals[i]; a.waits {
			a.warp.setClock(a.lanes, &v)
		}
	}
	if r.lockstep {
		c.meetAtBarrier(b.arrivals)
	}
	if completes {
		c.barrierCompleted(b.arrivals)
		c.equal = c.whole == 1<<len(c.warps)-1
	}
	b.clear()
}

// releasedAlike is Released for a barrier at which all warps of a CTA have arrived as a whole, with one clock, and
// wait. It reports whether the barrier is one, and does nothing if it is not.
func (r *Races) releasedAlike(c *cta, b *barrier) bool {
	if len(b.arrivals) != len(c.warps) || c.whole != 1<<len(c.warps)-1 || r.lockstep {
		return false
	}
	for i := range b.arrivals {
		if a := &b.arrivals[i]; !a.waits || a.lanes != a.warp.threads || i > 0 && !a.alike {
			return false
		}
	}
	r.atBarrier(c, true)
	c.barrier = nil
	own := make(ctaClock, len(c.warps))
	v := &b.arrivals[0].clock
	v.cta = own
	for i := range b.arrivals {
		a := &b.arrivals[i]
		w := a.warp
		own[w.number].all = a.epoch // the clocks of other warps have no later one of this warp
		w.barrierEpoch, w.barrierLanes = a.epoch, a.lanes
		w.iterations.reset()
		w.groups[0].clock = *v
	}
	c.equal = true
	b.clear()
	return true
}

// clear forgets the arrivals.
func (b *barrier) clear() {
	for i := range b.arrivals {
		if a := &b.arrivals[i]; !a.alike {
			a.clock = vectorClock{}
		}
	}
	b.arrivals, b.whole = b.arrivals[:0], 0
}

// meetAtBarrier records that the lanes of each warp have waited for each other.
func (c *cta) meetAtBarrier(arrivals []arrival) {
	for _, w := range c.warps {
		var m lanes.Mask
		for i := range arrivals {
			if a := &arrivals[i]; a.warp == w && a.waits {
				m |= a.lanes
			}
		}
		if m != 0 {
			w.meet(m)
		}
	}
}

// completes reports whether all threads of the CTA that have not exited have arrived to wait.
func (c *cta) completes(arrivals []arrival) bool {
	count := 0
	for i := range arrivals {
		if count += arrivals[i].lanes.Count(); !arrivals[i].waits {
			return false
		}
	}
	for _, w := range c.warps {
		count -= w.live.Count()
	}
	return count == 0
}

// barrierCompleted records a barrier at which all threads of the CTA waited that had not exited.
func (c *cta) barrierCompleted(arrivals []arrival) {
	c.barrier = nil
	for _, w := range c.warps {
		w.barrierLanes = 0
	}
	for i := range arrivals {
		w := arrivals[i].warp
		w.barrierEpoch, w.barrierLanes = arrivals[i].epoch, w.barrierLanes|arrivals[i].lanes
		w.iterations.reset()
	}
}

// Synced implements interp.SyncObserver.
func (r *Races) Synced(at *interp.Place, m lanes.Mask) {
	r.Met(at, m)
	r.checkDeferred(r.warp(at).cta)
	r.warp(at).syncLanes(m)
}
