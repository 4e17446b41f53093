package interp_test

import (
	"fmt"
	"testing"
)

func TestGridBarrier(t *testing.T) {
	// Every thread adds 1 to a counter, all CTAs meet, then all read it.
	kernel{src: `.global .u32 count;
.global .u32 met;
` + entry + `
	red.global.add.u32 [count], 1;
	bar.sync 0;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra WAIT;
	red.global.add.u32 [met], 1;
	mov.u32 %r3, %nctaid.x;
SPIN:
	ld.relaxed.gpu.global.u32 %r4, [met];
	setp.lt.u32 %p2, %r4, %r3;
	@%p2 bra SPIN;
WAIT:
	bar.sync 0;
	ld.global.u32 %r1, [count];` + storeOwn, grid: dim(100, 1), block: dim(64, 1), words: []int{6400}}.want(t, func(int) uint32 { return 6400 })
}

func TestBarrierDoesNotWaitForExitedWarps(t *testing.T) {
	// Warps 1 and 3 leave before the barrier; the others exchange through it.
	kernel{src: entry + `
	.shared .u32 s[4];
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p1, %r4, 1;
	@%p1 exit;
	shl.b32 %r5, %r3, 2;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	add.u32 %r7, %r3, 10;
	st.shared.u32 [%r6], %r7;
	bar.sync 0;
	ld.shared.u32 %r8, [s];
	ld.shared.u32 %r9, [s+8];
	mad.lo.u32 %r1, %r8, 100, %r9;` + storeOwn, block: dim(128, 1), words: []int{128}}.want(t, func(i int) uint32 {
		if i/32%2 == 1 {
			return 0
		}
		return 1012
	})
}

// A barrier with a count is passed by that many threads: here warps 0 and 1
// meet at barrier 1 while 2 and 3 meet at barrier 2.
func TestBarrierWithCount(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s[4];
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	shr.u32 %r4, %r2, 6;
	add.u32 %r5, %r4, 1;
	mov.u32 %r6, s;
	mad.lo.u32 %r7, %r3, 4, %r6;
	add.u32 %r8, %r3, 1;
	st.shared.u32 [%r7], %r8;
	barrier.sync %r5, 64;
	xor.b32 %r9, %r3, 1;
	mad.lo.u32 %r7, %r9, 4, %r6;
	ld.shared.u32 %r1, [%r7];` + storeOwn, block: dim(128, 1), words: []int{128}}.want(t, func(i int) uint32 { return uint32(i/32^1) + 1 })
}

// Reductions at a barrier: over the threads that have not exited.
func TestBarrierReductions(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want uint32
	}{
		"popc":             {"bar.red.popc.u32 %r1, 0, %p1;", 20},
		"popc, complement": {"bar.red.popc.u32 %r1, 2, !%p1;", 60},
		"and":              {"bar.red.and.pred %p2, 0, %p1;\nselp.b32 %r1, 1, 2, %p2;", 2},
		"or, with a count": {"barrier.red.or.pred %p2, 0, 96, %p1;\nselp.b32 %r1, 1, 2, %p2;", 1},
	} {
		t.Run(name, func(t *testing.T) {
			kernel{src: entry + `
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p3, %r2, 80;
	@!%p3 exit;
	setp.lt.u32 %p1, %r2, 20;
	` + c.src + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 {
				if i >= 80 {
					return 0
				}
				return c.want
			})
		})
	}
}

// Warp 0 produces and only arrives; warp 1 waits for it. Twice.
func TestBarrierArrive(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s[2];
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, 1;
	@%p1 bra CONSUME;
	st.shared.u32 [s], 5;
	bar.arrive 1, 64;
	st.shared.u32 [s+4], 6;
	bar.arrive 2, 64;
	exit;
CONSUME:
	bar.sync 1, 64;
	ld.shared.u32 %r3, [s];
	bar.sync 2, 64;
	ld.shared.u32 %r4, [s+4];
	mad.lo.u32 %r1, %r3, 10, %r4;` + storeOwn, block: dim(64, 1), words: []int{64}}.want(t, func(i int) uint32 {
		if i < 32 {
			return 0
		}
		return 56
	})
}

// Warp 0 arrives and ends: it counts as one that has arrived, and as none that is
// waited for. Warp 1 waits for warp 2 all the same.
func TestBarrierArriveAndEnd(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s;
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, 1;
	setp.eq.u32 %p2, %r2, 2;
	@%p1 bra WAIT;
	@!%p2 bra ARRIVE;
	mov.u32 %r3, 0;
DELAY: // for several turns
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 10000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
ARRIVE:
	bar.arrive 2, 96;
	exit;
WAIT:
	bar.sync 2, 96;
	ld.shared.u32 %r1, [s];` + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 {
		if i/32 == 1 {
			return 7
		}
		return 0
	})
}

// Half of warp 0 ends and the other half arrives, in either order, and ends: that
// is one warp that has arrived.
func TestBarrierHalfArrivesAndEnds(t *testing.T) {
	for _, half := range []string{"ge", "lt"} {
		kernel{src: entry + `
	.shared .u32 s;
	mov.u32 %r2, %warpid;
	mov.u32 %r4, %laneid;
	setp.eq.u32 %p1, %r2, 1;
	setp.eq.u32 %p2, %r2, 2;
	setp.` + half + `.u32 %p4, %r4, 16;
	@%p1 bra WAIT;
	@%p2 bra WORK;
	@%p4 bra END;
	barrier.arrive 0, 96;
END:
	exit;
WORK:
	mov.u32 %r3, 0;
DELAY: // for several turns
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 20000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
WAIT:
	barrier.sync 0, 96;
	ld.shared.u32 %r1, [s];` + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 { return pick(i < 32, 0, 7) })
	}
}

func TestWarpBarrier(t *testing.T) {
	kernel{src: entry + `
	mov.u32 %r1, 3;
	bar.warp.sync -1;` + storeOwn, words: []int{32}}.want(t, func(int) uint32 { return 3 })
}

// A count larger than the threads that are left is met when all of those are
// there, whether the others leave before or after.
func TestBarrierWithCountAfterExit(t *testing.T) {
	for _, leaver := range []string{"0", "1"} {
		kernel{src: entry + `
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, ` + leaver + `;
	@%p1 exit;
	bar.sync 1, 64;
	mov.u32 %r1, 4;` + storeOwn, block: dim(64, 1), words: []int{64}}.want(t, func(i int) uint32 {
			if fmt.Sprint(i/32) == leaver {
				return 0
			}
			return 4
		})
	}
}
