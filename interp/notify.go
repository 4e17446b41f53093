package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// The notify methods notify the observers of one kind of event. For frequent events callers first check whether it
// has observers, because a call costs time.

// notifyStarted is called before the warp runs, and therefore makes its own Place.
func (e *Engine) notifyStarted(c *CTA, warp int, m lanes.Mask) {
	at := e.placeOf(c)
	at.Warp = warp
	for _, o := range e.observers.start {
		o.Started(at, m)
	}
}

// placeOf returns the Place of a CTA, valid until the next call.
func (e *Engine) placeOf(c *CTA) *Place {
	e.place = Place{CTA: c.At, Slot: c.Slot}
	return &e.place
}

func (e *Engine) notifyEnded(c *CTA) {
	at := e.placeOf(c)
	for _, o := range e.observers.end {
		o.Ended(at)
	}
}

// notifyPath notifies observers of instructions of the path that are not counted yet. It is not inlined, so that its
// callers can be.
//
//go:noinline
func (e *Engine) notifyPath() { e.notifyRan(e.path.First, e.path.PC, e.path.Mask) }

// notifyRan is not inlined, so that its callers can be.
//
//go:noinline
func (e *Engine) notifyRan(first, end int, m lanes.Mask) {
	if first == end {
		return
	}
	for _, o := range e.observers.run {
		o.Ran(&e.at, first, end, m)
	}
}

func (e *Engine) notifyAccessed(kind isa.Kind, pc int, m lanes.Mask, more bool) {
	a := &e.event
	a.Kind = kind
	a.PC, a.Lanes, a.More = pc, m, more
	for _, o := range e.observers.access {
		o.Accessed(&e.at, a)
	}
}

func (e *Engine) notifyCompleted() {
	for _, o := range e.observers.completion {
		o.Completed(&e.at, &e.event)
	}
}

func (e *Engine) notifyDiverged(pc int) {
	for _, o := range e.observers.divergence {
		o.Diverged(&e.at, pc, e.groups)
	}
}

func (e *Engine) notifyExited(pc int, m lanes.Mask) {
	for _, o := range e.observers.exit {
		o.Exited(&e.at, pc, m)
	}
}

func (e *Engine) notifyArrived(pc, id int, m lanes.Mask) {
	for _, o := range e.observers.arrival {
		o.Arrived(&e.at, pc, id, m)
	}
}

func (e *Engine) notifyReleased(id int) {
	at := e.placeOf(e.cta)
	for _, o := range e.observers.release {
		o.Released(at, id)
	}
}

func (e *Engine) notifyClusterArrived(pc int, m lanes.Mask) {
	for _, o := range e.observers.cluster {
		o.ClusterArrived(&e.at, pc, m)
	}
}

func (e *Engine) notifyClusterWaits(pc int, m lanes.Mask) {
	for _, o := range e.observers.cluster {
		o.ClusterWaits(&e.at, pc, m)
	}
}

func (e *Engine) notifyClusterReleased() {
	var slots []int
	for _, c := range e.cta.Cluster.CTAs {
		slots = append(slots, c.Slot)
	}
	for _, o := range e.observers.cluster {
		o.ClusterReleased(slots)
	}
}

// notifySynced notifies observers of an instruction at which the lanes of m have waited for each other.
func (e *Engine) notifySynced(in *isa.Instr, m lanes.Mask) {
	if in.Mods[isa.BarOp] != isa.BarWarp {
		e.notifyMet(m)
		return
	}
	for _, o := range e.observers.sync {
		o.Synced(&e.at, m)
	}
}

func (e *Engine) notifyMet(m lanes.Mask) {
	for _, o := range e.observers.sync {
		o.Met(&e.at, m)
	}
}

func (e *Engine) notifyGrouped(pc int, m lanes.Mask) {
	for _, o := range e.observers.copy {
		o.Grouped(&e.at, pc, m)
	}
}

func (e *Engine) notifyFenced(pc int, m lanes.Mask) {
	for _, o := range e.observers.sync {
		o.Fenced(&e.at, pc, m)
	}
}

// follows reports whether an observer needs to see the next instruction of the running warp.
func (e *Engine) follows() bool {
	for _, o := range e.observers.value {
		if o.Follows(&e.at) {
			return true
		}
	}
	return false
}

func (e *Engine) notifyExecutes(pc int, m lanes.Mask) {
	for _, o := range e.observers.value {
		o.Executes(&e.at, e.window, pc, m)
	}
}

func (e *Engine) notifyCalled(pc int, m lanes.Mask) {
	for _, o := range e.observers.value {
		o.Called(&e.at, e.window, pc, m)
	}
}

// notifyEntered notifies observers of a call by the running split.
func (e *Engine) notifyEntered(w *Window, m lanes.Mask) {
	for _, o := range e.observers.value {
		o.Entered(&e.at, w, Entry{Local: len(e.warp.Local)}, m)
	}
}

// notifyBegun notifies observers of the kernel's activation in a warp that starts.
func (e *Engine) notifyBegun(c *CTA, s *warp.State) {
	at := e.placeOf(c)
	at.Warp = s.ID
	for _, o := range e.observers.value {
		o.Entered(at, s.Windows[divergence.Root], Entry{Kernel: true, Local: len(s.Local)}, s.Threads)
	}
}

// notifyPrinted notifies observers of n bytes of arguments at a generic address that printf has read.
func (e *Engine) notifyPrinted(pc, lane int, addr, n uint64) {
	p, a := e.find(&program.Info{Space: isa.Generic}, addr), &e.acc
	if p.region == nil || n == 0 {
		return
	}
	*a = lanes.Access{Mem: p.region.Data, Base: p.region.Base, Region: p.region.Number, Space: uint8(p.region.Space), Size: n}
	a.Off[lane] = p.addr - p.region.Base
	if all := e.perLane(p.region); all != nil {
		a.Mem, a.Base = all, 0
		a.Off[lane] += uint64(lane * (len(all) / lanes.Width))
	}
	e.event.Kind, e.event.PC, e.event.Lanes = isa.Load, pc, 1<<lane
	for _, o := range e.observers.value {
		o.Printed(&e.at, &e.event)
	}
}
