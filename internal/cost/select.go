package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// guardSelections makes of a selection between two values, and of the instruction that computes only one of them, a
// guarded instruction over the other value, as the assembler does: a selp behind a shift becomes @P SHF. The guarded
// instruction waits as long for the predicate as all do. The selection is then no machine instruction, or a copy if
// the guarded instruction still reads the register that is selected to, as in a loop whose iterations change it.
// (Found in the code of the workload collatz: docs/cost.md.)
func (l *lowering) guardSelections() {
	for pc := range l.f.Code {
		in := &l.f.Code[pc]
		if !isOne(in, selections) || in.Guard != isa.NoReg || len(l.costs[pc].Slots) != 1 {
			continue
		}
		for _, i := range []int{2, 1} {
			if from := l.guardable(pc, i); from >= 0 {
				l.guardSelection(pc, from, &in.Args[3-i])
				break
			}
		}
	}
}

var selections = formsOf(is(isa.OpSelection, isa.OfType(isa.B32, isa.U32, isa.S32, isa.F32)))

// guardable returns the PC of the instruction that computes operand i of the selection at pc, if the selection's
// predicate can guard it; otherwise -1.
func (l *lowering) guardable(pc, i int) int {
	in := &l.f.Code[pc]
	from := l.writerBefore(pc, &in.Args[i])
	if from < 0 || l.values.escapes[from] || len(l.values.uses[from]) != 1 || l.f.Code[from].Guard != isa.NoReg || !l.f.Code[from].Is(isa.Compute) {
		return -1
	}
	if slots := l.costs[from].Slots; len(slots) != 1 || slots[0].Class != isa.CostInteger && slots[0].Class != isa.CostProduct && slots[0].Class != isa.CostSingle {
		return -1
	}
	// The predicate and the other value must be there before.
	for _, operand := range []*isa.Operand{&in.Args[3], &in.Args[3-i]} {
		if operand.Kind == isa.RegOperand && l.values.changed([]isa.RegID{operand.Reg}, from, pc) {
			return -1
		}
	}
	if in.Args[3].Kind != isa.RegOperand {
		return -1
	}
	return from
}

// writerBefore returns the PC of the last instruction in front of pc, in its block, that writes an operand; -1 if there
// is none.
func (l *lowering) writerBefore(pc int, operand *isa.Operand) int {
	if operand.Kind != isa.RegOperand {
		return -1
	}
	writes := l.values.writes[operand.Reg]
	i, _ := slices.BinarySearch(writes, int32(pc))
	if i == 0 || int(writes[i-1]) < l.g.Blocks()[l.g.BlockOf(pc)].Start {
		return -1
	}
	return int(writes[i-1])
}

// guardSelection makes the instruction at from guarded, over another value, in place of the selection at pc.
func (l *lowering) guardSelection(pc, from int, over *isa.Operand) {
	selection, guarded := &l.costs[pc], &l.costs[from]
	p, to := l.f.Code[pc].Args[3].Reg, l.f.Code[pc].Args[0].Reg
	selection.Sources = slices.Clone(guarded.Results)
	if !slices.Contains(guarded.Sources, to) {
		selection.Slots = nil
	}
	guarded.Guard = p
	guarded.Sources = include(slices.Clone(guarded.Sources), p)
	if over.Kind == isa.RegOperand {
		guarded.Sources = include(guarded.Sources, over.Reg)
	}
}
