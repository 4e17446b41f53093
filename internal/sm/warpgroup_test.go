package sm_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestWarpgroupProductsOccupyTensorPipe: products of a warpgroup keep the tensor pipe busy, and only wait_group waits
// for them. Each of four warps has a scheduler, and all do the same.
func TestWarpgroupProductsOccupyTensorPipe(t *testing.T) {
	g := small(4)
	g.Classes[isa.CostMatrixGroup] = gpu.Cost{Pipe: isa.Tensor, Latency: 10, Interval: 4}
	p := pipeline{
		name: "warpgroup", gpu: g, warps: 4,
		body: kerneltest.Source(t, "testdata/kernels/warpgroup.txt", "warpgroup pipeline"),
		issues: `
			0  w0.0 w1.0 w2.0 w3.0
			1  w0.1 w1.1 w2.1 w3.1 # two tiles of 8 columns: the pipe is busy up to 8, and the product done at 1 + 4 + 10
			9  w0.2 w1.2 w2.2 w3.2 # done at 19
			10 w0.3 w1.3 w2.3 w3.3
			11 w0.4 w1.4 w2.4 w3.4 # although %f0 has no result yet
			13 w0.5 w1.5 w2.5 w3.5 # done at 23
			14 w0.6 w1.6 w2.6 w3.6
			19 w0.7 w1.7 w2.7 w3.7 # the first group is done
			23 w0.8 w1.8 w2.8 w3.8 # the second
			24 w0.9 w1.9 w2.9 w3.9
		`,
		cycles: 25,
		states: map[sm.State]uint64{sm.Selected: 40, sm.MathPipeThrottle: 4 * (7 + 1), sm.Wait: 4 * (4 + 3)},
	}
	p.run(t)
}

// TestWarpgroupWaitsForLastWarp: warps with their own products done wait for those of the last warp of the warpgroup.
func TestWarpgroupWaitsForLastWarp(t *testing.T) {
	g := small(4)
	g.Classes[isa.CostMatrixGroup] = gpu.Cost{Pipe: isa.Tensor, Latency: 10, Interval: 4}
	p := pipeline{
		name: "late warp", gpu: g, warps: 4, options: sm.Options{InOrder: true},
		body: kerneltest.Source(t, "testdata/kernels/warpgroup.txt", "warpgroup late warp", "$work", strings.Repeat("\tadd.f32 %f4, %f4, %f4;\n", 10)),
		issues: `
			0  w0.0 w1.0 w2.0 w3.0
			20 w0.1 w1.1 w2.1 w3.1
			21 w0.2 w1.2 w2.2 w3.2 # BSSY
			24 w0.2 w1.2 w2.2 w3.2
			32 w0.13 w1.13 w2.13 w3.3 # BSYNC, where the warps reconverge: 4 cycles
			36 w0.13 w1.13 w2.13 w3.4 # done at 46
			37 w0.14 w1.14 w2.14
			40 w3.5
			44 w3.6
			46 w0.15 w1.15 w2.15
			48 w3.7
			52 w3.8
			56 w3.9
			60 w3.10
			64 w3.11
			68 w3.12
			69 w3.13 # BSYNC
			73 w3.13 # done at 83
			74 w3.14
			83 w0.16 w1.16 w2.16 w3.15 # all four have been waiting for it
			84 w3.16
		`,
		cycles: 85,
	}
	p.run(t)
}
