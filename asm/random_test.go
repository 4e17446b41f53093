package asm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

// randomModule is a module in which few names have many meanings.
type randomModule struct {
	*rand.Rand
	strings.Builder
}

func (r *randomModule) pick(words ...string) string { return words[r.IntN(len(words))] }

func (r *randomModule) name() string {
	return r.pick("a", "b", "f", "a1", "a2", "b0", "a$1", "f$1", "f$2", "%r1", "%r2")
}

// fill replaces each ? of a template with a name.
func (r *randomModule) fill(template string) {
	for part := range strings.SplitSeq(template, "?") {
		r.WriteString(part + r.name())
	}
	r.WriteByte('\n')
}

var (
	randomItems = []string{
		".global .u32 ? = 1; //", ".global .u64 ?[2] = {?, generic(?)}; //", ".visible .global .u32 ?; //", ".weak .const .u32 ?; //",
		".extern .func ?(); //", ".func ?(.reg .u32 ?) { ret; } //", ".visible .func (.param .b32 ?) ?(.param .b32 ?) { ret; } //",
		".weak .func ?() { exit; } //", ".alias ?, ?; //", ".reg .b32 ?<3>; //", ".extern .shared .b8 ?[]; //",
		".func ?(.reg .v2 .b32 ?, .reg .pred ?) { ret; } //", ".hidden .global .u32 ?[2]; //",
	}
	randomStatements = []string{
		".reg .b32 ?; //", ".reg .b32 ?<3>; //", ".reg .b64 ?; //", ".param .b32 ?; //", ".local .u32 ?; //", ".shared .u32 ?[2]; //",
		"?: ret; //", "?: .branchtargets ?, ?; //", "?: .branchtargets ?<2>; //", "?: .calltargets ?; //", "?: .callprototype _; //",
		"?: .callprototype (.param .b32 ?) _ (.reg .u32 _); //",
		"mov.u32 ?, ?; //", "mov.u64 ?, ?; //", "st.param.b32 [?], ?; //", "bra ?; //", "brx.idx ?, ?; //",
		".global .u32 ? = 1; //", ".const .u32 ?[2]; //", ".reg .v2 .b32 ?; //", ".reg .pred ?; //", "mov.u64 ?, ?[1]; //", "st.b32 [?], ?+1; //",
		"call ?; //", "call ?, (?); //", "call ?, (?, ?); //", "call (?), ?, (?); //", "call (?), ?, (?), ?; //", "call ?, ?; //", "tex [?], ?, ?; //",
		"{", "}", "{",
	}
)

func (r *randomModule) module() string {
	r.Reset()
	if r.IntN(8) == 0 {
		r.WriteString(".version 1.3\n")
	}
	for range r.IntN(4) {
		r.fill(r.pick(randomItems...))
	}
	fmt.Fprintf(r, "%s k%d(%s) {\n", r.pick(".entry", ".func"), r.IntN(3), r.pick("", "", ".param .b32 a1", ".param .b32 f"))
	depth := 0
	for range r.IntN(8) {
		switch s := r.pick(randomStatements...); {
		case s == "{":
			depth++
			r.WriteString("{\n")
		case s != "}":
			r.fill(s)
		case depth > 0:
			depth--
			r.WriteString("}\n")
		}
	}
	r.WriteString(strings.Repeat("}", depth+1) + "\n")
	for range r.IntN(3) {
		r.fill(r.pick(randomItems...))
	}
	return r.String()
}

// hasText reports whether some instructions of m are kept as text.
func hasText(m *isa.Module) bool {
	return slices.ContainsFunc(m.Funcs, func(f *isa.Func) bool {
		return slices.ContainsFunc(f.Code, func(in isa.Instr) bool { return in.Raw != "" })
	})
}

// TestFormattingPreservesNames: formatting and linking preserve the meaning of every name.
func TestFormattingPreservesNames(t *testing.T) {
	tried, parsed, linked := 0, 0, 0
	for seed := range short.Of(5_000) {
		if short.Waits(seed, 6) {
			continue
		}
		tried++
		r := &randomModule{Rand: rand.New(rand.NewPCG(1, uint64(seed)))}
		a, err := Parse("a.ptx", []byte(r.module()))
		if err != nil {
			continue
		}
		parsed++
		checkIdentity(t, a)
		b, err := Parse("b.ptx", []byte(r.module()))
		if err != nil {
			continue
		}
		m, err := Link(a, b)
		if err != nil || hasText(m) { // its words may have no meaning
			continue
		}
		linked++
		if _, err := Parse("ab.ptx", []byte(Format(m))); err != nil {
			t.Errorf("linked text does not parse: %v\n%s", err, Format(m))
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d modules, %d linked", parsed, tried, linked)
	if parsed < tried/10 || linked < tried/300 {
		t.Errorf("only %d modules and %d linked are free of errors", parsed, linked)
	}
}
