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
	const kernel = kerneltest.Entry + `
	ld.param.u64 %rd22, [out];
	add.u64 %rd2, %rd22, 8192;
	mov.u32 %r11, 64;
	mov.u32 %r26, %tid.x;
	mov.u32 %r27, 0;
	mov.f32 %f21, 0f00000000;
LOOP:
	add.s32 %r21, %r11, %r26;
	ld.global.f32 %f11, [%rd22];
	ld.global.f32 %f14, [%rd22+4];
	mul.wide.u32 %rd14, %r26, 4;
	mul.wide.u32 %rd16, %r21, 4;
	add.s64 %rd15, %rd2, %rd14;
	add.s32 %r27, %r27, 2;
	add.s64 %rd22, %rd22, 8;
	ld.global.f32 %f12, [%rd15];
	add.s64 %rd17, %rd2, %rd16;
	setp.eq.s32 %p3, %r27, 8;
	add.s32 %r26, %r26, %r11;
	ld.global.f32 %f15, [%rd17];
	fma.rn.f32 %f13, %f11, %f12, %f21;
	fma.rn.f32 %f21, %f14, %f15, %f13;
	@!%p3 bra LOOP;
	st.global.f32 [%rd2], %f21;
	KEPT
	ret;
}`
	cycles := make(map[string]int64)
	for _, kept := range []string{"", "st.global.u32 [%rd2+4], %r21;"} {
		timing, _ := timed(t, preset(t, "h100"), 1, 32, 4096, strings.Replace(kernel, "KEPT", kept, 1), sm.Options{})
		cycles[kept] = timing.Cycles
	}
	if without, with := cycles[""], cycles["st.global.u32 [%rd2+4], %r21;"]; with-without < 0 || with-without > 20 {
		t.Errorf("%d cycles, and %d with a store of the register that a pair reads", without, with)
	}
}
