package program

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
)

// allocation says which registers share slots: by isa.RegID, the number from 1
// of a slot among those of the same width, or ownSlot or noSlot.
type allocation []int

const (
	ownSlot = 0
	noSlot  = -1 // a copy, which is given the slot of what it is a copy of
)

// allocate lets temporaries that are not live at the same time share a slot: it
// is register allocation within basic blocks, with as many slots as it takes.
// PTX has a register for every value; a warp's file would not fit the host's
// cache. Lanes may be at different places of a block, but each has its own part
// of a slot and goes through the block in order.
func allocate(fn *isa.Func, graph *flow.Graph, copies []bool) allocation {
	temps := findTemporaries(fn, graph, copies)
	slots := make(allocation, len(fn.Regs))
	for r, copied := range copies {
		if copied {
			slots[r] = noSlot
		}
	}
	for _, block := range graph.Blocks() {
		var pools [2]slotPool // of 32 and of 64 bits
		poolOf := func(r isa.RegID) *slotPool {
			if fn.Regs[r].Type.Bits() > 32 {
				return &pools[1]
			}
			return &pools[0]
		}
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			for ref := range fn.Code[pc].Refs {
				if r := ref.Reg; temps[r].block != elsewhere && slots[r] == ownSlot {
					slots[r] = poolOf(r).take()
				}
			}
			for ref := range fn.Code[pc].Refs { // not before all results have a slot
				if t := &temps[ref.Reg]; t.block != elsewhere && t.last == pc {
					poolOf(ref.Reg).give(slots[ref.Reg])
					t.block = elsewhere // the instruction may name it twice
				}
			}
		}
	}
	return slots
}

// temporary is a register that one block alone uses, writing it first.
type temporary struct {
	block int // plus 1; 0 if it was not met yet; or elsewhere
	last  int // PC of its last use
}

// elsewhere stands for the block of a register that is no temporary.
const elsewhere = -1

// findTemporaries looks for them, by isa.RegID. Predicates are none: 32 of them
// fit one slot. Nor are registers that a call passes, to this function or from it.
func findTemporaries(fn *isa.Func, graph *flow.Graph, copies []bool) []temporary {
	temps := make([]temporary, len(fn.Regs))
	for r := range temps {
		if fn.Regs[r].Type == isa.Pred || copies != nil && copies[r] {
			temps[r].block = elsewhere
		}
	}
	for _, ids := range [...][]isa.RegID{fn.RegsOf(fn.Params), fn.RegsOf(fn.Returns)} {
		for _, r := range ids {
			temps[r].block = elsewhere
		}
	}
	for b, block := range graph.Blocks() {
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			for ref := range fn.Code[pc].Refs {
				temps[ref.Reg].use(ref, b+1, pc)
			}
		}
	}
	return temps
}

// use takes note that the instruction at pc, in a block, has the register.
func (t *temporary) use(ref isa.Ref, block, pc int) {
	switch {
	case t.block == elsewhere:
	case ref.Role == isa.ReadArgument || ref.Role == isa.WriteCallResult:
		t.block = elsewhere
	case t.block == 0 && !ref.Sure: // lanes that do not write it keep what it held
		t.block = elsewhere
	case t.block != 0 && t.block != block:
		t.block = elsewhere
	default:
		t.block, t.last = block, pc
	}
}

// slotPool is the slots of one width in a block, numbered from 1.
type slotPool struct {
	n    int
	free []int
}

func (p *slotPool) take() int {
	if n := len(p.free); n > 0 {
		slot := p.free[n-1]
		p.free = p.free[:n-1]
		return slot
	}
	p.n++
	return p.n
}

func (p *slotPool) give(slot int) { p.free = append(p.free, slot) }
