//go:build unix

package interp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkFirstLaunches compares the first launch of each workload, in which it is compiled, with later ones, and with
// a first launch that compiles everything at once. CPU times are the shortest, in ms.
func BenchmarkFirstLaunches(b *testing.B) {
	for _, set := range workloads.Sets {
		for i := range set.Workloads {
			w := &set.Workloads[i]
			b.Run(w.Name, func(b *testing.B) {
				first, steady, always := math.Inf(1), math.Inf(1), math.Inf(1)
				for b.Loop() {
					run := func(p *workloads.Prepared) float64 {
						p.Fill()
						began := cpuTime()
						p.Run(b)
						return (cpuTime() - began) * 1000
					}
					p := w.Prepare(b, set.Load(b), kerneltest.Config(interp.Config{}))
					first = min(first, run(p))
					steady = min(steady, run(p), run(p))
					always = min(always, run(w.Prepare(b, set.Load(b), kerneltest.Config(interp.Config{Compile: interp.CompileAlways}))))
				}
				b.ReportMetric(first, "first-ms")
				b.ReportMetric(steady, "steady-ms")
				b.ReportMetric(always, "at-once-ms")
				b.ReportMetric(first/steady, "first/steady")
			})
		}
	}
}

// BenchmarkFirstLaunchOfStraightCode is the same for straight-line code like that of a hash: rotations, exclusive
// ors and sums of eight words, by number of instructions and of CTAs.
func BenchmarkFirstLaunchOfStraightCode(b *testing.B) {
	for _, size := range []int{300, 2400, 15600, 40000} {
		for _, ctas := range []uint32{8, 64, 256} {
			b.Run(fmt.Sprintf("%d/%d", size, ctas), func(b *testing.B) {
				src := []byte(kerneltest.StraightHash(size))
				first, steady, always := math.Inf(1), math.Inf(1), math.Inf(1)
				for b.Loop() {
					run := func(cfg interp.Config, times int) (all []float64) {
						mod, err := asm.Parse("k.s", src)
						if err != nil {
							b.Fatal(err)
						}
						m, err := kerneltest.New(mod, cfg)
						if err != nil {
							b.Fatal(err)
						}
						for range times {
							began := cpuTime()
							runKernel(b, m, kerneltest.Dim(ctas, 1), kerneltest.Dim(256, 1))
							all = append(all, (cpuTime()-began)*1000)
						}
						return all
					}
					hot := run(interp.Config{}, 3)
					first, steady = min(first, hot[0]), min(steady, hot[1], hot[2])
					always = min(always, run(interp.Config{Compile: interp.CompileAlways}, 1)[0])
				}
				b.ReportMetric(first, "first-ms")
				b.ReportMetric(steady, "steady-ms")
				b.ReportMetric(always, "at-once-ms")
				b.ReportMetric(first/steady, "first/steady")
				b.ReportMetric(steady*1e6/float64(size)/float64(ctas)/8, "ns/warp-inst")
			})
		}
	}
}
