package interp_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// smallGPU is an H100 with a number of SMs and 1 MB of L2. Kernels have the same results on it, and a session with a
// clock starts faster.
func smallGPU(sms int) *gpu.Config {
	c := gpu.H100()
	c.SMs, c.Memory.L2Bytes = sms, 1<<20
	return c
}

// TestLaunchLimitsAreThoseOfGPU: residency, %nsmid and the limits of a launch are those of the machine's GPU.
func TestLaunchLimitsAreThoseOfGPU(t *testing.T) {
	small := gpu.H100()
	small.SMs, small.Residency.CTAs, small.Limits.Grid.X = 3, 1, 5
	cfg := interp.Config{GPU: small}
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/gpu.txt", "waits for last"), Config: cfg, Grid: kerneltest.Dim(3, 1), Words: []int{3}}.Want(t, func(int) uint32 { return 3 })
	for blocks, want := range map[uint32]string{
		4: "waiting 1 block, not started: the GPU holds 3 of these at once",
		6: "grid 6x1x1: at most 5x65535x65535",
	} {
		_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/gpu.txt", "waits for last"), Config: cfg, Grid: kerneltest.Dim(blocks, 1), Words: []int{6}}.Run(t)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d blocks: got %v, want %s", blocks, err, want)
		}
	}
}
