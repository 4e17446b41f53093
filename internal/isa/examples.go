package isa

import (
	"fmt"
	"strings"
)

// show sets the examples of a row.
//
//go:noinline
func (s *Spec) show(examples ...string) *Spec {
	s.examples = examples
	return s
}

// Examples returns typical instructions of the row: the row's own examples, or its plain forms of the most common
// types.
func (s *Spec) Examples() []string {
	if s.examples != nil {
		return s.examples
	}
	var texts []string
	for _, usual := range [][]Type{{U32, S32, B32, B64, U64, U16x2, B16, U16, U8, Pred}, {F32, F64, F16x2, F16}} {
		if in := s.plainForm(usual); in != nil {
			texts = append(texts, in.example())
		}
		if s.ntypes == 0 {
			break
		}
	}
	return texts
}

// plainForm returns the form with the first of the types that the row has, and with the fewest modifiers; nil if it
// has none of the types.
func (s *Spec) plainForm(types []Type) *Instr {
	var best *Instr
	fewest, rank := 0, len(types)
	for form := range s.Forms() {
		place := rankOf(form.Types[0], types)
		if s.ntypes == 0 {
			place = 0
		}
		modifiers := 0
		for _, m := range form.Mods {
			if m != 0 {
				modifiers++
			}
		}
		if place < rank || place == rank && best != nil && modifiers < fewest {
			best, fewest, rank = &form, modifiers, place
		}
	}
	return best
}

// rankOf returns the index of t in types, or their number if t is not in them.
func rankOf(t Type, types []Type) int {
	for i := range types {
		if types[i] == t {
			return i
		}
	}
	return len(types)
}

// example returns the text of a form with suitable operands; optional ones are left out.
func (in *Instr) example() string {
	text, separator := in.Mnemonic(), " "
	used := make(map[string]int)
	register := func(t Type) string {
		prefix := habitualPrefix(t)
		used[prefix]++
		return fmt.Sprintf("%s%d", prefix, used[prefix])
	}
	for i := range in.Spec.formals {
		f := &in.Spec.formals[i]
		if f.Optional {
			continue
		}
		operand := ""
		switch f.Kind {
		case Address:
			operand = "[" + register(U64) + "]"
		case Immediate:
			operand = "1"
		case Fragment:
			var regs []string
			for range f.Registers(in.Mods) {
				regs = append(regs, register(f.Type(in.Types, in.Mods)))
			}
			operand = "{" + strings.Join(regs, ", ") + "}"
		default:
			operand = register(f.Type(in.Types, in.Mods))
		}
		text += separator + operand
		separator = ", "
	}
	return text + ";"
}

// habitualPrefix returns the prefix of compilers' register names for values of a type.
func habitualPrefix(t Type) string {
	switch {
	case t == Pred:
		return "%p"
	case t == F32:
		return "%f"
	case t == F64:
		return "%fd"
	case t.Bits() == 64:
		return "%rd"
	case t.Bits() == 32:
		return "%r"
	}
	return "%rs"
}

// LookupAll returns the rows of the opcode that a mnemonic begins with: for "bar.red.popc" the row of bar.red, for
// "bar" all rows of bar.
func LookupAll(mnemonic string) []*Spec {
	base, suffixes, _ := strings.Cut(mnemonic, ".")
	base = strings.ToLower(base)
	s, _ := rowOf(base, suffixes) // as written: one title has a capital letter
	if lower, _ := rowOf(base, strings.ToLower(suffixes)); lower != nil && (s == nil || len(lower.With) > len(s.With)) {
		s = lower
	}
	if s != nil && s.With != "" {
		return []*Spec{s}
	}
	return specsByName[base]
}

// Help returns a description of the row: its syntax, meaning, types, modifiers and examples.
func (s *Spec) Help() string {
	var b strings.Builder
	l := s.legal(nil)
	fmt.Fprintf(&b, "  %s\n\n%s\n\n", s.syntax(l), filledParagraphs(s.Doc))
	for _, p := range s.choices(l) {
		fmt.Fprintf(&b, "  %-10s %s\n", p.name, p.words)
	}
	for i, text := range s.Examples() {
		label := ""
		if i == 0 {
			label = "examples"
		}
		fmt.Fprintf(&b, "  %-10s %s\n", label, text)
	}
	return b.String()
}
