package functional_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// reconverging are kernels with lanes that diverge and reconverge. Their warp instructions are counted by hand: one
// that several splits execute counts once for each.
var reconverging = []struct {
	name   string
	src    string
	instrs uint64
	want   func(lane int) uint32
}{
	{
		// Lanes 0 to 9 reach SHARED by one edge and 20 to 31 by another, and both branches reconverge at END. The lanes
		// arrive at the vote as two splits, and leave it as one.
		name: "woken at one place",
		src: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 10;
	@%p1 bra SHARED;
	setp.ge.u32 %p2, %r2, 20;
	@%p2 bra SHARED;
	mov.u32 %r1, 1;
	bra END;
SHARED:
	vote.sync.ballot.b32 %r1, %p1, 0xfff003ff;
	add.u32 %r1, %r1, 1;
	add.u32 %r1, %r1, 1;
END:` + kerneltest.StoreR1,
		instrs: 5 + 2 + 2*1 + 2 + kerneltest.StoreR1Instrs, // 5 to diverge, 2 of the lanes between, the vote twice
		want: func(lane int) uint32 {
			if lane >= 10 && lane < 20 {
				return 1
			}
			return 0x3ff + 2
		},
	},
	{
		// Lanes 1 to 31 wait at END for lane 0, which goes into a separate exit region, and counts there. They need not
		// wait for that: lane 0 finds what lane 1 stores.
		name: "a lane that leaves alone",
		src: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	setp.gt.u32 %p1, %r2, 0;
	@%p1 bra END;
	setp.gt.u32 %p1, %r2, 0;
	@%p1 bra END;
	mov.u32 %r3, 0;
	ld.param.u64 %rd1, [out];
COUNT:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 20000;
	@%p1 bra COUNT;
	ld.volatile.global.u32 %r1, [%rd1+4];
	st.global.u32 [%rd1], %r1;
	ret;
END:
	mov.u32 %r1, 1;` + kerneltest.StoreR1,
		instrs: 3 + 2 + 2 + 3*20000 + 3 + 1 + kerneltest.StoreR1Instrs,
		want:   func(int) uint32 { return 1 },
	},
	{
		// The even lanes vote among themselves, and so do the odd ones; half of either
		// are at each of two votes. They are woken one vote after the other, but
		// those that voted at one PC are one split again.
		name: "two groups at one instruction",
		src: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 1;
	shl.b32 %r4, 0x55555555, %r3;
	setp.lt.u32 %p1, %r2, 16;
	@%p1 bra LOW;
	vote.sync.ballot.b32 %r1, %p1, %r4;
	add.u32 %r1, %r1, 1;
	bra END;
LOW:
	vote.sync.ballot.b32 %r1, %p1, %r4;
	add.u32 %r1, %r1, 1;
END:` + kerneltest.StoreR1,
		instrs: 5 + 3 + 2 + kerneltest.StoreR1Instrs, // 5 to diverge, then each side once
		want:   func(lane int) uint32 { return 0x5555<<(lane&1) + 1 },
	},
	{
		// Lanes 1 to 31 wait at END for lane 0, until it reaches code from which no path leads to END. While it counts they
		// store 1, which it then finds.
		name: "a lane that cannot come back to the reconvergence PC",
		src: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 0;
	setp.gt.u32 %p1, %r2, 7;
	@%p1 bra END;
	setp.gt.u32 %p1, %r2, 0;
	@%p1 bra END;
COUNT:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 20000;
	@%p1 bra COUNT;
	ld.volatile.global.u32 %r1, [%rd1+4];
	st.global.u32 [%rd1], %r1;
	ret;
END:
	mov.u32 %r1, 1;` + kerneltest.StoreR1,
		instrs: 7 + 3*20000 + 3 + 1 + kerneltest.StoreR1Instrs, // 7 to diverge, lane 0, the others
		want:   func(int) uint32 { return 1 },
	},
	{
		// Lanes 0 to 15 wait at JOIN for the others, which wait for their vote: the convergence barrier is broken, and they
		// wait at LOOP again. The code before LOOP is executed twice, the loop and the code after it once.
		name: "a convergence barrier broken for the next",
		src: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 0;
	setp.lt.u32 %p1, %r2, 16;
	@%p1 bra JOIN;
	vote.sync.ballot.b32 %r1, %p1, 0xffffffff;
JOIN:
	@%p1 vote.sync.ballot.b32 %r1, %p1, 0xffffffff;
	add.u32 %r1, %r1, 1;
LOOP:
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, 5;
	@%p2 bra LOOP;` + kerneltest.StoreR1,
		instrs: 4 + 1 + 2*2 + 3*5 + kerneltest.StoreR1Instrs, // 4 to diverge, a vote, what is at JOIN twice, 5 times the loop
		want:   func(int) uint32 { return 0xffff + 1 },
	},
	{
		// Lanes 0 to 15 do not call voter and wait after the call, in caller, until they are needed. caller has no
		// reconvergence PC further on: the lanes reconverge where it was called.
		name: "a convergence barrier broken for the caller's",
		src: `
.func voter()
{
	mov.u32 %r1, 0xffffffff;
	bar.warp.sync %r1;
	ret;
}
.func caller()
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@!%p1 call voter;
	@%p1 bar.warp.sync 0xffffffff;
	ret;
}
` + kerneltest.Entry + `
	call caller;
	mov.u32 %r1, 1;` + kerneltest.StoreR1,
		instrs: 1 + 3 + 3 + 2*2 + 1 + kerneltest.StoreR1Instrs, // the call, caller as far as voter, voter, the rest of caller
		want:   func(int) uint32 { return 1 },
	},
	{
		// Lanes 16 to 31 wait at OUTER and 0 to 7 at INNER, for 8 to 15, which
		// wait for the vote of 0 to 7. Only the barrier at INNER must be broken.
		name: "the innermost convergence barrier broken",
		src: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	setp.ge.u32 %p1, %r2, 16;
	@%p1 bra OUTER;
	setp.lt.u32 %p2, %r2, 8;
	@%p2 bra INNER;
	vote.sync.ballot.b32 %r1, %p2, 0xffff;
INNER:
	@%p2 vote.sync.ballot.b32 %r1, %p2, 0xffff;
OUTER:
	add.u32 %r1, %r1, 1;` + kerneltest.StoreR1,
		instrs: 5 + 1 + 2*1 + 1 + kerneltest.StoreR1Instrs, // 5 to diverge, a vote, what is at INNER twice
		want: func(lane int) uint32 {
			if lane < 16 {
				return 0xff + 1
			}
			return 1
		},
	},
}

// TestReconvergence: independent thread scheduling issues code that lanes can execute together only once, whichever
// lanes run first.
func TestReconvergence(t *testing.T) {
	for _, c := range reconverging {
		t.Run(c.name, func(t *testing.T) {
			for _, order := range kerneltest.Orders {
				k := kerneltest.Kernel{Source: c.src, Words: []int{32}, Config: interp.Config{PathOrder: order}}
				if stats := k.Want(t, c.want); stats.WarpInstrs != c.instrs {
					t.Errorf("%v: %d instructions, want %d", order, stats.WarpInstrs, c.instrs)
				}
			}
		})
	}
}

// TestSidesReconvergeBehindAJump: under all models the sides of an if with an else are issued once each, and so is
// the code after it. For minpc the driver must notify the control state of the jump over the else.
func TestSidesReconvergeBehindAJump(t *testing.T) {
	for _, model := range kerneltest.Models {
		k := kerneltest.Kernel{Words: []int{32}, Config: interp.Config{Divergence: model}, Source: kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	setp.lt.u32 %p1, %r2, 20;
	@%p1 bra LOW;
	add.u32 %r1, %r2, 1;
	bra END;
LOW:
	add.u32 %r1, %r2, 2;
END:` + kerneltest.StoreR1}
		stats := k.Want(t, func(i int) uint32 {
			if i < 20 {
				return uint32(i + 2)
			}
			return uint32(i + 1)
		})
		const want = 6 + kerneltest.StoreR1Instrs
		if stats.WarpInstrs != want {
			t.Errorf("%v: %d instructions, want %d", model, stats.WarpInstrs, want)
		}
	}
}
