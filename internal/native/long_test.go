package native_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// longKernel is a kernel of some n instructions on 48 registers, with short branches between them, that stores a sum.
func longKernel(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	reg := func() string { return fmt.Sprint("%r", 16+r.IntN(48)) }
	var w strings.Builder
	w.WriteString(kerneltest.Entry + "ld.param.u64 %rd1, [out];\nmov.u32 %r4, %tid.x;\nmad.wide.u32 %rd5, %r4, 4, %rd1;\n")
	for i := range 48 {
		fmt.Fprintf(&w, "mad.lo.u32 %%r%d, %%r4, %d, %d;\n", 16+i, i%5, i)
	}
	for i := range n {
		d, a, b := reg(), reg(), reg()
		switch r.IntN(5) {
		case 0:
			fmt.Fprintf(&w, "xor.b32 %s, %s, %s;\n", d, a, b)
		case 1:
			fmt.Fprintf(&w, "mad.lo.u32 %s, %s, %s, %s;\n", d, a, b, d)
		case 2:
			fmt.Fprintf(&w, "shr.u32 %s, %s, 3;\n", d, a)
		default:
			fmt.Fprintf(&w, "add.u32 %s, %s, %s;\n", d, a, b)
		}
		if i%50 == 49 {
			fmt.Fprintf(&w, "setp.lt.u32 %%p1, %s, %s;\n@%%p1 bra L%d;\nadd.u32 %s, %s, 1;\nL%[3]d:\n", a, b, i, d, d)
		}
	}
	for i := range 48 {
		fmt.Fprintf(&w, "add.u32 %%r16, %%r16, %%r%d;\n", 16+i)
	}
	return w.String() + "st.global.u32 [%rd5], %r16;\nret;\n}\n"
}

// TestLongFunctionsAreCompiled: a compiled function of tens of thousands of instructions has the same results as in
// the Go loop.
func TestLongFunctionsAreCompiled(t *testing.T) {
	k := kerneltest.Kernel{Source: longKernel(short.Of(40000)), Block: kerneltest.Dim(64, 1), Words: []int{64}}
	k.Config.Compile = interp.CompileNever
	want, _, err := k.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	k.Config.Compile = interp.CompileAlways
	got, stats, err := k.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want[0] {
		if got[0][i] != want[0][i] {
			t.Fatalf("thread %d: %d, want %d, after %d instructions", i, got[0][i], want[0][i], stats.WarpInstrs)
		}
	}
}

// TestFunctionsOfAnyLengthAreCompiled: functions with more instructions, registers or blocks than are analysed at once
// are compiled in parts, and compute what lane functions do.
func TestFunctionsOfAnyLengthAreCompiled(t *testing.T) {
	short.Skip(t)
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	var wide strings.Builder
	wide.WriteString(".entry k(.param .u64 out)\n{\n\tld.param.u64 %rd1, [out];\n\tmad.lo.u32 %r0, %ctaid.x, %ntid.x, %tid.x;\n\tmad.wide.u32 %rd1, %r0, 4, %rd1;\n")
	const many = 2100
	for i := range many {
		fmt.Fprintf(&wide, "\tadd.u32 %%r%d, %%tid.x, %d;\n", i+1, i)
	}
	for i := range many { // each branch is taken by other lanes
		fmt.Fprintf(&wide, "\tsetp.eq.u32 %%p1, %%tid.x, %d;\n\t@%%p1 bra L%d;\n\tadd.u32 %%r0, %%r0, %%r%d;\nL%[2]d:\n", i%40, i, i+1)
	}
	for i := range many {
		fmt.Fprintf(&wide, "\txor.b32 %%r0, %%r0, %%r%d;\n", i+1)
	}
	wide.WriteString("\tst.global.u32 [%rd1], %r0;\n\tret;\n}\n")
	for name, text := range map[string]string{"long": kerneltest.StraightHash(1<<17 + 999), "wide": wide.String()} {
		mod, err := asm.Parse("k.s", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var words [2][]uint32
		var stats [2]interp.Stats
		for i, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways} {
			m, err := kerneltest.New(mod, interp.Config{Compile: compile, Lanes: kerneltest.Levels()[0]})
			if err != nil {
				t.Fatal(err)
			}
			parts := make(map[native.Part]bool)
			m.BeforeCompiling(func(s native.Subject, _ bool) { parts[s.Part] = true })
			out, err := m.Alloc("out", 4*64)
			if err != nil {
				t.Fatal(err)
			}
			s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(64, 1), Params: binary.LittleEndian.AppendUint64(nil, out.Base)})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			if found := s.Uncompiled(); len(found) > 0 {
				t.Errorf("%s: %v", name, &found[0])
			}
			if compile == interp.CompileAlways && (len(parts) < 2 || parts[native.Part{}]) {
				t.Errorf("%s: compiled in %d parts", name, len(parts))
			}
			words[i], stats[i] = kerneltest.WordsOf(out), s.Stats()
		}
		if diff := cmp.Diff(words[0], words[1]); diff != "" {
			t.Errorf("%s (-lane functions +compiled):\n%s", name, diff)
		}
		if diff := cmp.Diff(stats[0], stats[1]); diff != "" {
			t.Errorf("%s (-lane functions +compiled):\n%s", name, diff)
		}
	}
}
