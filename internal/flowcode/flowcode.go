// Package flowcode makes functions for the tests of flow and divergence, written by hand or random. Only their control
// flow matters.
package flowcode

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// registers are the names of the predicates in the code, a letter each.
const registers = "pqrs"

// Program is code written by hand, with the claims in its comments.
type Program struct {
	*isa.Func
	Labels map[string]int   // PCs
	Claims map[int][]string // by PC: the words of the comment
}

// Assemble reads one instruction a line, with labels and guards as in PTX and a
// comment after //. A bra may have several targets; anything but bra, exit and
// ret is straight-line code.
func Assemble(t *testing.T, src string) Program {
	t.Helper()
	b := NewBuilder()
	p := Program{b.Func, map[string]int{}, map[int][]string{}}
	for line := range strings.Lines(src) {
		text, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(strings.ReplaceAll(text, ",", " "))
		for len(words) > 0 && strings.HasSuffix(words[0], ":") {
			b.Place(strings.TrimSuffix(words[0], ":"))
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if claims := strings.Fields(comment); len(claims) > 0 {
			p.Claims[b.pc()] = claims
		}
		guard, not := isa.NoReg, false
		if name, ok := strings.CutPrefix(words[0], "@"); ok {
			name, not = strings.CutPrefix(name, "!")
			guard = isa.RegID(strings.Index(registers, name))
			words = words[1:]
		}
		b.Emit(guard, not, words[0], words[1:]...)
	}
	b.Finish()
	for _, l := range b.Func.Labels {
		p.Labels[l.Name] = l.PC
	}
	return p
}

// Builder makes the code of Func.
type Builder struct {
	Func  *isa.Func
	index map[string]int32 // of labels
}

// NewBuilder has no code yet.
func NewBuilder() *Builder {
	f := &isa.Func{Name: "f", Entry: true, Defined: true}
	for _, r := range registers {
		f.Regs = append(f.Regs, isa.Reg{Name: "%" + string(r), Type: isa.Pred})
	}
	return &Builder{f, map[string]int32{}}
}

// pc is the PC of the next instruction.
func (b *Builder) pc() int { return len(b.Func.Code) }

func (b *Builder) label(name string) int32 {
	i, ok := b.index[name]
	if !ok {
		i = int32(len(b.Func.Labels))
		b.index[name] = i
		b.Func.Labels = append(b.Func.Labels, isa.Label{Name: name, PC: -1})
	}
	return i
}

// Place puts a label before the next instruction.
func (b *Builder) Place(name string) { b.Func.Labels[b.label(name)].PC = b.pc() }

// Emit adds an instruction and returns its PC.
func (b *Builder) Emit(guard isa.RegID, not bool, name string, labels ...string) int {
	in := isa.Instr{Spec: isa.Lookup(name), Guard: guard, GuardNot: not, Mods: new(isa.Mods)}
	if in.Spec == nil {
		in.Later = name + " is straight-line code"
	}
	for _, l := range labels {
		in.Args = append(in.Args, isa.Operand{Kind: isa.LabelOperand, Bits: uint64(b.label(l))})
	}
	b.Func.Code = append(b.Func.Code, in)
	return b.pc() - 1
}

// Finish checks that every label has a place.
func (b *Builder) Finish() {
	for _, l := range b.Func.Labels {
		if l.PC < 0 {
			panic("no label " + l.Name)
		}
	}
}

// Targets are the PCs that the instruction at pc may branch to, in text order.
func Targets(f *isa.Func, pc int) []int {
	var pcs []int
	for _, a := range f.Code[pc].Args {
		pcs = append(pcs, f.Labels[a.Label()].PC)
	}
	return pcs
}

// Listing shows code in failures.
func Listing(f *isa.Func) string {
	var b strings.Builder
	at := map[int][]string{}
	for _, l := range f.Labels {
		at[l.PC] = append(at[l.PC], l.Name)
	}
	for pc := range len(f.Code) + 1 {
		for _, l := range at[pc] {
			fmt.Fprintf(&b, "%s:\n", l)
		}
		if pc == len(f.Code) {
			break
		}
		in := &f.Code[pc]
		fmt.Fprintf(&b, "%4d  ", pc)
		if in.Guard != isa.NoReg {
			fmt.Fprintf(&b, "@%s%c ", map[bool]string{true: "!"}[in.GuardNot], registers[in.Guard])
		}
		name := "op"
		if in.Spec != nil {
			name = in.Mnemonic()
		}
		b.WriteString(name)
		for _, a := range in.Args {
			b.WriteString(" " + f.Labels[a.Label()].Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// LabelsAt is the names of the labels at pc.
func (p Program) LabelsAt(pc int) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range maps.Keys(p.Labels) {
			if p.Labels[name] == pc && !yield(name) {
				return
			}
		}
	})
}
