package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

func TestThreadsAreNumberedXFirst(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %tid.y;
	mov.u32 %r4, %tid.z;
	mov.u32 %r5, %warpid;
	mov.u32 %r6, %laneid;
	shl.b32 %r1, %r2, 4;
	or.b32 %r1, %r1, %r3;
	shl.b32 %r1, %r1, 4;
	or.b32 %r1, %r1, %r4;
	shl.b32 %r1, %r1, 8;
	or.b32 %r1, %r1, %r5;
	shl.b32 %r1, %r1, 8;
	or.b32 %r1, %r1, %r6;` + kerneltest.StoreR1, Block: isa.Dim{X: 5, Y: 4, Z: 3}, Words: []int{60}}
	k.Want(t, func(i int) uint32 {
		x, y, z := uint32(i%5), uint32(i/5%4), uint32(i/20)
		return ((x<<4|y)<<4|z)<<16 | uint32(i/32)<<8 | uint32(i%32)
	})
}

func TestGridCoordinates(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ctaid.y;
	mov.u32 %r4, %ctaid.z;
	mov.u32 %r5, %nctaid.x;
	mov.u32 %r6, %nctaid.y;
	mad.lo.u32 %r7, %r4, %r6, %r3;
	mad.lo.u32 %r7, %r7, %r5, %r2;   // linear
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, %r7, 4, %rd1;
	mad.lo.u32 %r8, %r2, 100, %r3;
	mad.lo.u32 %r8, %r8, 100, %r4;
	st.global.u32 [%rd1], %r8;
	exit;
}`, Grid: isa.Dim{X: 3, Y: 4, Z: 2}, Block: kerneltest.Dim(1, 1), Words: []int{24}}
	k.Want(t, func(i int) uint32 { return uint32(i%3*10000 + i/3%4*100 + i/12) })
}

// A register that is read before it is written is 0 in every CTA, not what the previous CTA left in it.
func TestUnsetRegistersAreZero(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	add.u32 %r1, %r1, 5;
	@%p7 add.u32 %r1, %r1, 1;
	setp.eq.u32 %p7, %r1, %r1;` + kerneltest.StoreR1, Grid: kerneltest.Dim(300, 1), Words: []int{300 * 32}}.Want(t, func(int) uint32 { return 5 })
}

// Shared memory of a CTA that is done is not visible in the next.
func TestSharedStartsClear(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	.shared .u32 s[32];
	mov.u32 %r2, %laneid;
	mov.u32 %r3, s;
	mad.lo.u32 %r3, %r2, 4, %r3;
	ld.shared.u32 %r1, [%r3];
	st.shared.u32 [%r3], 7;` + kerneltest.StoreR1, Grid: kerneltest.Dim(4, 1), Words: []int{128}}.Want(t, func(int) uint32 { return 0 })
}

func TestPartialWarp(t *testing.T) {
	stats := kerneltest.Kernel{Source: kerneltest.Entry + "mov.u32 %r1, 9;" + kerneltest.StoreR1, Block: kerneltest.Dim(40, 1), Words: []int{41}}.Want(t, func(i int) uint32 {
		if i < 40 {
			return 9
		}
		return 0
	})
	if want := stats.WarpInstrs / 2 * 40; stats.LaneInstrs != want {
		t.Errorf("%d lane instructions, want %d", stats.LaneInstrs, want)
	}
}

// A thread that runs off the end of the code has ended.
func TestEndOfCodeIsExit(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], 3;
	bra END;
END:
}`, Words: []int{1}}.Want(t, func(int) uint32 { return 3 })
}

// Loops with several exits, under every path order.
func TestLoopWithBreakAndContinue(t *testing.T) {
	for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority} {
		kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 0;              // i
	mov.u32 %r1, 0;              // sum
LOOP:
	add.u32 %r3, %r3, 1;
	setp.gt.u32 %p1, %r3, 40;
	@%p1 bra DONE;
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p2, %r4, 0;
	@%p2 bra LOOP;               // continue on even i
	add.u32 %r1, %r1, %r3;
	setp.ge.u32 %p3, %r3, %r2;
	@%p3 bra DONE;               // break at i >= lane
	bra LOOP;
DONE:` + kerneltest.StoreR1, Words: []int{32}, Config: interp.Config{PathOrder: order}}.Want(t, func(lane int) uint32 {
			sum := uint32(0)
			for i := 1; i <= 40; i += 2 {
				sum += uint32(i)
				if i >= lane {
					break
				}
			}
			return sum
		})
	}
}
