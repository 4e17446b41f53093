package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// uniformDelay is how many cycles later than another one the result of a sum on the uniform datapath can be read by
// an instruction of the warp's lanes. A loop of four instructions with its counter in a uniform register takes 29
// cycles (docs/hardware-measured.md, "Warps and control"): the sum, 12 cycles from the comparison to the branch that
// it guards, and 8 of the branch.
const uniformDelay = 5

// useUniform makes the sums of counters that are the same in all lanes, and that loops change by constants only, take
// the uniform datapath (UIADD3). Where the assembler unrolls a loop by several iterations, the code for those left over
// guards the sums, which that datapath cannot.
func (l *lowering) useUniform() {
	if !l.f.Entry {
		return // arguments may differ between lanes
	}
	s := &scheduling{f: l.f, g: l.g, costs: l.costs}
	s.live = s.liveOut()
	joined := make([]bool, len(l.f.Code))
	for b := range l.g.Blocks() {
		for _, r := range s.appendRegions(nil, b) {
			if r.Copies > 1 {
				for pc := r.First; pc < r.End; pc++ {
					joined[pc] = true
				}
			}
		}
	}
	for pc := range l.f.Code {
		c := &l.costs[pc]
		if !joined[pc] && len(c.Slots) == 1 && len(c.Results) == 1 && s.isUniformCounter(c.Results[0], pc) && l.loopWithout(l.g.BlockOf(pc), flow.None) != nil {
			c.Slots = []Slot{{Class: c.Slots[0].Class, More: uniformDelay}}
		}
	}
}

// isUniformCounter reports whether the instruction at pc adds a constant to a register of 32 bits, and all that else
// writes the register are constants.
func (s *scheduling) isUniformCounter(r isa.RegID, pc int) bool {
	step := &s.f.Code[pc]
	if s.f.Regs[r].Type.Bits() != 32 || !isOne(step, constantSums) || step.Guard != isa.NoReg || step.Args[1].Kind != isa.RegOperand || step.Args[1].Reg != r {
		return false
	}
	return !slices.ContainsFunc(s.writesOf(r), func(other int) bool {
		in := &s.f.Code[other]
		switch {
		case other == pc:
			return false
		case in.Guard != isa.NoReg:
			return true
		case in.Spec.Takes(isa.AnyMove):
			return in.Args[1].Kind != isa.ImmOperand && !(in.Args[1].Kind == isa.RegOperand && s.isParameter(in.Args[1].Reg))
		}
		return !(in.Is(isa.Load) && in.Mods.MemSpace() == isa.Param)
	})
}

// isParameter reports whether a register only ever holds a parameter of the kernel.
func (s *scheduling) isParameter(r isa.RegID) bool {
	return !slices.ContainsFunc(s.writesOf(r), func(pc int) bool {
		in := &s.f.Code[pc]
		return !in.Is(isa.Load) || in.Mods.MemSpace() != isa.Param
	})
}
