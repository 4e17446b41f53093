package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

func TestPartialWarpRunsOnlyItsLanes(t *testing.T) {
	stats := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/machine.txt", "partial warp"), Block: kerneltest.Dim(40, 1), Words: []int{41}}.Want(t, func(i int) uint32 {
		if i < 40 {
			return 9
		}
		return 0
	})
	if want := stats.WarpInstrs / 2 * 40; stats.LaneInstrs != want {
		t.Errorf("%d lane instructions, want %d", stats.LaneInstrs, want)
	}
}
