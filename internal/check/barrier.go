package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// barrier is the arrivals at one of a CTA's barriers since it last completed.
type barrier struct {
	arrivals []arrival
}

// arrival is lanes of a warp that arrived together, and what they release: their clock, and their own accesses up to
// an epoch.
type arrival struct {
	warp  *warp
	lanes lanes.Mask
	epoch epoch
	clock vectorClock
	waits bool // false for bar.arrive, at which lanes do not wait
	// At barriers of a cluster: whether the arrival is .relaxed, and the accesses executed before it.
	relaxed  bool
	executed *gridClock
}

// Arrived implements interp.ArrivalObserver.
func (r *Races) Arrived(at *interp.Place, pc int, id int, m lanes.Mask) {
	w := r.warp(at)
	b := w.cta.barriers[id]
	if b == nil {
		b = &barrier{}
		w.cta.barriers[id] = b
	}
	waits := r.sites[at.Func][pc].in().Mods[isa.BarOp] != isa.BarArrive
	for _, g := range w.groups {
		if some := g.lanes & m; some != 0 {
			v := g.clock
			v.scFences = joinGridClocks(v.scFences, w.scFencesOf(some))
			b.arrivals = append(b.arrivals, arrival{warp: w, lanes: some, epoch: w.epoch, clock: v, waits: waits})
		}
	}
	w.nextEpoch()
}

// Released implements interp.ReleaseObserver: waiting lanes acquire what all lanes released at their arrival. Threads
// that have exited did not arrive.
func (r *Races) Released(at *interp.Place, id int) {
	c := r.ctas[at.Slot]
	b := c.barriers[id]
	if b == nil || len(b.arrivals) == 0 {
		return
	}
	r.atBarrier(c, b.arrivals)
	v := b.arrivals[0].clock
	for i := range b.arrivals[1:] {
		if next := &b.arrivals[i+1].clock; !v.same(*next) {
			v = joinVectorClocks(v, *next)
		}
	}
	own := make(ctaClock, len(c.warps))
	copy(own, v.cta)
	for i := range b.arrivals {
		a := &b.arrivals[i]
		own[a.warp.number] = own[a.warp.number].with(a.lanes, a.epoch, a.warp.threads)
	}
	v.cta = own
	for i := range b.arrivals {
		if a := &b.arrivals[i]; a.waits {
			a.warp.setClock(a.lanes, v)
		}
	}
	if r.lockstep {
		c.meetAtBarrier(b.arrivals)
	}
	c.barrierCompleted(b.arrivals)
	clear(b.arrivals)
	b.arrivals = b.arrivals[:0]
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
	if !c.completes(arrivals) {
		return
	}
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
