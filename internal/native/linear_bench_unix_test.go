//go:build unix

package native_test

import (
	"fmt"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
)

// cpuTime is the CPU time of the process, user and system.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkCompileLong times the compilation of long kernels, by PTX instruction: without partial code, and that alone.
func BenchmarkCompileLong(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	level, err := jit.Chosen()
	if level == jit.None {
		b.Skip("no compiled code: ", err)
	}
	for i := range shapesOfCode {
		k := &shapesOfCode[i]
		for _, n := range []int{2500, 10000, 40000, 150000} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				all := inParts(subjectIn(b, kernelOf(k, n), level), 0)
				first, rest := time.Duration(1<<60), time.Duration(1<<60)
				for b.Loop() {
					var compiler native.Compiler
					began := cpuTime()
					f := make([]*native.Func, len(all))
					for i, s := range all {
						if f[i], err = compiler.Compile(s); err != nil {
							b.Fatal(err)
						}
					}
					mid := cpuTime()
					for i, s := range all {
						if f[i], err = compiler.Partial(s, f[i]); err != nil {
							b.Fatal(err)
						}
					}
					first, rest = min(first, mid-began), min(rest, cpuTime()-mid)
				}
				b.ReportMetric(float64(first.Nanoseconds())/float64(n), "first-ns/instr")
				b.ReportMetric(float64(rest.Nanoseconds())/float64(n), "rest-ns/instr")
				b.ReportMetric(float64(len(all)), "parts")
			})
		}
	}
}
