package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sass"
	"github.com/simtrun/simtrun/internal/sorted"
)

// extras returns the slots of consecutive instructions that stand for nothing of the PTX. They wait for each other, as
// far as slots can: what reads a load's result comes right behind the load.
func extras(code []*sass.Instr) []Slot {
	code = slices.Clone(code)
	for j := 1; j < len(code); j++ {
		for i := range j {
			if varies(code[i].Class) && code[j].Reads(code[i]) {
				load := code[i]
				code = sorted.Insert(slices.Delete(code, i, i+1), j-1, load)
				break
			}
		}
	}
	slots := make([]Slot, len(code))
	for i, in := range code {
		slots[i] = Slot{Class: in.Class, Early: true, Stall: uint8(in.Stall)}
		if in.Constant >= 0 {
			slots[i].Constant = constantAt(in.Class, in.Constant).Constant
		}
		if i == 0 {
			continue
		}
		if slots[i].Waits = in.Reads(code[i-1]); slots[i].Waits && in.Class == isa.CostBranch {
			slots[i-1].More = guardLatency - comparisonLatency
		}
	}
	return slots
}

// arithmetic reports whether an assembler may use instructions of a class for other ones of such classes: sums of
// products by LEA, copies by IMAD or HFMA2.
func arithmetic(c isa.CostClass) bool {
	return c == isa.CostInteger || c == isa.CostProduct || c == isa.CostProductWide || c == isa.CostHalf
}
