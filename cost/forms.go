package cost

import (
	"path"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// form is a pattern of instructions: a mnemonic as path.Match has it, in which * is any
// modifiers, and = behind it says that the last operand is a constant. The opcode
// stands as it is.
type form struct {
	rows     []*isa.Spec // of the opcode
	mnemonic string
	constant bool
}

// parseForms are patterns, with blanks between them.
func parseForms(text string) []form {
	var all []form
	for word := range strings.FieldsSeq(text) {
		mnemonic, constant := strings.CutSuffix(word, "=")
		opcode, _, _ := strings.Cut(mnemonic, ".")
		rows := isa.LookupAll(opcode)
		if _, err := path.Match(mnemonic, ""); err != nil || rows == nil {
			panic("simtrun bug: no instructions are " + word)
		}
		all = append(all, form{rows, mnemonic, constant})
	}
	return all
}

// variant is what a form depends on: the row, the modifiers and the types of an
// instruction, and whether its last operand is a constant.
type variant struct {
	spec     *isa.Spec
	types    [2]isa.Type
	mods     *isa.Mods
	constant bool
}

// variantOf is the variant of an instruction that can be run.
func variantOf(in *isa.Instr) variant {
	n := len(in.Args)
	return variant{in.Spec, in.Types, in.Mods, n > 0 && in.Args[n-1].Kind == isa.ImmOperand}
}

// lowered is what the tables say of a variant.
type lowered struct {
	mnemonic string
	sequence *sequence // nil if it has none
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
	for i := range sequences {
		if v.is(sequences[i].match, found.mnemonic) {
			found.sequence = &sequences[i]
			break
		}
	}
	for i := range fusions {
		if v.is(fusions[i].firsts, found.mnemonic) {
			found.firsts = append(found.firsts, &fusions[i])
		}
	}
	return found
}

// is reports whether a variant of a mnemonic is one of the forms.
func (v *variant) is(forms []form, mnemonic string) bool {
	for i := range forms {
		f := &forms[i]
		if slices.Contains(f.rows, v.spec) && (v.constant || !f.constant) {
			if ok, _ := path.Match(f.mnemonic, mnemonic); ok {
				return true
			}
		}
	}
	return false
}
