package debugger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
)

// In twoMbarriers, warp 1 waits at bars[0] for two arrivals and 16 bytes. Warp 0 makes one arrival, and later the
// other with the bytes. bars[1] is initialised, invalidated, initialised again, and finally overwritten.
const twoMbarriers = `.entry k(.param .u64 out)
{
	.shared .u32 word;
	.shared .b64 bars[2];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 32;
	setp.eq.u32 %p2, %r1, 0;
	@%p2 mbarrier.init.shared.b64 [bars], 2;
	@%p2 mbarrier.init.shared.b64 [bars+8], 7;
	@%p2 mbarrier.inval.shared.b64 [bars+8];
	@%p2 mbarrier.init.shared.b64 [bars+8], 9;
	bar.sync 0;
	@%p1 bra WAIT;
	@%p2 mbarrier.arrive.expect_tx.shared.b64 _, [bars], 16;
	@%p2 st.shared.u64 [bars+8], 1;
	@%p2 mbarrier.complete_tx.shared::cta.relaxed.cluster.b64 [bars], 16;
	@%p2 mbarrier.arrive.shared.b64 _, [bars];
	ret;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p3, [bars], 0;
	@%p3 bra DONE;
	bra WAIT;
DONE:
	mov.u32 %r2, 1;
	ret;
}
`

// TestInfoFollowsMbarrierOperations checks the output of info barriers after each operation of twoMbarriers.
func TestInfoFollowsMbarrierOperations(t *testing.T) {
	const (
		nobody = "no warp of block 0 waits"
		polls  = "b0.w1 lanes 0-31 at L20: mbarrier.try_wait.parity.shared.b64 %p3, [bars], 0\n" +
			"  until the phase of parity 0 of mbarrier at shared 0x8 (bars) is complete"
		first  = "\nmbarrier at shared 0x8 (bars), in a phase of parity "
		second = "\nmbarrier at shared 0x10 (bars+8), "
		nine   = second + "in a phase of parity 0: 9 of 9 arrivals are pending, the tx-count is 0"
		other  = second + "something else has been written there"
	)
	b := newBench(t, twoMbarriers, 64, divergence.IndependentThreads)
	for _, c := range []struct{ line, want string }{
		{"until 8", nobody},
		{"until 9", nobody + first + "0: 2 of 2 arrivals are pending, the tx-count is 0"},
		{"until 10", nobody + first + "0: 2 of 2 arrivals are pending, the tx-count is 0" + second + "in a phase of parity 0: 7 of 7 arrivals are pending, the tx-count is 0"},
		{"until 11", nobody + first + "0: 2 of 2 arrivals are pending, the tx-count is 0"},
		{"until 14", nobody + first + "0: 2 of 2 arrivals are pending, the tx-count is 0" + nine},
		{"warp 1 until 21", polls + first + "0: 2 of 2 arrivals are pending, the tx-count is 0" + nine},
		{"warp 1 stepi", polls + first + "0: 2 of 2 arrivals are pending, the tx-count is 0" + nine},
		{"until 15", polls + first + "0: 1 of 2 arrivals are pending, the tx-count is 16" + nine},
		{"until 16", polls + first + "0: 1 of 2 arrivals are pending, the tx-count is 16" + other},
		{"until 17", polls + first + "0: 1 of 2 arrivals are pending, the tx-count is 0" + other},
		{"until 18", nobody + first + "1: 2 of 2 arrivals are pending, the tx-count is 0" + other},
	} {
		shown := b.do(c.line)
		if diff := cmp.Diff(c.want, b.do("info barriers")); diff != "" {
			t.Errorf("after %s, %s (-want +got):\n%s", c.line, shown, diff)
		}
	}
}

// TestWorkingLoopsAreNotPolling checks that a loop that does other work besides waiting does not count as polling, and
// that with several mbarriers each lane polls its own.
func TestWorkingLoopsAreNotPolling(t *testing.T) {
	const src = `.entry k(.param .u64 out)
{
	.shared .b64 bars[2]; .shared .u32 word;
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p2, %r1, 2;
	shl.b32 %r2, %r1, 3;
	mov.u32 %r3, bars;
	add.u32 %r2, %r2, %r3;
	@%p2 mbarrier.init.shared.b64 [%r2], 32;
	and.b32 %r2, %r1, 1;
	mad.lo.u32 %r2, %r2, 8, %r3;
LOOP:
	mov.u32 %r4, 0;
	st.shared.u32 [word], %r4;
	mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0;
	@!%p3 bra LOOP;
WAIT:
	mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0;
	@!%p3 bra WAIT;
	ret;
}
`
	const none = "\nmbarrier at shared 0x0 (bars), in a phase of parity 0: 32 of 32 arrivals are pending, the tx-count is 0" +
		"\nmbarrier at shared 0x8 (bars+8), in a phase of parity 0: 32 of 32 arrivals are pending, the tx-count is 0"
	b := newBench(t, src, 32, divergence.IndependentThreads)
	b.do("until 16")
	if diff := cmp.Diff("no warp of block 0 waits"+none, b.do("info barriers")); diff != "" {
		t.Errorf("in the loop with work (-want +got):\n%s", diff)
	}
	b.do("set p3 = 1")
	b.do("stepi 2")
	const wait = " at L18: mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0\n  until the phase of parity 0 of mbarrier at shared "
	want := "b0.w0 lanes 0-30 by 2" + wait + "0x0 (bars) is complete\nb0.w0 lanes 1-31 by 2" + wait + "0x8 (bars+8) is complete" + none
	if diff := cmp.Diff(want, b.do("info barriers")); diff != "" {
		t.Errorf("in the loop that polls (-want +got):\n%s", diff)
	}
}
