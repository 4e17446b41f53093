package isa_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestRefsMatchTheText: the registers of instructions, read off the text by hand: guards with @, addresses in
// brackets, arguments and results of calls in parentheses. Results are after the arrow, with ? if a guard may leave
// them unchanged.
func TestRefsMatchTheText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"add.u32 %r1, %r2, %r2;", "%r2 %r2 -> %r1"},
		{"add.u32 %r1, %r1, 7;", "%r1 -> %r1"},
		{"@%p1 add.u32 %r1, %r2, %r3;", "@%p1 %r2 %r3 -> %r1?"},
		{"@!%p1 bra HERE;", "@%p1 ->"},
		{"mov.u32 %r1, %tid.x;", "-> %r1"},
		{"mov.u64 %rd1, var;", "-> %rd1"},
		{"mov.b64 %rd1, {%r1, %r2};", "%r1 %r2 -> %rd1"},
		{"mov.b64 {%r1, _}, %rd1;", "%rd1 -> %r1"},
		{"mov.v2.u32 {%r1, %r2}, {%r3, %ctaid.x};", "%r3 -> %r1 %r2"},
		{"ld.global.v4.u32 {%r1, %r2, %r3, %r1}, [%rd1+16];", "[%rd1] -> %r1 %r2 %r3 %r1"},
		{"ld.global.u32 %r1, [var+4];", "-> %r1"},
		{"@%p1 ld.global.L2::cache_hint.v2.u32 {%r1, %r2}, [%rd1], %rd2;", "@%p1 [%rd1] %rd2 -> %r1? %r2?"},
		{"st.global.v2.u32 [%rd1], {%r1, 5};", "[%rd1] %r1 ->"},
		{"st.global.u32 [%rd1], %r1+4;", "[%rd1] %r1 ->"},
		{"atom.global.cas.b32 %r1, [%rd1], %r2, %r3;", "[%rd1] %r2 %r3 -> %r1"},
		{"red.global.add.u32 [%rd1], %r2;", "[%rd1] %r2 ->"},
		{"setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;", "%r1 %r2 %p3 -> %p1 %p2"},
		{"setp.lt.u32 %p1, %r1, %r2;", "%r1 %r2 -> %p1"},
		{"lop3.or.b32 _|%p1, %r1, %r2, %r3, 0x3f, %p2;", "%r1 %r2 %r3 %p2 -> %p1"},
		{"shfl.sync.idx.b32 %r1|%p1, %r2, %r3, 31, %r4;", "%r2 %r3 %r4 -> %r1 %p1"},
		{"@%p1 shfl.sync.idx.b32 %r1|%p2, %r2, %r3, 31, -1;", "@%p1 %r2 %r3 -> %r1? %p2?"},
		{"bar.red.popc.u32 %r1, 0, %r2, %p1;", "%r2 %p1 -> %r1"},
		{"bar.warp.sync %r1;", "%r1 ->"},
		{"isspacep.global %p1, %rd1;", "%rd1 -> %p1"},
		{"brx.idx %r1, LIST;", "%r1 ->"},
		{"addc.cc.u32 %r1, %r2, %r3;", "%r2 %r3 -> %r1"},
		{"call (%r1), same, (%r2);", "(%r2) -> (%r1)"},
		{"@%p1 call (%r1), same, (7);", "@%p1 -> (%r1)?"},
		{"call (p0), bytes, (p1);", "->"},
		{"call (%r1), %rd1, (%r2), PROTO;", "%rd1 (%r2) -> (%r1)"},
		{"ret;", "->"},
		{"@%p1 exit;", "@%p1 ->"},
		{"@%p1 tcgen05.shift.x %r1, %r2;", "@%p1 ->"},
	} {
		mod, err := asm.Parse("k.ptx", []byte(`
.global .u32 var[4];
.func (.reg .u32 %res) same(.reg .u32 %a) { mov.u32 %res, %a; ret; }
.func (.param .b32 res) bytes(.param .b32 a) { ret; }
.entry k() {
	.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	.param .b32 p0; .param .b32 p1;
HERE:
LIST: .branchtargets HERE;
PROTO: .callprototype (.reg .u32 _) _ (.reg .u32 _);
	`+c.text+"\n}"))
		if err != nil {
			t.Fatal(err)
		}
		k := mod.Entry("k")
		if diff := cmp.Diff(c.want, refsText(k, &k.Code[0])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// refsText formats the registers of in as in TestRefsMatchTheText.
func refsText(f *isa.Func, in *isa.Instr) string {
	var reads, writes []string
	for ref := range in.Refs {
		text := f.Regs[ref.Reg].Name
		switch ref.Role {
		case isa.ReadGuard:
			text = "@" + text
		case isa.ReadAddress:
			text = "[" + text + "]"
		case isa.ReadArgument, isa.WriteCallResult:
			text = "(" + text + ")"
		}
		switch {
		case !ref.Role.Writes():
			reads = append(reads, text)
		case ref.Sure:
			writes = append(writes, text)
		default:
			writes = append(writes, text+"?")
		}
	}
	return strings.Join(append(append(reads, "->"), writes...), " ")
}

// TestReadSpecialRegistersAreFound: special registers are found in vectors, too, and only if they are read.
func TestReadSpecialRegistersAreFound(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(`.entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>;
		mov.v2.u32 {%r1, %r2}, {%tid.y, %ctaid.x};
		mad.lo.u32 %r1, %ntid.x, %r2, %laneid;
		ld.global.u32 %r1, [%rd1]; }`))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for i := range mod.Entry("k").Code {
		for s := range mod.Entry("k").Code[i].Specials {
			got += s.String() + " "
		}
	}
	if want := "%tid.y %ctaid.x %ntid.x %laneid "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReductionNamesTheRed: the instructions that have a red, and some that have none.
func TestReductionNamesTheRed(t *testing.T) {
	for text, want := range map[string]string{
		"add.s32 %r1, %r1, 1;": "red.global.add.s32", "add.s64 %rd1, %rd1, 1;": "red.global.add.u64", "add.f32 %f1, %f1, %f1;": "red.global.add.f32",
		"min.s64 %rd1, %rd1, 1;": "red.global.min.s64", "and.b32 %r1, %r1, 1;": "red.global.and.b32", "xor.b64 %rd1, %rd1, 1;": "red.global.xor.b64",
		"add.ftz.f32 %f1, %f1, %f1;": "", "min.f32 %f1, %f1, %f1;": "", "sub.s32 %r1, %r1, 1;": "", "add.u16x2 %r1, %r1, %r2;": "",
	} {
		mod, err := asm.Parse("k.ptx", []byte(".entry k() { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; "+text+" }"))
		if err != nil {
			t.Fatal(err)
		}
		in := &mod.Entry("k").Code[0]
		if got := in.Reduction(isa.Global); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		if got := in.Reduction(isa.Generic); got != strings.Replace(want, ".global", "", 1) {
			t.Errorf("%s: %q in a generic place", text, got)
		}
		if got := in.Reduction(isa.Local); got != "" {
			t.Errorf("%s: %q in local memory", text, got)
		}
	}
}

// TestRefsStopOnRequest: a caller that stops the iteration is not called again, at whatever point it stops.
func TestRefsStopOnRequest(t *testing.T) {
	mod, err := asm.Parse("k.ptx", []byte(`.entry k() { .reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
		@%p1 atom.global.cas.b32 %r1, [%rd1], %r2, %r3; }`))
	if err != nil {
		t.Fatal(err)
	}
	in := &mod.Entry("k").Code[0]
	for most := 1; most <= 5; most++ {
		seen := ""
		for ref := range in.Refs {
			if seen += fmt.Sprint(ref.Reg, " "); strings.Count(seen, " ") == most {
				break
			}
		}
		if got := strings.Count(seen, " "); got != most {
			t.Errorf("stopped after %d of %d", got, most)
		}
	}
}
