package cost

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// variantsOf calls visit for each legal form of a row, with each set of constants among operands 2 to 4, which
// are the only ones that predicates test for constants.
func variantsOf(s *isa.Spec, visit func(in *isa.Instr, v *variant)) {
	for in := range s.Forms() {
		for c := range operands(1 << 3) {
			visit(&in, &variant{spec: s, types: in.Types, mods: in.Mods, constants: c << 2})
		}
	}
}

// TestEveryFormHasOneSequence: each legal form of each row has exactly one sequence, and each sequence applies to some
// form of each of its rows.
func TestEveryFormHasOneSequence(t *testing.T) {
	for _, s := range isa.Specs() {
		all := sequencesByRow()[s]
		if len(all) == 1 && all[0].when == nil { // whatever the form
			continue
		}
		used := make([]int, len(all))
		variantsOf(s, func(in *isa.Instr, v *variant) {
			var fit []string
			other := -1
			for i := range all {
				switch {
				case all[i].when == nil && other >= 0:
					t.Fatalf("%s has two sequences without a predicate", s.Title())
				case all[i].when == nil:
					other = i
				case all[i].when(v):
					fit = append(fit, all[i].slots)
					used[i]++
				}
			}
			if len(fit) == 0 && other >= 0 {
				fit = append(fit, all[other].slots)
				used[other]++
			}
			if len(fit) != 1 {
				t.Errorf("%s, constants %b: sequences %q; want one", in.Mnemonic(), v.constants, fit)
			}
		})
		for i := range all {
			if used[i] == 0 {
				t.Errorf("%s: no form has the sequence %q", s.Title(), all[i].slots)
			}
		}
	}
}

// TestFusionsHaveForms: each form of a fusion is a form of each of its rows.
func TestFusionsHaveForms(t *testing.T) {
	tables := []forms{widening, balanced}
	for i := range fusions() {
		tables = append(tables, fusions()[i].firsts, fusions()[i].seconds)
	}
	for i, fs := range tables {
		for s, predicates := range fs {
			found := make([]bool, len(predicates))
			variantsOf(s, func(_ *isa.Instr, v *variant) {
				for k, when := range predicates {
					found[k] = found[k] || when(v)
				}
			})
			for k := range found {
				if !found[k] {
					t.Errorf("forms %d: no form of %s is chosen by predicate %d", i, s.Title(), k)
				}
			}
		}
	}
}

// TestSequencesHaveSlots: the text of every sequence can be parsed.
func TestSequencesHaveSlots(t *testing.T) {
	for _, row := range sequenceRows {
		for _, s := range row.sequences {
			if s.slots == own {
				continue
			}
			if slots := parseSlots(s.slots); (len(slots) == 0) != (s.slots == "") {
				t.Errorf("%s: %d slots of %q", row.rows, len(slots), s.slots)
			}
		}
	}
}
