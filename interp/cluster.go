package interp

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Cluster is CTAs that reside together: they reach each other's shared memory, and have a
// barrier. A CTA of a launch without clusters is a cluster of its own.
type Cluster struct {
	CTAs []*CTA // by rank; they stay together when the next cluster takes their place

	// counted says that live and arrived are; else no lane has arrived at the barrier since
	// the CTAs have started. live is the lanes that have not ended, arrived those of them that
	// have arrived at the barrier since it was complete last.
	counted       bool
	live, arrived int
}

// ClusterBarrier stands for the cluster's barrier in place of the number of one of the CTA's.
const ClusterBarrier = numBarriers

// BarrierName is what messages call a barrier: "barrier 0".
func BarrierName(id int) string {
	if id == ClusterBarrier {
		return "the barrier of the cluster"
	}
	return fmt.Sprintf("barrier %d", id)
}

// clusterArrivals is what the lanes of a warp have to do with the barrier of their cluster. A
// lane is in neither mask unless it has arrived and not waited since.
type clusterArrivals struct {
	arrived lanes.Mask // since the barrier was complete last
	passed  lanes.Mask // before that
}

// NewCluster makes room for the CTAs of one cluster, by rank, or fails when the host's memory
// does not suffice.
func (g *Grid) NewCluster() ([]*CTA, error) {
	all, err := g.NewBareCluster()
	for _, c := range all {
		g.Furnish(c)
	}
	return all, err
}

// NewBareCluster is NewCluster for CTAs that have no warps before they are furnished.
func (g *Grid) NewBareCluster() ([]*CTA, error) {
	n := g.Shape.ClusterSize()
	if err := g.m.takeForLaunch("the resident blocks of a cluster", int64(n)*g.ctaBytes); err != nil {
		return nil, err
	}
	var all []*CTA
	for range n {
		c := g.bareCTA()
		c.Slot, c.Shared.Number = g.slots, g.m.sharedNumber(g.slots)
		g.slots++
		all = append(all, c)
	}
	Join(all)
	return all, nil
}

// Join makes CTAs, by rank, a cluster.
func Join(ctas []*CTA) {
	cl := &Cluster{CTAs: ctas}
	for rank, c := range ctas {
		c.Cluster, c.Rank = cl, rank
	}
	cl.count()
}

// Clustered reports whether the launch has clusters of several CTAs.
func (g *Grid) Clustered() bool { return g.Shape.ClusterSize() > 1 }

// count counts the cluster's lanes anew.
func (cl *Cluster) count() {
	cl.counted, cl.live, cl.arrived = true, 0, 0
	for _, c := range cl.CTAs {
		for id, w := range c.Warps {
			cl.live += w.Live.Count()
			cl.arrived += c.clusterArrivals[id].arrived.Count()
		}
	}
}

// Stuck reports whether no lane of the cluster can run.
func (cl *Cluster) Stuck() bool {
	for _, c := range cl.CTAs {
		for _, w := range c.Warps {
			var s divergence.Split
			if w.Live != 0 && w.Control.Ready(0, &s) {
				return false
			}
		}
	}
	return true
}

// Live is how many CTAs have warps that live.
func (cl *Cluster) Live() (n int) {
	for _, c := range cl.CTAs {
		if c.Live > 0 {
			n++
		}
	}
	return n
}

// atCluster executes the instruction at pc for the lanes m of the split that runs, which
// arrive at the barrier of the cluster or wait there.
func (e *Engine) atCluster(pc int, m lanes.Mask) (Stop, error) {
	c, w := e.cta, e.warp
	of := &c.clusterArrivals[w.ID]
	if e.fn.Info[pc].BarOp == isa.BarArrive {
		if again := m & (of.arrived | of.passed); again != 0 {
			return Changed, e.fault(pc, again, violated(RuleCluster, "threads arrive at the barrier of the cluster that have arrived before and not waited"))
		}
		if len(e.observers.cluster) > 0 {
			e.notifyClusterArrived(pc, m)
		}
		if !c.Cluster.counted {
			c.Cluster.count()
		}
		of.arrived |= m
		c.Cluster.arrived += m.Count()
		if c.Cluster.arrived < c.Cluster.live {
			return Executed, nil
		}
		w.Control.Advance(e.split.ID, pc+1)
		e.releaseCluster()
		return Changed, nil
	}
	if never := m &^ (of.arrived | of.passed); never != 0 {
		return Changed, e.fault(pc, never, violated(RuleCluster, "threads wait at the barrier of the cluster that have not arrived; barrier.cluster.arrive comes before"))
	}
	if len(e.observers.cluster) > 0 {
		e.notifyClusterWaits(pc, m)
	}
	e.acquired = true
	of.passed &^= m
	waits := m & of.arrived
	if waits == 0 {
		return Executed, nil
	}
	if !e.park(waits, pc+1) {
		w.Control.Advance(e.split.ID, pc)
		return Changed, e.hangDiverged(pc, waits, w.Live&^waits, RuleDiverged, "barrier inside divergent code")
	}
	c.clusterWaiting = append(c.clusterWaiting, e.arrival(pc, waits))
	if waits == w.Live {
		c.Waiting |= 1 << w.ID
	}
	if e.effect != nil {
		e.effect.Barrier = ClusterBarrier
	}
	return AtBarrier, nil
}

// Acquire has accesses behind the next instruction see what threads of other CTAs have released
// before, as those behind a barrier of their cluster do.
func (e *Engine) Acquire() { e.acquired = true }

// releaseCluster completes the barrier of the cluster: lanes that wait at it go on.
func (e *Engine) releaseCluster() {
	cl := e.cta.Cluster
	for _, c := range cl.CTAs {
		c.nextInterval()
	}
	if len(e.observers.cluster) > 0 {
		e.notifyClusterReleased()
	}
	if e.effect != nil {
		e.effect.ClusterReleased = true
	}
	cl.arrived = 0
	for _, c := range cl.CTAs {
		for id := range c.clusterArrivals {
			of := &c.clusterArrivals[id]
			of.passed, of.arrived = of.passed|of.arrived, 0
		}
		for i := range c.clusterWaiting {
			a := &c.clusterWaiting[i]
			c.clusterArrivals[a.warp].passed &^= a.mask
			c.Waiting &^= 1 << a.warp
			c.Warps[a.warp].Control.Wake(a.mask)
		}
		c.clusterWaiting = c.clusterWaiting[:0]
	}
}

// leaveCluster counts lanes of the warp that have ended out of the barrier of the cluster, whose lanes are
// counted; that may make it complete.
func (e *Engine) leaveCluster(m lanes.Mask) {
	cl, of := e.cta.Cluster, &e.cta.clusterArrivals[e.warp.ID]
	cl.live -= m.Count()
	cl.arrived -= (of.arrived & m).Count()
	of.arrived &^= m
	of.passed &^= m
	if cl.arrived > 0 && cl.arrived == cl.live {
		e.releaseCluster()
	}
}

// atClusterBarrier lists the lanes of a warp that wait at the barrier of the cluster.
func (c *CTA) atClusterBarrier(w *warp.State) (all []arrival) {
	for _, a := range c.clusterWaiting {
		if a.warp == w.ID {
			all = append(all, a)
		}
	}
	return all
}

// startCluster makes the barrier of c's cluster one at which the lanes of c have not arrived, which
// start.
func (c *CTA) startCluster() {
	clear(c.clusterArrivals)
	c.clusterWaiting = c.clusterWaiting[:0]
	c.Cluster.counted = false
}

// locatePeer finds the place of an access by the lanes of m if all go to the shared memory of
// one CTA of the cluster.
func (e *Engine) locatePeer(pc int, m lanes.Mask) bool {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if in.Space != isa.SharedCluster && (in.Space != isa.Generic || len(e.cta.Cluster.CTAs) == 1) {
		return false
	}
	p := e.find(in, narrowed(in.Space, e.laneAddr(op, in, bits.TrailingZeros32(uint32(m)))))
	return p.peer != nil && p.peer.Live > 0 && e.locateIn(op, in, p.region, p.window, m)
}

// locateIn is locate, by the low 32 bits of addresses where the instruction's space takes no more.
func (e *Engine) locateIn(op *lanes.Op, in *program.Info, r *memory.Region, window uint64, m lanes.Mask) bool {
	if in.Space != isa.SharedCluster || !in.Wide {
		return e.locate(op, in, r, window, m)
	}
	var low [lanes.Width]uint32
	for lane, addr := range lanes.Reg[uint64](e.path.File, op.A) {
		low[lane] = uint32(addr)
	}
	e.acc.Base, e.acc.Region, e.acc.Space = r.Base, r.Number, uint8(r.Space)
	return memory.Locate(&e.acc, r.Data, r.Base+window, &low, op.Imm, uint64(in.Size), m)
}

// findShared is what an address in .shared::cluster space refers to. The instruction has it at one
// that is higher by window.
func (e *Engine) findShared(addr, window uint64) target {
	rank, offset, ok := isa.PeerOf(addr)
	if addr < isa.WindowBytes {
		return target{space: isa.Shared, addr: addr, region: &e.cta.Shared, window: window}
	}
	t := target{space: isa.SharedCluster, addr: offset, window: window + addr - offset, shown: addr}
	if ok && rank < len(e.cta.Cluster.CTAs) {
		t.peer = e.cta.Cluster.CTAs[rank]
		t.region = &t.peer.Shared
	}
	return t
}

// checkPeer is what is wrong with an access of size bytes to the shared memory of a CTA of the cluster, or
// nil.
func (e *Engine) checkPeer(in *program.Info, kind isa.Kind, size uint64, p *target) *memory.AccessError {
	wrong := e.wrongPeer(p)
	if wrong != "" {
		err := accessError(in, kind, target{space: isa.SharedCluster, addr: p.shown}, memory.ErrSpace)
		err.Actual = wrong
		return err
	}
	at := target{space: isa.SharedCluster, addr: p.shown, region: &memory.Region{Name: peerName(p.peer), Space: isa.SharedCluster, Base: p.shown - p.addr, Data: p.region.Data}}
	switch {
	case at.addr >= at.region.End() || at.region.End()-at.addr < size:
		return accessError(in, kind, at, memory.ErrBounds)
	case p.addr%uint64(in.Size) != 0:
		return accessError(in, kind, at, memory.ErrMisaligned)
	}
	return nil
}

// samePeer reports whether two errors are about the shared memory of one CTA of the cluster.
func samePeer(a, b *memory.AccessError) bool {
	return a.Space == isa.SharedCluster && a.Region != nil && b.Region != nil && a.Region.Base == b.Region.Base
}

// wrongPeer says of an address in the shared memory of a CTA of the cluster what is wrong with that;
// "" if nothing is.
func (e *Engine) wrongPeer(p *target) string {
	switch {
	case p.peer == nil:
		rank, _, ok := isa.PeerOf(p.shown)
		if !ok {
			return "no block of a cluster has memory there"
		}
		return fmt.Sprintf("the address is that of block %d of the cluster, which has %d", rank, len(e.cta.Cluster.CTAs))
	case p.peer.Live == 0:
		return fmt.Sprintf("the address is that of %s, which has ended", peerName(p.peer))
	}
	return ""
}

// peerName is what messages call the shared memory of another CTA of the cluster.
func peerName(c *CTA) string {
	return fmt.Sprintf("shared memory of block (%d,%d,%d)", c.At.X, c.At.Y, c.At.Z)
}

// owner is the CTA of the cluster whose shared memory has the number of a region.
func (e *Engine) owner(region int32) *CTA {
	for _, c := range e.cta.Cluster.CTAs {
		if c.Shared.Number == region {
			return c
		}
	}
	return e.cta
}

// inBlock says whose shared memory has the number of a region, if it is another CTA's.
func (e *Engine) inBlock(region int32) string {
	if region == e.cta.Shared.Number {
		return ""
	}
	at := e.owner(region).At
	return fmt.Sprintf(" of block (%d,%d,%d)", at.X, at.Y, at.Z)
}
