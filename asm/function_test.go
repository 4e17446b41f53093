package asm

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// text returns the code of the only kernel, one instruction a line, with labels.
func text(t *testing.T, src string) (string, *isa.Func) {
	t.Helper()
	m := parse(t, src)
	checkIdentity(t, m)
	k := m.Entries()[0]
	var b strings.Builder
	for pc := 0; pc <= len(k.Code); pc++ {
		for _, l := range k.Labels {
			if l.PC == pc {
				b.WriteString(l.Name + ":\n")
			}
		}
		if pc < len(k.Code) {
			b.WriteString(k.Text(pc) + "\n")
		}
	}
	return b.String(), k
}

func lines(s ...string) string { return strings.Join(s, "\n") + "\n" }

func TestInnerDeclarationsShadowOuter(t *testing.T) {
	got, k := text(t, `
.global .u32 t;
.entry k() {
	.reg .b32 a, b;
	.shared .u32 s;
	mov.u32 a, 1;
	{
		.reg .f32 a;
		.shared .u32 s, t;
		mov.f32 a, 1.0;
		mov.u32 b, s;
		{ .reg .b32 a; mov.u32 a, t; bra L; }
	L:	bra L;
	}
	mov.u32 a, s;
	{ .reg .b32 c; mov.u32 c, t; L: bra L; }
L:	bra L;
}`)
	want := lines(
		"mov.u32 a, 1;",
		"mov.f32 a$1, 0f3F800000;",
		"mov.u32 b, s$1;",
		"mov.u32 a$2, t$1;",
		"bra L;",
		"L:",
		"bra L;",
		"mov.u32 a, s;",
		"mov.u32 c, t;",
		"L$1:",
		"bra L$1;",
		"L$2:",
		"bra L$2;",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantRegs := []isa.Reg{{Name: "a", Type: isa.B32}, {Name: "a$1", Type: isa.F32}, {Name: "b", Type: isa.B32}, {Name: "a$2", Type: isa.B32}, {Name: "c", Type: isa.B32}}
	if diff := cmp.Diff(wantRegs, k.Regs); diff != "" {
		t.Error(diff)
	}
}

// TestGeneratedNamesAreUnique: a name that Parse generates is not used in the source.
func TestGeneratedNamesAreUnique(t *testing.T) {
	got, _ := text(t, `.entry k() {
	{ .reg .b32 a; mov.u32 a, 1; }
	{ .reg .b32 a$1; mov.u32 a$1, 2; }
	{ .reg .b32 a; mov.u32 a, 3; }
	{ .reg .b32 a; mov.u32 a, 4; }
}`)
	want := lines("mov.u32 a, 1;", "mov.u32 a$1, 2;", "mov.u32 a$2, 3;", "mov.u32 a$3, 4;")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMissingDeclarationsAreAdded(t *testing.T) {
	_, k := text(t, `.entry k() {
	mov.u16 %rs1, 1;
	mov.u32 %r7, 1;
	mov.u64 %rd1, 1;
	mov.f32 %f1, 1.0;
	mov.f64 %fd1, 1.0;
	setp.eq.u32 %p1, %r7, 1;
}`)
	want := []isa.Reg{
		{Name: "%rs1", Type: isa.B16}, {Name: "%r7", Type: isa.B32}, {Name: "%rd1", Type: isa.B64},
		{Name: "%f1", Type: isa.F32}, {Name: "%fd1", Type: isa.F64}, {Name: "%p1", Type: isa.Pred},
	}
	if diff := cmp.Diff(want, k.Regs); diff != "" {
		t.Error(diff)
	}
}

// TestSugarEndsWithADeclaration: if any register of a prefix is declared, undeclared ones are errors in all scopes;
// other prefixes are not affected.
func TestSugarEndsWithADeclaration(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{".reg .b32 %r<3>; mov.u32 %r3, 1;", "%r3 is not declared; .reg .b32 %r<3> declares %r0 to %r2"},
		{".reg .b32 %r1; mov.u32 %r2, 1;", "%r2 is not declared; where a function declares one of the registers %r, it declares all of them"},
		{"{ .reg .b32 %r1; } mov.u32 %r2, 1;", "%r2 is not declared"},
		{".reg .b32 %r1; mov.f32 %f1, 1.0;", ""},
		{"mov.u32 %x1, 1;", "%x1 is not declared"},
		{"mov.u32 %r01, 1;", "%r01 is not declared"},
		{"mov.u32 %r, 1;", "%r is not declared"},
	} {
		errs := parseErrors(t, []byte(".entry k() { "+c.src+" }"))
		switch {
		case c.want == "" && len(errs) > 0:
			t.Errorf("%s: %v", c.src, errs)
		case c.want != "" && (len(errs) != 1 || !strings.HasPrefix(errs[0].Msg, c.want)):
			t.Errorf("%s: %v, want %s", c.src, errs, c.want)
		}
	}
}

func TestRegistersCountFromFirstUse(t *testing.T) {
	_, k := text(t, `.entry k() {
	.reg .b32 %r<100000>, unused;
	mov.u32 %r99999, %r5;
	mov.u32 %r5, %r7;
}`)
	want := []isa.Reg{{Name: "%r99999", Type: isa.B32}, {Name: "%r5", Type: isa.B32}, {Name: "%r7", Type: isa.B32}}
	if diff := cmp.Diff(want, k.Regs); diff != "" {
		t.Error(diff)
	}
}

func TestOperandsKeepTheirShape(t *testing.T) {
	got, k := text(t, `
.global .u32 x[4];
.entry k(.param .u64 p) {
	setp.lt.s32 %p1|%p2, %r1, 5;
	setp.lt.and.s32 %p1|_, %r1, 5, !%p2;
	setp.lt.s32 %p1, %r1, 5;
	@!%p1 ld.global.v4.u32 {%r1, _, %r2, %r3}, [%rd1 - 4 * 2 + 1];
	ld.global.u32 %r1, [x+(1<<2)];
	ld.global.u32 %r1, [x-4];
	ld.shared.u32 %r1, [WARP_SZ*4];
	ld.param.u64 %rd1, [p];
	mov.u64 %rd1, x+8;
	mov.b64 %rd1, {%r1, %r2};
	mov.u32 %r1, %laneid;
	bar.sync 0;
}`)
	want := lines(
		"setp.lt.s32 %p1|%p2, %r1, 5;",
		"setp.lt.and.s32 %p1|_, %r1, 5, !%p2;",
		"setp.lt.s32 %p1, %r1, 5;",
		"@!%p1 ld.global.v4.u32 {%r1, _, %r2, %r3}, [%rd1+-7];",
		"ld.global.u32 %r1, [x+4];",
		"ld.global.u32 %r1, [x+-4];",
		"ld.shared.u32 %r1, [128];",
		"ld.param.u64 %rd1, [p];",
		"mov.u64 %rd1, x+8;",
		"mov.b64 %rd1, {%r1, %r2};",
		"mov.u32 %r1, %laneid;",
		"bar.sync 0;",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantKinds := [][]isa.OperandKind{
		{isa.RegOperand, isa.RegOperand, isa.RegOperand, isa.ImmOperand},
		{isa.RegOperand, isa.SinkOperand, isa.RegOperand, isa.ImmOperand, isa.RegOperand},
		{isa.RegOperand, isa.NoOperand, isa.RegOperand, isa.ImmOperand},
		{isa.VecOperand, isa.AddrOperand},
	}
	for pc, want := range wantKinds {
		var got []isa.OperandKind
		for _, a := range k.Code[pc].Args {
			got = append(got, a.Kind)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", k.Text(pc), diff)
		}
	}
}

// TestOldSpecialRegistersAreNarrow: special registers had 16 bits in PTX 1.x, and can be read as a vector with a fourth
// element of 0.
func TestOldSpecialRegistersAreNarrow(t *testing.T) {
	got, k := text(t, `.entry k() {
	mov.u16 %rs1, %tid.x;
	mov.b16 %rs1, %ctaid.x;
	cvt.u32.u16 %r1, %ntid.x;
	mov.u32 %r1, %gridid;
	mov.u64 %rd1, %gridid;
	mov.v4.u32 {%r1, %r2, %r3, _}, %nctaid;
	mov.pred %p1, %is_explicit_cluster;
	mov.u32 %r1, %envreg31;
	mov.u32 %r1, %tid.w;
	mov.u16 %rs1, %nctaid.w;
	add.u32 %r1, %r1, %cluster_ctaid.w;
}`)
	want := lines(
		"cvt.u16.u32 %rs1, %tid.x;",
		"cvt.u16.u32 %rs1, %ctaid.x;",
		"cvt.u32.u16 %r1, %ntid.x;",
		"cvt.u32.u64 %r1, %gridid;",
		"mov.u64 %rd1, %gridid;",
		"mov.v4.u32 {%r1, %r2, %r3, _}, %nctaid;",
		"mov.pred %p1, %is_explicit_cluster;",
		"mov.u32 %r1, %envreg31;",
		"mov.u32 %r1, 0;",
		"mov.u16 %rs1, 0;",
		"add.u32 %r1, %r1, 0;",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantVector := isa.Operand{Kind: isa.VecOperand, Special: isa.NctaidX, Reg: isa.NoReg, Elems: []isa.Operand{
		{Kind: isa.SpecialOperand, Special: isa.NctaidX, Reg: isa.NoReg},
		{Kind: isa.SpecialOperand, Special: isa.NctaidY, Reg: isa.NoReg},
		{Kind: isa.SpecialOperand, Special: isa.NctaidZ, Reg: isa.NoReg},
		{Kind: isa.ImmOperand, Reg: isa.NoReg},
	}}
	if diff := cmp.Diff(wantVector, k.Code[5].Args[1], sameModule); diff != "" {
		t.Error(diff)
	}
	if errs := parseErrors(t, []byte(".entry k() { mov.u32 %r1, %laneid.w; }")); len(errs) != 1 || errs[0].Msg != "%laneid.w is not declared; did you mean %laneid?" {
		t.Errorf("a fourth element of a scalar: %v", errs)
	}
	if errs := parseErrors(t, []byte(".entry k() { mov.u32 %tid.x, 1; }")); len(errs) != 1 || errs[0].Msg != "mov.u32: %tid.x cannot be written" {
		t.Errorf("written: %v", errs)
	}
}

// TestUnsupportedInstructionsAreKeptAsText: unsupported instructions load and are kept as text, with the unique names
// of registers.
func TestUnsupportedInstructionsAreKeptAsText(t *testing.T) {
	got, k := text(t, `.entry k() {
	.reg .b32 a;
	mov.u32 a, 1;
	{
		.reg .b32 a;
		.param .b32 p;
		@%p1 tcgen05.shift.y   (p), foo,
			( p, 5 );  // a comment
		tcgen05.shift a, p, 3;
		tcgen05.shift.2d.v4 {%f1, a, a, a}, [image, {%r1, %r2}];
	}
	tcgen05.shift.x _|%p1, -1;
}`)
	want := lines(
		"mov.u32 a, 1;",
		"@%p1 tcgen05.shift.y (p), foo, ( p, 5 );",
		"tcgen05.shift a$1, p, 3;",
		"tcgen05.shift.2d.v4 {%f1, a$1, a$1, a$1}, [image, {%r1, %r2}];",
		"tcgen05.shift.x _|%p1, -1;",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var later []string
	for _, in := range k.Code {
		later = append(later, in.Later)
		if in.Later != "" && len(in.Args) > 0 {
			t.Errorf("%s has operands", in.Raw)
		}
	}
	wantLater := []string{"", "tcgen05.shift.y is not supported yet", "tcgen05.shift is not supported yet", "tcgen05.shift.2d.v4 is not supported yet", "tcgen05.shift.x is not supported yet"}
	if diff := cmp.Diff(wantLater, later); diff != "" {
		t.Error(diff)
	}
}

// TestUnifiedIsAcceptedAndDropped: .unified after the address of a load is a hint that is accepted and dropped.
func TestUnifiedIsAcceptedAndDropped(t *testing.T) {
	m := parse(t, ".entry k() { ld.global.u32 %r1, [%rd1+4].unified; ld.v2.u32 {%r1, %r2}, [%rd1].unified; ret; }")
	if got := m.Funcs[0].Text(0); got != "ld.global.u32 %r1, [%rd1+4];" {
		t.Error(got)
	}
	if _, err := Parse("k.s", []byte(".entry k() { st.global.u32 [%rd1].unified, %r1; ret; }")); err == nil {
		t.Error("a store takes .unified")
	}
}

// TestVariablesCanBeDeclaredInRanges: variables of any state space can be declared in ranges, like registers (PTX ISA
// 5.4.5), without arrays and initialisers.
func TestVariablesCanBeDeclaredInRanges(t *testing.T) {
	const src = `.global .align 16 .u32 g<3>;
.entry k()
{
	.local .align 8 .b64 %%L<2>;
	{ .param .u32 %%P<2>; st.param.u32 [%%P1], 5; }
	st.local.u64 [%%L1], 4;
	st.global.u32 [g2], 7;
	%s
}`
	mod, err := Parse("k.s", fmt.Appendf(nil, src, ""))
	if err != nil {
		t.Fatal(err)
	}
	if len(mod.Vars) != 3 || mod.Vars[2].Name != "g2" || mod.Vars[2].Align != 16 || len(mod.Funcs[0].Vars) != 4 {
		t.Errorf("%d and %d variables", len(mod.Vars), len(mod.Funcs[0].Vars))
	}
	for _, wrong := range []string{".local .u32 a<2>[4];", ".shared .u32 s<0>;", ".global .u32 h<2> = 1;", ".local .u32 many<1000000>;"} {
		if _, err := Parse("k.s", fmt.Appendf(nil, src, wrong)); err == nil || !strings.Contains(err.Error(), "a range has 1 to 4096 variables, without arrays") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if _, err := Parse("k.s", fmt.Appendf(nil, src, "st.global.u32 [g3], 7;")); err == nil {
		t.Error("g3 is not declared")
	}
}

// TestLLVMRegistersNeedNoDeclaration: registers that LLVM names %h, %hh and %rq need no declaration, and canonical text
// has one.
func TestLLVMRegistersNeedNoDeclaration(t *testing.T) {
	const code = ".entry k()\n{\n%s\tadd.rn.f16 %%h1, %%h2, %%h2;\n\tadd.rn.f16x2 %%hh1, %%hh2, %%hh2;\n\tmov.b128 %%rq1, {%%rd1, %%rd2};\n\tret;\n}\n"
	bare := parse(t, fmt.Sprintf(code, ""))
	for _, want := range []string{".reg .b16 ", ".reg .b32 ", ".reg .b128 "} {
		if text := string(Format(bare)); !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %s", text, want)
		}
	}
	declared := parse(t, fmt.Sprintf(code, "\t.reg .f16 %h<3>;\n"))
	if got := declared.Funcs[0].Regs[0].Type; got != isa.F16 {
		t.Errorf("a declared one is %s", got)
	}
}
