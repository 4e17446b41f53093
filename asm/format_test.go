package asm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/short"
)

// sameModule compares the meaning of modules: positions change with the text, and rows of the table are compared by
// name.
var sameModule = cmp.Options{
	cmpopts.IgnoreTypes(isa.Pos{}, (*isa.Inlined)(nil), (*isa.Debug)(nil)), cmpopts.IgnoreFields(isa.Operand{}, "Line", "Col"), cmpopts.IgnoreFields(isa.Init{}, "Cut"),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *isa.Spec) bool { return a == b }),
}

// checkIdentity formats m, parses the result, and repeats this. Module and text must stay the same.
func checkIdentity(t *testing.T, m *isa.Module) {
	t.Helper()
	text := Format(m)
	again, err := Parse(m.Name, []byte(text))
	if err != nil {
		t.Fatalf("formatted text does not parse: %v\n%s", err, text)
	}
	want := *m
	if want.Version == "" { // TestFormatWritesAHeaderThatFits checks the version written then
		want.Version = again.Version
		if v, ok := isa.ParseVersion(again.Version); !ok || v < defaultVersion || v < hiddenVersion && strings.Contains(text, ".hidden ") {
			t.Errorf("version %s", again.Version)
		}
	}
	if want.Target == "" {
		want.Target = again.Target
	}
	if diff := cmp.Diff(&want, again, sameModule); diff != "" {
		t.Errorf("formatted text is another module (-source +formatted):\n%s\n%s", diff, text)
	}
	if diff := cmp.Diff(text, Format(again)); diff != "" {
		t.Errorf("formatting is not stable:\n%s", diff)
	}
}

func parseFile(t *testing.T, file string) *isa.Module {
	t.Helper()
	src, err := packed.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(src))
}

func parse(t *testing.T, src string) *isa.Module {
	t.Helper()
	m, err := Parse("x.s", []byte(src))
	if err != nil {
		t.Fatalf("%s\nin\n%s", err, src)
	}
	return m
}

func TestFormatIsIdentity(t *testing.T) {
	short.Alternates(t, 1, 3)
	for _, file := range []string{"../internal/workloads/workloads.ptx.gz", "testdata/odd.ptx"} {
		t.Run(file, func(t *testing.T) { checkIdentity(t, parseFile(t, file)) })
	}
}

func TestFormatMatchesGoldenText(t *testing.T) {
	m := parse(t, `
.global .u32 x[3] = {1, 2};
.entry k(.param .u64 p, .param .u32 n) .maxntid 64 {
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1|%p2, %r1, 7;
	@!%p1 bra L;
	{ .reg .b32 t; mov.u32 t, x; }
	{ .reg .b32 t; mov.u32 t, -1; }
	fma.rn.f32 %f1, 1.5, %f2, %f3;
L:	ret;
}`)
	want := `.version 8.0
.target sm_80
.address_size 64

.global .u32 x[3] = {1, 2};

.visible .entry k(
	.param .u64 p,
	.param .u32 n
)
.maxntid 64, 1, 1
{
	.reg .b32 %r<2>;
	.reg .pred %p<3>;
	.reg .b32 t, t$1;
	.reg .f32 %f<4>;

	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1|%p2, %r1, 7;
	@!%p1 bra L;
	mov.u32 t, x;
	mov.u32 t$1, -1;
	fma.rn.f32 %f1, 0f3FC00000, %f2, %f3;
L:
	ret;
}
`
	if diff := cmp.Diff(want, Format(m)); diff != "" {
		t.Error(diff)
	}
}

// TestHexadecimalStaysHexadecimal: a constant written in hexadecimal stays hexadecimal.
func TestHexadecimalStaysHexadecimal(t *testing.T) {
	for _, text := range []string{
		"and.b32 %r1, %r2, 0xff00ff00;", "mov.u64 %rd1, 0xffffffffffffffff;", "ld.global.u32 %r1, [%rd1+0x10];", "ld.const.u32 %r1, [0x40];",
		"mov.v2.u32 {%r1, %r2}, {0x1, 2};", "mov.u32 %r1, 255;", "mov.u32 %r1, -16;", "ld.global.u32 %r1, [%rd1+-16];",
	} {
		m := parse(t, ".global .u32 x[2] = {0xdeadbeef, 7};\n.entry k() { "+text+" }")
		if got := m.Funcs[0].Text(0); got != text {
			t.Errorf("%s became %s", text, got)
		}
		if got := declaration(m.Vars[0]); got != ".global .u32 x[2] = {0xdeadbeef, 7}" {
			t.Error(got)
		}
		checkIdentity(t, m)
	}
	for text, want := range map[string]string{
		"mov.u32 %r1, 0x10+1;":                 "mov.u32 %r1, 17;",
		"mov.u32 %r1, -0x10;":                  "mov.u32 %r1, -16;",
		"mov.u32 %r1, 0XFF;":                   "mov.u32 %r1, 0xff;",
		"ld.global.u32 %r1, [%rd1+0x10+4];":    "ld.global.u32 %r1, [%rd1+20];",
		"ld.global.u32 %r1, [%rd1-0x10];":      "ld.global.u32 %r1, [%rd1+-16];",
		"mov.u32 %r1, 0b11;":                   "mov.u32 %r1, 3;",
		"@%p1 lop3.b32 %r1,%r2,%r3,%r4, 0x96;": "@%p1 lop3.b32 %r1, %r2, %r3, %r4, 0x96;",
	} {
		if got := parse(t, ".entry k() { "+text+" }").Funcs[0].Text(0); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}
