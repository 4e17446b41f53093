// Package cost is what a GPU issues for instructions of PTX. PTX is no machine code: an
// assembler leaves some of it out, makes one machine instruction of two, or
// many of one. Costs are those of the machine instructions; what is computed
// is that of the PTX.
package cost

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
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
		return 0, fmt.Errorf("no cost mode %q; it is lowered or ptx", name)
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
	Slots   []Slot      // in order
	Sources []isa.RegID // registers whose values it waits for, each once; those of what is fused into it too
	Results []isa.RegID // registers that are ready when its last slot is done; none if it is part of a neighbour
	Guard   isa.RegID   // NoReg, or the guard predicate, which is among the sources
	Syncs   int         // convergence barriers at which lanes that arrive here wait: machine instructions before its slots
}

// Lower is the cost of each instruction of f, of which g is the graph, by PC, and one more
// for its end, which exits or returns. With convergence the barriers at which
// lanes reconverge cost slots too, unless the mode is PTX.
func Lower(f *isa.Func, g *flow.Graph, mode Mode, convergence bool) []Instr {
	costs := make([]Instr, len(f.Code)+1)
	for pc := range f.Code {
		costs[pc] = plain(f, &f.Code[pc])
	}
	costs[len(f.Code)] = Instr{Slots: []Slot{{Class: classOfReturn(f)}}, Guard: isa.NoReg}
	return costs
}

// plain is the cost of an instruction as one machine instruction of its class.
func plain(f *isa.Func, in *isa.Instr) Instr {
	c := Instr{Slots: []Slot{{Class: classOf(f, in)}}, Guard: in.Guard}
	for ref := range in.Refs {
		if ref.Role.Writes() {
			c.Results = include(c.Results, ref.Reg)
		} else {
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

// classOf is the class of an instruction of f: that of its variant, but for what depends
// on the operands or on the function.
func classOf(f *isa.Func, in *isa.Instr) isa.CostClass {
	switch {
	case in.Later != "" || in.Spec == nil: // it ends the launch
		return isa.CostExit
	case in.Is(isa.Return):
		return classOfReturn(f)
	}
	class := in.Spec.CostClass(&isa.Variant{Types: in.Types, Mods: in.Mods})
	for special := range in.Specials {
		switch {
		case special.IsClock():
			class = isa.CostReadClock
		case !launchConstant(special) && class == isa.CostInteger:
			class = isa.CostReadSpecial
		}
	}
	return class
}

// classOfReturn is the class of leaving f: a kernel's threads end.
func classOfReturn(f *isa.Func) isa.CostClass {
	if f.Entry {
		return isa.CostExit
	}
	return isa.CostCall
}

// launchConstant reports whether a special register is the same for all threads of a
// launch, and so in the bank of constants.
func launchConstant(s isa.Special) bool {
	switch {
	case s >= isa.NtidX && s <= isa.NtidZ, s >= isa.NctaidX && s <= isa.NctaidZ,
		s >= isa.NClusterIDX && s <= isa.NClusterIDZ, s >= isa.ClusterNctaidX && s <= isa.ClusterNctaidZ,
		s == isa.ClusterNctaRank, s == isa.IsExplicitCluster, s == isa.NWarpID, s == isa.NSMID, s == isa.GridID,
		s >= isa.DynamicSharedSize && s <= isa.ReservedShared1, s >= isa.EnvReg0:
		return true
	}
	return false
}
