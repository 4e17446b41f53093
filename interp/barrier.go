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
// but every warp as a whole, once all of its lanes that are left have come.
type barrier struct {
	tally
	came    []lanes.Mask // by warp, of which not all lanes have come
	waiting []party      // lanes that wait, but for whole warps
}

// tally is what came to a barrier since it was complete last.
type tally struct {
	need    int    // warps it is for; 0 if nobody has come
	arrived int    // warps
	whole   uint32 // warps, by ID, of which all lanes wait, and for no result
	inPart  bool   // others have come
	byPart  uint32 // of those, warps by ID that were counted and have lanes left
	gone    int    // and how many were counted and have ended since
	// Of a reduction: threads that take part, and those whose predicate holds.
	threads, holds int
}

func (b *barrier) reset() {
	if b.inPart {
		clear(b.came)
		b.waiting = b.waiting[:0]
	}
	b.tally = tally{}
}

// arrive executes the barrier instruction at pc for the lanes m of w: they wait
// until the others have come, unless they only arrive.
func (x *executor) arrive(c *cta, w *warp.State, pc int, m lanes.Mask) (err error) {
	in := &x.fn.Info[pc]
	id, need := in.Barrier, len(c.warps)
	if id >= numBarriers || in.Counted {
		if id, need, err = x.whichBarrier(c, w, pc, m); err != nil {
			return err
		}
	}
	b := &c.barriers[id]
	if b.need != need && b.need > 0 {
		return x.fault(c, w, pc, m, violated(RuleMismatch, "barrier %d for %d threads, at which others are for %d", id, need*lanes.Width, b.need*lanes.Width))
	}
	if len(x.observers.arrival) > 0 {
		x.notifyArrived(pc, int(id), m)
	}
	b.need = need
	c.inUse |= 1 << id
	if m != w.Live || in.BarOp != isa.BarSync {
		return x.arriveInPart(c, w, b, pc, m)
	}
	x.onePart[0] = m
	w.Control.Park(x.onePart[:], pc+1)
	b.whole |= 1 << w.ID
	c.waiting |= 1 << w.ID
	b.arrived++
	b.releaseIfMet(x, c)
	return nil
}

// whichBarrier is the barrier that a barrier instruction names, where that or
// the number of threads is in a register, and how many warps it is for.
func (x *executor) whichBarrier(c *cta, w *warp.State, pc int, m lanes.Mask) (id uint32, need int, err error) {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	id, same := in.Barrier, true
	if id == program.AnyBarrier {
		id, same = uniform(x.file, op.A, m)
	}
	switch {
	case !same:
		return 0, 0, x.fault(c, w, pc, m, violated(RuleMismatch, "lanes of one warp wait at different barriers"))
	case id >= numBarriers:
		return 0, 0, x.fault(c, w, pc, m, violated(RuleMismatch, "barrier %d: a CTA has barriers 0 to %d", id, numBarriers-1))
	case !in.Counted:
		return id, len(c.warps), nil
	}
	threads, same := uniform(x.file, op.B, m)
	if !same || threads == 0 || threads%lanes.Width != 0 || int(threads) > len(c.warps)*lanes.Width {
		return 0, 0, x.fault(c, w, pc, m, violated(RuleMismatch, "barrier for %d threads: the count must be a multiple of 32, up to the CTA's %d, and the same in all lanes", threads, len(c.warps)*lanes.Width))
	}
	return id, int(threads) / lanes.Width, nil
}

// arriveInPart is arrive for lanes that are not all of their warp, or want more
// than to wait.
func (x *executor) arriveInPart(c *cta, w *warp.State, b *barrier, pc int, m lanes.Mask) error {
	op, in, missing := &x.fn.Ops[pc], &x.fn.Info[pc], w.Live&^m&^x.parted(w)
	b.inPart = true
	if in.BarOp == isa.BarArrive {
		w.Control.Suspend(pc + 1)
	} else {
		x.onePart[0] = m
		if !w.Control.Park(x.onePart[:], pc+1) {
			w.Control.Suspend(pc)
			return x.neverMet(c, w, pc, m, w.Live&^m, RuleDiverged, "barrier inside divergent code")
		}
		b.waiting = append(b.waiting, party{w, x.file, x.fn, pc, m})
	}
	if in.BarOp == isa.BarRed {
		b.threads += m.Count()
		b.holds += (lanes.Predicate(x.file, op.C) & m).Count()
	}
	if missing != 0 && in.Aligned {
		x.warnDiverged(c, w, pc, m, missing)
	}
	b.come(x, c, w, m)
	return nil
}

// at lists the lanes of w that wait at b.
func (b *barrier) at(x *executor, w *warp.State) (all []party) {
	if b.whole>>w.ID&1 != 0 {
		for s := range w.Control.Splits() {
			all = append(all, party{w, s.Frame.File, x.p.Funcs[s.Frame.Func], s.PC - 1, s.Mask})
		}
	}
	for i := range b.waiting {
		if b.waiting[i].w == w {
			all = append(all, b.waiting[i])
		}
	}
	return all
}

// come adds the lanes m of w, and counts w once all that are left have come.
func (b *barrier) come(x *executor, c *cta, w *warp.State, m lanes.Mask) {
	b.came[w.ID] |= m
	b.count(w)
	b.releaseIfMet(x, c)
}

// count counts w if lanes of it have come, and all that are left.
func (b *barrier) count(w *warp.State) {
	if came := &b.came[w.ID]; *came != 0 && w.Live&^*came == 0 {
		*came = 0
		b.arrived++
		b.byPart |= 1 << w.ID
	}
}

// recount takes note that lanes of w have ended, or all of it.
func (b *barrier) recount(x *executor, c *cta, w *warp.State) {
	b.count(w)
	if w.Live == 0 && b.byPart>>w.ID&1 != 0 {
		b.byPart &^= 1 << w.ID
		b.gone++
	}
	b.releaseIfMet(x, c)
}

// releaseIfMet lets the waiting lanes go on if enough warps have arrived: as
// many as the barrier is for, or all that are left (PTX ISA 9.7.13.1: a barrier
// does not wait for threads that have exited), and those that arrived before
// they ended.
func (b *barrier) releaseIfMet(x *executor, c *cta) {
	if b.arrived > 0 && b.arrived >= min(b.need, c.live+b.gone) {
		b.release(x, c)
	}
}

func (b *barrier) release(x *executor, c *cta) {
	if len(x.observers.release) > 0 {
		x.notifyReleased(c, b)
	}
	c.waiting &^= b.whole
	for left := b.whole; left != 0; left &= left - 1 {
		w := c.warps[bits.TrailingZeros32(left)]
		w.Control.Wake(w.Live)
	}
	for i := range b.waiting {
		p := &b.waiting[i]
		if b.threads > 0 && p.fn.Info[p.pc].BarOp == isa.BarRed {
			p.reduce(b)
		}
		p.w.Control.Wake(p.mask)
	}
	b.reset()
}

// reduce writes the result of a reduction where the party wants it.
func (p *party) reduce(b *barrier) {
	holds := false
	switch p.in().Mods[isa.RedOp] {
	case isa.RedPopc:
		for m := p.mask; m != 0; m &= m - 1 {
			lanes.Reg[uint32](p.file, p.op().D)[firstLane(m)] = uint32(b.holds)
		}
		return
	case isa.RedAnd:
		holds = b.holds == b.threads
	case isa.RedOr:
		holds = b.holds > 0
	}
	d := lanes.Pred(p.file, p.op().D)
	*d &^= p.mask
	if holds {
		*d |= p.mask
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
