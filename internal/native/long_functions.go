package native

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// Part is a range of the instructions of a function that is compiled separately: from First up to, but without, End.
// The zero Part is the whole function. Functions that are too long to be analysed as a whole are compiled in parts,
// each once it is hot. Code for a part leaves all other instructions to the engine, which goes on in the code for
// another part. At the borders all values are in their slots.
type Part struct{ First, End int }

// Limits of what is compiled as a whole. Code takes some 200 bytes an instruction, analysis 8 bytes for every slot in
// every block, and slots have numbers of 16 bits.
const (
	mostSteps   = 1 << 17
	mostClasses = 1 << 22
	mostSlots   = 1<<15 - 1
)

// partSteps is the largest number of instructions of a part.
const partSteps = 1 << 14

// fewSlots is more than a function has for other values than registers and constants.
const fewSlots = 512

// PartsOf returns the parts in which a function is compiled; nil for one that is compiled as a whole.
func PartsOf(f *program.Func, shape Shape) (parts []Part) {
	n := len(f.Src.Code)
	if isWhole(f, shape) {
		return nil
	}
	seen := make(map[isa.RegID]int) // the number of the part, from 1, in which a register was last seen
	first, registers, blocks := 0, 0, 1
	for pc := range n {
		if b := &f.Graph.Blocks()[f.Graph.BlockOf(pc)]; b.Start == pc {
			blocks++
		}
		before := registers
		for _, ref := range f.Graph.Refs(pc) {
			if seen[ref.Reg] != len(parts)+1 {
				seen[ref.Reg] = len(parts) + 1
				registers++
			}
		}
		registers += len(f.Src.Code[pc].Args) // constants
		most := registers + fewSlots
		if pc > first && (pc-first >= partSteps || most > mostSlots || most*blocks > mostClasses) {
			parts = append(parts, Part{first, pc})
			first, registers, blocks = pc, registers-before, 2
		}
	}
	return append(parts, Part{first, n + 1})
}

// isWhole reports whether a function is within the limits of what is compiled as a whole.
func isWhole(f *program.Func, shape Shape) bool {
	if len(f.Src.Code) > mostSteps {
		return false
	}
	var s slots
	s.find(f, shape, Part{})
	return s.count <= mostSlots && s.count*len(f.Graph.Blocks()) <= mostClasses
}

// findInside finds which blocks overlap the part, and which others code of the part may reach.
func (p *plan) findInside() {
	blocks := p.f.Graph.Blocks()
	p.inside, p.reached = zeroed(p.inside, len(blocks)), zeroed(p.reached, len(blocks))
	for b := range blocks {
		p.inside[b] = p.part == Part{} || blocks[b].Start < p.part.End && (blocks[b].End > p.part.First || blocks[b].Start == p.part.First)
	}
	for b := range blocks {
		if !p.inside[b] {
			continue
		}
		p.reached[b] = true
		for _, next := range blocks[b].Succ {
			p.reached[next] = true
		}
		if rpc := p.f.Graph.Reconvergence(blocks[b].Start); rpc != flow.None {
			p.reached[p.f.Graph.BlockOf(rpc)] = true
		}
	}
}

// has reports whether the part has the instruction at pc.
func (r *Part) has(pc int) bool { return *r == Part{} || r.First <= pc && pc < r.End }

// within returns the range of a block that the part has.
func (r *Part) within(b *flow.Block) (start, end int) {
	if *r == (Part{}) {
		return b.Start, b.End
	}
	return max(b.Start, r.First), min(b.End, r.End)
}

// of returns the range of the instructions of f that the part has.
func (r *Part) of(f *program.Func) (start, end int) {
	if *r == (Part{}) {
		return 0, len(f.Src.Code)
	}
	return r.First, min(r.End, len(f.Src.Code))
}

// len returns how many instructions of f the part has.
func (r *Part) len(f *program.Func) int {
	if *r == (Part{}) {
		return len(f.Ops)
	}
	return r.End - r.First
}
