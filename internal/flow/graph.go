// Package flow analyses a function's control flow and values without running it: its blocks, the reconvergence PC of
// every branch, registers that may be read before they are written, and branches that all threads take alike.
package flow

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// None stands for a missing PC or exit region.
const None = -1

// Graph is the flow graph of one function's code.
type Graph struct {
	blocks        []Block
	blockOf       []int32 // by PC
	region        []int32 // by block: its exit region, see regions
	reconvergence []int   // by block: a PC or None
	refs          []isa.Ref
	refsAt        []int32 // by PC, and for the end of the code: where its registers begin in refs
	exposed       exposed
}

// Block is a basic block: a sequence of instructions that is entered only at its start and left only at its end.
type Block struct {
	Start, End int   // PCs; End is the first one past the block
	Succ       []int // blocks that may run next, without duplicates: targets in text order, then the fall-through
	Pred       []int // blocks that may run before this one
}

// New builds the flow graph of f's code. The end of the code counts as an instruction that ends the lanes that reach
// it. So len(f.Code) is a PC like others, and the start of the last block, which is empty.
func New(f *isa.Func) *Graph {
	g := &Graph{}
	g.findRefs(f)
	g.partition(f)
	g.connect(f)
	r := findRegions(g.blocks)
	g.region = r.region
	g.reconvergence = make([]int, len(g.blocks))
	for b, d := range r.ipdom {
		g.reconvergence[b] = None
		if d != noBlock {
			g.reconvergence[b] = g.blocks[d].Start
		}
	}
	g.exposed = findExposed(g, f)
	return g
}

// findRefs finds the registers of all instructions, which many analyses visit one after the other.
func (g *Graph) findRefs(f *isa.Func) {
	const usual = 4 // registers of an instruction
	g.refs, g.refsAt = make([]isa.Ref, 0, usual*len(f.Code)), make([]int32, len(f.Code)+1)
	for pc := range f.Code {
		g.refs = f.Code[pc].AppendRefs(g.refs)
		g.refsAt[pc+1] = int32(len(g.refs))
	}
}

// Refs returns the registers of the instruction at pc, in the order of isa.Instr.Refs.
func (g *Graph) Refs(pc int) []isa.Ref { return g.refs[g.refsAt[pc]:g.refsAt[pc+1]] }

// Blocks are the blocks in text order.
func (g *Graph) Blocks() []Block { return g.blocks }

// BlockOf is the index of the block that pc is in.
func (g *Graph) BlockOf(pc int) int { return int(g.blockOf[pc]) }

// LastOf is the PC of the last instruction of the block that pc is in.
func (g *Graph) LastOf(pc int) int {
	b := &g.blocks[g.blockOf[pc]]
	return max(b.End-1, b.Start)
}

// Region is the exit region that block b is in (see regions), from 0, or None if
// no path leads to the block. Lanes go from one region to a later one only.
func (g *Graph) Region(b int) int {
	if r := g.region[b]; r != unreachable {
		return int(r)
	}
	return None
}

// Reconvergence returns the reconvergence PC of the branch at pc: the immediate postdominator of its block within its
// exit region, or None.
func (g *Graph) Reconvergence(pc int) int { return g.reconvergence[g.blockOf[pc]] }

// CommonPostdominator returns the first PC that lanes at a and lanes after the instruction at b reach on every path: a
// or b, or the start of a block; None if there is none.
func (g *Graph) CommonPostdominator(a, b int) int {
	if g.blockOf[a] == g.blockOf[b] {
		return max(a, b)
	}
	first := func(pc int, block int32) int { // the first PC of a block that lanes at pc execute
		if g.blockOf[pc] == block {
			return pc
		}
		return g.blocks[block].Start
	}
	onWay := make(map[int32]bool)
	for block := g.blockOf[a]; ; block = g.blockOf[g.reconvergence[block]] {
		onWay[block] = true
		if g.reconvergence[block] == None {
			break
		}
	}
	for block := g.blockOf[b]; ; block = g.blockOf[g.reconvergence[block]] {
		if onWay[block] {
			return max(first(a, block), first(b, block))
		}
		if g.reconvergence[block] == None {
			return None
		}
	}
}

// ReachedFrom returns the blocks reachable from block b, b included.
func (g *Graph) ReachedFrom(b int) map[int]bool {
	reached := map[int]bool{b: true}
	for todo := []int{b}; len(todo) > 0; {
		last := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range g.blocks[last].Succ {
			if !reached[s] {
				reached[s] = true
				todo = append(todo, s)
			}
		}
	}
	return reached
}

// Leaves reports whether lanes that branch from pc to target leave the branch's exit region. They can never return to
// it, nor reach a reconvergence PC in it.
func (g *Graph) Leaves(pc, target int) bool {
	return g.region[g.blockOf[target]] > g.region[g.blockOf[pc]]
}

// MayLeave reports whether the branch at pc may lead to a later exit region.
func (g *Graph) MayLeave(pc int) bool {
	b := &g.blocks[g.blockOf[pc]]
	return pc == b.End-1 && slices.ContainsFunc(b.Succ, func(s int) bool { return g.Leaves(pc, g.blocks[s].Start) })
}

// Retreating reports whether the branch at pc may go backwards in the text, or to itself. Every loop, even an
// irreducible one, contains such a branch, because falling through always goes forward.
func (g *Graph) Retreating(pc int) bool {
	b := &g.blocks[g.blockOf[pc]]
	if pc != b.End-1 {
		return false
	}
	return slices.ContainsFunc(b.Succ, func(s int) bool { return g.blocks[s].Start <= pc })
}

// partition divides the code into blocks.
func (g *Graph) partition(f *isa.Func) {
	end := len(f.Code)
	leader := make([]bool, end+1)
	leader[0], leader[end] = true, true
	for pc := range f.Code {
		in := &f.Code[pc]
		if in.Is(isa.Branch) || !fallsThrough(in) {
			leader[pc+1] = true
		}
		for _, t := range targets(f, in) {
			leader[t] = true
		}
	}
	g.blockOf = make([]int32, end+1)
	for pc := range leader {
		if leader[pc] {
			g.blocks = append(g.blocks, Block{Start: pc})
		}
		b := len(g.blocks) - 1
		g.blockOf[pc] = int32(b)
		g.blocks[b].End = min(pc+1, end)
	}
}

// connect adds the edges between blocks.
func (g *Graph) connect(f *isa.Func) {
	for b := range g.blocks[:len(g.blocks)-1] {
		in := &f.Code[g.blocks[b].End-1]
		all := targets(f, in)
		if len(all) > 0 {
			g.blocks[b].Succ = make([]int, 0, len(all)+1)
		}
		for _, t := range all {
			g.addEdge(b, int(g.blockOf[t]))
		}
		if fallsThrough(in) {
			g.addEdge(b, b+1)
		}
	}
}

// addEdge adds an edge, unless it exists. All edges from a block are added before those from the next.
func (g *Graph) addEdge(from, to int) {
	if pred := g.blocks[to].Pred; len(pred) == 0 || pred[len(pred)-1] != from {
		g.blocks[from].Succ = append(g.blocks[from].Succ, to)
		g.blocks[to].Pred = append(pred, from)
	}
}

// fallsThrough reports whether lanes may continue at the next instruction.
func fallsThrough(in *isa.Instr) bool {
	return in.Guard != isa.NoReg || !in.Is(isa.Branch) && !in.Is(isa.Exit) && !in.Is(isa.Return) && !in.Is(isa.Trap)
}

// targets returns the PCs that in may branch to, in text order.
func targets(f *isa.Func, in *isa.Instr) []int {
	if !in.Is(isa.Branch) {
		return nil
	}
	var pcs []int
	for i := range in.Args {
		switch a := &in.Args[i]; a.Kind {
		case isa.LabelOperand:
			pcs = append(pcs, f.Labels[a.Label()].PC)
		case isa.TableOperand:
			for _, t := range a.Elems {
				pcs = append(pcs, f.Labels[t.Label()].PC)
			}
		}
	}
	return pcs
}
