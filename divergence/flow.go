// Package divergence answers where the lanes of a warp part and where they
// meet again: the flow graph of a kernel with the reconvergence PC of every
// branch, and the control state of a warp whose lanes disagree.
package divergence

import (
	"slices"

	"github.com/simtrun/simtrun/isa"
)

// NoJoin stands for a PC where there is none: the lanes of a branch never meet,
// or a split has no place to stop at.
const NoJoin = -1

// Flow is the flow graph of one function's code.
type Flow struct {
	blocks  []Block
	blockOf []int32 // by PC
	round   []int32 // by block
	join    []int   // by block: a PC or NoJoin
}

// Block is a run of instructions that is entered only at its start and left
// only at its end.
type Block struct {
	Start, End int   // PCs; End is the first one past the block
	Succ       []int // blocks that may run next, each once: targets in text order, then the fall-through
	Pred       []int // blocks that this one may follow
}

// Analyze builds the flow graph of f's code. The code's end counts as an
// instruction that ends the lanes that get there, so that len(f.Code) is a PC
// like others, and the start of the last block, which is empty.
func Analyze(f *isa.Func) *Flow {
	fl := &Flow{}
	fl.partition(f)
	fl.connect(f)
	r := findRounds(fl.blocks)
	fl.round = r.round
	fl.join = make([]int, len(fl.blocks))
	for b, d := range r.ipdom {
		fl.join[b] = NoJoin
		if d != noBlock {
			fl.join[b] = fl.blocks[d].Start
		}
	}
	return fl
}

// Blocks are the blocks in text order.
func (fl *Flow) Blocks() []Block { return fl.blocks }

// BlockOf is the index of the block that pc is in.
func (fl *Flow) BlockOf(pc int) int { return int(fl.blockOf[pc]) }

// LastOf is the PC of the last instruction of the block that pc is in.
func (fl *Flow) LastOf(pc int) int {
	b := &fl.blocks[fl.blockOf[pc]]
	return max(b.End-1, b.Start)
}

// NoRound stands for the round of a block that no path leads to.
const NoRound = -1

// Round is the round that block b is in (see rounds), from 0, or NoRound. Lanes
// go from one round to a later one only.
func (fl *Flow) Round(b int) int {
	if r := fl.round[b]; r != unreachable {
		return int(r)
	}
	return NoRound
}

// Join is the reconvergence PC of the branch at pc: the immediate postdominator
// of its block among the blocks of its round (see rounds), or NoJoin.
func (fl *Flow) Join(pc int) int { return fl.join[fl.blockOf[pc]] }

// Later reports whether lanes that go from the branch at pc to target leave the
// branch's round. They can never come back to it, nor to any reconvergence PC
// in it.
func (fl *Flow) Later(pc, target int) bool {
	return fl.round[fl.blockOf[target]] > fl.round[fl.blockOf[pc]]
}

// Departs reports whether the branch at pc may lead to a later round.
func (fl *Flow) Departs(pc int) bool {
	b := &fl.blocks[fl.blockOf[pc]]
	return pc == b.End-1 && slices.ContainsFunc(b.Succ, func(s int) bool { return fl.Later(pc, fl.blocks[s].Start) })
}

// Retreating reports whether the branch at pc may be taken backwards in the
// text, to itself included. No loop, however irregular, closes without such a
// branch: falling through always goes forward.
func (fl *Flow) Retreating(pc int) bool {
	b := &fl.blocks[fl.blockOf[pc]]
	if pc != b.End-1 {
		return false
	}
	return slices.ContainsFunc(b.Succ, func(s int) bool { return fl.blocks[s].Start <= pc })
}

// partition cuts the code into blocks.
func (fl *Flow) partition(f *isa.Func) {
	end := len(f.Code)
	leader := make([]bool, end+1)
	leader[0], leader[end] = true, true
	for pc := range f.Code {
		in := &f.Code[pc]
		if branches(in) || !fallsThrough(in) {
			leader[pc+1] = true
		}
		for _, t := range targets(f, in) {
			leader[t] = true
		}
	}
	fl.blockOf = make([]int32, end+1)
	for pc := range leader {
		if leader[pc] {
			fl.blocks = append(fl.blocks, Block{Start: pc})
		}
		b := len(fl.blocks) - 1
		fl.blockOf[pc] = int32(b)
		fl.blocks[b].End = min(pc+1, end)
	}
}

// connect adds the edges between blocks.
func (fl *Flow) connect(f *isa.Func) {
	for b := range fl.blocks[:len(fl.blocks)-1] {
		in := &f.Code[fl.blocks[b].End-1]
		for _, t := range targets(f, in) {
			fl.addEdge(b, int(fl.blockOf[t]))
		}
		if fallsThrough(in) {
			fl.addEdge(b, b+1)
		}
	}
}

func (fl *Flow) addEdge(from, to int) {
	if !slices.Contains(fl.blocks[from].Succ, to) {
		fl.blocks[from].Succ = append(fl.blocks[from].Succ, to)
		fl.blocks[to].Pred = append(fl.blocks[to].Pred, from)
	}
}

// is reports whether in is of kind k. What cannot be run yet is taken for
// straight-line code: it has no row, or operands that nobody checked.
func is(in *isa.Instr, k isa.Kind) bool {
	return in.Later == "" && in.Spec != nil && in.Spec.Kind == k
}

func branches(in *isa.Instr) bool { return is(in, isa.Branch) }

// fallsThrough reports whether lanes may go on at the next instruction.
func fallsThrough(in *isa.Instr) bool {
	return in.Guard != isa.NoReg || !branches(in) && !is(in, isa.Exit) && !is(in, isa.Return) && !is(in, isa.Trap)
}

// targets are the PCs that in may branch to, in text order.
func targets(f *isa.Func, in *isa.Instr) []int {
	if !branches(in) {
		return nil
	}
	var pcs []int
	for i := range in.Args {
		switch a := &in.Args[i]; a.Kind {
		case isa.LabelOperand:
			pcs = append(pcs, f.Labels[a.Label].PC)
		case isa.TableOperand:
			for _, t := range a.Elems {
				pcs = append(pcs, f.Labels[t.Label].PC)
			}
		}
	}
	return pcs
}
