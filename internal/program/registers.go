package program

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// allocation says which registers share slots: by isa.RegID, the number from 1 of a slot among those of the same
// width, or ownSlot or noSlot.
type allocation []int

const (
	ownSlot = 0
	noSlot  = -1 // of a copy, which gets the slot of its source
)

// allocate lets temporaries that are not live at the same time share a slot: it is register allocation within basic
// blocks, with as many slots as needed. PTX has a register for every value, and a file with all of them would not fit
// the host's cache. Lanes may be at different PCs of a block, but each has its own lane of a slot and executes the
// block in order.
func allocate(fn *isa.Func, graph *flow.Graph, copies []bool) allocation {
	temps := findTemporaries(fn, graph, copies)
	slots := make(allocation, len(fn.Regs))
	for r, copied := range copies {
		if copied {
			slots[r] = noSlot
		}
	}
	for _, block := range graph.Blocks() {
		var pools [numWidths]slotPool
		poolOf := func(r isa.RegID) *slotPool { return &pools[widthOf(fn.Regs[r].Type)] }
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			for _, ref := range graph.Refs(pc) {
				if r := ref.Reg; temps[r].block != noTemporary && slots[r] == ownSlot {
					slots[r] = poolOf(r).take()
				}
			}
			for _, ref := range graph.Refs(pc) { // after all results have a slot
				if t := &temps[ref.Reg]; t.block != noTemporary && t.last == pc {
					poolOf(ref.Reg).give(slots[ref.Reg])
					t.block = noTemporary // the instruction may name it twice
				}
			}
		}
	}
	return slots
}

// temporary says whether only one block uses a register, and writes it first.
type temporary struct {
	block int // the number of the block, from 1; 0 before the first use; or noTemporary
	last  int // PC of its last use
}

// noTemporary stands for the block of a register that is not a temporary.
const noTemporary = -1

// findTemporaries finds the temporaries, by isa.RegID. Predicates are excluded, because 32 of them fit one slot. So
// are registers that a call passes, to this function or from it, or that memory may write after the block has written
// to others in their slot.
func findTemporaries(fn *isa.Func, graph *flow.Graph, copies []bool) []temporary {
	temps := make([]temporary, len(fn.Regs))
	for r := range temps {
		if fn.Regs[r].Type == isa.Pred || copies != nil && copies[r] {
			temps[r].block = noTemporary
		}
	}
	for _, ids := range [...][]isa.RegID{fn.RegsOf(fn.Params), fn.RegsOf(fn.Returns)} {
		for _, r := range ids {
			temps[r].block = noTemporary
		}
	}
	for b, block := range graph.Blocks() {
		for pc := block.Start; pc < min(block.End, len(fn.Code)); pc++ {
			for _, ref := range graph.Refs(pc) {
				temps[ref.Reg].use(ref, b+1, pc)
			}
		}
	}
	for pc := range fn.Code {
		if !mayBeLate(&fn.Code[pc]) {
			continue
		}
		for _, ref := range graph.Refs(pc) {
			if t := &temps[ref.Reg]; ref.Role.Writes() && t.last == pc { // the result is not used
				t.block = noTemporary
			}
		}
	}
	return temps
}

// mayBeLate reports whether the results of an instruction may be written after later instructions that do not use
// them were executed: those of accesses to global memory, in launches with a clock.
func mayBeLate(in *isa.Instr) bool {
	if in.Spec == nil || in.Spec.Kind != isa.Load && in.Spec.Kind != isa.Atomic {
		return false
	}
	space := in.Mods.MemSpace()
	return space == isa.Global || space == isa.Generic
}

// use is a use of the register by the instruction at pc, in a block.
func (t *temporary) use(ref isa.Ref, block, pc int) {
	switch {
	case t.block == noTemporary:
	case ref.Role == isa.ReadArgument || ref.Role == isa.WriteCallResult:
		t.block = noTemporary
	case t.block == 0 && !ref.Sure: // in lanes that do not write it, it keeps its value
		t.block = noTemporary
	case t.block != 0 && t.block != block:
		t.block = noTemporary
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
