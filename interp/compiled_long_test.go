package interp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
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
