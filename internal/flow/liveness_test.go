package flow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestLiveInRegistersAreFound: the registers that must start with a known value, found by reading the code.
func TestLiveInRegistersAreFound(t *testing.T) {
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
		for _, id := range flow.New(fn).LiveIn() {
			got = append(got, fn.Regs[id].Name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestLiveRegistersOfLoopsAreFound: the registers that are live where loops close, found by reading the code.
func TestLiveRegistersOfLoopsAreFound(t *testing.T) {
	const f = ".func (.reg .u32 res) f(.reg .u32 a) {"
	for _, c := range []struct{ name, src, want string }{
		{"no loop", ".entry k() { bra L; L: exit; }", ""},
		{"what is read first", ".entry k() { L: st.global.u32 [%rd1], %r1; bra L; }", "0: %r1 %rd1"},
		{"what is written first", ".entry k() { L: mov.u32 %r1, 1; st.global.u32 [0], %r1; bra L; }", "0:"},
		{"what nothing reads", ".entry k() { L: add.u32 %r2, %r1, 1; bra L; }", "0: %r1"},
		{"what only counts itself", ".entry k() { L: add.u32 %r1, %r1, 1; bra L; }", "0: %r1"},
		{"written under a guard", ".entry k() { L: @%p1 mov.u32 %r1, 1; st.global.u32 [0], %r1; bra L; }", "0: %p1 %r1"},
		{"read behind the loop", ".entry k() { L: setp.eq.u32 %p1, %r1, 0; @%p1 bra L; st.global.u32 [0], %r2; }", "0: %r1 %r2"},
		{"two loops", ".entry k() { L: mov.u32 %r1, 1; M: st.global.u32 [0], %r1; @%p1 bra M; @%p2 bra L; }", "0: %p1 %p2 1: %p1 %p2 %r1"},
		{"the result of a function", f + "mov.u32 res, a; L: @%p1 bra L; ret; }", "1: %p1 res"},
	} {
		fn := parse(t, c.src)
		if got := liveAtLoops(fn); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// liveAtLoops returns flow.Graph.LiveAtLoops as text.
func liveAtLoops(fn *isa.Func) string {
	at := flow.New(fn).LiveAtLoops()
	var all []string
	for _, pc := range slices.Sorted(maps.Keys(at)) {
		var names []string
		for _, id := range at[pc] {
			names = append(names, fn.Regs[id].Name)
		}
		slices.Sort(names)
		all = append(all, strings.Join(append([]string{fmt.Sprint(pc, ":")}, names...), " "))
	}
	return strings.Join(all, " ")
}

// TestLiveRegistersOfRandomLoopsMatchSets compares with sets of live registers at every PC. There are more registers
// than in one batch.
func TestLiveRegistersOfRandomLoopsMatchSets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		src := randomCode(rnd, 5+rnd.IntN(60), 1+rnd.IntN(150))
		fn := parse(t, src)
		g := flow.New(fn)
		want, sets := make(map[int][]isa.RegID), liveBySets(g, fn)
		for pc := range fn.Code {
			if g.Retreating(pc) {
				for _, to := range g.Blocks()[g.BlockOf(pc)].Succ {
					if at := g.Blocks()[to].Start; at <= pc {
						want[at] = slices.Sorted(maps.Keys(sets[at]))
					}
				}
			}
		}
		if diff := cmp.Diff(want, g.LiveAtLoops()); diff != "" {
			t.Fatalf("(-want +got):\n%s in\n%s", diff, src)
		}
	}
}
