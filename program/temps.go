package program

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
)

// temporaries finds the registers that one block of code alone uses, writing
// them first, and lets those that are not in use at the same time share a slot.
// PTX has a register for every value; a warp's file would not fit the host's
// cache. Lanes may be at different places of a block, but each has its own part
// of a slot and goes through the block in order.
func temporaries(fn *isa.Func, graph *flow.Graph) Temporaries {
	u := uses{fn: fn, regs: make([]use, len(fn.Regs))}
	for b, block := range graph.Blocks() {
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			u.instruction(b, pc)
		}
	}
	for id, r := range fn.Regs {
		if r.Type == isa.Pred {
			u.regs[id].outside = true
		}
	}
	for _, id := range passedRegs(fn) {
		u.regs[id].outside = true
	}
	temps := make(Temporaries, len(fn.Regs))
	for _, block := range graph.Blocks() {
		var narrow, wide slots
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			each := func(do func(s *slots, r isa.RegID)) {
				for ref := range fn.Code[pc].Refs {
					if s, r := &narrow, ref.Reg; !u.regs[r].outside {
						if fn.Regs[r].Type.Bits() > 32 {
							s = &wide
						}
						do(s, r)
					}
				}
			}
			each(func(s *slots, r isa.RegID) {
				if temps[r] == 0 {
					temps[r] = s.take()
				}
			})
			each(func(s *slots, r isa.RegID) { // not before all results have theirs
				if u.regs[r].last == pc {
					s.give(temps[r])
					u.regs[r].last = -1 // it may be named twice
				}
			})
		}
	}
	return temps
}

// use is where a register is used.
type use struct {
	block   int // plus 1; 0 if it was not met
	last    int // PC
	outside bool
}

type uses struct {
	fn   *isa.Func
	regs []use
}

// instruction notes the registers of the instruction at pc in block b. One that
// is not written first, by all lanes that get there, had better keep what it
// holds; so had one that a call passes.
func (u *uses) instruction(b, pc int) {
	for ref := range u.fn.Code[pc].Refs {
		switch use := &u.regs[ref.Reg]; {
		case ref.Role == isa.ReadArgument || ref.Role == isa.WriteCallResult:
			use.outside = true
		case use.block == 0:
			use.block, use.last = b+1, pc
			use.outside = use.outside || !ref.Sure
		case use.block != b+1:
			use.outside = true
		default:
			use.last = pc
		}
	}
}

// slots are those of one width, numbered from 1.
type slots struct {
	n    int
	free []int
}

func (s *slots) take() int {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	s.n++
	return s.n
}

func (s *slots) give(slot int) { s.free = append(s.free, slot) }
