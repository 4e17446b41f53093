// Package cost determines the machine instructions that a GPU issues for PTX instructions. PTX is not machine code:
// an assembler omits some instructions, fuses two into one machine instruction, or expands one into many. Costs are
// those of the machine instructions; results are those of the PTX.
//
// The mapping is data: the class and the machine instructions of an opcode are in its row (isa.Cost), and there is a
// table of fusions here. They follow the code of NVIDIA's assembler for an H100 (docs/cost.md).
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
	PTX                 // one slot for each instruction
)

var modeNames = []string{"lowered", "ptx"}

// String returns the mode's name in --cost.
func (m Mode) String() string { return modeNames[m] }

// ParseMode returns the mode with a name.
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
	Waits bool // for the result of the previous slot
	// Constant is, for a load of a constant of the launch, the line of its bank from 1; 0 for other slots.
	Constant uint16
	More     int // cycles of its latency in addition to those of its class
	// Of an assembler's code: Early is that it does not wait for the sources of its PTX instruction, and Stall how many
	// cycles later the next machine instruction can be issued; 0 if that is not known.
	Early bool
	Stall uint8
}

// Instr is the cost of one PTX instruction. An instruction without slots takes no cycle: it is part of a neighbour,
// or its results are ready when its sources are.
type Instr struct {
	Slots []Slot // in order; an access to memory comes last
	// Registers that it waits for, without duplicates, including those of instructions fused into it.
	Sources []isa.RegID
	// Registers that are ready when its last slot is done; none if it is part of a neighbour.
	Results []isa.RegID
	Guard   isa.RegID // NoReg, or the guard predicate, which is among the sources
	// Arm is the instructions that this one, a branch without slots, jumps over: they are guarded, and so are issued
	// even if no lane executes them.
	Arm Span
	// Counts says that it is an atomic that adds 1 to words of shared memory and returns nothing: the assembler has an
	// instruction that counts the lanes at each word (ATOMS.POPC.INC).
	Counts bool
	// Convergence barriers at which arriving lanes wait: machine instructions before its slots.
	Syncs int
}

// Span is the instructions from PC First up to, but not including, End.
type Span struct{ First, End int }

// Lower returns the cost of each instruction of f, which has graph g, by PC, and of its end, which exits or returns.
// With convergence, the barriers at which lanes reconverge also cost slots, except in mode PTX.
func Lower(f *isa.Func, g *flow.Graph, mode Mode, convergence bool) []Instr {
	l := lowering{f: f, g: g, costs: make([]Instr, len(f.Code)+1), variants: make(map[variantKey]*lowered)}
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
		l.costs[pc].Counts = l.counts(pc)
	}
	l.fuse()
	l.widenLoads()
	l.balance()
	l.guardSelections()
	l.threadBranches()
	l.branches()
	if convergence {
		l.converge()
	}
	l.useUniform()
	return l.costs
}

// lowering is the lowering of one function.
type lowering struct {
	f         *isa.Func
	g         *flow.Graph
	costs     []Instr
	variants  map[variantKey]*lowered // variants already looked up
	values    *values
	divergent []bool // by PC: branches at which the lanes of a warp may diverge
	threaded  []bool // by PC: starts of blocks that threadBranches has removed
}

// plain returns the cost of an instruction as one machine instruction of its class.
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

// include adds a register to regs unless it is there.
func include(regs []isa.RegID, r isa.RegID) []isa.RegID {
	if slices.Contains(regs, r) {
		return regs
	}
	return append(regs, r)
}
