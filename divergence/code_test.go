package divergence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/isa"
)

// Registers of the tests' code. Those of random programs have a meaning, see
// random_test.go.
const registers = "pqrs"

// program is code written by hand, and what its comments claim of it.
type program struct {
	*isa.Func
	labels map[string]int
	claims map[int][]string // by PC: the words of the comment
}

// assemble reads one instruction a line, with labels and guards as in PTX and a
// comment behind //. A bra may have several targets; anything but bra, exit and
// ret is straight-line code.
func assemble(t *testing.T, src string) program {
	t.Helper()
	b := newBuilder()
	p := program{b.f, map[string]int{}, map[int][]string{}}
	for line := range strings.Lines(src) {
		text, comment, _ := strings.Cut(line, "//")
		words := strings.Fields(strings.ReplaceAll(text, ",", " "))
		for len(words) > 0 && strings.HasSuffix(words[0], ":") {
			b.place(strings.TrimSuffix(words[0], ":"))
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if claims := strings.Fields(comment); len(claims) > 0 {
			p.claims[b.pc()] = claims
		}
		guard, not := isa.NoReg, false
		if name, ok := strings.CutPrefix(words[0], "@"); ok {
			name, not = strings.CutPrefix(name, "!")
			guard = isa.RegID(strings.Index(registers, name))
			words = words[1:]
		}
		b.emit(guard, not, words[0], words[1:]...)
	}
	b.finish()
	for _, l := range b.f.Labels {
		p.labels[l.Name] = l.PC
	}
	return p
}

// builder makes a function's code.
type builder struct {
	f     *isa.Func
	index map[string]int32 // of labels
}

func newBuilder() *builder {
	f := &isa.Func{Name: "f", Entry: true, Defined: true}
	for _, r := range registers {
		f.Regs = append(f.Regs, isa.Reg{Name: "%" + string(r), Type: isa.Pred})
	}
	return &builder{f, map[string]int32{}}
}

func (b *builder) pc() int { return len(b.f.Code) }

func (b *builder) label(name string) int32 {
	i, ok := b.index[name]
	if !ok {
		i = int32(len(b.f.Labels))
		b.index[name] = i
		b.f.Labels = append(b.f.Labels, isa.Label{Name: name, PC: -1})
	}
	return i
}

func (b *builder) place(name string) { b.f.Labels[b.label(name)].PC = b.pc() }

// emit adds an instruction and returns its PC.
func (b *builder) emit(guard isa.RegID, not bool, name string, labels ...string) int {
	in := isa.Instr{Spec: isa.Lookup(name), Guard: guard, GuardNot: not}
	if in.Spec == nil {
		in.Later = name + " is straight-line code"
	}
	for _, l := range labels {
		in.Args = append(in.Args, isa.Operand{Kind: isa.LabelOperand, Label: b.label(l)})
	}
	b.f.Code = append(b.f.Code, in)
	return b.pc() - 1
}

func (b *builder) finish() {
	for _, l := range b.f.Labels {
		if l.PC < 0 {
			panic("no label " + l.Name)
		}
	}
}

// listing shows code in failures.
func listing(f *isa.Func) string {
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
			name = in.Spec.Name
		}
		b.WriteString(name)
		for _, a := range in.Args {
			b.WriteString(" " + f.Labels[a.Label].Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// labelsAt is the names of the labels at pc.
func (p program) labelsAt(pc int) []string {
	return slices.Sorted(func(yield func(string) bool) {
		for name := range maps.Keys(p.labels) {
			if p.labels[name] == pc && !yield(name) {
				return
			}
		}
	})
}
