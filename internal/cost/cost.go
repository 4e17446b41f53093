// Package cost is what a GPU issues for instructions of PTX. PTX is no machine code: an
// assembler leaves some of it out, makes one machine instruction of two, or
// many of one. Costs are those of the machine instructions; what is computed
// is that of the PTX.
//
// What becomes what is data: the class of an opcode is in its row (isa.Cost), sequences
// and fusions have a table each here. They follow what NVIDIA's assembler makes of PTX for
// an H100 (docs/cost.md).
package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Mode is how instructions are charged.
type Mode uint8

const (
	Lowered Mode = iota // as machine instructions
	PTX                 // one slot for each instruction, whatever it is
)

var modeNames = []string{"lowered", "ptx"}

// String is the mode as --cost has it.
func (m Mode) String() string { return modeNames[m] }

// ParseMode is the mode of that name.
func ParseMode(name string) (Mode, error) {
	i := slices.Index(modeNames, name)
	if i < 0 {
		return 0, isa.Unknown("cost mode", name, modeNames)
	}
	return Mode(i), nil
}

// Slot is one machine instruction.
type Slot struct {
	Class isa.CostClass
	Waits bool // for the result of the slot before it
}

// Instr is what one instruction of PTX costs. One without slots takes no cycle: it is
// part of a neighbour, or its results are there as soon as its sources are.
type Instr struct {
	Slots   []Slot      // in order; an access to memory comes last
	Sources []isa.RegID // registers whose values it waits for, each once; those of what is fused into it too
	Results []isa.RegID // registers that are ready when its last slot is done; none if it is part of a neighbour
	Guard   isa.RegID   // NoReg, or the guard predicate, which is among the sources
	// Arm is the instructions that this one, a branch without slots, jumps over: they are
	// guarded, and so issued although no lane executes them.
	Arm   Span
	Syncs int // convergence barriers at which lanes that arrive here wait: machine instructions before its slots
}

// Span is instructions from PC First up to, but without, End.
type Span struct{ First, End int }

// Lower is the cost of each instruction of f, of which g is the graph, by PC, and one more
// for its end, which exits or returns. With convergence the barriers at which
// lanes reconverge cost slots too. In mode PTX they do not.
func Lower(f *isa.Func, g *flow.Graph, mode Mode, convergence bool) []Instr {
	l := lowering{f: f, g: g, costs: make([]Instr, len(f.Code)+1), variants: make(map[variant]*lowered)}
	for pc := range f.Code {
		l.costs[pc] = plain(f, &f.Code[pc])
	}
	l.costs[len(f.Code)] = Instr{Slots: []Slot{{Class: classOfReturn(f)}}, Guard: isa.NoReg}
	if mode == PTX {
		return l.costs
	}
	l.values = l.findValues()
	for pc := range f.Code {
		l.costs[pc].Slots = l.slots(pc)
	}
	l.fuse()
	l.widenLoads()
	l.balance()
	l.branches()
	if convergence {
		l.converge()
	}
	return l.costs
}

// lowering is the lowering of one function.
type lowering struct {
	f         *isa.Func
	g         *flow.Graph
	costs     []Instr
	variants  map[variant]*lowered // found before
	values    *values
	divergent []bool // by PC: a branch at which the lanes of a warp may part
}

// plain is the cost of an instruction as one machine instruction of its class.
func plain(f *isa.Func, in *isa.Instr) Instr {
	c := Instr{Slots: []Slot{{Class: classOf(f, in)}}, Guard: in.Guard}
	for ref := range in.Refs {
		switch {
		case ref.Role.Writes() && in.Is(isa.Warpgroup): // wait_group waits for them
		case ref.Role.Writes():
			c.Results = include(c.Results, ref.Reg)
		default:
			c.Sources = include(c.Sources, ref.Reg)
		}
	}
	return c
}

// include adds a register to those that do not have it.
func include(regs []isa.RegID, r isa.RegID) []isa.RegID {
	if slices.Contains(regs, r) {
		return regs
	}
	return append(regs, r)
}
