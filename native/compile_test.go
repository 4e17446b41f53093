package native_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes/jit"
	"github.com/simtrun/simtrun/native"
	"github.com/simtrun/simtrun/program"
)

// BenchmarkCompile times the compilation of the benchmark's kernels, by PTX instruction.
func BenchmarkCompile(b *testing.B) {
	level, err := jit.Chosen()
	if level == jit.None {
		b.Skip("no compiled code: ", err)
	}
	mod, err := program.NewModule(workloads.Load(b), true)
	if err != nil {
		b.Fatal(err)
	}
	var programs []*program.Program
	instrs := 0
	for _, kernel := range mod.Src.Entries() {
		p, err := mod.Lower(kernel, program.Env{})
		if err != nil {
			b.Fatal(err)
		}
		programs, instrs = append(programs, p), instrs+len(kernel.Code)
	}
	shape, bytes := native.ShapeOf(isa.Dim{X: 256, Y: 1, Z: 1}), 0
	for b.Loop() {
		var compiler native.Compiler
		bytes = 0
		for _, p := range programs {
			c, err := compiler.Compile(p, p.Kernel(), shape, level, false)
			if err != nil {
				b.Fatal(err)
			}
			bytes += c.Bytes()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*instrs), "ns/instr")
	b.ReportMetric(float64(bytes)/float64(instrs), "bytes/instr")
}
