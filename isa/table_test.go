package isa_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/isa"
)

func TestRowsAreComplete(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range isa.Specs() {
		if s.Doc == "" || s.Latency == isa.NoLatency || seen[s.Name] {
			t.Errorf("%s: doc %q, latency class %q, twice %v", s.Name, s.Doc, s.Latency, seen[s.Name])
		}
		seen[s.Name] = true
		forms := 0
		for range s.Forms() {
			forms++
		}
		if forms == 0 {
			t.Errorf("%s has no legal form", s.Name)
		}
	}
}

func TestReferenceIsFresh(t *testing.T) {
	want, err := os.ReadFile("../docs/isa.md")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := isa.WriteReference(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("docs/isa.md is stale: run go generate ./isa (-have +want):\n%s", diff)
	}
}

// kernelOf is a kernel with the given lines, and declarations of the registers
// that samples are: %u32_0 to %u32_8 and so on.
func kernelOf(lines string) []byte {
	var b strings.Builder
	b.WriteString(".entry k() {\n")
	for t := isa.Pred; t < isa.NumTypes; t++ {
		if strings.Contains(lines, "%"+t.String()+"_") {
			fmt.Fprintf(&b, "\t.reg .%s %%%s_<9>;\n", t, t)
		}
	}
	b.WriteString("HERE:\n\t" + lines + "\n}")
	return []byte(b.String())
}

// sample is an operand that fits a formal of the form in.
func sample(in *isa.Instr, f *isa.Formal, n int) string {
	t := f.Type(in.Types, &in.Mods)
	reg := func(k int) string { return fmt.Sprintf("%%%s_%d", t, k) }
	switch f.Kind {
	case isa.Address:
		return "[%u64_8+16]"
	case isa.Immediate:
		return "27"
	case isa.Target:
		return "HERE"
	case isa.Vector:
		if count := in.Mods.VecLen(); count > 1 {
			var elems []string
			for k := range count {
				elems = append(elems, reg(k))
			}
			return "{" + strings.Join(elems, ", ") + "}"
		}
	}
	return reg(n)
}

// texts are the instruction with 0, 1, … of its optional operands.
func texts(in *isa.Instr) []string {
	var all []string
	text := in.Mnemonic()
	formals := in.Spec.Formals()
	for i := range formals {
		f := &formals[i]
		if f.Optional {
			all = append(all, text+";")
		}
		switch {
		case i == 0:
			text += " "
		case f.Name == 'q':
			text += "|"
		default:
			text += ", "
		}
		text += sample(in, f, i)
	}
	return append(all, text+";")
}

// TestFormsSurvive parses every form that the table has, in every length that
// its operands allow, and compares it with what formatting and parsing again
// make of it.
func TestFormsSurvive(t *testing.T) {
	var lines []string
	for _, s := range isa.Specs() {
		for in := range s.Forms() {
			legal := 0
			for _, text := range texts(&in) {
				if got := parseOne(text); got != nil {
					legal++
					lines = append(lines, text)
					if got.Types != in.Types || got.Mods != in.Mods {
						t.Errorf("%s became %s", text, got.Mnemonic())
					}
				}
			}
			if legal == 0 {
				t.Fatalf("no way to write %s", in.Mnemonic())
			}
		}
	}
	first, err := asm.Parse("forms.ptx", kernelOf(strings.Join(lines, "\n\t")))
	if err != nil {
		t.Fatal(err)
	}
	second, err := asm.Parse("forms.ptx", []byte(asm.Format(first)))
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.Funcs[0], second.Funcs[0]
	if len(a.Code) != len(lines) || len(b.Code) != len(lines) {
		t.Fatalf("%d lines, %d instructions, %d after formatting", len(lines), len(a.Code), len(b.Code))
	}
	for i := range a.Code {
		if diff := cmp.Diff(a.Code[i], b.Code[i], cmpopts.IgnoreTypes(isa.Pos{}), cmp.Comparer(sameSpec)); diff != "" {
			t.Fatalf("%s (-first +second):\n%s", lines[i], diff)
		}
	}
	t.Logf("%d lines", len(lines))
}

func sameSpec(a, b *isa.Spec) bool { return a == b }

// parseOne is the instruction of a kernel of one, or nil if it is refused.
func parseOne(text string) *isa.Instr {
	mod, err := asm.Parse("form.ptx", kernelOf(text))
	if err != nil {
		return nil
	}
	return &mod.Funcs[0].Code[0]
}
