package interp_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestWaitsInVain: a warp with a failed wait lets others run, independent of the shape of its loop. Two warps pass a
// word back and forth ten times, which takes each of them some 10 instructions each time, and few waits.
func TestWaitsInVain(t *testing.T) {
	for _, wait := range []string{
		"W%[1]s: mbarrier.try_wait.parity.shared.b64 %%p3, [%[2]s], %%r4;\n\t@!%%p3 bra W%[1]s;",
		"W%[1]s: mbarrier.test_wait.parity.shared.b64 %%p3, [%[2]s], %%r4;\n\t@%%p3 bra D%[1]s;\n\tbra W%[1]s;\nD%[1]s:",
	} {
		stats := kerneltest.Kernel{Block: kerneltest.Dim(64, 1), Source: kerneltest.Entry + `
	.shared .b64 bars[2];
	.shared .u32 word;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 mbarrier.init.shared.b64 [bars], 32;
	@%p1 mbarrier.init.shared.b64 [bars+8], 32;
	@%p1 st.shared.u32 [word], %r2;
	bar.sync 0;
	mov.u32 %r3, 0;
	setp.ge.u32 %p2, %r2, 32;
	@%p2 bra SECOND;
FIRST:
	and.b32 %r4, %r3, 1;
	setp.ne.u32 %p4, %r2, 0;
	ld.shared.u32 %r5, [word];
	add.u32 %r5, %r5, 1;
	bar.warp.sync -1;
	@!%p4 st.shared.u32 [word], %r5;
	mbarrier.arrive.shared.b64 _, [bars];
	` + fmt.Sprintf(wait, "1", "bars+8") + `
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p4, %r3, 10;
	@%p4 bra FIRST;
	ld.shared.u32 %r1, [word];
	bra END;
SECOND:
	and.b32 %r4, %r3, 1;
	` + fmt.Sprintf(wait, "2", "bars") + `
	ld.shared.u32 %r5, [word];
	mul.lo.u32 %r5, %r5, 2;
	setp.ne.u32 %p4, %r2, 32;
	bar.warp.sync -1;
	@!%p4 st.shared.u32 [word], %r5;
	mbarrier.arrive.shared.b64 _, [bars+8];
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p4, %r3, 10;
	@%p4 bra SECOND;
	mov.u32 %r1, 7;
END:` + kerneltest.StoreR1, Words: []int{64}}.Want(t, func(i int) uint32 {
			word := uint32(0)
			for range 10 {
				word = (word + 1) * 2
			}
			return pick(i < 32, word, 7)
		})
		if stats.WarpInstrs > 600 {
			t.Errorf("%s: %d instructions", wait, stats.WarpInstrs)
		}
	}
}
