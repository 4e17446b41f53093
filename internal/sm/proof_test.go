package sm_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestProofsDoNotChangeResults: random kernels, a third of them with clusters, end in the same cycle and with the same
// results if a proof that they hang is tried after each epoch: while CTAs wait for a place, while warps wait for each
// other, and when all that is left of the launch are stores that have not left an SM.
func TestProofsDoNotChangeResults(t *testing.T) {
	short.Alternates(t, 1, 3)
	const (
		kernels = 60
		ending  = "\tret;\n}\n"
	)
	for seed := range uint64(short.Of(kernels)) {
		r := racing{ctas: 1 + uint32(seed%9), block: 32 * (1 + uint32(seed%4)), words: []int{16, 256, 1 << 14}[seed%3],
			cfg:     interp.Config{GPU: few(t, "h100", 1+int(seed%3)), Divergence: kerneltest.Models[seed%3], MaxSteps: 1e6},
			options: sm.Options{Cost: cost.Mode(seed / 2 % 2)}, unobserved: seed/2%3 > 0}
		if seed%2 == 1 {
			r.cfg.GPU.Residency.CTAs = 1 // several waves
		}
		if r.source = grow(seed, r.words); seed%3 == 1 {
			r.cfg.GPU = few(t, "h100", 4)
			r.ctas = 2 * r.ctas
			r.source = growCluster(seed, r.words, 2)
		}
		r.source = strings.TrimSuffix(r.source, ending) + strings.Repeat("\tst.global.u32 [%rd9], %r0;\n", int(seed%5)*8) + ending
		r.cfg.Compile = interp.CompileNever
		want := r.run(t, 0, 1)
		r.proves, r.cfg.Lanes, r.cfg.Compile = true, kerneltest.LevelOf(seed), kerneltest.CompilationOf(seed)
		if diff := kerneltest.Diff(want, r.run(t, 0, 1)); diff != "" {
			t.Fatalf("seed %d: with proofs (-without, lane functions, +with):\n%.3000s\nof %s", seed, diff, r.source)
		}
	}
}
