package flow_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/flow"
)

// TestLiveIn: the registers that must start with a known value, found by looking
// at the code.
func TestLiveIn(t *testing.T) {
	const f = ".func (.reg .u32 res) f(.reg .u32 a) {"
	for _, c := range []struct{ name, src, want string }{
		{"written first", ".entry k() { mov.u32 %r1, 1; add.u32 %r2, %r1, %r1; }", ""},
		{"read first", ".entry k() { add.u32 %r2, %r1, 1; }", "%r1"},
		{"read and written by one instruction", ".entry k() { add.u32 %r1, %r1, 1; }", "%r1"},
		{"written under a guard", ".entry k() { setp.eq.u32 %p1, 1, 2; @%p1 mov.u32 %r1, 1; add.u32 %r2, %r1, 1; }", "%r1"},
		{"a guard", ".entry k() { @%p1 mov.u32 %r1, 1; }", "%p1"},
		{"an address and an element", ".entry k() { st.global.v2.u32 [%rd1], {%r1, 2}; }", "%r1 %rd1"},
		{"written on one side", ".entry k() { setp.eq.u32 %p1, 1, 2; @%p1 bra L; mov.u32 %r1, 1; L: add.u32 %r2, %r1, 1; }", "%r1"},
		{"written on both sides", ".entry k() { setp.eq.u32 %p1, 1, 2; @%p1 bra E; mov.u32 %r1, 1; bra J; E: mov.u32 %r1, 2; J: add.u32 %r2, %r1, 1; }", ""},
		{"written later in a loop", ".entry k() { setp.eq.u32 %p1, 1, 2; L: add.u32 %r2, %r1, 1; mov.u32 %r1, 1; @%p1 bra L; }", "%r1"},
		{"where no path leads", ".entry k() { exit; add.u32 %r2, %r1, 1; }", ""},
		{"what a call gets", f + "ret; }\n.entry k() { call (%r1), f, (%r2); add.u32 %r3, %r1, 1; }", "%r2"},
		{"what a call gives", f + "ret; }\n.entry k() { call (%r1), f, (2); add.u32 %r3, %r1, 1; }", ""},
		{"what a guarded call gives", f + "ret; }\n.entry k() { setp.eq.u32 %p1, 1, 2; @%p1 call (%r1), f, (2); add.u32 %r3, %r1, 1; }", "%r1"},
		{"a parameter, and a result that is written", f + "mov.u32 res, a; ret; }", "a"},
		{"a result that is never written", f + "ret; }", "res"},
		{"a result written behind a guarded return", f + "setp.eq.u32 %p1, 1, 2; @%p1 ret; mov.u32 res, 1; }", "res"},
		{"a result not written where the code ends", f + "setp.eq.u32 %p1, 1, 2; @%p1 bra L; mov.u32 res, 1; L: }", "res"},
		{"a result not written where lanes end", f + "setp.eq.u32 %p1, 1, 2; @%p1 bra L; mov.u32 res, 1; ret; L: exit; }", ""},
	} {
		mod, err := asm.Parse("k.s", []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		fn := mod.Funcs[len(mod.Funcs)-1]
		var got []string
		for _, id := range flow.New(fn).LiveIn(fn) {
			got = append(got, fn.Regs[id].Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
