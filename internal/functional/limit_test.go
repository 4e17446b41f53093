package functional_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestLargeGridsHaveALimit: a limit per warp does not limit a launch of many warps. The launch's own limit is for the
// instructions between the ends of two CTAs, so that a grid of any size that makes progress ends.
func TestLargeGridsHaveALimit(t *testing.T) {
	const limit = 1e6
	k := kerneltest.Kernel{Grid: kerneltest.Dim(264, 1), Block: kerneltest.Dim(256, 1), Words: []int{1}, Config: interp.Config{MaxLaunchSteps: limit}}
	for name, loop := range map[string]string{
		"counts":        "L:	add.u32 %r1, %r1, 1;\n	bra L;\n}",
		"reads a clock": kerneltest.Source(t, "testdata/kernels/limit.txt", "reads a clock"),
	} {
		k.Source = kerneltest.Entry + loop
		_, stats, err := k.Run(t)
		if err == nil || !strings.Contains(err.Error(), "[sync-steps]") || !strings.Contains(err.Error(), "blocks  0 of 264 are done") {
			t.Errorf("a loop that %s: %v", name, err)
		}
		const slices = 8 * 2 * 5000 // instructions of two time slices of a CTA's 8 warps
		if n := stats.WarpInstrs; n < limit || n > limit+slices {
			t.Errorf("a loop that %s: %d instructions, want about %g", name, n, float64(limit))
		}
	}
	k.Source = kerneltest.Source(t, "testdata/kernels/limit.txt", "large grids have a limit")
	if _, stats, err := k.Run(t); err != nil || stats.WarpInstrs < 4*limit {
		t.Errorf("%d instructions, %v; want some millions, and no error", stats.WarpInstrs, err)
	}
}
