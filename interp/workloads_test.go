package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// TestWorkloadsPassUnderEveryModel checks the benchmark's kernels under all models, or under -short
// each under one of them.
func TestWorkloadsPassUnderEveryModel(t *testing.T) {
	for _, set := range workloads.Sets {
		mod := set.Load(t)
		for i, w := range set.Workloads {
			t.Run(w.Name, func(t *testing.T) {
				models := []divergence.Model{divergence.LowestPC, divergence.ReconvergenceStack, divergence.IndependentThreads}
				if testing.Short() {
					models = models[i%3:][:1]
				}
				var stats interp.Stats
				for j, model := range models {
					if short.Waits(i+j, len(models)) {
						continue
					}
					p := w.Prepare(t, mod, kerneltest.Config(interp.Config{Divergence: model}))
					stats = p.Run(t)
					if err := p.Check(); err != nil {
						t.Errorf("%v: %v", model, err)
					}
				}
				t.Logf("%d warp instructions, %.1f lanes each", stats.WarpInstrs, float64(stats.LaneInstrs)/float64(stats.WarpInstrs))
			})
		}
	}
}

// TestVerifiedWorkloadsAgree executes some CTAs of each of the benchmark's kernels with all compiled code compared with
// lane functions, at every level.
func TestVerifiedWorkloadsAgree(t *testing.T) {
	short.Skip(t)
	for _, set := range workloads.Sets {
		mod := set.Load(t)
		for _, w := range set.Workloads {
			t.Run(w.Name, func(t *testing.T) {
				w.Grid.X, w.Grid.Y = min(w.Grid.X, 2), min(w.Grid.Y, 2)
				for _, level := range kerneltest.Levels() {
					p := w.Prepare(t, mod, kerneltest.Config(interp.Config{Compile: interp.CompileAlways, Lanes: level, Verify: true}))
					if wrong := kerneltest.Miscompilation(func() { p.Run(t) }); wrong != nil {
						t.Error(wrong)
					}
				}
			})
		}
	}
}

// BenchmarkWorkloads times launches without loading modules and filling buffers.
func BenchmarkWorkloads(b *testing.B) { benchmarkWorkloads(b, divergence.IndependentThreads) }

// BenchmarkWorkloadsOnStack is BenchmarkWorkloads with the reconvergence stack. The difference is what independent
// threads cost in kernels where no lane waits for another.
func BenchmarkWorkloadsOnStack(b *testing.B) { benchmarkWorkloads(b, divergence.ReconvergenceStack) }

func benchmarkWorkloads(b *testing.B, model divergence.Model) {
	for _, set := range workloads.Sets {
		mod := set.Load(b)
		for _, w := range set.Workloads {
			b.Run(w.Name, func(b *testing.B) {
				p := w.Prepare(b, mod, kerneltest.Config(interp.Config{Divergence: model}))
				var instrs, laneInstrs uint64
				for b.Loop() {
					b.StopTimer()
					p.Fill()
					b.StartTimer()
					stats := p.Run(b)
					instrs += stats.WarpInstrs
					laneInstrs += stats.LaneInstrs
				}
				ns := float64(b.Elapsed().Nanoseconds())
				b.ReportMetric(ns/float64(instrs), "ns/warp-inst")
				b.ReportMetric(float64(instrs)/ns*1e3, "Mwarp-inst/s")
				b.ReportMetric(float64(laneInstrs)/ns*1e3, "Mlane-inst/s")
			})
		}
	}
}

// BenchmarkParts executes an eighth of the CTAs of each workload. It is for counting the host's
// instructions (.ci/steps/42-instructions), which takes fifty times as long as running them.
func BenchmarkParts(b *testing.B) {
	for _, set := range workloads.Sets {
		mod := set.Load(b)
		for _, w := range set.Workloads {
			b.Run(w.Name, func(b *testing.B) {
				w.Grid.X = max(w.Grid.X/8, 1)
				p := w.Prepare(b, mod, kerneltest.Config(interp.Config{}))
				for b.Loop() {
					p.Run(b)
				}
			})
		}
	}
}
