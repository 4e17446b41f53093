package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/interp"
)

// joined are kernels in which lanes that ran apart are to go on together. All
// are counted by hand, in warp instructions: an instruction whose lanes run
// apart counts once for each group.
var joined = []struct {
	name   string
	src    string
	instrs uint64
	want   func(lane int) uint32
}{
	{
		// Lanes 0 to 9 get to SHARED by one edge and 20 to 31 by another, and
		// the join of both branches is END. They vote apart, and then are at one
		// place.
		name: "woken at one place",
		src: entry + `
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
END:` + storeOwn,
		instrs: 5 + 2 + 2*1 + 2 + 16, // 5 to part, 2 of the lanes between, the vote twice; storeOwn is 16
		want: func(lane int) uint32 {
			if lane >= 10 && lane < 20 {
				return 1
			}
			return 0x3ff + 2
		},
	},
	{
		// Lanes 1 to 31 wait at END for lane 0, which then falls into a later
		// round all by itself, and counts there. They need not wait for that: what
		// lane 1 stores is there when lane 0 looks.
		name: "a lane that leaves alone",
		src: entry + `
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
	mov.u32 %r1, 1;` + storeOwn,
		instrs: 3 + 2 + 2 + 3*20000 + 3 + 1 + 16,
		want:   func(int) uint32 { return 1 },
	},
	{
		// The even lanes are one group and the odd ones another, and of both half
		// are at each of two votes. The groups are woken one after the other, but
		// those that voted at one place go on together.
		name: "two groups at one instruction",
		src: entry + `
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
END:` + storeOwn,
		instrs: 5 + 3 + 2 + 16, // 5 to part, then each side once
		want:   func(lane int) uint32 { return 0x5555<<(lane&1) + 1 },
	},
	{
		// Lanes 1 to 31 wait at END for lane 0, until it goes where no way leads to
		// END. While it counts they store 1, which is what it then finds.
		name: "a lane that cannot come back to the join",
		src: entry + `
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
	mov.u32 %r1, 1;` + storeOwn,
		instrs: 7 + 3*20000 + 3 + 1 + 16, // 7 to part, lane 0, the others
		want:   func(int) uint32 { return 1 },
	},
	{
		// Lanes 0 to 15 wait at JOIN for the others, who wait for their vote: so
		// they go on, to LOOP, and wait there. What is before LOOP is executed
		// twice, the loop and what follows once.
		name: "a convergence barrier broken for the next",
		src: entry + `
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
	@%p2 bra LOOP;` + storeOwn,
		instrs: 4 + 1 + 2*2 + 3*5 + 16, // 4 to part, a vote, what is at JOIN twice, 5 times the loop
		want:   func(int) uint32 { return 0xffff + 1 },
	},
	{
		// Lanes 0 to 15 do not call voter and wait behind the call, in caller,
		// until they are needed. There is no join further on in caller: all meet
		// where it was called.
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
` + entry + `
	call caller;
	mov.u32 %r1, 1;` + storeOwn,
		instrs: 1 + 3 + 3 + 2*2 + 1 + 16, // the call, caller as far as voter, voter, the rest of caller
		want:   func(int) uint32 { return 1 },
	},
	{
		// Lanes 16 to 31 wait at OUTER and 0 to 7 at INNER, for 8 to 15, who
		// wait for the vote of 0 to 7. Only these need to go on.
		name: "the innermost convergence barrier broken",
		src: entry + `
	mov.u32 %r2, %laneid;
	setp.ge.u32 %p1, %r2, 16;
	@%p1 bra OUTER;
	setp.lt.u32 %p2, %r2, 8;
	@%p2 bra INNER;
	vote.sync.ballot.b32 %r1, %p2, 0xffff;
INNER:
	@%p2 vote.sync.ballot.b32 %r1, %p2, 0xffff;
OUTER:
	add.u32 %r1, %r1, 1;` + storeOwn,
		instrs: 5 + 1 + 2*1 + 1 + 16, // 5 to part, a vote, what is at INNER twice
		want: func(lane int) uint32 {
			if lane < 16 {
				return 0xff + 1
			}
			return 1
		},
	},
}

// TestGoingOnTogether holds independent thread scheduling to how often it issues
// what lanes can execute together, whichever of them run first.
func TestGoingOnTogether(t *testing.T) {
	for _, c := range joined {
		t.Run(c.name, func(t *testing.T) {
			for _, order := range allOrders {
				k := kernel{src: c.src, words: []int{32}, cfg: interp.Config{PathOrder: order}}
				if stats := k.want(t, c.want); stats.WarpInstrs != c.instrs {
					t.Errorf("%v: %d instructions, want %d", order, stats.WarpInstrs, c.instrs)
				}
			}
		})
	}
}
