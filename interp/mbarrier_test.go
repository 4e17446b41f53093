package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestMbarrierFaults: what PTX leaves undefined is refused, by the first lane that does it, and
// nothing of it is done.
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

// TestMbarrierOfManyLanes: lanes arrive at one mbarrier one after the other, so that each finds
// one arrival fewer, and the last completes the phase.
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

// TestMbarrierThatNobodyCompletes: a loop of waits is no progress, and the report has the
// mbarrier; the warps that come to its end do not matter.
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
