package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// byLanes finds the operands of an instruction on registers that has no template: code asks for its lane function, for
// which it need not exit. It returns stepLeave if the instruction has too many operands, or others than registers.
func (st *step) byLanes(f *program.Func, s *slots, pc int) stepKind {
	in := &f.Src.Code[pc]
	leaveStep(st)
	if in.Spec == nil || st.op.Fn == nil || in.Mods[isa.CC] != 0 || in.Spec.CarryIn || in.Spec.Stack || st.info.LoadsParam {
		return stepLeave
	}
	for _, ref := range f.Graph.Refs(pc) {
		id := s.lookup(f.Layout.Reg(ref.Reg))
		switch {
		case id == noSlot || int(st.nsrc) == len(st.src):
			return stepLeave
		case !ref.Role.Writes():
			st.src[st.nsrc] = operand{slot: id}
			st.nsrc++
			continue
		case s.all[id].fixed || int(st.ndst) == len(st.dst):
			return stepLeave
		}
		st.dst[st.ndst] = operand{slot: id}
		st.ndst++
		if st.guarded { // the other lanes keep what is in the slot
			st.src[st.nsrc] = operand{slot: id}
			st.nsrc++
		}
	}
	return stepLanes
}

// byLanesAt writes the request for the lane functions of the instructions of block b in a row that have no template,
// from first up to, but without, the PC that it returns, which is at most end. Their operands must be in slots. Code
// exits instead if the budget is used up before the last inlined call among them has returned.
func (c *compiler) byLanesAt(b, first, end int) int {
	until, needed := first, 0
	for ; until < end && c.kind(until) == stepLanes; until++ {
		needed = max(needed, c.countAtReturn(until))
	}
	if needed > 0 {
		c.e.CheckBudget(needed, c.exitAt(Exit{Why: AtOp, PC: first, First: c.f.Graph.Blocks()[b].Start, Until: until}, first, c.slotClass))
	}
	start, noted := len(c.listed), false
	for pc := first; pc < until; pc++ {
		for _, o := range c.steps[pc].sources() {
			if k := c.slotClass[o.slot]; k.kind == scalar && !c.s.all[o.slot].fixed && c.s.all[o.slot].bits != 1 && c.version == &c.full {
				c.listed = append(c.listed, c.scalarAt(o.slot, k))
			}
		}
		c.classes.step(c.slotClass, &c.live, pc, c.masked)
		noted = noted || c.noteReturn(pc)
	}
	if all := slices.Clip(c.listed[start:]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
	c.e.ByLanes(first, until, c.masked, c.lanes)
	c.branchReg = -1
	return until
}
