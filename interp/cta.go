package interp

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// CTA is a resident CTA: its warps, shared memory and barriers. When it has ended, the next CTA reuses it.
type CTA struct {
	At      isa.Dim // in the grid
	Slot    int     // see Place.Slot
	Shared  memory.Region
	Warps   []*warp.State
	Live    int    // warps with live lanes
	Waiting uint32 // by ID: warps in which all live lanes wait at a barrier

	Cluster *Cluster // of the CTA
	Rank    int      // in the cluster

	clusterArrivals []clusterArrivals // by warp
	clusterWaiting  []arrival         // waits at the barrier of the cluster
	// accessed says that another CTA of the cluster has accessed Shared since the cluster's barrier was complete last.
	accessed bool

	mbarriers []uint64 // ascending: addresses in Shared of the mbarriers that are initialised and not invalidated

	tensor *tensorMemory // nil before the first tcgen05.alloc
	pool   *registerPool // nil if the kernel has none

	barriers   *[numBarriers]barrier // nil before the first arrival at one
	inUse      uint16                // by number: barriers at which lanes have arrived
	counted    uint16                // by number: barriers at which instructions have named a number of threads
	rendezvous [][]rendezvous        // by warp
	warpgroups []warpgroup           // nil before the first instruction of a warpgroup
	warned     []uint64              // bit set: the launch's warnings that are about warps of this CTA
	conflicts  conflicts
}

// NewCTA allocates one CTA of a launch without clusters. It fails when the host's memory does not suffice.
func (g *Grid) NewCTA() (*CTA, error) {
	if err := g.m.takeForLaunch("a resident block", g.ctaBytes); err != nil {
		return nil, err
	}
	c := g.newCTA()
	c.Slot, c.Shared.Number = g.slots, g.m.sharedNumber(g.slots)
	g.slots++
	Join([]*CTA{c})
	return c, nil
}

// Drop forgets the n CTAs that were allocated last. Machine.Restore has already returned their host memory.
func (g *Grid) Drop(n int) { g.slots -= n }

// NewCopy allocates a copy of a CTA that is never executed itself.
func (g *Grid) NewCopy() (*CTA, error) {
	if err := g.m.takeForLaunch("a copy of a block", g.ctaBytes); err != nil {
		return nil, err
	}
	c := g.newCTA()
	Join([]*CTA{c})
	return c, nil
}

func (g *Grid) newCTA() *CTA {
	c := g.bareCTA()
	g.Furnish(c)
	return c
}

// bareCTA makes a CTA without warps.
func (g *Grid) bareCTA() *CTA {
	s := &g.Shape
	return &CTA{Slot: -1, rendezvous: make([][]rendezvous, s.WarpsPerCTA), clusterArrivals: make([]clusterArrivals, s.WarpsPerCTA),
		Shared: memory.Region{Name: "shared memory", Space: isa.Shared, Number: lanes.NoRegion, Data: newShared(int(s.TotalShared))}}
}

// Furnish allocates the warps of a CTA, unless it has them already. Several threads may furnish different CTAs at the
// same time.
func (g *Grid) Furnish(c *CTA) {
	if len(c.Warps) > 0 {
		return
	}
	s, k := &g.Shape, g.p.Kernel()
	bytes := k.Layout.Bytes()
	files := g.files.take(s.WarpsPerCTA * bytes)
	c.Warps = make([]*warp.State, 0, s.WarpsPerCTA)
	for id := range s.WarpsPerCTA {
		w := warp.New(id, s, divergence.New(g.m.cfg.Divergence, k.Graph, g.m.cfg.PathOrder))
		root := w.WindowIn(divergence.Root, k, files[id*bytes:][:bytes], g.files.pattern)
		g.setParams(root)
		c.Warps = append(c.Warps, w)
	}
}

// setParams fills the registers of a warp's kernel that hold parameters.
func (g *Grid) setParams(root *warp.Window) {
	for _, slot := range g.p.Kernel().ParamSlots {
		warp.SetUniform(root.File, slot.Off, slot.Value(g.params.Data), slot.Bits > 32)
	}
}

// newShared allocates n bytes of shared memory, and space for the bytes that compiled code writes after it.
func newShared(n int) []byte {
	return make([]byte, n, (n+jit.SharedUnit-1)/jit.SharedUnit*jit.SharedUnit)
}

// Start makes c the CTA at a place in the grid, before its first instruction.
func (e *Engine) Start(c *CTA, at isa.Dim) {
	e.native.turnsOf = nil
	c.At, c.Live = at, len(c.Warps)
	c.reset()
	if n := e.grid.poolRegisters(); n > 0 {
		c.fillPool(n)
	}
	e.fillShared(c)
	for _, w := range c.Warps {
		w.Start(at)
		if len(e.observers.start) > 0 {
			e.notifyStarted(c, w.ID, w.Threads)
		}
		enter(e.p.Kernel(), w, divergence.Root, 0)
		if len(e.observers.value) > 0 {
			e.notifyBegun(c, w)
		}
	}
}

// fillShared gives shared memory the contents that it has at the start of a CTA.
func (e *Engine) fillShared(c *CTA) {
	if !e.m.cfg.FillShared {
		clear(c.Shared.Data)
		return
	}
	data := c.Shared.Data
	for n := copy(data, unwritten[:]); n < len(data); n *= 2 {
		copy(data[n:], data[:n])
	}
}

// unwritten is memory that has not been written.
var unwritten = [...]byte{memory.Unwritten, memory.Unwritten, memory.Unwritten, memory.Unwritten, memory.Unwritten, memory.Unwritten, memory.Unwritten, memory.Unwritten}

// reset clears everything that the previous CTA has left, except memory.
func (c *CTA) reset() {
	c.Waiting, c.warned = 0, c.warned[:0]
	c.nextInterval()
	c.counted = 0
	for ; c.inUse != 0; c.inUse &= c.inUse - 1 {
		c.barriers[bits.TrailingZeros16(c.inUse)].reset()
	}
	for id := range c.rendezvous {
		c.rendezvous[id] = c.rendezvous[id][:0]
	}
	for i := range c.warpgroups {
		c.warpgroups[i].reset()
	}
	c.mbarriers = c.mbarriers[:0]
	if c.tensor != nil {
		*c.tensor = tensorMemory{}
	}
	c.startCluster()
}

// End ends c after all of its warps have ended.
func (e *Engine) End(c *CTA) {
	if len(e.observers.end) > 0 {
		e.notifyEnded(c)
	}
	e.EndMany(1)
}

// EndMany is End for n CTAs that StartInTurns has executed. It costs as much as one End.
func (e *Engine) EndMany(n int64) { e.m.done.Add(n) }

// IsBetweenBarriers reports whether no lane of c waits for others at a barrier, has arrived at one for others, or has
// named a number of threads at one, and c has none of the states that only some kernels have: other CTAs in its
// cluster, tensor memory, warpgroups, and warps that own a changing number of registers.
func (c *CTA) IsBetweenBarriers() bool {
	for used := c.inUse; used != 0; used &= used - 1 {
		if c.barriers[bits.TrailingZeros16(used)].need != 0 {
			return false
		}
	}
	return c.Waiting == 0 && c.counted == 0 && c.tensor == nil && c.pool == nil && len(c.warpgroups) == 0 && len(c.Cluster.CTAs) == 1 &&
		!slices.ContainsFunc(c.clusterArrivals, func(a clusterArrivals) bool { return a != clusterArrivals{} })
}

// CopyTo copies the state of c, except its slot, to another CTA of the same launch. They share nothing.
func (c *CTA) CopyTo(to *CTA) {
	to.At, to.Live, to.Waiting, to.inUse, to.counted = c.At, c.Live, c.Waiting, c.inUse, c.counted
	to.warned = append(to.warned[:0], c.warned...)
	copy(to.Shared.Data, c.Shared.Data)
	to.mbarriers = append(to.mbarriers[:0], c.mbarriers...)
	c.tensor.copyTo(&to.tensor)
	c.pool.copyTo(&to.pool)
	copy(to.clusterArrivals, c.clusterArrivals)
	to.clusterWaiting = append(to.clusterWaiting[:0], c.clusterWaiting...)
	c.copyBarriers(to)
	to.warpgroups = append(to.warpgroups[:0], c.warpgroups...)
	for i := range to.warpgroups {
		to.warpgroups[i].unshare()
	}
	for id, w := range c.Warps {
		w.CopyTo(to.Warps[id])
		to.rendezvous[id] = to.rendezvous[id][:0]
		for _, r := range c.rendezvous[id] {
			r.arrivals = append([]arrival(nil), r.arrivals...)
			to.rendezvous[id] = append(to.rendezvous[id], r)
		}
	}
	to.Cluster.count()
}
