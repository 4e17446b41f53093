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

// Cluster is a group of CTAs that are resident together: they access each other's shared memory and share a barrier.
// A CTA of a launch without clusters is a cluster of its own.
type Cluster struct {
	CTAs []*CTA // by rank; the next cluster reuses them together

	// counted says that live and arrived are valid; if not, no lane has arrived at the barrier since the CTAs started.
	// live counts the lanes that have not ended; arrived counts those that have arrived at the barrier since it was last
	// complete.
	counted       bool
	live, arrived int

	synced bool // its barrier has been complete since the CTAs started: all of them have started
}

// ClusterBarrier is the number that stands for the cluster's barrier where a CTA's barriers have 0 to 15.
const ClusterBarrier = numBarriers

// BarrierName returns the name of a barrier in messages: "barrier 0".
func BarrierName(id int) string {
	if id == ClusterBarrier {
		return "the barrier of the cluster"
	}
	return fmt.Sprintf("barrier %d", id)
}

// clusterArrivals is the state of a warp's lanes at the barrier of their cluster. A lane is in neither mask unless it
// has arrived without waiting since.
type clusterArrivals struct {
	arrived lanes.Mask // since the barrier was complete last
	passed  lanes.Mask // arrived before the barrier was last complete
}

// NewCluster allocates the CTAs of one cluster, by rank. It fails when the host's memory does not suffice.
func (g *Grid) NewCluster() ([]*CTA, error) {
	all, err := g.NewBareCluster()
	for _, c := range all {
		g.Furnish(c)
	}
	return all, err
}

// NewBareCluster is NewCluster without the warps, which Furnish adds.
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

// Join makes CTAs, given by rank, a cluster.
func Join(ctas []*CTA) {
	cl := &Cluster{CTAs: ctas}
	for rank, c := range ctas {
		c.Cluster, c.Rank = cl, rank
	}
	cl.count()
}

// Clustered reports whether the launch has clusters of several CTAs.
func (g *Grid) Clustered() bool { return g.Shape.ClusterSize() > 1 }

// count recounts the lanes of the cluster.
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

// Live returns how many CTAs have live warps.
func (cl *Cluster) Live() (n int) {
	for _, c := range cl.CTAs {
		if c.Live > 0 {
			n++
		}
	}
	return n
}

// atCluster executes the instruction at pc, an arrival or a wait at the barrier of the cluster, for the lanes m of
// the running split.
func (e *Engine) atCluster(pc int, m lanes.Mask) (Stop, error) {
	c, w := e.cta, e.warp
	of := &c.clusterArrivals[w.ID]
	if e.fn.Info[pc].BarOp == isa.BarArrive {
		if again := m & (of.arrived | of.passed); again != 0 {
			return Changed, e.fault(pc, again, violated(RuleCluster, "threads that have arrived at the barrier of the cluster arrive again without a wait between"))
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
		return Changed, e.fault(pc, never, violated(RuleCluster, "threads wait at the barrier of the cluster without having arrived; execute barrier.cluster.arrive first"))
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

// Acquire orders accesses after the next instruction after earlier releases of threads of other CTAs, as a barrier of
// their cluster does.
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
	cl.arrived, cl.synced = 0, true
	for _, c := range cl.CTAs {
		c.accessed = false
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

// leaveCluster removes lanes of the warp that have ended from the count of the cluster's barrier, which must have
// been counted. That may complete the barrier.
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

// startCluster resets the arrivals of c's lanes at the barrier of its cluster when c starts.
func (c *CTA) startCluster() {
	clear(c.clusterArrivals)
	c.clusterWaiting = c.clusterWaiting[:0]
	c.Cluster.counted, c.Cluster.synced, c.accessed = false, false, false
}

// locatePeer finds the place of an access by the lanes of m if all access the shared memory of one CTA of the
// cluster.
func (e *Engine) locatePeer(pc int, m lanes.Mask) bool {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if in.Space != isa.SharedCluster && (in.Space != isa.Generic || len(e.cta.Cluster.CTAs) == 1) {
		return false
	}
	p := e.find(in, narrowed(in.Space, e.laneAddr(op, in, bits.TrailingZeros32(uint32(m)))))
	if p.peer == nil || p.peer.Live == 0 || !e.locateIn(op, in, p.region, p.window, m) {
		return false
	}
	e.accessesPeer(p.peer)
	return true
}

// locateIn is locate, by the low 32 bits of addresses in spaces where the hardware uses only these.
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

// findShared returns the target of an address in .shared::cluster space. The instruction's address is higher by
// window.
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

// checkPeer returns the error of an access of size bytes to the shared memory of a CTA of the cluster, or nil.
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

// samePeer reports whether two errors are about the shared memory of the same CTA of the cluster.
func samePeer(a, b *memory.AccessError) bool {
	return a.Space == isa.SharedCluster && a.Region != nil && b.Region != nil && a.Region.Base == b.Region.Base
}

// wrongPeer explains why an address in the shared memory of a CTA of the cluster is invalid; "" if it is valid.
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

// peerName is the name of another CTA's shared memory in messages.
func peerName(c *CTA) string {
	return fmt.Sprintf("shared memory of block (%d,%d,%d)", c.At.X, c.At.Y, c.At.Z)
}

// owner returns the CTA of the cluster with the shared memory that has a region number.
func (e *Engine) owner(region int32) *CTA {
	for _, c := range e.cta.Cluster.CTAs {
		if c.Shared.Number == region {
			return c
		}
	}
	return e.cta
}

// inBlock names the owner of the shared memory with a region number, if it is another CTA.
func (e *Engine) inBlock(region int32) string {
	if region == e.cta.Shared.Number {
		return ""
	}
	at := e.owner(region).At
	return fmt.Sprintf(" of block (%d,%d,%d)", at.X, at.Y, at.Z)
}
