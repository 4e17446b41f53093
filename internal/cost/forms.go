package cost

import (
	"path"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// form is a pattern of instructions: a mnemonic as path.Match has it, in which * is any
// modifiers, but for the opcode, and behind = the places of operands that are constants,
// those of results counted: shl.b32=2.
type form struct {
	rows      []*isa.Spec // of the opcode
	mnemonic  string
	constants operands
}

// operands is a set of operands by place.
type operands uint16

// parseForms are patterns, with blanks between them.
func parseForms(text string) []form {
	var all []form
	for word := range strings.FieldsSeq(text) {
		mnemonic, places, _ := strings.Cut(word, "=")
		opcode, _, _ := strings.Cut(mnemonic, ".")
		rows := isa.LookupAll(opcode)
		if _, err := path.Match(mnemonic, ""); err != nil || rows == nil {
			panic("simtrun bug: no instructions are " + word)
		}
		f := form{rows: rows, mnemonic: mnemonic}
		for _, place := range places {
			f.constants |= 1 << (place - '0')
		}
		all = append(all, f)
	}
	return all
}

// variant is what a form depends on: the row, the modifiers and the types of an
// instruction, and which of its operands are constants.
type variant struct {
	spec      *isa.Spec
	types     [2]isa.Type
	mods      *isa.Mods
	constants operands
}

// variantOf is the variant of an instruction that can be run.
func variantOf(in *isa.Instr) variant {
	v := variant{spec: in.Spec, types: in.Types, mods: in.Mods}
	for i := range in.Args {
		if in.Args[i].Kind == isa.ImmOperand {
			v.constants |= 1 << i
		}
	}
	return v
}

// lowered is what the tables say of a variant.
type lowered struct {
	mnemonic string
	sequence bool      // it has one, of these slots
	slots    []Slot    // nil for none
	firsts   []*fusion // of which it is a first
}

// lowered looks the instruction up in the tables, once for each variant.
func (l *lowering) lowered(in *isa.Instr) *lowered {
	v := variantOf(in)
	found := l.variants[v]
	if found != nil {
		return found
	}
	found = &lowered{mnemonic: in.Mnemonic()}
	l.variants[v] = found
	for i, all := 0, sequences(); i < len(all); i++ {
		if v.is(all[i].match, found.mnemonic) {
			found.sequence, found.slots = true, parseSlots(all[i].slots)
			break
		}
	}
	for i, all := 0, fusions(); i < len(all); i++ {
		if v.is(all[i].firsts, found.mnemonic) {
			found.firsts = append(found.firsts, &all[i])
		}
	}
	return found
}

// is reports whether a variant of a mnemonic is one of the forms.
func (v *variant) is(forms []form, mnemonic string) bool {
	for i := range forms {
		f := &forms[i]
		if f.constants&^v.constants == 0 && slices.Contains(f.rows, v.spec) {
			if ok, _ := path.Match(f.mnemonic, mnemonic); ok {
				return true
			}
		}
	}
	return false
}

// Prepare reads the tables, which Lower does otherwise when it is first called.
func Prepare() {
	sequences()
	fusions()
}
