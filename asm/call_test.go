package asm

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

// The functions called in the following tests.
const callees = `
.func (.param .b32 r) f(.param .b64 a, .param .f32 b);
.func (.reg .u32 r) g(.reg .u32 a) { add.u32 r, a, 1; ret; }
.func h();
`

// TestPartsOfCallMayBeMissing: every part except the function may be missing.
func TestPartsOfCallMayBeMissing(t *testing.T) {
	got, k := text(t, callees+`.entry k() {
	.param .b64 a;
	.param .b32 r, b;
	call h;
	call.uni h, ();
	call (), h, ();
	@!%p1 call (_), f, (a, b);
	call (r), f, (%rd1, 1.5);
	call (%r1), f, (16, 0f40490FDB);
	call (%r1), g, (%r2);
	call (r), g, (b);
	call %rd1, proto;
	call %r1, (), proto;
	proto: .callprototype _;
}`)
	want := lines(
		"call h;",
		"call.uni h;",
		"call h;",
		"@!%p1 call (_), f, (a, b);",
		"call (r), f, (%rd1, 0f3FC00000);",
		"call (%r1), f, (16, 0f40490FDB);",
		"call (%r1), g, (%r2);",
		"call (r), g, (b);",
		"call %rd1, (), proto;",
		"call %r1, (), proto;",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	in := &k.Code[4]
	wantCall := &isa.Call{
		Rets: []isa.Operand{{Kind: isa.SymOperand, Reg: isa.NoReg, Sym: "r"}},
		Args: []isa.Operand{{Kind: isa.RegOperand, Reg: 1}, {Kind: isa.ImmOperand, Reg: isa.NoReg, Lit: isa.F32Lit, Bits: 0x3fc00000}},
	}
	if diff := cmp.Diff(wantCall, in.Call, sameModule); diff != "" {
		t.Error(diff)
	}
	wantArgs := []isa.Operand{{Kind: isa.SymOperand, Reg: isa.NoReg, Sym: "f"}}
	if diff := cmp.Diff(wantArgs, in.Args, sameModule); diff != "" {
		t.Error(diff)
	}
}

// TestParamVariablesMayRepeatPerCall: clang declares the same names for each call.
func TestParamVariablesMayRepeatPerCall(t *testing.T) {
	got, k := text(t, callees+`.entry k() {
	{
	.param .b64 param0;
	.param .b32 param1;
	.param .b32 retval0;
	st.param.b64 [param0], %rd1;
	call.uni (retval0), f, (param0, param1);
	ld.param.b32 %r1, [retval0];
	}
	{
	.param .b64 param0;
	.param .align 16 .b8 param1[4];
	.param .b32 retval0;
	st.param.b64 [param0], %rd2;
	st.param.b32 [param1+0], %r1;
	call.uni (retval0), f, (param0, param1);
	ld.param.b32 %r2, [retval0];
	}
}`)
	want := lines(
		"st.param.b64 [param0], %rd1;",
		"call.uni (retval0), f, (param0, param1);",
		"ld.param.b32 %r1, [retval0];",
		"st.param.b64 [param0$1], %rd2;",
		"st.param.b32 [param1$1], %r1;",
		"call.uni (retval0$1), f, (param0$1, param1$1);",
		"ld.param.b32 %r2, [retval0$1];",
	)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, v := range k.Vars {
		names = append(names, v.Name)
	}
	if diff := cmp.Diff([]string{"param0", "param1", "retval0", "param0$1", "param1$1", "retval0$1"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestRegisterParametersBelongToFunction: parameters in registers are registers of the function, results first, whether
// or not its code uses them.
func TestRegisterParametersBelongToFunction(t *testing.T) {
	m := parse(t, `.func (.reg .u32 r, .reg .f64 unused) f(.reg .u64 a, .param .b32 b, .reg .b16 c) { mov.u32 %r1, 1; ret; }`)
	checkIdentity(t, m)
	f := m.Func("f")
	want := []isa.Reg{{Name: "r", Type: isa.U32}, {Name: "unused", Type: isa.F64}, {Name: "a", Type: isa.U64}, {Name: "c", Type: isa.B16}, {Name: "%r1", Type: isa.B32}}
	if diff := cmp.Diff(want, f.Regs); diff != "" {
		t.Error(diff)
	}
	var spaces []isa.Space
	for _, v := range append(f.Returns, f.Params...) {
		spaces = append(spaces, v.Space)
	}
	if diff := cmp.Diff([]isa.Space{isa.RegSpace, isa.RegSpace, isa.RegSpace, isa.Param, isa.RegSpace}, spaces); diff != "" {
		t.Error(diff)
	}
}

func TestPrototypesFollowScopes(t *testing.T) {
	m := parse(t, callees+`.entry k() {
	call (%r1), %rd1, (%rd2, %f1), first; // before it is declared
	first: .callprototype (.param .b32 _) _ (.param .b64 _, .param .f32 _);
	{
		first: .callprototype ()_ (.param .align 8 .b8 _[24]) .noreturn;
		.param .align 8 .b8 s[24];
		call %rd1, (s), first;
	}
	again: .calltargets g;
	call (%r1), %r2, (%r3), again;
}`)
	checkIdentity(t, m)
	b32 := &isa.Var{Name: "_", Space: isa.Param, Type: isa.B32, Vec: 1, Count: 1, Align: 4}
	b64 := &isa.Var{Name: "_", Space: isa.Param, Type: isa.B64, Vec: 1, Count: 1, Align: 8}
	f32 := &isa.Var{Name: "_", Space: isa.Param, Type: isa.F32, Vec: 1, Count: 1, Align: 4}
	s := &isa.Var{Name: "_", Space: isa.Param, Type: isa.B8, Vec: 1, Count: 24, Array: true, Align: 8}
	g := m.Func("g")
	k := m.Entry("k")
	want := []*isa.Prototype{
		{Name: "first", Returns: []*isa.Var{b32}, Params: []*isa.Var{b64, f32}},
		{Name: "first$1", Params: []*isa.Var{s}, NoReturn: true},
		{Name: "again", Returns: g.Returns, Params: g.Params, Targets: []string{"g"}},
	}
	if diff := cmp.Diff(want, k.Protos, sameModule); diff != "" {
		t.Error(diff)
	}
	var used []string
	for i := range k.Code {
		used = append(used, k.Code[i].Call.Proto)
	}
	if diff := cmp.Diff([]string{"first", "first$1", "again"}, used); diff != "" {
		t.Error(diff)
	}
}

// TestBranchTargetListsAreResolved: lists may follow the branch, contain a label twice, and be a range.
func TestBranchTargetListsAreResolved(t *testing.T) {
	_, k := text(t, `.entry k() {
	brx.idx %r1, list;
	list: .branchtargets A, N<2>, A;
A:	{
		list: .branchtargets A;
		@%p1 brx.idx.uni %r1, list;
		unused: .branchtargets A;
	A:	ret;
	}
N0: N1:	exit;
}`)
	targets := func(pc int) (name string, pcs []int) {
		table := k.Code[pc].Args[1]
		if table.Kind != isa.TableOperand {
			t.Fatalf("%s: operand kind %v", k.Text(pc), table.Kind)
		}
		for _, e := range table.Elems {
			pcs = append(pcs, k.Labels[e.Label()].PC)
		}
		return table.Sym, pcs
	}
	for pc, want := range []struct {
		name string
		pcs  []int
	}{{"list", []int{1, 3, 3, 1}}, {"list$1", []int{2}}} {
		name, pcs := targets(pc)
		if name != want.name || !cmp.Equal(pcs, want.pcs) {
			t.Errorf("%s: list %s to %v, want %s to %v", k.Text(pc), name, pcs, want.name, want.pcs)
		}
	}
}

func TestAliasesNameTheirTarget(t *testing.T) {
	m := parse(t, `
.visible .func (.param .b32 r) declared(.param .b32 a);
.alias declared, target;
.func (.param .b32 r) target(.param .b32 a) { ret; }
.alias undeclared, target;
.global .u64 p = undeclared;
.entry k() { call (%r1), declared, (%r2); call (%r1), undeclared, (%r2); }`)
	checkIdentity(t, m)
	want := []isa.Alias{{Name: "declared", Target: "target"}, {Name: "undeclared", Target: "target"}}
	if diff := cmp.Diff(want, m.Aliases, sameModule); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"declared", "undeclared"} {
		if f := m.Func(name); f == nil || !f.Defined || f.Name != "target" {
			t.Errorf("%s is %v, want target", name, f)
		}
	}
}

// TestDeclaredKernelIsNotRunnable: a declaration is not a kernel that could run.
func TestDeclaredKernelIsNotRunnable(t *testing.T) {
	m := parse(t, ".visible .entry k(.param .u32 n);\n.visible .entry k(.param .u32 n) { ret; }\n.entry never(.param .u32 n);")
	checkIdentity(t, m)
	if k := m.Entry("k"); k == nil || !k.Defined {
		t.Errorf("k is %v", k)
	}
	if n := len(m.Entries()); n != 1 {
		t.Errorf("%d kernels, want 1", n)
	}
}
