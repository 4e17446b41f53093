package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/program"
)

// lowerInlined lowers a kernel that calls f with the given code around the call.
func lowerInlined(t *testing.T, function, before, after string) *program.Func {
	t.Helper()
	text := ".global .u32 g;\n.func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %x<4>;\n.reg .pred %p;\n" + function + "}\n" +
		".entry k(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .f32 %f;\n.reg .pred %p;\n.param .b32 v;\n.param .b32 w;\n" + before + "call (w), f, (v);\n" + after + "ret;\n}\n"
	mod, err := asm.Parse("k.s", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := program.NewModule(mod, true)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Lower(mod.Entry("k"), program.Env{Address: func(string) (uint64, bool) { return 1 << 32, true }})
	if err != nil {
		t.Fatal(err)
	}
	return p.Kernel()
}

// TestSmallFunctionsAreInlined: calls of functions that only compute and load are replaced, and values that they pass
// stay in registers; others are not.
func TestSmallFunctionsAreInlined(t *testing.T) {
	const (
		simple = "ld.param.b32 %x0, [a];\nadd.u32 %x1, %x0, 1;\nst.param.b32 [r], %x1;\nret;\n"
		before = "mov.u32 %r1, 5;\nst.param.b32 [v], %r1;\n"
		after  = "ld.param.b32 %r2, [w];\n"
	)
	for _, c := range []struct {
		name, function, before, after string
		inlined                       bool
	}{
		{"a sum", simple, before, after, true},
		{"a load", "ld.param.b32 %x0, [a];\nld.global.u32 %x1, [g];\nst.param.b32 [r], %x1;\nret;\n", before, after, true},
		{"a result that is not used", simple, before, "", true},
		{"an argument that changes", simple, before + "mov.u32 %r1, 6;\n", after, true},
		{"a store", "ld.param.b32 %x0, [a];\nst.global.u32 [g], %x0;\nst.param.b32 [r], %x0;\nret;\n", before, after, false},
		{"a branch", "ld.param.b32 %x0, [a];\nbra L;\nL: st.param.b32 [r], %x0;\nret;\n", before, after, false},
		{"a load that may wait", "ld.param.b32 %x0, [a];\nld.volatile.global.u32 %x1, [g];\nst.param.b32 [r], %x1;\nret;\n", before, after, false},
		{"a register that is read before it is written", "add.u32 %x1, %x0, 1;\nst.param.b32 [r], %x1;\nret;\n", before, after, false},
		{"a clock", "mov.u32 %x1, %clock;\nst.param.b32 [r], %x1;\nret;\n", before, after, false},
		{"a part of an argument", "ld.param.u16 %x0, [a];\nst.param.b32 [r], %x0;\nret;\n", before, after, false},
		{"an argument that is not stored", simple, "", after, false},
		{"a result in another block", simple, before, "bra L;\nL: ld.param.b32 %r2, [w];\n", false},
		{"a barrier between the call and its result", simple, before, "bar.sync 0;\nld.param.b32 %r2, [w];\n", false},
	} {
		f := lowerInlined(t, c.function, c.before, c.after)
		if got := f.Expansion != nil; got != c.inlined {
			t.Errorf("%s: inlined: %t, want %t", c.name, got, c.inlined)
		}
	}
}

// TestExpansionsCountInstructions: an expansion has one instruction for each that is executed, and knows where it comes
// from.
func TestExpansionsCountInstructions(t *testing.T) {
	f := lowerInlined(t, "ld.param.b32 %x0, [a];\nadd.u32 %x1, %x0, 1;\nst.param.b32 [r], %x1;\nret;\n", "mov.u32 %r1, 5;\nst.param.b32 [v], %r1;\n", "ld.param.b32 %r2, [w];\n")
	x := f.Expansion
	var lines []string
	for pc := range x.Src.Code {
		lines = append(lines, fmt.Sprintf("%d %s", x.Origin[pc], x.Src.Text(pc)))
	}
	want := `0 mov.u32 %r1, 5;
1 st.param.b32 [v], %r1;
2 call (w), f, (v);
2 ld.param.b32;
2 add.u32 %x1, %r1, 1;
2 st.param.b32 [r], %x1;
2 inlined return {%r1};
3 mov.b32 %r2, %x1;
4 ret;`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the expansion is\n%s\nwant\n%s", got, want)
	}
	if call := x.Inside(4); call == nil || call.PC != 2 || call.End != 7 || x.Inside(2) != nil || x.Inside(7) != nil || x.CallAt(2) != call {
		t.Errorf("the calls are %+v", x.Calls)
	}
	for pc := range x.Src.Code {
		callee, at, ok := x.CalleeAt(x.Hint(pc))
		if inside := x.Inside(pc) != nil; ok != inside || ok && (callee != 1 || at != pc-3) {
			t.Errorf("PC %d has hint %d, of function %d at PC %d, %t", pc, x.Hint(pc), callee, at, ok)
		}
	}
}

// TestFunctionsInGoAreOneInstruction: a call of a function of libdevice that is written in Go is an instruction, with a
// template or without one, and its argument and result stay in registers.
func TestFunctionsInGoAreOneInstruction(t *testing.T) {
	for _, name := range []string{"expf", "erff"} {
		want := "mov.b32 %f1, %f0;\nst.param.f32 [v], %f1;\n" + name + ".f32 %result, %f1;\nmov.b32 %f2, %result;\nret;"
		text := ".extern .func (.param .b32 r) __nv_" + name + "(.param .b32 a);\n.entry k()\n{\n.reg .f32 %f<3>;\n.param .b32 v;\n.param .b32 w;\n" +
			"mov.b32 %f1, %f0;\nst.param.f32 [v], %f1;\ncall (w), __nv_" + name + ", (v);\nld.param.f32 %f2, [w];\nret;\n}\n"
		mod, err := asm.Parse("k.s", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		m, err := program.NewModule(mod, true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Lower(mod.Entry("k"), program.Env{})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		if x := p.Kernel().Expansion; x != nil {
			for pc := range x.Src.Code {
				lines = append(lines, x.Src.Text(pc))
			}
			if len(x.Passed) != 2 || x.Passed[0].First != 2 || x.Passed[0].End != 3 || x.Passed[1].First != 3 || x.Passed[1].End != 4 {
				t.Errorf("%s: passed are %+v", name, x.Passed)
			}
		}
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("the expansion of %s is\n%s\nwant\n%s", name, got, want)
		}
	}
}
