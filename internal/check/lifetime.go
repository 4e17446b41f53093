package check

import (
	"cmp"
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Shared memory of another CTA of the cluster exists from the CTA's start to its end, when its last thread exits (CUDA
// C++ Programming Guide, Distributed Shared Memory). So a thread must wait for that CTA before the access, for example
// at a barrier of the cluster, and the access must happen before a thread of that CTA exits. In one run both may hold
// by chance, so the check asks whether something orders them in every schedule.
//
// Happens-before does, and so does a barrier of the cluster at which threads arrive with .relaxed: it does not order
// memory, but completes only after all threads have arrived.

// peerKey is an instruction of a warp of another CTA of the cluster.
type peerKey struct {
	site uint32
	cta  int64
	warp int
}

// peerAccess is the latest accesses of a warp to the shared memory of another CTA by one instruction.
type peerAccess struct {
	site   *site
	at     isa.Dim // index of the warp's CTA
	lanes  lanes.Mask
	epochs [lanes.Width]epoch  // by lane: of the latest access
	off    [lanes.Width]uint64 // by lane: of the latest access
	size   int                 // bytes per lane
	writes bool
}

// lifetimeKey is an instruction with accesses that may be too early or too late.
type lifetimeKey struct {
	rule Rule
	site uint32
}

func (k lifetimeKey) compare(l lifetimeKey) int {
	return cmp.Or(cmp.Compare(k.rule, l.rule), cmp.Compare(k.site, l.site))
}

// accessPeer checks that an access to the shared memory of another CTA comes after its start, and records it until that
// CTA ends.
func (v *visit) accessPeer(owner *cta) {
	w := v.w
	if owner.peers == nil {
		owner.peers = make(map[peerKey]*peerAccess)
	}
	key := peerKey{v.site.index, w.cta.number, w.number}
	p := owner.peers[key]
	if p == nil {
		p = &peerAccess{site: v.site, at: v.r.grid.At(w.cta.number), size: int(v.size), writes: v.site.class&writes != 0}
		owner.peers[key] = p
	}
	p.lanes |= v.mask
	for left := v.mask; left != 0; left &= left - 1 {
		lane := firstLane(left)
		p.epochs[lane], p.off[lane] = w.epoch, v.acc.At(lane)
	}
	for _, g := range w.groups {
		if early := g.lanes & v.mask; early != 0 && !g.clock.started && g.clock.grid.of(owner.number) == nil {
			start := Access{Func: v.r.fns[0], CTA: v.r.grid.At(owner.number), Lanes: owner.warps[0].threads, Event: "start"}
			v.r.outlived(ClusterStart, p, key, start, early)
		}
	}
}

// exited records what happens before lanes of the warp exit.
func (w *warp) exited(m lanes.Mask) {
	c := w.cta
	for _, g := range w.groups {
		if g.lanes&m != 0 {
			c.beforeExit = joinGridClocks(c.beforeExit, joinGridClocks(g.clock.grid, g.clock.relaxed))
		}
	}
}

// endLifetime is called when a CTA ends, and finds accesses to its shared memory that may happen later in another
// schedule.
func (r *Races) endLifetime(c *cta) {
	for key, p := range c.peers {
		known := c.beforeExit.of(key.cta).warp(key.warp)
		var late lanes.Mask
		for left := p.lanes; left != 0; left &= left - 1 {
			if lane := firstLane(left); known.of(lane) < p.epochs[lane] {
				late |= 1 << lane
			}
		}
		if late != 0 {
			r.outlived(ClusterExit, p, key, c.exit, late)
		}
	}
	c.peers, c.beforeExit, c.exit = nil, nil, Access{}
}

// outlived adds a finding: accesses of the lanes m that may happen before the start or after the end of the CTA that
// owns the memory. Event is that start or end.
func (r *Races) outlived(rule Rule, p *peerAccess, key peerKey, event Access, m lanes.Mask) {
	f := r.lifetimes[lifetimeKey{rule, key.site}]
	if f == nil {
		f = &unwaitedCopy{finding: r.lifetimeFinding(rule, p, key, event, m), warps: make(map[int64]uint32)}
		r.lifetimes[lifetimeKey{rule, key.site}] = f
	} else if first := &f.finding.Later; rule == ClusterExit && r.earlierThan(key, first) {
		instances := f.finding.Instances
		f.finding = r.lifetimeFinding(rule, p, key, event, m)
		f.finding.Instances = instances
	}
	f.finding.Instances += int64(m.Count())
	f.warps[key.cta] |= 1 << key.warp
}

// earlierThan reports whether the CTA and warp of an access come before those of the one shown. The first is shown,
// so that a report does not depend on the order of a map.
func (r *Races) earlierThan(key peerKey, shown *Access) bool {
	cta := r.grid.Number(shown.CTA)
	return key.cta < cta || key.cta == cta && key.warp < shown.Warp
}

func (r *Races) lifetimeFinding(rule Rule, p *peerAccess, key peerKey, event Access, m lanes.Mask) Finding {
	at := p.off[firstLane(m)]
	f := Finding{Rule: rule, Space: isa.Shared, Offset: at, Address: at, Bytes: p.size, Earlier: event}
	f.Later = Access{Func: p.site.fn, PC: p.site.pc, CTA: p.at, Warp: key.warp, Lanes: m, Writes: p.writes}
	if s := r.shared.at(at); s != nil {
		f.Buffer, f.Offset = cxx.Variable(s.Name), at-s.Addr
	}
	owner, line := event.CTA, p.site.place().Pos().Line
	name := fmt.Sprintf("block (%d,%d,%d)", owner.X, owner.Y, owner.Z)
	barrier := p.site.words().clusterBarrier + ", by all threads of the cluster, "
	if !p.site.place().IsCompiled() {
		barrier = ptxWords.clusterBarrier + " (cluster.sync() in CUDA), by all threads of the cluster, "
	}
	f.Between = "no wait of " + name + " after the access and before it ends: its shared memory may be gone"
	text := barrier + fmt.Sprintf("after line %d", line)
	if rule == ClusterStart {
		f.Between = "no wait for " + name + " before the access: its shared memory may not exist yet"
		text = barrier + fmt.Sprintf("before line %d", line)
	}
	f.Advice = &Advice{Kind: Redesign, text: text}
	f.Fix = text
	return f
}
