package interp_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkStart measures starting and ending a CTA of one warp, and one more warp of a CTA.
func BenchmarkStart(b *testing.B) {
	for _, c := range []struct {
		name    string
		threads uint32
	}{{"1-warp", 32}, {"8-warps", 256}} {
		b.Run(c.name, func(b *testing.B) { runGrid(b, ".entry k()\n{\n\tret;\n}\n", c.threads) })
	}
}

// BenchmarkBarrier measures a barrier of a CTA of eight warps.
func BenchmarkBarrier(b *testing.B) {
	const rounds = 1000
	mod := kerneltest.Source(b, "testdata/kernels/start_bench.txt", "benchmark barrier, mod")
	b.Run("8-warps", func(b *testing.B) {
		runGrid(b, mod, 256)
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rounds, "ns/barrier")
	})
}

// runGrid launches one CTA per iteration, all in one grid.
func runGrid(b *testing.B, src string, threads uint32) {
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		b.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	if _, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(b.N), 1), Block: kerneltest.Dim(threads, 1)}); err != nil {
		b.Fatal(err)
	}
}
