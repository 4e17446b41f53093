package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
)

// rendezvous is lanes of a warp that wait for others to execute the same .sync
// instruction with the same mask. They may be at different places: what counts
// is the kind of instruction, with its modifiers (PTX ISA, shfl.sync and its
// kin: "the same qualifiers and same membermask").
type rendezvous struct {
	what     string
	members  lanes.Mask
	arrived  lanes.Mask
	arrivals []arrival
}

// arrival is lanes that wait at a rendezvous or a barrier, and the instruction by
// which they arrived.
type arrival struct {
	warp  int // in the CTA
	frame divergence.FrameID
	fn    int // number of the function
	pc    int
	mask  lanes.Mask
}

// arrival is that of lanes m of the split that runs, by the instruction at pc.
func (e *Engine) arrival(pc int, m lanes.Mask) arrival {
	return arrival{e.warp.ID, e.split.Frame, e.fn.Number, pc, m}
}

func (p *arrival) op(g *Grid) *lanes.Op       { return &g.p.Funcs[p.fn].Ops[p.pc] }
func (p *arrival) info(g *Grid) *program.Info { return &g.p.Funcs[p.fn].Info[p.pc] }
func (p *arrival) instr(g *Grid) *isa.Instr   { return &g.p.Funcs[p.fn].Src.Code[p.pc] }
func (p *arrival) file(c *CTA) *lanes.File    { return c.Warps[p.warp].Windows[p.frame].File }

// collective executes an instruction whose lanes work together. Those of a
// .sync form name in a mask who takes part; lanes with different masks are
// different groups. It reports whether lanes now wait for others: then the
// split is no longer what it was.
func (e *Engine) collective(pc int, m lanes.Mask) (waits bool, err error) {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if !in.Sync || m&^in.Members == 0 && in.Members&e.warp.Live&^m == 0 { // as a rule
		op.Fn(e.file, op, m)
		if len(e.observers.sync) > 0 {
			e.notifyMet(&e.fn.Src.Code[pc], m)
		}
		return false, nil
	}
	members := lanes.Reg[uint32](e.file, op.E)
	e.parts = e.parts[:0]
	for left := m; left != 0; {
		want := lanes.Mask(members[firstLane(left)])
		group := lanes.Mask(0)
		for lane, mask := range members {
			if left>>lane&1 != 0 && lanes.Mask(mask) == want {
				group |= 1 << lane
			}
		}
		left &^= group
		if outside := group &^ want; outside != 0 {
			return false, e.fault(pc, outside, violated(RuleMaskSelf, "lanes execute this that are not in its mask %08x", uint32(want)))
		}
		if want&e.warp.Live&^group != 0 {
			e.parts = append(e.parts, group)
		} else {
			op.Fn(e.file, op, group)
			e.notifyMet(&e.fn.Src.Code[pc], group)
		}
	}
	if len(e.parts) == 0 {
		return false, nil
	}
	if !e.warp.Control.Park(e.split.ID, e.parts, pc+1) {
		group := e.parts[0]
		missing := lanes.Mask(members[firstLane(group)]) & e.warp.Live &^ group
		e.warp.Control.Advance(e.split.ID, pc)
		return false, e.neverMet(pc, group, missing, RuleMaskMissing, "not all lanes of the mask can get here")
	}
	for _, group := range e.parts {
		e.cta.arrive(e.grid, e.arrival(pc, group), lanes.Mask(members[firstLane(group)]))
	}
	e.meet()
	return true, nil
}

// arrive adds lanes to the rendezvous that they want, or begins it.
func (c *CTA) arrive(g *Grid, a arrival, members lanes.Mask) {
	what := a.instr(g).Mnemonic()
	all := &c.rendezvous[a.warp]
	for i := range *all {
		if r := &(*all)[i]; r.what == what && r.members == members && r.arrived&a.mask == 0 {
			r.arrived |= a.mask
			r.arrivals = append(r.arrivals, a)
			return
		}
	}
	*all = append(*all, rendezvous{what, members, a.mask, []arrival{a}})
}

// meet completes those rendezvous of the warp at which all have arrived who are
// left.
func (e *Engine) meet() {
	all := e.cta.rendezvous[e.warp.ID]
	for i := 0; i < len(all); {
		r := all[i]
		if r.members&e.warp.Live&^r.arrived != 0 {
			i++
			continue
		}
		all = append(all[:i], all[i+1:]...)
		e.exchange(&r)
		e.notifyMet(r.arrivals[0].instr(e.grid), r.arrived)
		e.warp.Control.Wake(r.arrived)
	}
	e.cta.rendezvous[e.warp.ID] = all
}

// exchange executes the instructions of a rendezvous as one: on values gathered
// from where each arrival has them, with results that go where each wants them.
func (e *Engine) exchange(r *rendezvous) {
	if e.table == nil {
		e.table = lanes.NewFile(lanes.ScratchBytes + 5*lanes.Slot64)
	}
	op := *r.arrivals[0].op(e.grid)
	const first = lanes.ScratchBytes
	op.A, op.B, op.C, op.D, op.D2 = first, first+lanes.Slot64, first+2*lanes.Slot64, first+3*lanes.Slot64, first+4*lanes.Slot64
	for i := range r.arrivals {
		a := &r.arrivals[i]
		file, from, widths := a.file(e.cta), a.op(e.grid), a.info(e.grid).Widths
		copyLanes(e.table, op.A, file, from.A, widths.A, a.mask)
		copyLanes(e.table, op.B, file, from.B, widths.B, a.mask)
		copyLanes(e.table, op.C, file, from.C, widths.C, a.mask)
	}
	op.Fn(e.table, &op, r.arrived)
	for i := range r.arrivals {
		a := &r.arrivals[i]
		file, to, widths := a.file(e.cta), a.op(e.grid), a.info(e.grid).Widths
		copyLanes(file, to.D, e.table, op.D, widths.D, a.mask)
		copyLanes(file, to.D2, e.table, op.D2, 1, a.mask)
	}
}

// copyLanes copies a slot for the lanes of m.
func copyLanes(to *lanes.File, toOff uint32, from *lanes.File, fromOff uint32, bits uint8, m lanes.Mask) {
	switch bits {
	case 1:
		p := lanes.Pred(to, toOff)
		*p = *p&^m | lanes.Predicate(from, fromOff)&m
	case 32:
		copyEach(lanes.Reg[uint32](to, toOff), lanes.Reg[uint32](from, fromOff), m)
	case 64:
		copyEach(lanes.Reg[uint64](to, toOff), lanes.Reg[uint64](from, fromOff), m)
	}
}

func copyEach[S lanes.Bits](to, from *[lanes.Width]S, m lanes.Mask) {
	for ; m != 0; m &= m - 1 {
		to[firstLane(m)] = from[firstLane(m)]
	}
}

// left notes that lanes of the warp have ended: others do not wait for them any
// more.
func (e *Engine) left() {
	if len(e.cta.rendezvous[e.warp.ID]) > 0 {
		e.meet()
	}
	for used := e.cta.inUse; used != 0; used &= used - 1 {
		e.recount(bits.TrailingZeros16(used))
	}
}
