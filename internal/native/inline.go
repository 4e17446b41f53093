package native

import (
	"github.com/simtrun/simtrun/internal/program"
)

// Calls of small functions are compiled as the instructions of these functions (program.Expansion). No other package
// knows of that: PCs that leave the compiler are those of the function itself. An inlined call is executed as a whole.
// Before the region with the call begins, code checks that the budget is not used up at the return, because the time
// slice of a warp may also end at a call or a return. Where code cannot execute the rest of a call, it exits at the
// call, before which all registers are as they were: the engine executes the call then.

// expansion returns the function with inlined calls that is compiled instead of the subject's function, or nil.
func (s *Subject) expansion() *program.Expansion {
	x := s.Func.Expansion
	if x == nil || s.Part != (Part{}) || s.Leave.IsTimed() || !isWhole(x.Func, s.Shape) {
		return nil
	}
	return x
}

// origin returns the PC in the function itself.
func (p *plan) origin(pc int) int {
	if p.x == nil {
		return pc
	}
	return p.x.Origin[pc]
}

// expanded returns the PC in what is compiled.
func (p *plan) expanded(pc int) int {
	if p.x == nil {
		return pc
	}
	return p.x.At[pc]
}

// hint returns the number of the hint of the access at pc.
func (p *plan) hint(pc int) int {
	if p.x == nil {
		return pc
	}
	return p.x.Hint(pc)
}

// isCall reports whether the instruction at pc is an inlined call.
func (p *plan) isCall(pc int) bool { return p.x != nil && p.x.CallAt(pc) != nil }

// entryCount returns the number of PCs of the function, or of its part.
func (p *plan) entryCount() int {
	if p.x == nil {
		return p.part.len(p.f)
	}
	return len(p.x.At)
}

// leftTo returns, by PC, whether an instruction is to be left to the engine; nil if none is.
func (p *plan) leftTo(leave *program.Contention) []bool { return p.marked(leave, leave.Of) }

// marked returns, by PC, the instructions that leave marks in a function, given what it marks by PC of that.
func (p *plan) marked(leave *program.Contention, of func(*program.Func) []bool) []bool {
	all := of(p.f)
	if p.x == nil || leave == nil {
		return all
	}
	marked := make([]bool, len(p.x.Ops))
	for pc := range p.x.Src.Code {
		if call := p.x.Inside(pc); call != nil {
			callee := of(p.p.Funcs[call.Callee])
			marked[pc] = callee != nil && callee[pc-call.PC-1]
		} else if all != nil {
			marked[pc] = all[p.x.Origin[pc]]
		}
	}
	return marked
}

// leaveCalls makes code leave the calls of functions that have an instruction which code leaves.
func (p *plan) leaveCalls() {
	if p.x == nil {
		return
	}
	for _, call := range p.x.Calls {
		for pc := call.PC + 1; pc < call.End; pc++ {
			if st := &p.steps[pc]; !st.kind.isStraight() || st.across() {
				p.steps[call.PC].kind = stepLeave
			}
		}
	}
}

// stopsOf returns plan.stops by PC of the function itself.
func (p *plan) stopsOf() []bool {
	if p.x == nil {
		return p.stops
	}
	all := make([]bool, len(p.x.At))
	for pc, at := range p.x.At {
		all[pc] = p.stops[at]
	}
	return all
}

// passedAt returns the values that are only in registers before the instruction at pc.
func (p *plan) passedAt(pc int) (all []program.PassedValue) {
	if p.x == nil {
		return nil
	}
	for i := range p.x.Passed {
		if v := &p.x.Passed[i]; v.First <= pc && pc < v.End {
			all = append(all, *v)
		}
	}
	return all
}

// isEnterable reports whether code can be entered at pc, where lane functions may have come.
func (p *plan) isEnterable(pc int) bool {
	return p.x == nil || p.x.Inside(pc) == nil && len(p.passedAt(pc)) == 0
}

// checkCalls jumps to the region's exit if the budget is used up before its last inlined call has returned.
func (c *compiler) checkCalls(r *region) {
	if c.x == nil {
		return
	}
	needed := 0
	for i := range r.steps {
		needed = max(needed, c.countAtReturn(r.steps[i].pc))
	}
	if needed > 0 {
		c.e.CheckBudget(needed, r.fail)
	}
}

// countAtReturn returns how many instructions of its block have been executed when the inlined call at pc has returned;
// 0 if there is none.
func (c *compiler) countAtReturn(pc int) int {
	if c.x == nil {
		return 0
	}
	call := c.x.CallAt(pc)
	if call == nil {
		return 0
	}
	return call.End - c.f.Graph.Blocks()[c.f.Graph.BlockOf(call.PC)].Start
}

// noteCalls notes that inlined calls have returned in the region.
func (c *compiler) noteCalls(r *region) {
	for i := range r.steps {
		if c.noteReturn(r.steps[i].pc) {
			return
		}
	}
}

// noteReturn notes that an inlined call has returned with the instruction at pc, if so, and reports whether it did. In
// full warps that makes no difference to the control state.
func (c *compiler) noteReturn(pc int) bool {
	if c.x == nil || c.version != &c.some {
		return false
	}
	call := c.x.Inside(pc)
	if call == nil || call.End != pc+1 {
		return false
	}
	c.e.NoteCall()
	return true
}

// exitsOutside gives the new exits the PCs of the function itself.
func (c *compiler) exitsOutside() {
	if c.x == nil {
		return
	}
	for i := c.newExits; i < len(c.out.exits); i++ {
		x := &c.out.exits[i]
		pc := x.PC
		if call := c.x.Inside(pc); call != nil {
			pc = call.PC
		}
		x.Uncounted, x.Passed = pc-x.First, c.passedAt(pc)
		x.PC, x.Branch = c.x.Origin[pc], c.x.Origin[x.Branch]
		x.First = x.PC
		if c.x.Inside(x.Until) != nil {
			x.Until = c.x.Origin[x.Until] + 1
		} else {
			x.Until = c.x.Origin[x.Until]
		}
	}
}
