package sm_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestReusedSlotDelaysNoFusedPair: in a loop with loads and fused pairs, the cycles do not depend on whether the
// register that a pair reads is used after the loop. If it is not, a load's result reuses its slot of the register
// file between the two instructions of the pair.
func TestReusedSlotDelaysNoFusedPair(t *testing.T) {
	cycles := make(map[string]int64)
	for _, kept := range []string{"", "st.global.u32 [%rd2+4], %r21;"} {
		timing, _ := timed(t, preset(t, "h100"), 1, 32, 4096, strings.Replace(kerneltest.Source(t, "testdata/kernels/scoreboard.txt", "reused slot delays no fused pair"), "KEPT", kept, 1), sm.Options{})
		cycles[kept] = timing.Cycles
	}
	if without, with := cycles[""], cycles["st.global.u32 [%rd2+4], %r21;"]; with-without < 0 || with-without > 20 {
		t.Errorf("%d cycles, and %d with a store of the register that a pair reads", without, with)
	}
}
