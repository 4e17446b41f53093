package cost_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// TestSelectionsAreGuarded: the assembler guards what only one side of a selection needs. In a loop that changes the
// register that the guarded shift reads, as in the code of collatz, a copy is left (docs/cost.md); elsewhere nothing.
func TestSelectionsAreGuarded(t *testing.T) {
	const before = ".entry k()\n{\n\tand.b32 %r2, %r1, 1;\n\tsetp.eq.b32 %p1, %r2, 1;\n\tmad.lo.s32 %r3, %r1, 3, 1;\n"
	for name, c := range map[string]struct {
		code string
		want []string // of the instruction in front of the selection, and of the selection
	}{
		"over the other value":         {"\tshr.u32 %r4, %r1, 1;\n\tselp.b32 %r5, %r3, %r4, %p1;", []string{"integer: %r1 %p1 %r3 -> %r4 (%p1)", ": %r4 -> %r5"}},
		"with a copy":                  {"\tshr.u32 %r4, %r1, 1;\n\tselp.b32 %r1, %r3, %r4, %p1;", []string{"integer: %r1 %p1 %r3 -> %r4 (%p1)", "integer: %r4 -> %r1"}},
		"not if another one reads it":  {"\tshr.u32 %r4, %r1, 1;\n\tselp.b32 %r5, %r3, %r4, %p1;\n\tst.global.u32 [%rd1], %r4;", []string{"integer: %r1 -> %r4", "integer: %r3 %r4 %p1 -> %r5"}},
		"not if the predicate changes": {"\tsetp.eq.b32 %p1, %r3, 2;\n\tselp.b32 %r5, %r3, %r1, %p1;", []string{"integer: %r3 -> %p1", "integer: %r3 %r1 %p1 -> %r5"}},
	} {
		f, costs := lower(t, before+c.code+"\n\tst.global.u32 [%rd1], %r5;\n\tret;\n}", cost.Lowered, true)
		pc := slices.IndexFunc(f.Code, func(in isa.Instr) bool { return in.Mnemonic() == "selp.b32" })
		var got []string
		for i := pc - 1; i <= pc; i++ {
			line := text(f, &costs[i])
			if g := costs[i].Guard; g != isa.NoReg {
				line += " (" + f.Regs[g].Name + ")"
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestAddressesAreConstants: a kernel loads the address of a variable of the module, once, from the module's constants.
func TestAddressesAreConstants(t *testing.T) {
	f, costs := lower(t, ".global .b32 g;\n.entry k()\n{\n\t.shared .b32 s;\n\tmov.u64 %rd1, g;\n\tmov.u64 %rd2, g;\n\tmov.u64 %rd3, s;\n\tret;\n}", cost.Lowered, true)
	cost.LoadConstants(f, flow.New(f), costs, func(name string) bool { return name == "g" })
	for pc, want := range []int{cost.ModuleConstants, 0, 0} {
		got := 0
		for _, s := range costs[pc].Slots {
			got = int(s.Constant)
		}
		if got != want {
			t.Errorf("%s loads constant %d, want %d", f.Text(pc), got, want)
		}
	}
}
