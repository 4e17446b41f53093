//go:build unix

package interp_test

import (
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// cpuTime is the CPU time of the process, user and system, in seconds.
func cpuTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkThreads times each workload on one thread of the host and on as many as there are
// cores, in turn. Of the fastest runs it reports how many times as fast the latter is, and
// its CPU time over that of one thread.
func BenchmarkThreads(b *testing.B) {
	mod := workloads.Load(b)
	for _, w := range workloads.All {
		b.Run(w.Name, func(b *testing.B) {
			var launches [2]*workloads.Prepared
			for i, threads := range [2]int{1, runtime.GOMAXPROCS(0)} {
				launches[i] = w.Prepare(b, mod, kerneltest.Config(interp.Config{Divergence: divergence.IndependentThreads, Threads: threads}))
			}
			wall, cpu := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(1), math.Inf(1)}
			for b.Loop() {
				for i, p := range launches {
					p.Fill()
					start, used := time.Now(), cpuTime()
					p.Run(b)
					wall[i], cpu[i] = min(wall[i], time.Since(start).Seconds()), min(cpu[i], cpuTime()-used)
					if err := p.Check(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(wall[0]/wall[1], "times-as-fast")
			b.ReportMetric(cpu[1]/cpu[0], "CPU")
		})
	}
}
