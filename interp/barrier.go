package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// numBarriers is the number of barriers that a CTA has (PTX ISA 9.7.13.1).
const numBarriers = 16

// barrier is one of a CTA's barriers. It counts in warps: PTX counts threads,
// but every warp as a whole, once all of its lanes that are left have arrived.
type barrier struct {
	tally
	arrivedOf []lanes.Mask // by warp: the lanes that arrived while others were missing
	waiting   []arrival    // lanes that wait, but for whole warps
}

// tally is what has arrived at a barrier since it was complete last.
type tally struct {
	need    int    // warps it is for; 0 if nobody has arrived
	arrived int    // warps
	whole   uint32 // warps, by ID, of which all lanes wait, and for no result
	partial bool   // lanes have arrived otherwise than as whole warps that wait
	counted uint32 // warps, by ID, of which partial arrivals were counted and lanes are left
	gone    int    // warps of which partial arrivals were counted and no lane is left
	// Of a reduction: threads that take part, and those whose predicate holds.
	threads, holds int
}

func (b *barrier) reset() {
	if b.partial {
		clear(b.arrivedOf)
		b.waiting = b.waiting[:0]
	}
	b.tally = tally{}
}

// arriveAt executes the barrier instruction at pc for the lanes m of the split
// that runs: they wait until the others have arrived, unless they only arrive.
func (e *Engine) arriveAt(pc int, m lanes.Mask) (err error) {
	c, w, in := e.cta, e.warp, &e.fn.Info[pc]
	id, need := in.Barrier, len(c.Warps)
	if id >= numBarriers || in.Counted {
		if id, need, err = e.whichBarrier(pc, m); err != nil {
			return err
		}
	}
	b := &c.barriers[id]
	if b.need != need && b.need > 0 {
		return e.fault(pc, m, violated(RuleMismatch, "barrier %d for %d threads, at which others are for %d", id, need*lanes.Width, b.need*lanes.Width))
	}
	if len(e.observers.arrival) > 0 {
		e.notifyArrived(pc, int(id), m)
	}
	if e.effect != nil {
		e.effect.Barrier = int(id)
	}
	b.need = need
	c.inUse |= 1 << id
	if m != w.Live || in.BarOp != isa.BarSync {
		return e.arrivePartly(int(id), pc, m)
	}
	e.onePart[0] = m
	w.Control.Park(e.split.ID, e.onePart[:], pc+1)
	b.whole |= 1 << w.ID
	c.Waiting |= 1 << w.ID
	b.arrived++
	if b.complete(c) {
		e.release(int(id))
	}
	return nil
}

// whichBarrier is the barrier that a barrier instruction names, where that or
// the number of threads is in a register, and how many warps it is for.
func (e *Engine) whichBarrier(pc int, m lanes.Mask) (id uint32, need int, err error) {
	op, in, warps := &e.fn.Ops[pc], &e.fn.Info[pc], len(e.cta.Warps)
	id, same := in.Barrier, true
	if id == program.AnyBarrier {
		id, same = uniform(e.file, op.A, m)
	}
	switch {
	case !same:
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "lanes of one warp wait at different barriers"))
	case id >= numBarriers:
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "barrier %d: a CTA has barriers 0 to %d", id, numBarriers-1))
	case !in.Counted:
		return id, warps, nil
	}
	threads, same := uniform(e.file, op.B, m)
	if !same || threads == 0 || threads%lanes.Width != 0 || int(threads) > warps*lanes.Width {
		return 0, 0, e.fault(pc, m, violated(RuleMismatch, "barrier for %d threads: the count must be a multiple of 32, up to the CTA's %d, and the same in all lanes", threads, warps*lanes.Width))
	}
	return id, int(threads) / lanes.Width, nil
}

// arrivePartly is arriveAt for lanes that are not all of their warp, or want more
// than to wait.
func (e *Engine) arrivePartly(id, pc int, m lanes.Mask) error {
	op, in, w, b := &e.fn.Ops[pc], &e.fn.Info[pc], e.warp, &e.cta.barriers[id]
	missing := w.Live &^ m &^ w.Control.Shattered(e.split.ID)
	b.partial = true
	if in.BarOp == isa.BarArrive {
		w.Control.Advance(e.split.ID, pc+1)
	} else {
		e.onePart[0] = m
		if !w.Control.Park(e.split.ID, e.onePart[:], pc+1) {
			w.Control.Advance(e.split.ID, pc)
			return e.neverMet(pc, m, w.Live&^m, RuleDiverged, "barrier inside divergent code")
		}
		b.waiting = append(b.waiting, e.arrival(pc, m))
	}
	if in.BarOp == isa.BarRed {
		b.threads += m.Count()
		b.holds += (lanes.Predicate(e.file, op.C) & m).Count()
	}
	if missing != 0 && in.Aligned {
		e.warnDiverged(pc, m, missing)
	}
	b.arrivedOf[w.ID] |= m
	b.count(w)
	if b.complete(e.cta) {
		e.release(id)
	}
	return nil
}

// waitingAt lists the lanes of a warp that wait at a barrier.
func (c *CTA) waitingAt(g *Grid, id int, w *warp.State) (all []arrival) {
	b := &c.barriers[id]
	if b.whole>>w.ID&1 != 0 {
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

// count counts w if lanes of it have arrived, and all that are left.
func (b *barrier) count(w *warp.State) {
	if arrived := &b.arrivedOf[w.ID]; *arrived != 0 && w.Live&^*arrived == 0 {
		*arrived = 0
		b.arrived++
		b.counted |= 1 << w.ID
	}
}

// recount takes note that lanes of the warp have ended, or all of it.
func (e *Engine) recount(id int) {
	w, b := e.warp, &e.cta.barriers[id]
	b.count(w)
	if w.Live == 0 && b.counted>>w.ID&1 != 0 {
		b.counted &^= 1 << w.ID
		b.gone++
	}
	if b.complete(e.cta) {
		e.release(id)
	}
}

// complete reports whether enough warps have arrived at a barrier of c: as many as
// it is for, or all that are left (PTX ISA 9.7.13.1: a barrier does not wait for
// threads that have exited), and those that arrived before they ended.
func (b *barrier) complete(c *CTA) bool {
	return b.arrived > 0 && b.arrived >= min(b.need, c.Live+b.gone)
}

// release lets the lanes go on that wait at a barrier, which is complete.
func (e *Engine) release(id int) {
	c, b := e.cta, &e.cta.barriers[id]
	if len(e.observers.release) > 0 {
		e.notifyReleased(id)
	}
	c.Waiting &^= b.whole
	for left := b.whole; left != 0; left &= left - 1 {
		w := c.Warps[bits.TrailingZeros32(left)]
		w.Control.Wake(w.Live)
	}
	for i := range b.waiting {
		a := &b.waiting[i]
		if b.threads > 0 && a.info(e.grid).BarOp == isa.BarRed {
			e.reduce(b, a)
		}
		c.Warps[a.warp].Control.Wake(a.mask)
	}
	b.reset()
}

// reduce writes the result of a barrier's reduction where an arrival wants it.
func (e *Engine) reduce(b *barrier, a *arrival) {
	holds, d, file := false, a.op(e.grid).D, a.file(e.cta)
	switch a.instr(e.grid).Mods[isa.RedOp] {
	case isa.RedPopc:
		for m := a.mask; m != 0; m &= m - 1 {
			lanes.Reg[uint32](file, d)[firstLane(m)] = uint32(b.holds)
		}
		return
	case isa.RedAnd:
		holds = b.holds == b.threads
	case isa.RedOr:
		holds = b.holds > 0
	}
	result := lanes.Pred(file, d)
	*result &^= a.mask
	if holds {
		*result |= a.mask
	}
}

// uniform is the value of a slot in the first lane of m, and whether it is the
// same in all.
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
