package cost

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// sequence is an isa.Sequence with its slots parsed.
type sequence struct {
	isa.Sequence
	parsed []Slot
}

// own is the sequence of rows that become one machine instruction of their class in all variants, unless
// lowering.slots overrides this.
var own = []sequence{{Sequence: isa.Sequence{Slots: isa.Own}}}

// sequencesByRow are the sequences of all rows. They are parsed when a launch first has a clock.
var sequencesByRow = sync.OnceValue(func() map[*isa.Spec][]sequence {
	m := make(map[*isa.Spec][]sequence)
	for _, s := range isa.Specs() {
		m[s] = own
		if sequences := s.Sequences(); sequences != nil {
			m[s] = parseSequences(sequences)
		}
	}
	return m
})

// parseSequences parses the sequences of a row.
func parseSequences(sequences []isa.Sequence) []sequence {
	all := make([]sequence, len(sequences))
	for i, s := range sequences {
		all[i].Sequence = s
		if s.Slots != isa.Own {
			all[i].parsed = parseSlots(s.Slots)
		}
	}
	return all
}

// sequenceOf returns the sequence of a variant.
func sequenceOf(v *variant) *sequence {
	var other *sequence
	for i, all := 0, sequencesByRow()[v.spec]; i < len(all); i++ {
		switch {
		case all[i].When == nil:
			other = &all[i]
		case all[i].When(&v.Variant):
			return &all[i]
		}
	}
	return other
}

// parseSlots parses the slots of a sequence; it returns nil for "".
func parseSlots(text string) []Slot {
	var slots []Slot
	for _, chain := range strings.Split(text, ",") {
		for i, item := range strings.Split(chain, ">") {
			count, name, several := strings.Cut(strings.TrimSpace(item), " ")
			if !several {
				count, name = "1", count
			}
			n, err := strconv.Atoi(count)
			class, known := isa.CostClassByName(name)
			if text != "" && (err != nil || !known) {
				panic("simtrun bug: no slots are " + item)
			}
			for k := range n {
				if known {
					slots = append(slots, Slot{Class: class, Waits: i > 0 && k == 0})
				}
			}
		}
	}
	return slots
}

// slots returns the slots of the instruction at pc by itself. The result is shared.
func (l *lowering) slots(pc int) []Slot {
	in, own := &l.f.Code[pc], l.costs[pc].Slots
	switch {
	case in.Later != "" || in.Spec == nil:
		return own
	case l.nothing(in):
		return nil
	case in.Is(isa.Return) && !l.f.Entry: // the return address comes first
		return append([]Slot{{Class: isa.CostInteger}}, own...)
	case own[0].Class == isa.CostAtomicGlobal && len(l.values.uses[pc]) == 0 && !l.values.escapes[pc]: // nothing waits for it
		own = []Slot{{Class: isa.CostReductionGlobal}}
	}
	if sem := in.Mods[isa.Sem]; in.MbarrierOp() == 0 && (in.Is(isa.Store) || in.Is(isa.Atomic)) && (sem == isa.SemRelease || sem == isa.SemAcqRel) {
		return append([]Slot{{Class: fences[in.Mods[isa.Scope]]}}, own...)
	}
	switch {
	case in.Spec.Takes(isa.AnyMove) && own[0].Class == isa.CostInteger:
		return slices.Repeat(own, moves(in))
	}
	if row := l.lowered(in); row.sequence && (row.slots != nil || in.Guard == isa.NoReg) {
		return row.slots
	}
	return own
}

// counts reports whether the instruction at pc adds 1 to words of shared memory, and nothing reads what they were.
func (l *lowering) counts(pc int) bool {
	in := &l.f.Code[pc]
	if !in.Is(isa.Atomic) || in.Mods.MemSpace() != isa.Shared || in.Mods[isa.AtomOp] != isa.AtomAdd || in.Mods.VecLen() > 1 || in.MbarrierOp() != 0 {
		return false
	}
	one := &in.Args[len(in.Args)-1]
	word := in.Types[0] == isa.U32 || in.Types[0] == isa.S32
	return word && one.Kind == isa.ImmOperand && one.Bits == 1 && len(l.values.uses[pc]) == 0 && !l.values.escapes[pc]
}

// moves returns the number of machine instructions of a mov: one for each register of 32 bits or, to combine one from
// parts, one less than its parts.
func moves(in *isa.Instr) int {
	words := max(1, in.Types[0].Bits()/32) * in.Mods.VecLen()
	for i := range in.Args {
		if n := len(in.Args[i].Elems); in.Mods[isa.Vec] == 0 && n > words {
			return n - words
		}
	}
	return words
}

// fences has the classes of fences by scope.
var fences = map[isa.Mod]isa.CostClass{isa.ScopeCTA: isa.CostFenceCTA, isa.ScopeCluster: isa.CostFenceGPU, isa.ScopeGPU: isa.CostFenceGPU, isa.ScopeSys: isa.CostFenceSystem}
