package interp_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// bigModule is a module of n lines in 20 kernels, of the kind that compilers
// write.
func bigModule(n int) string {
	var b strings.Builder
	const kernels, body = 20, 10
	for k := range kernels {
		fmt.Fprintf(&b, ".visible .entry k%d(\n\t.param .u64 k%d_param_0\n)\n{\n\t.reg .pred %%p<3>;\n\t.reg .b32 %%r<99>;\n\t.reg .f32 %%f<99>;\n\t.reg .b64 %%rd<99>;\n\n", k, k)
		for i := range n / kernels / body {
			fmt.Fprintf(&b, "$L__BB%d_%d:\n", k, i)
			b.WriteString("\tld.param.u64 \t%rd1, [k" + fmt.Sprint(k) + "_param_0];\n\tcvta.to.global.u64 \t%rd2, %rd1;\n")
			b.WriteString("\tmul.wide.u32 \t%rd3, %r5, 4;\n\tadd.s64 \t%rd4, %rd2, %rd3;\n\tld.global.f32 \t%f1, [%rd4+16];\n")
			fmt.Fprintf(&b, "\tfma.rn.f32 \t%%f2, %%f1, %%f1, 0f3F80%04X;\n\tsetp.lt.s32 \t%%p1, %%r5, 7;\n", i&0xffff)
			fmt.Fprintf(&b, "\tst.global.f32 \t[%%rd4], %%f2;\n\t@%%p1 bra \t$L__BB%d_%d;\n", k, i)
		}
		b.WriteString("\tret;\n\n}\n")
	}
	return b.String()
}

// TestLoweringIsLinear compares what lowering a kernel allocates with what four times as much code allocates: a chain
// of branches, with registers that live within a block.
func TestLoweringIsLinear(t *testing.T) {
	chain := func(n int) uint64 {
		var b strings.Builder
		b.WriteString(".entry k() {\n")
		for i := range n {
			fmt.Fprintf(&b, "mov.u32 %%r%d, %%tid.x; setp.eq.u32 %%p%d, %%r%d, 7; @%%p%d bra L%d; add.u32 %%r%d, %%r%d, 1; L%d:\n", i, i, i, i, i, i, i, i)
		}
		b.WriteString("}\n")
		mod, err := asm.Parse("chain.s", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := m.Functions("k"); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := chain(2000), chain(8000); large > 5*small {
		t.Errorf("2,000 branches take %d bytes, 8,000 take %d", small, large)
	}
}

// BenchmarkLoad times loading a source of 20,000 lines: parsing, checking, and lowering every kernel.
func BenchmarkLoad(b *testing.B) {
	src := []byte(bigModule(20000))
	lines := strings.Count(string(src), "\n")
	for b.Loop() {
		mod, err := asm.Parse("big.ptx", src)
		if err != nil {
			b.Fatal(err)
		}
		m, err := kerneltest.New(mod, interp.Config{})
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range mod.Entries() {
			if _, err := m.Functions(f.Name); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
