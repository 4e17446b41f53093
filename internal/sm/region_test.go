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
		timing, _ := timed(t, preset(t, "h100"), 1, 32, 32*1024, kerneltest.Entry+fmt.Sprintf(`
	mov.u32 %%r1, %%tid.x;
	setp.ge.u32 %%p1, %%r1, %d;
	@%%p1 bra END;
	ld.param.u64 %%rd1, [out];
	mad.wide.u32 %%rd1, %%r1, 4, %%rd1;
	mov.u64 %%rd2, %%rd1;
	mov.u32 %%r2, 0;
	mov.u32 %%r3, 0;
	mul.lo.u32 %%r5, %%r1, 0;
	add.u32 %%r5, %%r5, 64;
L:
	ld.global.u32 %%r4, [%%rd1];
	add.u32 %%r3, %%r3, %%r4;
	add.u64 %%rd1, %%rd1, 1024;
	add.u32 %%r2, %%r2, 1;
	setp.lt.u32 %%p2, %%r2, %%r5;
	@%%p2 bra L;
	st.global.u32 [%%rd2], %%r3;
END:
	ret;
}`, lanes), sm.Options{})
		return timing.Cycles
	}
	all, half := cycles(32), cycles(16)
	if half > all+100 || half < all/2 {
		t.Errorf("a loop of 16 lanes takes %d cycles, one of 32 %d", half, all)
	}
}
