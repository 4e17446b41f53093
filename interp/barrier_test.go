package interp_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

func TestBarrierDoesNotWaitForExitedWarps(t *testing.T) {
	// Warps 1 and 3 leave before the barrier; the others exchange through it.
	kerneltest.Kernel{Source: kerneltest.Entry + `
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
	mad.lo.u32 %r1, %r8, 100, %r9;` + kerneltest.StoreR1, Block: kerneltest.Dim(128, 1), Words: []int{128}}.Want(t, func(i int) uint32 {
		if i/32%2 == 1 {
			return 0
		}
		return 1012
	})
}

// A barrier with a count is complete when that many threads have arrived: here warps 0 and 1 arrive at barrier 1, and
// 2 and 3 at barrier 2.
func TestBarrierWithCount(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
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
	ld.shared.u32 %r1, [%r7];` + kerneltest.StoreR1, Block: kerneltest.Dim(128, 1), Words: []int{128}}.Want(t, func(i int) uint32 { return uint32(i/32^1) + 1 })
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
			kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p3, %r2, 80;
	@!%p3 exit;
	setp.lt.u32 %p1, %r2, 20;
	` + c.src + kerneltest.StoreR1, Block: kerneltest.Dim(96, 1), Words: []int{96}}.Want(t, func(i int) uint32 {
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
	kerneltest.Kernel{Source: kerneltest.Entry + `
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
	mad.lo.u32 %r1, %r3, 10, %r4;` + kerneltest.StoreR1, Block: kerneltest.Dim(64, 1), Words: []int{64}}.Want(t, func(i int) uint32 {
		if i < 32 {
			return 0
		}
		return 56
	})
}

// Warp 0 arrives and ends: it counts as arrived, and the barrier does not wait for it again. Warp 1 still waits for
// warp 2.
func TestBarrierArriveAndEnd(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	.shared .u32 s;
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, 1;
	setp.eq.u32 %p2, %r2, 2;
	@%p1 bra WAIT;
	@!%p2 bra ARRIVE;
	mov.u32 %r3, 0;
DELAY: // for several time slices
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 10000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
ARRIVE:
	bar.arrive 2, 96;
	exit;
WAIT:
	bar.sync 2, 96;
	ld.shared.u32 %r1, [s];` + kerneltest.StoreR1, Block: kerneltest.Dim(96, 1), Words: []int{96}}.Want(t, func(i int) uint32 {
		if i/32 == 1 {
			return 7
		}
		return 0
	})
}

// Half of warp 0 ends and the other half arrives, in either order, and then ends: that is one warp that has arrived.
func TestBarrierHalfArrivesAndEnds(t *testing.T) {
	for _, half := range []string{"ge", "lt"} {
		kerneltest.Kernel{Source: kerneltest.Entry + `
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
DELAY: // for several time slices
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 20000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
WAIT:
	barrier.sync 0, 96;
	ld.shared.u32 %r1, [s];` + kerneltest.StoreR1, Block: kerneltest.Dim(96, 1), Words: []int{96}}.Want(t, func(i int) uint32 { return pick(i < 32, 0, 7) })
	}
}

func TestWarpBarrier(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r1, 3;
	bar.warp.sync -1;` + kerneltest.StoreR1, Words: []int{32}}.Want(t, func(int) uint32 { return 3 })
}

// A barrier with a count larger than the number of live threads is complete when all of those have arrived, whether
// the others exit before or after.
func TestBarrierWithCountAfterExit(t *testing.T) {
	for _, leaver := range []string{"0", "1"} {
		kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, ` + leaver + `;
	@%p1 exit;
	bar.sync 1, 64;
	mov.u32 %r1, 4;` + kerneltest.StoreR1, Block: kerneltest.Dim(64, 1), Words: []int{64}}.Want(t, func(i int) uint32 {
			if fmt.Sprint(i/32) == leaver {
				return 0
			}
			return 4
		})
	}
}

// Half of a warp is at a barrier, and under the stack the other half cannot reach it: that is found at once, and the
// report says where all lanes are.
func TestBarrierInDivergentCode(t *testing.T) {
	_, _, err := kerneltest.Kernel{Config: interp.Config{Divergence: divergence.ReconvergenceStack}, Words: []int{1}, Block: kerneltest.Dim(64, 1), Source: kerneltest.Entry + `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bar.sync 0;
	ret;
}`}.Run(t)
	kerneltest.WantHang(t, err, "k.s:6:7: error: barrier inside divergent code [sync-diverged]",
		"arrived block (0,0,0) warp 0 lanes 0-15 (0000ffff)", "absent  block (0,0,0) warp 0 lanes 16-31 (ffff0000)")
}
