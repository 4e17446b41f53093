package cost

import (
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// variantsOf calls visit for each legal form of a row, with each set of constants among operands 2 to 4, which
// are the only ones that matchers test for constants.
func variantsOf(s *isa.Spec, visit func(in *isa.Instr, v *variant)) {
	for in := range s.Forms() {
		for c := range uint16(1 << 3) {
			visit(&in, &variant{s, isa.Variant{Types: in.Types, Mods: in.Mods, Constants: c << 2}})
		}
	}
}

// TestEveryFormHasOneSequence: each legal form of each row has exactly one sequence, and each sequence applies to some
// form of each of its rows.
func TestEveryFormHasOneSequence(t *testing.T) {
	for _, s := range isa.Specs() {
		all := sequencesByRow()[s]
		if len(all) == 1 && all[0].When == nil { // whatever the form
			continue
		}
		used := make([]int, len(all))
		variantsOf(s, func(in *isa.Instr, v *variant) {
			var fit []string
			other := -1
			for i := range all {
				switch {
				case all[i].When == nil && other >= 0:
					t.Fatalf("%s has two sequences without a matcher", s.Title())
				case all[i].When == nil:
					other = i
				case all[i].When(&v.Variant):
					fit = append(fit, all[i].Slots)
					used[i]++
				}
			}
			if len(fit) == 0 && other >= 0 {
				fit = append(fit, all[other].Slots)
				used[other]++
			}
			if len(fit) != 1 {
				t.Errorf("%s, constants %b: sequences %q; want one", in.Mnemonic(), v.Constants, fit)
			}
		})
		for i := range all {
			if used[i] == 0 {
				t.Errorf("%s: no form has the sequence %q", s.Title(), all[i].Slots)
			}
		}
	}
}

// TestFusionsHaveForms: each form of a fusion is a form of each of its rows.
func TestFusionsHaveForms(t *testing.T) {
	tables := []forms{widening, balanced, selections, comparisons}
	for i := range fusions() {
		tables = append(tables, fusions()[i].firsts, fusions()[i].seconds)
	}
	for i := range fusions() {
		for _, f := range slices.Concat(fusions()[i].first, fusions()[i].second) {
			if rows := operationsOfRows() & f.of; rows != f.of || f.of == 0 {
				t.Errorf("fusion %d: operations %b, of which %b have rows", i, f.of, rows)
			}
		}
	}
	for i, fs := range tables {
		for s, matchers := range fs {
			found := make([]bool, len(matchers))
			variantsOf(s, func(_ *isa.Instr, v *variant) {
				for k, when := range matchers {
					found[k] = found[k] || when(&v.Variant)
				}
			})
			for k := range found {
				if !found[k] {
					t.Errorf("forms %d: no form of %s is chosen by matcher %d", i, s.Title(), k)
				}
			}
		}
	}
}

// operationsOfRows returns the operations that some row has.
func operationsOfRows() (all isa.Operation) {
	for _, s := range isa.Specs() {
		all |= s.Operation()
	}
	return all
}

// TestSequencesHaveSlots: the text of every sequence can be parsed.
func TestSequencesHaveSlots(t *testing.T) {
	for _, row := range isa.Specs() {
		for _, s := range row.Sequences() {
			if s.Slots == isa.Own {
				continue
			}
			if slots := parseSlots(s.Slots); (len(slots) == 0) != (s.Slots == "") {
				t.Errorf("%s: %d slots of %q", row.Title(), len(slots), s.Slots)
			}
		}
	}
}
