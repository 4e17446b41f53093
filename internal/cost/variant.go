package cost

import (
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// variant is the part of an instruction that the tables distinguish: its row, modifiers and types, and which of its
// operands are constants.
type variant struct {
	spec      *isa.Spec
	types     [2]isa.Type
	mods      *isa.Mods
	constants operands
}

// operands is a set of operands by index, including results.
type operands uint16

// variantOf returns the variant of a supported instruction.
func variantOf(in *isa.Instr) variant {
	v := variant{spec: in.Spec, types: in.Types, mods: in.Mods}
	for i := range in.Args {
		if in.Args[i].Kind == isa.ImmOperand {
			v.constants |= 1 << i
		}
	}
	return v
}

// predicate chooses variants of a row.
type predicate func(v *variant) bool

// all chooses the variants that every predicate chooses.
func all(ps ...predicate) predicate {
	return func(v *variant) bool {
		return !slices.ContainsFunc(ps, func(p predicate) bool { return !p(v) })
	}
}

// either chooses the variants that at least one predicate chooses.
func either(ps ...predicate) predicate {
	return func(v *variant) bool {
		return slices.ContainsFunc(ps, func(p predicate) bool { return p(v) })
	}
}

// not chooses the variants that p does not choose.
func not(p predicate) predicate { return func(v *variant) bool { return !p(v) } }

// of chooses by the first type, which is that of the result.
func of(types ...isa.Type) predicate {
	return func(v *variant) bool { return slices.Contains(types, v.types[0]) }
}

// from chooses by the second type, which is that of the source.
func from(types ...isa.Type) predicate {
	return func(v *variant) bool { return slices.Contains(types, v.types[1]) }
}

// with chooses variants with a modifier of the group: one of mods, or any if there are none.
func with(g isa.Group, mods ...isa.Mod) predicate {
	return func(v *variant) bool {
		return v.mods[g] != 0 && (len(mods) == 0 || slices.Contains(mods, v.mods[g]))
	}
}

// only chooses variants that have no modifiers but those of the groups, which may be absent.
func only(groups ...isa.Group) predicate {
	return func(v *variant) bool {
		for g, m := range v.mods {
			if m != 0 && !slices.Contains(groups, isa.Group(g)) {
				return false
			}
		}
		return true
	}
}

// exactly chooses variants of a type without modifiers.
func exactly(types ...isa.Type) predicate { return all(of(types...), only()) }

// constant chooses variants with constants as all of the operands.
func constant(indices ...int) predicate {
	var places operands
	for _, i := range indices {
		places |= 1 << i
	}
	return func(v *variant) bool { return places&^v.constants == 0 }
}

// Predicates that many rows share.
var (
	int16s = of(isa.U16, isa.S16)
	int32s = of(isa.U32, isa.S32)
	int64s = of(isa.U64, isa.S64)
	bits32 = of(isa.B32, isa.U32, isa.S32)
	bits64 = of(isa.B64, isa.U64, isa.S64)

	lo   = with(isa.Part, isa.Lo)
	hi   = with(isa.Part, isa.Hi)
	wide = with(isa.Part, isa.WidePart)

	sat      = with(isa.Sat)
	ftz      = with(isa.Ftz)
	carrying = with(isa.CC)
	approx   = with(isa.Prec, isa.Approx)
	rounded  = with(isa.Rnd)
)

// form is a set of variants of some rows: those for which a predicate holds.
type form struct {
	rows string // titles, with blanks between them
	when predicate
}

// is returns the form of the variants of some rows for which all predicates hold.
func is(rows string, ps ...predicate) form { return form{rows, all(ps...)} }

// forms are forms by row.
type forms map[*isa.Spec][]predicate

// formsOf returns the forms by row.
func formsOf(list ...form) forms {
	m := make(forms)
	for _, f := range list {
		for _, s := range rowsOf(f.rows) {
			m[s] = append(m[s], f.when)
		}
	}
	return m
}

// rowsOf returns the rows with the given titles, which are separated by blanks.
func rowsOf(titles string) []*isa.Spec {
	var rows []*isa.Spec
	for title := range strings.FieldsSeq(titles) {
		s := isa.Lookup(title)
		if s == nil {
			panic("simtrun bug: no row " + title)
		}
		rows = append(rows, s)
	}
	return rows
}

// has reports whether a variant is one of the forms.
func (fs forms) has(v *variant) bool {
	return slices.ContainsFunc(fs[v.spec], func(when predicate) bool { return when(v) })
}

// lowered is the result of looking up a variant in the tables.
type lowered struct {
	sequence bool      // the variant has a sequence, of these slots
	slots    []Slot    // nil for none
	firsts   []*fusion // fusions in which it is a first
}

// lowered looks the instruction up in the tables, once for each variant.
func (l *lowering) lowered(in *isa.Instr) *lowered {
	v := variantOf(in)
	found := l.variants[v]
	if found != nil {
		return found
	}
	found = &lowered{}
	l.variants[v] = found
	if s := sequenceOf(&v); s != nil && s.slots != own {
		found.sequence, found.slots = true, s.parsed
	}
	for i, all := 0, fusions(); i < len(all); i++ {
		if all[i].firsts.has(&v) {
			found.firsts = append(found.firsts, &all[i])
		}
	}
	return found
}

// Prepare parses the tables; otherwise the first Lower does.
func Prepare() {
	sequencesByRow()
	fusions()
}
