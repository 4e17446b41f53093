package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// productKernel is an instruction on fragments, with the number of registers of D, A, B and C.
type productKernel struct {
	name    string
	d, a, b int
	mask    uint32 // of random words of A and B, so that they are finite
}

var productKernels = []productKernel{
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 0xbfffbfff},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 0xbfffbfff},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 0xbfffbfff},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 0xbfffffff},
	{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2, 0xbfbfbfbf},
	{"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 4, 2, 0xffffffff},
	{"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 8, 8, 8, 0xbfffbfff},
	{"wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16", 4, 8, 8, 0xbfffbfff},
}

// source returns a kernel that multiplies in a loop, with fragments of random words, constants and scalars. In its
// second CTA one element is no number, and lanes that diverge come to the product together. The last register of D is
// one of A's.
func (k *productKernel) source() string {
	var s strings.Builder
	s.WriteString(kerneltest.Entry + "\tmov.u32 %r1, %laneid;\n\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, 0;\n")
	registers := func(first, n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("%%r%d", first+i))
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	const a, b, c = 10, 20, 30
	s.WriteString("LOOP:\n")
	for i := range k.a + k.b {
		r := a + i
		if i >= k.a {
			r = b + i - k.a
		}
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r4, %%r3, 12345, %%r2;\n\tadd.u32 %%r%d, %%r4, %d;\n", r, 0x3c003c00+i) // the same in all lanes
		if i%3 != 1 {
			fmt.Fprintf(&s, "\tmad.lo.u32 %%r4, %%r1, %d, %%r%d;\n\tmul.lo.u32 %%r4, %%r4, %d;\n\tshr.u32 %%r%d, %%r4, 7;\n\txor.b32 %%r%[4]d, %%r%[4]d, %%r4;\n", 0x9e3779b1+2*i, r, 0x85ebca77, r)
		}
		fmt.Fprintf(&s, "\tand.b32 %%r%d, %%r%[1]d, %d;\n", r, k.mask)
	}
	fmt.Fprintf(&s, "\tand.b32 %%r4, %%r1, 5;\n\tadd.u32 %%r4, %%r4, %%r2;\n\tsetp.eq.u32 %%p1, %%r4, 6;\n\tsetp.eq.and.u32 %%p2, %%r3, 2, %%p1;\n\t@%%p2 bra JOIN;\n\tadd.u32 %%r%d, %%r%[1]d, %%r3;\nJOIN:\n\t@%%p2 mov.u32 %%r%d, 0x7f7fffff;\n", b, a)
	d := strings.Replace(registers(c, k.d), fmt.Sprintf("%%r%d}", c+k.d-1), fmt.Sprintf("%%r%d}", a), 1)
	fmt.Fprintf(&s, "\t%s %s, %s, %s, %s;\n", k.name, d, registers(a, k.a), registers(b, k.b), registers(c, k.d))
	fmt.Fprintf(&s, "\tadd.u32 %%r3, %%r3, 1;\n\tsetp.lt.u32 %%p1, %%r3, 4;\n\t@%%p1 bra LOOP;\n\tmov.u32 %%r1, %%r%d;\n", a)
	for i := range k.d - 1 {
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r1, %%r1, 31, %%r%d;\n", c+i)
	}
	return s.String() + kerneltest.StoreR1
}

// TestCompiledProductsAgree: products in compiled code, at each level, and evaluated, are those of lane functions, also
// where the routine leaves operands to these.
func TestCompiledProductsAgree(t *testing.T) {
	for i, k := range productKernels {
		run := func(cfg interp.Config) [][]uint32 {
			cfg.Divergence = kerneltest.Models[i%3]
			out, _, err := kerneltest.Kernel{Source: k.source(), Grid: kerneltest.Dim(3, 1), Words: []int{96}, Config: cfg}.Run(t)
			if err != nil {
				t.Fatal(k.name, err)
			}
			return out
		}
		want := run(interp.Config{Compile: interp.CompileNever})
		for _, level := range kerneltest.Levels() {
			for _, verify := range []bool{false, true} {
				if got := run(interp.Config{Compile: interp.CompileAlways, Lanes: level, Verify: verify}); !cmp.Equal(want, got) {
					t.Errorf("%s, %v, verified %t: %s", k.name, level, verify, cmp.Diff(want, got))
				}
			}
		}
		for _, level := range kerneltest.EvaluatedLevels {
			if got := run(interp.Config{Compile: interp.CompileAlways, Lanes: level, Evaluate: kerneltest.NewCPU}); !cmp.Equal(want, got) {
				t.Errorf("%s, %v, evaluated: %s", k.name, level, cmp.Diff(want, got))
			}
		}
		if got := run(interp.Config{Compile: interp.CompileHot}); !cmp.Equal(want, got) {
			t.Errorf("%s, in the Go loop: %s", k.name, cmp.Diff(want, got))
		}
	}
}
