package native_test

import (
	"bytes"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// The tests of this file evaluate machine code of every level on every host (Config.Evaluate). With -evaluate the other
// tests of compiled code do, too.

// TestEvaluatedWorkloadsAgree runs the first CTAs of the benchmark's kernels by lane functions and evaluated: results
// and counters are the same.
func TestEvaluatedWorkloadsAgree(t *testing.T) {
	short.Skip(t)
	const most = 2 // CTAs in each dimension
	mod := workloads.Load(t)
	for _, w := range workloads.All {
		t.Run(w.Name, func(t *testing.T) {
			run := func(cfg interp.Config) (interp.Stats, []byte) {
				p := w.Prepare(t, mod, kerneltest.Config(cfg))
				p.Launch.Grid.X, p.Launch.Grid.Y = min(p.Launch.Grid.X, most), min(p.Launch.Grid.Y, most)
				return p.Run(t), p.Out()
			}
			want, out := run(interp.Config{Compile: interp.CompileNever})
			for _, level := range kerneltest.EvaluatedLevels {
				got, compiled := run(interp.Config{Compile: interp.CompileAlways, Lanes: level, Evaluate: kerneltest.NewCPU})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%v: counters (-lane functions +evaluated):\n%s", level, diff)
				}
				if !bytes.Equal(out, compiled) {
					t.Errorf("%v: memory differs", level)
				}
			}
		})
	}
}

// evaluateRandom runs the random kernels of a seed by lane functions and evaluated, on one or two threads, or compared
// with lane functions at each exit.
func evaluateRandom(t *testing.T, seed uint64) {
	t.Helper()
	for _, x := range []*mix{growMix(seed), growPressure(seed)} {
		code := x.parse(t)
		cfg := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], MaxSteps: 20000, Compile: interp.CompileNever}
		x.checked = false
		want := x.run(t, code, cfg)
		for i, level := range kerneltest.EvaluatedLevels {
			cfg.Compile, cfg.Lanes, cfg.Evaluate, cfg.Threads = kerneltest.CompilationOf(seed), level, kerneltest.NewCPU, 1+int(seed/2+uint64(i))%2
			x.checked = seed%4 == 0
			got := x.run(t, code, cfg)
			if diff := got.from(&want); diff != "" {
				t.Fatalf("seed %d, %v, %v, %v, %d threads (-lane functions +%v, evaluated):\n%s\n%v CTAs of %v threads of\n%s",
					seed, cfg.Divergence, cfg.PathOrder, cfg.Compile, cfg.Threads, cfg.Lanes, diff, x.grid, x.block, x.text)
			}
		}
	}
}

var evaluatedKernels = flag.Int("evaluated", 48, "`N` pairs of kernels of TestEvaluatedRandomKernelsAgree, from -first on")

// TestEvaluatedRandomKernelsAgree runs random kernels, with few and with many live values.
func TestEvaluatedRandomKernelsAgree(t *testing.T) {
	for seed := range uint64(short.Of(*evaluatedKernels)) {
		if !short.Waits(int(seed), 4) {
			evaluateRandom(t, *pressureFirst+seed)
		}
	}
}

// FuzzEvaluated is TestEvaluatedRandomKernelsAgree for other seeds.
func FuzzEvaluated(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(evaluateRandom)
}

// TestEvaluationIsWhatCPUDoes executes random kernels on the host's CPU, and evaluates the code, too, each time that it
// is entered: exits, budgets, registers, memory and all else that code reports are the same.
func TestEvaluationIsWhatCPUDoes(t *testing.T) {
	short.Alternates(t, 2, 3)
	if kerneltest.Evaluates() || jit.Best() == jit.None {
		t.Skip("the host enters no code")
	}
	entries := 0
	before := evaluateTwice(&entries, func(wrong string) { t.Error(wrong) })
	for seed := range uint64(short.Of(*evaluatedKernels / 4)) {
		seed += *pressureFirst
		for _, x := range []*mix{growMix(seed), growPressure(seed)} {
			code := x.parse(t)
			x.checked = false
			x.run(t, code, interp.Config{Divergence: kerneltest.Models[seed%3], MaxSteps: 20000, Compile: kerneltest.CompilationOf(seed), Lanes: kerneltest.LevelOf(seed), BeforeCode: before})
			if t.Failed() {
				t.Fatalf("seed %d:\n%s", seed, x.text)
			}
		}
	}
	if entries == 0 {
		t.Error("code was not entered")
	}
	t.Logf("code was entered %d times", entries)
}
