package native_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/workloads"
)

// workload returns the benchmark's kernels, and a function that compiles all of them, with or without partial code of
// their code.
func workload(t testing.TB) (instrs int, compile func(partial bool) (bytes int)) {
	level, err := jit.Chosen()
	if level == jit.None {
		t.Skip("no compiled code: ", err)
	}
	mod, err := program.NewModule(workloads.Load(t), true)
	if err != nil {
		t.Fatal(err)
	}
	var all []native.Subject
	shape := native.ShapeOf(isa.Dim{X: 256, Y: 1, Z: 1})
	for _, kernel := range mod.Src.Entries() {
		p, err := mod.Lower(kernel, program.Env{})
		if err != nil {
			t.Fatal(err)
		}
		all, instrs = append(all, native.Subject{Program: p, Func: p.Kernel(), Shape: shape, Level: level}), instrs+len(kernel.Code)
	}
	return instrs, func(partial bool) (bytes int) {
		var compiler native.Compiler
		for _, s := range all {
			c, err := compiler.Compile(s)
			if err == nil && partial {
				c, err = compiler.Partial(s, c)
			}
			if err != nil {
				t.Fatal(err)
			}
			bytes += c.Bytes()
		}
		return bytes
	}
}

// TestStubsAllocateNothing: stubs, most of them exits and entries, take no allocation each.
func TestStubsAllocateNothing(t *testing.T) {
	instrs, compile := workload(t)
	if n := testing.AllocsPerRun(3, func() { compile(true) }); n > 6.5*float64(instrs) {
		t.Errorf("%.0f allocations for %d instructions", n, instrs)
	}
}

// BenchmarkCompile times the compilation of the benchmark's kernels, by PTX instruction: without and with partial code.
func BenchmarkCompile(b *testing.B) {
	for _, partial := range []bool{false, true} {
		b.Run(map[bool]string{false: "first", true: "whole"}[partial], func(b *testing.B) {
			instrs, compile := workload(b)
			bytes := 0
			for b.Loop() {
				bytes = compile(partial)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*instrs), "ns/instr")
			b.ReportMetric(float64(bytes)/float64(instrs), "bytes/instr")
		})
	}
}
