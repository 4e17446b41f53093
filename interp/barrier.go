package interp

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// numBarriers is the number of barriers that a CTA has (PTX ISA 9.7.13.1).
const numBarriers = 16

// barrier is one of a CTA's barriers. PTX counts threads; this counts warps, each when all of its live lanes have
// arrived (PTX ISA 9.7.13.1).
//
// Usually all live lanes of a warp arrive together, and wait without a result. All other arrivals are partial: those
// of some lanes, those of bar.red and bar.arrive.
type barrier struct {
	tally
	partial []lanes.Mask // by warp: lanes of partial arrivals that are not yet counted
	waiting []arrival    // partial arrivals that wait
}

// tally counts the arrivals at a barrier since it was last complete.
type tally struct {
	need         int    // warps that must arrive; 0 if no lane has arrived
	arrived      int    // warps that are counted
	waitingWarps uint32 // by ID: warps whose live lanes have arrived together and wait
	anyPartial   bool   // there were partial arrivals
	counted      uint32 // by ID: warps completed by partial arrivals that have live lanes
	exited       int    // warps completed by partial arrivals that have no live lane left
	// redThreads is the number of threads that take part in a reduction; redTrue is the number of them for which the
	// predicate holds.
	redThreads, redTrue int
}

// makeBarriers makes the barriers of c.
func (c *CTA) makeBarriers() {
	c.barriers = new([numBarriers]barrier)
	partial := make([]lanes.Mask, numBarriers*len(c.Warps))
	for id := range c.barriers {
		c.barriers[id].partial, partial = partial[:len(c.Warps)], partial[len(c.Warps):]
	}
}

// copyBarriers copies the state of c's barriers to a CTA of the same launch.
func (c *CTA) copyBarriers(to *CTA) {
	if c.barriers == nil && to.barriers == nil {
		return
	}
	for _, cta := range [...]*CTA{c, to} {
		if cta.barriers == nil {
			cta.makeBarriers()
		}
	}
	for id := range c.barriers {
		from, b := &c.barriers[id], &to.barriers[id]
		b.tally = from.tally
		copy(b.partial, from.partial)
		b.waiting = append(b.waiting[:0], from.waiting...)
	}
}

// reset removes all arrivals.
func (b *barrier) reset() {
	if b.anyPartial {
		clear(b.partial)
		b.waiting = b.waiting[:0]
	}
	b.tally = tally{}
}

// arriveAt executes the barrier instruction at pc for the lanes m of the running split: they wait until the barrier
// is complete, unless it is a bar.arrive.
func (e *Engine) arriveAt(pc int, m lanes.Mask) (err error) {
	if len(e.observers.arrival) > 0 && !e.native.endsTurns { // here, because a call keeps all variables before it out of registers
		e.showArrival(pc, m)
	}
	c, w, in := e.cta, e.warp, &e.fn.Info[pc]
	id, need := in.Barrier, len(c.Warps)
	if id >= numBarriers || in.Counted {
		if id, need, err = e.barrierOperands(pc, m); err != nil {
			return err
		}
		if in.Counted {
			c.counted |= 1 << id
		}
	}
	if c.barriers == nil {
		c.makeBarriers()
	}
	b := &c.barriers[id]
	if b.need != need && b.need > 0 {
		return e.fault(pc, m, violated(RuleMismatch, "barrier %d for %d threads, at which others are for %d", id, need*lanes.Width, b.need*lanes.Width))
	}
	if e.effect != nil {
		e.effect.Barrier = int(id)
	}
	b.need = need
	c.inUse |= 1 << id
	if m != w.Live || in.BarOp != isa.BarSync {
		return e.arrivePartial(int(id), pc, m)
	}
	e.park(m, pc+1)
	b.waitingWarps |= 1 << w.ID
	c.Waiting |= 1 << w.ID
	b.arrived++
	if b.complete(c) {
		e.release(int(id))
	}
	return nil
}

// showArrival notifies observers of an arrival that arriveAt will not find wrong.
func (e *Engine) showArrival(pc int, m lanes.Mask) {
	c, in := e.cta, &e.fn.Info[pc]
	id, need := in.Barrier, len(c.Warps)
	if id >= numBarriers || in.Counted {
		var err error
		if id, need, err = e.barrierOperands(pc, m); err != nil {
			return
		}
	}
	if c.barriers != nil && c.barriers[id].need > 0 && c.barriers[id].need != need {
		return
	}
	e.notifyArrived(pc, int(id), m)
}

// park makes lanes of the running split wait as one group; see Control.Park.
func (e *Engine) park(m lanes.Mask, next int) bool {
	e.parked[0] = m
	return e.warp.Control.Park(e.split.ID, e.parked[:], next)
}

// barrierOperands returns the number of the barrier that the instruction at pc names and how many warps it expects,
// for instructions with one or both in a register.
func (e *Engine) barrierOperands(pc int, m lanes.Mask) (id uint32, need int, err error) {
	op, in, warps := &e.fn.Ops[pc], &e.fn.Info[pc], len(e.cta.Warps)
	id, same := in.Barrier, true
	if id == program.AnyBarrier {
		id, same = uniform(e.path.File, op.A, m)
	}
	switch {
	case !same:
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "lanes of one warp wait at different barriers"))
	case id >= numBarriers:
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "barrier %d: a CTA has barriers 0 to %d", id, numBarriers-1))
	case !in.Counted:
		return id, warps, nil
	}
	threads, same := uniform(e.path.File, op.B, m)
	if !same || threads == 0 || threads%lanes.Width != 0 || int(threads) > warps*lanes.Width {
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "barrier for %d threads: the count must be a multiple of 32, up to the CTA's %d, and the same in all lanes", threads, warps*lanes.Width))
	}
	return id, int(threads) / lanes.Width, nil
}

// arrivePartial is arriveAt for a partial arrival.
func (e *Engine) arrivePartial(id, pc int, m lanes.Mask) error {
	op, in, w, b := &e.fn.Ops[pc], &e.fn.Info[pc], e.warp, &e.cta.barriers[id]
	absent := w.Live &^ m &^ w.Control.Shattered(e.split.ID)
	b.anyPartial = true
	if in.BarOp == isa.BarArrive {
		w.Control.Advance(e.split.ID, pc+1)
	} else {
		if !e.park(m, pc+1) {
			w.Control.Advance(e.split.ID, pc)
			return e.hangDiverged(pc, m, w.Live&^m, RuleDiverged, "barrier inside divergent code")
		}
		b.waiting = append(b.waiting, e.arrival(pc, m))
	}
	if in.BarOp == isa.BarRed {
		b.redThreads += m.Count()
		b.redTrue += (lanes.Predicate(e.path.File, op.C) & m).Count()
	}
	if absent != 0 && in.Aligned {
		e.checkDiverged(pc, m, absent)
	}
	b.partial[w.ID] |= m
	b.count(w)
	if b.complete(e.cta) {
		e.release(id)
	}
	return nil
}

// waitingAt lists the lanes of a warp that wait at a barrier.
func (c *CTA) waitingAt(id int, w *warp.State) (all []arrival) {
	if c.barriers == nil {
		return nil
	}
	b := &c.barriers[id]
	if b.waitingWarps>>w.ID&1 != 0 {
		for s := range w.Control.Splits() {
			all = append(all, arrival{w.ID, s.Frame, w.Control.Frames().At(s.Frame).Func, s.PC - 1, s.Mask})
		}
	}
	for _, a := range b.waiting {
		if a.warp == w.ID {
			all = append(all, a)
		}
	}
	return all
}

// count counts w if partial arrivals have made it complete.
func (b *barrier) count(w *warp.State) {
	if arrived := &b.partial[w.ID]; *arrived != 0 && w.Live&^*arrived == 0 {
		*arrived = 0
		b.arrived++
		b.counted |= 1 << w.ID
	}
}

// recount counts the warp at a barrier after lanes of it have exited, and releases the
// barrier if that makes it complete.
func (e *Engine) recount(id int) {
	w, b := e.warp, &e.cta.barriers[id]
	b.count(w)
	if w.Live == 0 && b.counted>>w.ID&1 != 0 {
		b.counted &^= 1 << w.ID
		b.exited++
	}
	if b.complete(e.cta) {
		e.release(id)
	}
}

// complete reports whether enough warps have arrived at a barrier of c: as many as it expects, or all live ones. A
// barrier does not wait for threads that have exited (PTX ISA 9.7.13.1), but those that arrived before they exited
// count.
func (b *barrier) complete(c *CTA) bool {
	return b.arrived > 0 && b.arrived >= min(b.need, c.Live+b.exited)
}

// release lets the lanes that wait at a barrier continue.
func (e *Engine) release(id int) {
	c, b := e.cta, &e.cta.barriers[id]
	if c.counted&(1<<id) != 0 {
		c.counted &^= 1 << id
		if b.arrived < b.need {
			e.reportShort(id)
		}
	}
	c.nextInterval()
	if len(e.observers.release) > 0 {
		e.notifyReleased(id)
	}
	if e.effect != nil {
		e.effect.Released = true
	}
	c.Waiting &^= b.waitingWarps
	for ids := b.waitingWarps; ids != 0; ids &= ids - 1 {
		w := c.Warps[bits.TrailingZeros32(ids)]
		w.Control.Wake(w.Live)
	}
	for i := range b.waiting {
		a := &b.waiting[i]
		if b.redThreads > 0 && a.info(e.grid).BarOp == isa.BarRed {
			e.reduce(b, a)
		}
		c.Warps[a.warp].Control.Wake(a.mask)
	}
	b.reset()
}

// reportShort is called before the release of a barrier for a named number of threads at which fewer have arrived,
// because the others have exited. A thread that exits does not arrive (PTX ISA 9.7.13.1): a GPU may wait for ever.
func (e *Engine) reportShort(id int) {
	c, b, w, split := e.cta, &e.cta.barriers[id], e.warp, e.split
	for _, waiter := range c.Warps {
		for _, a := range c.waitingAt(id, waiter) {
			e.enter(c, waiter, &divergence.Split{Frame: a.frame, PC: a.pc, Mask: a.mask})
			msg := fmt.Sprintf("barrier %d for %d threads, and %d arrive: the others have exited, which does not count as an arrival", id, b.need*lanes.Width, b.arrived*lanes.Width)
			e.report(a.pc, &Warning{Error: true, Where: e.where(a.mask), Rule: RuleExited, Msg: msg}, func() []Involved {
				return []Involved{involved(Affects, e.where(a.mask))}
			})
			e.enter(c, w, split)
			return
		}
	}
}

// reduce writes the result of a barrier's reduction for the lanes of an arrival.
func (e *Engine) reduce(b *barrier, a *arrival) {
	holds, d, file := false, a.op(e.grid).D, a.file(e.cta)
	switch a.instr(e.grid).Mods[isa.RedOp] {
	case isa.RedPopc:
		for m := a.mask; m != 0; m &= m - 1 {
			lanes.Reg[uint32](file, d)[firstLane(m)] = uint32(b.redTrue)
		}
		return
	case isa.RedAnd:
		holds = b.redTrue == b.redThreads
	case isa.RedOr:
		holds = b.redTrue > 0
	}
	result := lanes.Pred(file, d)
	*result &^= a.mask
	if holds {
		*result |= a.mask
	}
}

// uniform returns the value of a slot in the first lane of m, and whether all lanes of m have the same.
func uniform(f *lanes.File, off uint32, m lanes.Mask) (v uint32, same bool) {
	r := lanes.Reg[uint32](f, off)
	v = r[firstLane(m)]
	for ; m != 0; m &= m - 1 {
		if r[firstLane(m)] != v {
			return v, false
		}
	}
	return v, true
}
