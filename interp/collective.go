package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// rendezvous is a set of lanes of a warp that wait for others to execute the same .sync instruction with the same
// mask. They may be at different PCs: what counts is the instruction with its modifiers (PTX ISA, shfl.sync: a thread
// waits until all others of the mask have executed it "with the same qualifiers and same membermask value").
type rendezvous struct {
	mnemonic string     // of the instruction
	whole    bool       // the whole warp executes it together; see Engine.wholeWarp
	members  lanes.Mask // its mask
	arrived  lanes.Mask // lanes of all arrivals
	arrivals []arrival
}

// arrival is a group of lanes of one split that wait at a rendezvous or a barrier, with the instruction at which they
// wait.
type arrival struct {
	warp  int // in the CTA
	frame divergence.FrameID
	fn    int // number of the function
	pc    int // of the instruction
	mask  lanes.Mask
}

// arrival returns the arrival of lanes m of the running split at the instruction at pc.
func (e *Engine) arrival(pc int, m lanes.Mask) arrival {
	return arrival{e.warp.ID, e.split.Frame, e.fn.Number, pc, m}
}

func (a *arrival) op(g *Grid) *lanes.Op       { return &g.p.Funcs[a.fn].Ops[a.pc] }
func (a *arrival) info(g *Grid) *program.Info { return &g.p.Funcs[a.fn].Info[a.pc] }
func (a *arrival) instr(g *Grid) *isa.Instr   { return &g.p.Funcs[a.fn].Src.Code[a.pc] }
func (a *arrival) file(c *CTA) *lanes.File    { return c.Warps[a.warp].Windows[a.frame].File }

// collective executes an instruction in which lanes exchange values. With .sync a mask names those lanes, and lanes
// with different masks are different groups. collective reports whether lanes wait for others now, which changes the
// split.
func (e *Engine) collective(pc int, m lanes.Mask) (waits bool, err error) {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if !in.Sync || m&^in.Members == 0 && in.Members&e.warp.Live&^m == 0 { // the usual case
		e.exchangeAmong(op, e.path.File, m)
		if in.Sync && len(e.observers.sync) > 0 {
			e.notifySynced(&e.fn.Src.Code[pc], m)
		}
		return false, nil
	}
	members := lanes.Reg[uint32](e.path.File, op.E)
	e.waiting = e.waiting[:0]
	for rest := m; rest != 0; {
		first := firstLane(rest)
		mask := lanes.Mask(members[first])
		group, with := lanes.Mask(0), rest
		if mask>>first&1 != 0 {
			with &= mask // lanes that have this mask but are not in it form a group of their own
		}
		for ; with != 0; with &= with - 1 {
			if lane := firstLane(with); lanes.Mask(members[lane]) == mask {
				group |= 1 << lane
			}
		}
		rest &^= group
		if outside := group &^ mask; outside != 0 {
			return false, e.fault(pc, outside, violated(RuleMaskSelf, "lanes that are not in its mask %08x execute this", uint32(mask)))
		}
		if mask&e.warp.Live&^group != 0 {
			e.waiting = append(e.waiting, group)
		} else {
			e.exchangeAmong(op, e.path.File, group)
			e.notifySynced(&e.fn.Src.Code[pc], group)
		}
	}
	if len(e.waiting) == 0 {
		return false, nil
	}
	if !e.warp.Control.Park(e.split.ID, e.waiting, pc+1) {
		group := e.waiting[0]
		absent := lanes.Mask(members[firstLane(group)]) & e.warp.Live &^ group
		e.warp.Control.Advance(e.split.ID, pc)
		return false, e.hangDiverged(pc, group, absent, RuleMaskMissing, "not all lanes of the mask can get here")
	}
	for _, group := range e.waiting {
		e.cta.arrive(e.grid, e.arrival(pc, group), lanes.Mask(members[firstLane(group)]))
	}
	e.completeRendezvous()
	return true, nil
}

// arrive adds an arrival to the rendezvous of its instruction and mask, and creates the rendezvous if there is none.
func (c *CTA) arrive(g *Grid, a arrival, members lanes.Mask) {
	mnemonic := a.instr(g).Mnemonic()
	all := &c.rendezvous[a.warp]
	for i := range *all {
		if r := &(*all)[i]; !r.whole && r.mnemonic == mnemonic && r.members == members && r.arrived&a.mask == 0 {
			r.arrived |= a.mask
			r.arrivals = append(r.arrivals, a)
			return
		}
	}
	*all = append(*all, rendezvous{mnemonic: mnemonic, members: members, arrived: a.mask, arrivals: []arrival{a}})
}

// completeRendezvous completes the rendezvous of the warp at which all live lanes of the mask have arrived.
func (e *Engine) completeRendezvous() {
	all := e.cta.rendezvous[e.warp.ID]
	for i := 0; i < len(all); {
		r := all[i]
		if r.whole || r.members&e.warp.Live&^r.arrived != 0 {
			i++
			continue
		}
		all = append(all[:i], all[i+1:]...)
		e.exchange(&r)
		e.notifySynced(r.arrivals[0].instr(e.grid), r.arrived)
		e.warp.Control.Wake(r.arrived)
	}
	e.cta.rendezvous[e.warp.ID] = all
}

// exchange executes the instructions of a rendezvous as one: it copies the sources of all arrivals into one register
// file, computes there, and copies the results to the file of each arrival.
func (e *Engine) exchange(r *rendezvous) {
	if e.table == nil {
		e.table = lanes.NewFile(lanes.ScratchBytes + 5*lanes.Slot64)
	}
	op := *r.arrivals[0].op(e.grid)
	const first = lanes.ScratchBytes
	op.A, op.B, op.C, op.D, op.D2 = first, first+lanes.Slot64, first+2*lanes.Slot64, first+3*lanes.Slot64, first+4*lanes.Slot64
	for i := range r.arrivals {
		a := &r.arrivals[i]
		file, from, bits := a.file(e.cta), a.op(e.grid), a.info(e.grid).Bits
		copyLanes(e.table, op.A, file, from.A, bits.A, a.mask)
		copyLanes(e.table, op.B, file, from.B, bits.B, a.mask)
		copyLanes(e.table, op.C, file, from.C, bits.C, a.mask)
	}
	e.exchangeAmong(&op, e.table, r.arrived)
	for i := range r.arrivals {
		a := &r.arrivals[i]
		file, to, bits := a.file(e.cta), a.op(e.grid), a.info(e.grid).Bits
		copyLanes(file, to.D, e.table, op.D, bits.D, a.mask)
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

// stopWaiting removes exited lanes from the lanes that others of the warp wait for. It returns an error if those wait
// for the whole warp.
func (e *Engine) stopWaiting() error {
	if len(e.cta.rendezvous[e.warp.ID]) > 0 {
		if err := e.abandoned(); err != nil {
			return err
		}
		e.completeRendezvous()
	}
	for used := e.cta.inUse; used != 0; used &= used - 1 {
		e.recount(bits.TrailingZeros16(used))
	}
	return nil
}
