package sm_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestPartialWarpsJoinIterations: lanes that have gone to the end of a kernel do not keep the others from issuing
// joined iterations of a loop: loads of four iterations wait for device memory together.
func TestPartialWarpsJoinIterations(t *testing.T) {
	cycles := func(lanes int) int64 {
		timing, _ := timed(t, preset(t, "h100"), 1, 32, 32*1024, kerneltest.Source(t, "testdata/kernels/region.txt", "partial warps join iterations", "$lanes", fmt.Sprint(lanes)), sm.Options{})
		return timing.Cycles
	}
	all, half := cycles(32), cycles(16)
	if half > all+100 || half < all/2 {
		t.Errorf("a loop of 16 lanes takes %d cycles, one of 32 %d", half, all)
	}
}
