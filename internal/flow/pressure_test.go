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

// TestPressureCountsLiveRegisters: the registers that are live at once, counted by hand.
func TestPressureCountsLiveRegisters(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      int
	}{
		{"nothing", ".entry k() { exit; }", 0},
		{"one after the other", ".entry k() { mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; st.global.u32 [0], %r3; }", 1},
		{"two sources", ".entry k() { mov.u32 %r1, 1; mov.u32 %r2, 1; add.u32 %r3, %r1, %r2; st.global.u32 [0], %r3; }", 2},
		{"a source that is read again", ".entry k() { mov.u32 %r1, 1; add.u32 %r2, %r1, 1; add.u32 %r3, %r1, %r2; st.global.u32 [0], %r3; }", 2},
		{"a result that nothing reads", ".entry k() { mov.u32 %r1, 1; mov.u32 %r2, 1; st.global.u32 [0], %r1; }", 2},
		{"64 bits", ".entry k() { mov.u64 %rd1, 1; add.u64 %rd2, %rd1, 1; st.global.u64 [%rd1], %rd2; }", 4},
		{"predicates", ".entry k() { setp.eq.u32 %p1, 1, 2; setp.eq.u32 %p2, 1, 2; @%p1 bra L; @%p2 bra L; L: }", 0},
		{"written under a guard", ".entry k() { mov.u32 %r1, 1; setp.eq.u32 %p1, 1, 2; mov.u32 %r2, 1; @%p1 mov.u32 %r1, 2; st.global.u32 [0], %r1; st.global.u32 [0], %r2; }", 2},
		{"a vector", ".entry k() { ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [0]; st.global.v2.u32 [0], {%r1, %r4}; }", 4},
		{"past a block", ".entry k() { mov.u32 %r1, 1; setp.eq.u32 %p1, 1, 2; @%p1 bra L; mov.u32 %r2, 1; mov.u32 %r3, 2; add.u32 %r2, %r2, %r3; st.global.u32 [0], %r2; L: st.global.u32 [0], %r1; }", 3},
		{"around a loop", ".entry k() { mov.u32 %r1, 1; mov.u32 %r2, 2; L: add.u32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 2; @%p1 bra L; st.global.u32 [0], %r2; }", 3},
		{"on one side only", ".entry k() { mov.u32 %r1, 1; mov.u32 %r2, 1; setp.eq.u32 %p1, 1, 2; @%p1 bra L; add.u32 %r3, %r1, %r2; add.u32 %r4, %r1, %r3; st.global.v4.u32 [0], {%r1, %r2, %r3, %r4}; exit; L: st.global.u32 [0], %r2; }", 4},
		{"where no path leads", ".entry k() { exit; mov.u32 %r1, 1; st.global.u32 [0], %r1; }", 0},
		{"what a call passes", ".func (.reg .u32 res) f(.reg .u32 a) { mov.u32 res, a; ret; }\n.entry k() { mov.u32 %r1, 1; mov.u32 %r2, 1; call (%r3), f, (%r1); add.u32 %r3, %r3, %r2; st.global.u32 [0], %r3; }", 2},
		{"a result that nothing writes", ".func (.reg .u32 res) f() { mov.u32 %r1, 1; }", 2},
	} {
		fn := parse(t, c.src)
		if got := flow.New(fn).Pressure(fn, nil); got != c.want {
			t.Errorf("%s: %d registers, want %d", c.name, got, c.want)
		}
	}
}

func TestPressureOmitsFreeRegisters(t *testing.T) {
	fn := parse(t, ".entry k() { mov.u32 %r1, 1; mov.u64 %rd1, 1; st.global.u32 [%rd1], %r1; }")
	free := make([]bool, len(fn.Regs))
	for id, r := range fn.Regs {
		free[id] = r.Name == "%rd1"
	}
	if got := flow.New(fn).Pressure(fn, free); got != 1 {
		t.Errorf("%d registers, want 1", got)
	}
}

func parse(t *testing.T, src string) *isa.Func {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return mod.Funcs[len(mod.Funcs)-1]
}

// TestPressureMatchesLiveSets compares with sets of live registers at every PC.
func TestPressureMatchesLiveSets(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		src := randomCode(rnd, 5+rnd.IntN(60), 1+rnd.IntN(150))
		fn := parse(t, src)
		g := flow.New(fn)
		want := pressureBySets(g, fn)
		if got, want := g.Pressure(fn, nil), slices.Max(want); got != want {
			t.Fatalf("%d registers, want %d, in\n%s", got, want, src)
		}
		if diff := cmp.Diff(want, g.Live(fn, nil)); diff != "" {
			t.Fatalf("(-want +got):\n%s in\n%s", diff, src)
		}
	}
}

// randomCode returns n instructions on this many registers of 32 and of 64 bits: a kernel, or a function with results
// in registers that code may not use.
func randomCode(rnd *rand.Rand, n, registers int) string {
	var b strings.Builder
	b.WriteString([]string{".entry k() {\n", ".func (.reg .u32 %r0, .reg .u64 %rd1) f() {\n"}[rnd.IntN(2)])
	reg := func(kind string) string { return fmt.Sprintf("%%%s%d", kind, rnd.IntN(registers)) }
	for i := range n {
		fmt.Fprintf(&b, "L%d: ", i)
		switch rnd.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "@%%p1 bra L%d;\n", rnd.IntN(n))
		case 1:
			fmt.Fprintf(&b, "@%%p1 add.u32 %s, %s, 1;\n", reg("r"), reg("r"))
		case 2:
			fmt.Fprintf(&b, "cvt.u64.u32 %s, %s;\n", reg("rd"), reg("r"))
		case 3:
			fmt.Fprintf(&b, "st.global.u32 [%s], %s;\n", reg("rd"), reg("r"))
		default:
			fmt.Fprintf(&b, "add.u32 %s, %s, %s;\n", reg("r"), reg("r"), reg("r"))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// registers is a set of registers.
type registers = map[isa.RegID]bool

// liveBySets returns by PC, and for the end of the code, the registers that are live there. It follows the definition
// of liveness, instruction by instruction.
func liveBySets(g *flow.Graph, fn *isa.Func) []registers {
	in := make([]registers, len(fn.Code)+1)
	for pc := range in {
		in[pc] = make(registers)
	}
	for _, r := range fn.RegsOf(fn.Returns) {
		in[len(fn.Code)][r] = true
	}
	for changed := true; changed; {
		changed = false
		for pc := len(fn.Code) - 1; pc >= 0; pc-- {
			before := liveBehind(g, in, pc)
			for ref := range fn.Code[pc].Refs {
				if ref.Role.Writes() && ref.Sure {
					delete(before, ref.Reg)
				}
			}
			for ref := range fn.Code[pc].Refs {
				if !ref.Role.Writes() {
					before[ref.Reg] = true
				}
			}
			changed = changed || len(before) > len(in[pc])
			in[pc] = before
		}
	}
	return in
}

// liveBehind returns the registers that are live after an instruction, given those at each PC.
func liveBehind(g *flow.Graph, in []registers, pc int) registers {
	b := &g.Blocks()[g.BlockOf(pc)]
	if pc < b.End-1 {
		return maps.Clone(in[pc+1])
	}
	out := make(registers)
	for _, next := range b.Succ {
		maps.Copy(out, in[g.Blocks()[next].Start])
	}
	return out
}

// pressureBySets is Graph.Live by the definition of liveness.
func pressureBySets(g *flow.Graph, fn *isa.Func) []int {
	weight := func(s registers) (n int) {
		for r := range s {
			if t := fn.Regs[r].Type; t != isa.Pred {
				n += max(1, t.Bits()/32)
			}
		}
		return n
	}
	in, most := liveBySets(g, fn), make([]int, len(fn.Code))
	for pc := range most {
		if g.Region(g.BlockOf(pc)) == flow.None {
			continue
		}
		behind := liveBehind(g, in, pc)
		for ref := range fn.Code[pc].Refs {
			if ref.Role.Writes() {
				behind[ref.Reg] = true
			}
		}
		most[pc] = max(weight(behind), weight(in[pc]))
	}
	return most
}
