package native_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes/jit"
	"github.com/simtrun/simtrun/native"
	"github.com/simtrun/simtrun/program"
)

// workload is the benchmark's kernels, and how to compile all of them.
func workload(t testing.TB) (instrs int, compile func() (bytes int)) {
	level, err := jit.Chosen()
	if level == jit.None {
		t.Skip("no compiled code: ", err)
	}
	mod, err := program.NewModule(workloads.Load(t), true)
	if err != nil {
		t.Fatal(err)
	}
	var programs []*program.Program
	for _, kernel := range mod.Src.Entries() {
		p, err := mod.Lower(kernel, program.Env{})
		if err != nil {
			t.Fatal(err)
		}
		programs, instrs = append(programs, p), instrs+len(kernel.Code)
	}
	shape := native.ShapeOf(isa.Dim{X: 256, Y: 1, Z: 1})
	return instrs, func() (bytes int) {
		var compiler native.Compiler
		for _, p := range programs {
			c, err := compiler.Compile(p, p.Kernel(), shape, level, false)
			if err != nil {
				t.Fatal(err)
			}
			bytes += c.Bytes()
		}
		return bytes
	}
}

// TestCompileAllocations: what is written behind the rest, most of it exits and entries, takes no allocation each.
func TestCompileAllocations(t *testing.T) {
	instrs, compile := workload(t)
	if n := testing.AllocsPerRun(3, func() { compile() }); n > 6.5*float64(instrs) {
		t.Errorf("%.0f allocations for %d instructions", n, instrs)
	}
}

// BenchmarkCompile times the compilation of the benchmark's kernels, by PTX instruction.
func BenchmarkCompile(b *testing.B) {
	instrs, compile := workload(b)
	bytes := 0
	for b.Loop() {
		bytes = compile()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*instrs), "ns/instr")
	b.ReportMetric(float64(bytes)/float64(instrs), "bytes/instr")
}
