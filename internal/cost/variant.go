package cost

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// variant is the part of an instruction that the tables distinguish: its row, and the variant of the row.
type variant struct {
	spec *isa.Spec
	isa.Variant
}

// variantKey identifies a variant. Mods can be compared by address, because instructions of a mnemonic share them.
type variantKey struct {
	spec      *isa.Spec
	mods      *isa.Mods
	types     [2]isa.Type
	constants uint16
}

// key returns the key of v.
func (v *variant) key() variantKey { return variantKey{v.spec, v.Mods, v.Types, v.Constants} }

// variantOf returns the variant of a supported instruction.
func variantOf(in *isa.Instr) variant {
	v := variant{in.Spec, isa.Variant{Types: in.Types, Mods: in.Mods}}
	for i := range in.Args {
		if in.Args[i].Kind == isa.ImmOperand {
			v.Constants |= 1 << i
		}
	}
	return v
}

// exactly chooses variants of a type without modifiers.
func exactly(types ...isa.Type) isa.Matcher { return isa.All(isa.OfType(types...), isa.Only()) }

// Matchers that several fusions share.
var (
	int16s = isa.OfType(isa.U16, isa.S16)
	int32s = isa.OfType(isa.U32, isa.S32)
	bits32 = isa.OfType(isa.B32, isa.U32, isa.S32)

	lo   = isa.With(isa.Part, isa.Lo)
	wide = isa.With(isa.Part, isa.WidePart)
	ftz  = isa.With(isa.Ftz)
)

// form is a set of variants: those of rows with one of the operations that a matcher chooses.
type form struct {
	of   isa.Operation
	when isa.Matcher
}

// is returns the form of the variants of rows with one of the operations that all matchers choose.
func is(of isa.Operation, when ...isa.Matcher) form { return form{of, isa.All(when...)} }

// forms are forms by row.
type forms map[*isa.Spec][]isa.Matcher

// formsOf returns the forms by row.
func formsOf(list ...form) forms {
	m := make(forms)
	for _, s := range isa.Specs() {
		for _, f := range list {
			if s.Operation()&f.of != 0 {
				m[s] = append(m[s], f.when)
			}
		}
	}
	return m
}

// has reports whether a variant is one of the forms.
func (fs forms) has(v *variant) bool {
	return slices.ContainsFunc(fs[v.spec], func(when isa.Matcher) bool { return when(&v.Variant) })
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
	found := l.variants[v.key()]
	if found != nil {
		return found
	}
	found = &lowered{}
	l.variants[v.key()] = found
	if s := sequenceOf(&v); s != nil && s.Slots != isa.Own {
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
