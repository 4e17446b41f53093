package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// clusterWarp is the state of a warp's lanes at the barrier of their cluster.
type clusterWarp struct {
	arrived lanes.Mask // since the barrier last completed
	waiting lanes.Mask // those of arrived that wait
	passed  lanes.Mask // lanes that arrived before the barrier last completed, and have not waited since
}

// ClusterArrived implements interp.ClusterObserver.
func (r *Races) ClusterArrived(at *interp.Place, pc int, m lanes.Mask) {
	w := r.warp(at)
	w.cluster.arrived |= m
	relaxed := r.sites[at.Func][pc].in().Mods[isa.Sem] == isa.SemRelaxed
	for _, g := range w.groups {
		if some := g.lanes & m; some != 0 {
			v := g.clock
			v.scFences = joinGridClocks(v.scFences, w.scFencesOf(some))
			w.cta.clusterArrivals = append(w.cta.clusterArrivals, arrival{
				warp: w, lanes: some, epoch: w.epoch, clock: v, relaxed: relaxed, executed: joinGridClocks(w.withSelf(some, v, w.epoch), v.relaxed)})
		}
	}
	w.nextEpoch()
}

// ClusterWaits implements interp.ClusterObserver.
func (r *Races) ClusterWaits(at *interp.Place, _ int, m lanes.Mask) {
	w := r.warp(at)
	c := &w.cluster
	w.acquireCluster(m & c.passed)
	c.passed &^= m
	c.waiting |= m & c.arrived
}

// ClusterReleased implements interp.ClusterObserver: waiting lanes acquire what all lanes of the cluster released at
// their arrival. Threads that have exited did not arrive.
func (r *Races) ClusterReleased(slots []int) {
	var all *gridClock
	var scFences, executed *gridClock
	for _, slot := range slots {
		c := r.ctas[slot]
		for i := range c.clusterArrivals {
			a := &c.clusterArrivals[i]
			executed = joinGridClocks(executed, a.executed)
			if some := a.lanes & a.warp.live; some != 0 && !a.relaxed {
				all = joinGridClocks(all, a.warp.withSelf(some, a.clock, a.epoch))
				scFences = joinGridClocks(scFences, a.clock.scFences)
			}
		}
	}
	for _, slot := range slots {
		c := r.ctas[slot]
		clear(c.clusterArrivals)
		c.clusterArrivals = c.clusterArrivals[:0]
		if c.number == noCTA {
			continue
		}
		c.clusterClock = vectorClock{cta: all.of(c.number), grid: all, scFences: scFences, started: true, relaxed: executed}
		for _, w := range c.warps {
			b := &w.cluster
			w.acquireCluster(b.waiting)
			b.passed, b.arrived, b.waiting = b.passed|b.arrived&^b.waiting, 0, 0
		}
	}
}

// acquireCluster makes lanes of the warp acquire what the latest barrier of the cluster has released.
func (w *warp) acquireCluster(m lanes.Mask) {
	if m == 0 {
		return
	}
	for _, g := range append([]group(nil), w.groups...) {
		if some := g.lanes & m; some != 0 {
			v := joinVectorClocks(g.clock, w.cta.clusterClock)
			w.setClock(some, &v)
		}
	}
}
