package explore

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// code has the facts about a function that are known before it runs.
type code struct {
	visible []bool              // by PC: the instruction may access memory that threads share; false after the end
	class   []class             // by PC: of an atomic that commutes with its like
	heads   map[int][]isa.RegID // by PC of a loop's head: registers that are live there
	alike   *alike              // nil before it is needed
}

// class is a kind of atomics that commute: any order of several of one class leaves the same value, and no thread uses
// the old one. 0 means that an instruction is of no class. Sums of floating-point numbers count as commuting; see
// rounds.
type class uint16

const anyRounds class = 1 << 15

// rounds reports whether the atomics of a class commute only up to rounding.
func (c class) rounds() bool { return c&anyRounds != 0 }

// codeOf finds the facts of a function.
func codeOf(f *isa.Func, g *flow.Graph) *code {
	c := &code{visible: make([]bool, len(f.Code)+1), class: make([]class, len(f.Code)), heads: g.LiveAtLoops()}
	read := make(map[isa.RegID]bool)
	for pc := range f.Code {
		for ref := range f.Code[pc].Refs {
			read[ref.Reg] = read[ref.Reg] || !ref.Role.Writes()
		}
	}
	for _, id := range f.RegsOf(f.Returns) {
		read[id] = true
	}
	for pc := range f.Code {
		in := &f.Code[pc]
		c.visible[pc] = isVisible(in)
		if in.Is(isa.Atomic) && !usesOld(in, read) {
			c.class[pc] = classOf(in)
		}
	}
	return c
}

// isVisible reports whether an instruction may access memory that threads share.
func isVisible(in *isa.Instr) bool {
	if in.Spec == nil {
		return false
	}
	switch in.Spec.Kind {
	case isa.Compute, isa.Nop, isa.Branch, isa.Barrier, isa.Shuffle, isa.Vote, isa.Exit, isa.CallKind, isa.Return, isa.Trap,
		isa.Fence, isa.CopyGroup, isa.Alloca, isa.QueryKind, isa.ClusterBarrier, isa.Matrix:
		return false
	}
	switch in.Mods.MemSpace() {
	case isa.Local, isa.Const, isa.Param:
		return false
	}
	return true
}

// usesOld reports whether an atomic has a result that the function reads.
func usesOld(in *isa.Instr, read map[isa.RegID]bool) bool {
	for ref := range in.Refs {
		if ref.Role.Writes() && read[ref.Reg] {
			return true
		}
	}
	return false
}

// classOf returns the class of an atomic with an unused result.
func classOf(in *isa.Instr) class {
	op := in.Mods[isa.AtomOp]
	switch op {
	case isa.AtomAdd, isa.AtomMin, isa.AtomMax, isa.AtomAnd, isa.AtomOr, isa.AtomXor:
	default: // the order of inc, dec, exch and cas matters
		return 0
	}
	c := class(op)<<8 | class(in.Types[0]) + 1
	if op == isa.AtomAdd && in.Types[0].Class() == isa.Float {
		c |= anyRounds
	}
	return c
}
