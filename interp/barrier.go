package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// numBarriers is the number of barriers that a CTA has (PTX ISA 9.7.13.1).
const numBarriers = 16

// barrier is one of a CTA's barriers. It counts in warps: PTX counts threads,
// but every warp as a whole.
type barrier struct {
	arrived, need int
	waiting       []waiter
	// Of a reduction: threads that take part, and those whose predicate holds.
	threads, holds int
}

// waiter is a warp that waits at a barrier, and where it wants the result of a
// reduction.
type waiter struct {
	w    *warp.State
	file *lanes.File
	op   *lanes.Op
	in   *isa.Instr
	mask lanes.Mask
}

func (b *barrier) reset() { *b = barrier{waiting: b.waiting[:0]} }

// arrive executes the barrier instruction at pc for the lanes m of w: they wait
// until the others have come, unless they only arrive.
func (x *executor) arrive(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	op, in := &x.fn.ops[pc], &x.fn.fn.Code[pc]
	id, same := uniform(x.file, op.A, m)
	switch {
	case !same:
		return x.fault(c, w, pc, m, fmt.Errorf("lanes of one warp wait at different barriers [sync-mismatch]"))
	case id >= numBarriers:
		return x.fault(c, w, pc, m, fmt.Errorf("barrier %d: a CTA has barriers 0 to %d", id, numBarriers-1))
	}
	if missing := w.Control.Live() &^ m; missing != 0 {
		return x.neverMet(c, w, pc, m, missing, "barrier inside divergent code [sync-diverged]")
	}
	need := len(c.warps)
	if x.fn.code[pc].counted {
		threads, same := uniform(x.file, op.B, m)
		if !same || threads == 0 || threads%lanes.Width != 0 || int(threads) > len(c.warps)*lanes.Width {
			return x.fault(c, w, pc, m, fmt.Errorf("barrier for %d threads: the count must be a multiple of 32, up to the CTA's %d, and the same in all lanes", threads, len(c.warps)*lanes.Width))
		}
		need = int(threads) / lanes.Width
	}
	b := &c.barriers[id]
	if b.arrived > 0 && b.need != need {
		return x.fault(c, w, pc, m, fmt.Errorf("barrier %d for %d threads, at which others are for %d [sync-mismatch]", id, need*lanes.Width, b.need*lanes.Width))
	}
	b.need = need
	b.arrived++
	if in.Mods[isa.BarOp] != isa.BarArrive {
		w.Waiting, w.Barrier = true, id
		b.waiting = append(b.waiting, waiter{w, x.file, op, in, m})
	}
	if in.Mods[isa.BarOp] == isa.BarRed {
		b.threads += m.Count()
		b.holds += (lanes.Predicate(x.file, op.C) & m).Count()
	}
	b.releaseIfMet(c.live)
	return nil
}

// releaseIfMet lets the waiting warps go on if enough have arrived: as many as
// the barrier is for, or all that are left (PTX ISA 9.7.13.1: a barrier does
// not wait for threads that have exited).
func (b *barrier) releaseIfMet(live int) {
	if b.arrived == 0 || b.arrived < min(b.need, live) {
		return
	}
	for i := range b.waiting {
		wt := &b.waiting[i]
		wt.w.Waiting = false
		if wt.in.Mods[isa.BarOp] == isa.BarRed {
			wt.reduce(b)
		}
	}
	b.reset()
}

// reduce writes the result of a reduction to the warp's register.
func (wt *waiter) reduce(b *barrier) {
	holds := false
	switch wt.in.Mods[isa.RedOp] {
	case isa.RedPopc:
		for m := wt.mask; m != 0; m &= m - 1 {
			lanes.Reg[uint32](wt.file, wt.op.D)[firstLane(m)] = uint32(b.holds)
		}
		return
	case isa.RedAnd:
		holds = b.holds == b.threads
	case isa.RedOr:
		holds = b.holds > 0
	}
	p := lanes.Pred(wt.file, wt.op.D)
	*p &^= wt.mask
	if holds {
		*p |= wt.mask
	}
}

// done notes that a warp has ended.
func (c *cta) done() {
	c.live--
	for id := range c.barriers {
		c.barriers[id].releaseIfMet(c.live)
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
