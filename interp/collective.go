package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// meeting is lanes of a warp that wait for others to execute the same .sync
// instruction with the same mask. They may be at different places: what counts
// is the kind of instruction, with its modifiers (PTX ISA, shfl.sync and its
// kin: "the same qualifiers and same membermask").
type meeting struct {
	what    string
	members lanes.Mask
	came    lanes.Mask
	parts   []party
}

// party is the lanes that came to a meeting, or a barrier, by one instruction.
type party struct {
	w    *warp.State
	file *lanes.File
	fn   *program.Func
	pc   int
	mask lanes.Mask
}

func (p *party) op() *lanes.Op  { return &p.fn.Ops[p.pc] }
func (p *party) in() *isa.Instr { return &p.fn.Src.Code[p.pc] }

// collective executes an instruction whose lanes work together. Those of a
// .sync form name in a mask who takes part; lanes with different masks are
// different groups. It reports whether lanes now wait for others: then the
// split is no longer what it was.
func (x *executor) collective(c *cta, w *warp.State, pc int, m lanes.Mask) (waits bool, err error) {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	if !in.Sync || m&^in.Members == 0 && in.Members&w.Live&^m == 0 { // as a rule
		op.Fn(x.file, op, m)
		if len(x.observers.sync) > 0 {
			x.notifyMet(&x.fn.Src.Code[pc], m)
		}
		return false, nil
	}
	members := lanes.Reg[uint32](x.file, op.E)
	x.parts = x.parts[:0]
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
			return false, x.fault(c, w, pc, outside, violated(RuleMaskSelf, "lanes execute this that are not in its mask %08x", uint32(want)))
		}
		if want&w.Live&^group != 0 {
			x.parts = append(x.parts, group)
		} else {
			op.Fn(x.file, op, group)
			x.notifyMet(&x.fn.Src.Code[pc], group)
		}
	}
	if len(x.parts) == 0 {
		return false, nil
	}
	if !w.Control.Park(x.parts, pc+1) {
		group := x.parts[0]
		missing := lanes.Mask(members[firstLane(group)]) & w.Live &^ group
		w.Control.Suspend(pc)
		return false, x.neverMet(c, w, pc, group, missing, RuleMaskMissing, "not all lanes of the mask can get here")
	}
	for _, group := range x.parts {
		x.meet(c, party{w, x.file, x.fn, pc, group}, lanes.Mask(members[firstLane(group)]))
	}
	x.hold(c, w)
	return true, nil
}

// meet adds lanes to the meeting that they want, or calls it.
func (x *executor) meet(c *cta, p party, members lanes.Mask) {
	what := p.in().Mnemonic()
	all := &c.meetings[p.w.ID]
	for i := range *all {
		if mt := &(*all)[i]; mt.what == what && mt.members == members && mt.came&p.mask == 0 {
			mt.came |= p.mask
			mt.parts = append(mt.parts, p)
			return
		}
	}
	*all = append(*all, meeting{what, members, p.mask, []party{p}})
}

// hold holds the meetings of w to which everybody has come who is left.
func (x *executor) hold(c *cta, w *warp.State) {
	all := c.meetings[w.ID]
	for i := 0; i < len(all); {
		mt := all[i]
		if mt.members&w.Live&^mt.came != 0 {
			i++
			continue
		}
		all = append(all[:i], all[i+1:]...)
		x.exchange(&mt)
		x.notifyMet(mt.parts[0].in(), mt.came)
		w.Control.Wake(mt.came)
	}
	c.meetings[w.ID] = all
}

// exchange executes the instructions of a meeting as one: on values gathered
// from where each party has them, with results that go where each wants them.
func (x *executor) exchange(mt *meeting) {
	if x.table == nil {
		x.table = lanes.NewFile(lanes.ScratchBytes + 5*lanes.Slot64)
	}
	op := *mt.parts[0].op()
	const first = lanes.ScratchBytes
	op.A, op.B, op.C, op.D, op.D2 = first, first+lanes.Slot64, first+2*lanes.Slot64, first+3*lanes.Slot64, first+4*lanes.Slot64
	for _, p := range mt.parts {
		from, widths := p.op(), p.fn.Info[p.pc].Widths
		copyLanes(x.table, op.A, p.file, from.A, widths.A, p.mask)
		copyLanes(x.table, op.B, p.file, from.B, widths.B, p.mask)
		copyLanes(x.table, op.C, p.file, from.C, widths.C, p.mask)
	}
	op.Fn(x.table, &op, mt.came)
	for _, p := range mt.parts {
		to, widths := p.op(), p.fn.Info[p.pc].Widths
		copyLanes(p.file, to.D, x.table, op.D, widths.D, p.mask)
		copyLanes(p.file, to.D2, x.table, op.D2, 1, p.mask)
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

// left notes that lanes of w have ended: others do not wait for them any more.
func (x *executor) left(c *cta, w *warp.State) {
	if len(c.meetings[w.ID]) > 0 {
		x.hold(c, w)
	}
	for used := c.inUse; used != 0; used &= used - 1 {
		c.barriers[bits.TrailingZeros16(used)].recount(x, c, w)
	}
}
