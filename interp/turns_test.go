package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// TestSidesMeetBehindAJump: under all models the sides of an if with an else
// are issued once each, and what is behind it once. minpc depends on being told
// of the jump over the else.
func TestSidesMeetBehindAJump(t *testing.T) {
	for _, model := range []divergence.Model{its, stack, minPC} {
		k := kernel{words: []int{32}, cfg: interp.Config{Divergence: model}, src: entry + `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 20;
	@%p1 bra LOW;
	add.u32 %r1, %r2, 1;
	bra END;
LOW:
	add.u32 %r1, %r2, 2;
END:` + storeOwn}
		stats := k.want(t, func(i int) uint32 {
			if i < 20 {
				return uint32(i + 2)
			}
			return uint32(i + 1)
		})
		const want = 6 + 16 // the last are those of storeOwn
		if stats.WarpInstrs != want {
			t.Errorf("%v: %d instructions, want %d", model, stats.WarpInstrs, want)
		}
	}
}

// TestTurnsCutShortByABarrier has lanes that wait for each other in a chain, in
// the order E, C, A, D, and meet at barriers. A barrier ends the turn of a warp
// of which not all splits have had theirs, so that a change of memory is not
// seen by all of them in the next.
func TestTurnsCutShortByABarrier(t *testing.T) {
	for _, order := range allOrders {
		kernel{words: []int{4}, cfg: interp.Config{PathOrder: order}, src: entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	setp.gt.u32 %p1, %r1, 3;
	@%p1 exit;
T:	.branchtargets E, A, C, D;
	brx.idx %r1, T;
E:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 20000;
	@%p1 bra E;
	st.volatile.global.u32 [%rd1], 1;
	bar.sync 0;
	ret;
A:
	ld.volatile.global.u32 %r2, [%rd1+4];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra A;
	st.volatile.global.u32 [%rd1+8], 1;
	bar.sync 0;
	ret;
C:
	ld.volatile.global.u32 %r2, [%rd1];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra C;
	st.volatile.global.u32 [%rd1+4], 1;
	bar.sync 0;
	ret;
D:
	ld.volatile.global.u32 %r2, [%rd1+8];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra D;
	st.volatile.global.u32 [%rd1+12], 1;
	bar.sync 0;
	ret;
}`}.want(t, func(int) uint32 { return 1 })
	}
}
