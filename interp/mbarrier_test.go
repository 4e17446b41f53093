package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestMbarrierFaults: uses that PTX leaves undefined are faults of the first lane that has one, without any effect.
func TestMbarrierFaults(t *testing.T) {
	const begin = kerneltest.Entry + `
	.shared .b64 bars[33];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mov.u32 %r2, bars;
	mad.lo.u32 %r2, %r1, 8, %r2;
	add.u32 %r3, %r1, 1;
	mbarrier.init.shared.b64 [%r2], %r3;
	`
	for body, want := range map[string]string{
		"mbarrier.arrive.shared.b64 _, [%r2], 30;":                                                 "more arrivals than are pending: 30, of an mbarrier at shared 0x0 with 1 pending arrivals and a tx-count of 0 [mbarrier-count] ... lane 0 (00000001)",
		"mbarrier.arrive.shared.b64 _, [%r2], 0;":                                                  "the count is not 1 to 1048575: 0",
		"mbarrier.arrive_drop.shared.b64 _, [%r2], 2;":                                             "more arrivals than are pending: 2",
		"mbarrier.arrive.noComplete.shared.b64 _, [%r2], %r3;":                                     "1 arrivals with .noComplete complete the phase, in which 1 were pending [mbarrier-count]",
		"mbarrier.expect_tx.shared.b64 [%r2], 1048575;\n\tmbarrier.expect_tx.shared.b64 [%r2], 1;": "the tx-count leaves the range from -1048575 to 1048575: 1, of an mbarrier at shared 0x0 with 1 pending arrivals and a tx-count of 1048575",
		"mbarrier.complete_tx.shared.b64 [%r2], 1048576;":                                          "the tx-count leaves the range",
		"mbarrier.init.shared.b64 [bars+256], %r1;":                                                "the count is not 1 to 1048575: 0",
		"mbarrier.arrive.shared.b64 _, [bars+256];":                                                "no mbarrier is at shared 0x100: it was not initialised, or something else was written there [mbarrier-state]",
		"mbarrier.test_wait.parity.shared.b64 %p1, [%r2+8], 0;":                                    "no mbarrier is at shared 0x100 ... lane 31 (80000000)",
		"st.shared.u32 [%r2+4], 0;\n\tmbarrier.inval.shared.b64 [%r2];":                            "no mbarrier is at shared 0x0",
		"mbarrier.arrive.shared.b64 _, [%r2+4];":                                                   "misaligned mbarrier: shared 0x4 is not a multiple of 8 bytes [mem-misaligned] ... lanes 0-31",
		"mbarrier.arrive.shared.b64 _, [%r2+16];":                                                  "mbarrier past the end of bars [mem-oob] ... lane 31",
		"mbarrier.arrive.b64 _, [%rd1];":                                                           "mbarrier in .shared space, but the address is that of buffer 0 in .global space [mem-space]",
	} {
		_, _, err := kerneltest.Kernel{Source: begin + body + "\n\tret;\n}", Words: []int{32}}.Run(t)
		fault, ok := errors.AsType[*interp.Fault](err)
		if !ok {
			t.Errorf("%s: got %v, want a fault", body, err)
			continue
		}
		for part := range strings.SplitSeq(want, " ... ") {
			if !strings.Contains(fault.Error(), part) {
				t.Errorf("%s: the message lacks %q:\n%v", body, part, err)
			}
		}
	}
}

// TestMbarrierOfManyLanes: lanes arrive at one mbarrier one after the other, so that each finds one pending arrival
// fewer, and the last completes the phase.
func TestMbarrierOfManyLanes(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Entry + `
	.shared .b64 bar;
	setp.eq.u32 %p1, %tid.x, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 32;
	mbarrier.arrive.shared.b64 %rd1, [bar];
	mbarrier.pending_count.b64 %r1, %rd1;
	mbarrier.test_wait.shared.b64 %p2, [bar], %rd1;
	@%p2 add.u32 %r1, %r1, 100;` + kerneltest.StoreR1, Words: []int{32}}.Want(t, func(i int) uint32 { return uint32(100 + 32 - i) })
}

// TestMbarrierThatNobodyCompletes: a loop of waits makes no progress, and the report names the mbarrier; warps that
// end do not matter.
func TestMbarrierThatNobodyCompletes(t *testing.T) {
	for _, wait := range []string{"mbarrier.try_wait.parity.shared.b64 %p3, [bar+8], 0;", "mbarrier.test_wait.shared.b64 %p3, [bar+8], %rd1;"} {
		_, _, err := kerneltest.Kernel{Block: kerneltest.Dim(96, 1), Source: kerneltest.Entry + `
	.shared .b64 bar[2];
	setp.eq.u32 %p1, %tid.x, 0;
	@%p1 mbarrier.init.shared.b64 [bar+8], 64;
	bar.sync 0;
	setp.ge.u32 %p2, %tid.x, 64;
	@%p2 bra END;
	setp.eq.u32 %p2, %tid.x, 1;
	@%p2 mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar+8], 48;
	@!%p2 mbarrier.arrive.shared.b64 %rd1, [bar+8];
WAIT:
	` + wait + `
	@!%p3 bra WAIT;
END:
	ret;
}`, Words: []int{32}}.Run(t)
		kerneltest.WantHang(t, err, "no warp makes progress", "[sync-spin]", "warp 0 lanes 0-31", "warp 1 lanes 0-31", wait,
			"mbarrier at shared 0x8 of block (0,0,0), in a phase of parity 0: 0 of 64 arrivals are pending, the tx-count is 48")
	}
}

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

// TestMbarrierOfOthersThatNobodyCompletes: a block waits for one of its cluster that has ended.
func TestMbarrierOfOthersThatNobodyCompletes(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: betweenCTAs(2) + `
	@%p1 mbarrier.init.shared.b64 [%r5], 62;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	mapa.shared::cluster.u32 %r8, %r5, 0;
	setp.gt.u32 %p4, %r2, 29;
	@!%p4 mbarrier.arrive.shared::cluster.b64 _, [%r8];
	@!%p2 exit;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0;
	@!%p5 bra WAIT;
	ret;
}`, Grid: kerneltest.Dim(2, 1), Words: []int{32}}.Run(t)
	kerneltest.WantHang(t, err, "no warp makes progress", "[sync-spin]", "mbarrier at shared 0x100 of block (0,0,0), in a phase of parity 0: 2 of 62 arrivals are pending")
}
