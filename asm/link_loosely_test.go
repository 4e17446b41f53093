package asm

import (
	"strings"
	"testing"
)

const (
	callsWithOne = `
.extern .func (.param .b32 r) f (.param .u64 a);
.entry k (.param .u64 to)
{
	.param .u64 a; .param .b32 r;
	ld.param.u64 %rd1, [to];
	st.param.u64 [a], %rd1;
	call (r), f, (a);
	ld.param.b32 %r1, [r];
	st.global.b32 [%rd1], %r1;
	ret;
}
`
	definedWithThree = ".visible .func (.param .b32 r) f (.param .u64 a, .param .u32 b, .param .f64 c) { ret; }"
)

// TestLooseLinkPadsArguments: a call with fewer arguments than the definition has parameters goes through a function
// that passes them on with zeros. The linked module can be written and assembled again.
func TestLooseLinkPadsArguments(t *testing.T) {
	mods := modules(t, callsWithOne, definedWithThree, callsWithOne)
	mods[2].Funcs[1].Name = "k2"
	if _, err := Link(mods...); err == nil {
		t.Error("Link takes it, too")
	}
	m, warnings, err := LinkLoosely(mods...)
	if err != nil {
		t.Fatal(err)
	}
	const want = "a.ptx:2:31: f is (.u64) -> (.b32) here and (.u64, .u32, .f64) -> (.b32) there, at b.ptx:1:32: parameters that are not passed are zero here, and anything on a GPU"
	if len(warnings) != 2 || warnings[0].Error() != want {
		t.Errorf("%d warnings, the first %v; want two, %s", len(warnings), warnings, want)
	}
	text := Format(m)
	again, err := Parse("again.ptx", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var code []string
	f := again.Func("f$2")
	for pc := range f.Code {
		code = append(code, f.Text(pc))
	}
	const body = "ld.param.b64 %v, [f$2_p0]; st.param.b64 [f$2_a0], %v; st.param.b32 [f$2_a1], 0; st.param.b64 [f$2_a2], 0; call (f$2_b0), f, (f$2_a0, f$2_a1, f$2_a2); ld.param.b32 %v, [f$2_b0]; st.param.b32 [f$2_r0], %v; ret;"
	if got := strings.Join(code, " "); got != body {
		t.Errorf("code\n%s, want\n%s", got, body)
	}
}

// TestLooseLinkAcceptsAnyName: a function may have any name.
func TestLooseLinkAcceptsAnyName(t *testing.T) {
	for _, name := range []string{"a0", "b0", "p0", "r0", "f$2_a0"} {
		named := strings.NewReplacer(" f ", " "+name+" ", " f,", " "+name+",").Replace
		if _, _, err := LinkLoosely(modules(t, named(callsWithOne), named(definedWithThree))...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLooseLinkReportsOtherDifferences: other differences are errors, as in Link.
func TestLooseLinkReportsOtherDifferences(t *testing.T) {
	for _, pair := range [][2]string{
		{".extern .func f(.param .b32 a, .param .b32 b);", ".visible .func f(.param .b32 a) { ret; }"},
		{".extern .func f(.param .b32 a);", ".visible .func f(.param .b64 a, .param .b32 b) { ret; }"},
		{".extern .func f(.param .b32 a);", ".visible .func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }"},
		{".extern .func f(.param .b32 a);", ".visible .func f(.param .b32 a, .param .b8 b[8]) { ret; }"},
		{".extern .func f(.param .b32 a);", ".visible .func f(.param .b32 a, .param .b128 b) { ret; }"},
		{".extern .func f(.reg .b32 a);", ".visible .func f(.reg .b32 a, .reg .b32 b) { ret; }"},
	} {
		if _, _, err := LinkLoosely(modules(t, pair[0], pair[1])...); err == nil || strings.HasPrefix(err.Error(), "simtrun bug") {
			t.Errorf("%s and %s: %v", pair[0], pair[1], err)
		}
	}
}
