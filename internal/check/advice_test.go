package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestFindingsSayWhatIsMissing checks the reason for which accesses are not ordered.
func TestFindingsSayWhatIsMissing(t *testing.T) {
	const twoSides = "\nsetp.eq.u32 %p1, %r3, 0;\n"
	for _, c := range []struct {
		raceCase
		between, fix string
	}{
		{raceCase{"warps", dim(1, 1, 1), dim(64, 1, 1), "\nsetp.eq.u32 %p1, %r2, 0; @%p1 st.global.u32 [%rd1], %r4;\n", nil},
			"no barrier on either path", "let one thread write it, or use an atomic: a barrier cannot order an instruction with itself"},
		{raceCase{"lanes", dim(1, 1, 1), dim(32, 1, 1), "\nst.global.u32 [%rd2], %r1;\nld.global.u32 %r9, [%rd2+-0];\nxor.b32 %r5, %r5, 4; cvt.u64.u32 %rd3, %r5; add.u64 %rd3, %rd3, %rd1;\nld.global.u32 %r9, [%rd3];\n", nil},
			"one warp, and no bar.warp.sync at which both lanes arrived: only lock step orders them", "bar.warp.sync before line 4"},
		{raceCase{"lanes in two arms", dim(1, 1, 1), dim(32, 1, 1), "\nsetp.lt.u32 %p1, %r2, 16; @%p1 bra B;\nsetp.eq.u32 %p2, %r2, 31; @%p2 st.shared.u32 [s], 1; bra E;\nB: ld.shared.u32 %r9, [s];\nE:\n", nil},
			"lanes of one warp that execute neither of the two together, and no bar.warp.sync at which both lanes arrived", "a bar.warp.sync between them that both lanes reach; if they are in different arms of a branch, let one lane do both, or use atomics"},
		{raceCase{"lanes apart, with a shuffle between", dim(1, 1, 1), dim(32, 1, 1), kerneltest.Source(t, "testdata/advice.txt", "lanes apart, with a shuffle between"), nil},
			"only one of them is atomic or strong; lanes of one warp that execute neither of the two together, and no bar.warp.sync at which both lanes arrived", "bar.warp.sync before line 4"},
		{raceCase{"one instruction", dim(1, 1, 1), dim(32, 1, 1), "\nst.global.u32 [%rd1], %r1;\n", nil},
			"lanes of one instruction: their order is not defined", "let one lane write, or use an atomic"},
		{raceCase{"blocks", dim(2, 1, 1), dim(1, 1, 1), "\nst.global.u32 [%rd1], %r3;\n", nil},
			"different blocks: a barrier does not order them", "let one thread write it, or use an atomic: a barrier cannot order an instruction with itself"},
		{raceCase{"a narrow fence", dim(2, 1, 1), dim(1, 1, 1), "\nmembar.cta; st.global.u32 [%rd1], %r3;\n", nil},
			"different blocks, and a fence of scope cta: it orders nothing between blocks", "let one thread write it, or use an atomic: a barrier cannot order an instruction with itself"},
		{raceCase{"a narrow atomic", dim(2, 1, 1), dim(1, 1, 1), "\nred.relaxed.cta.global.add.u32 [%rd1], 1;\n", nil},
			"both are atomic or strong, but scope cta does not include the other block", "scope gpu on both"},
		{raceCase{"two sizes", dim(2, 1, 1), dim(1, 1, 1), twoSides + "@%p1 st.volatile.global.u8 [%rd1], 1;\n@!%p1 ld.volatile.global.u32 %r9, [%rd1];\n", nil},
			"both are atomic or strong, but of different sizes", "access it with one size"},
		{raceCase{"one atomic", dim(2, 1, 1), dim(1, 1, 1), twoSides + "@%p1 red.global.add.u32 [%rd1], 1;\n@!%p1 ld.global.u32 %r9, [%rd1];\n", nil},
			"only one of them is atomic or strong; different blocks: a barrier does not order them", "do one of them in another launch; or count the blocks that are done, with membar.gl before and after, and let the last block do it: an atomic would only hide that it may happen too early"},
		{raceCase{"a lock that orders nothing", dim(1, 1, 1), dim(64, 1, 1), kerneltest.Source(t, "testdata/advice.txt", "a lock that orders nothing"), nil},
			"no barrier on either path", "membar.gl before line 4, which releases the lock, and after line 2, which takes it: both sides need one"},
		{raceCase{"lanes that could signal to another warp", dim(1, 1, 1), dim(32, 1, 1), kerneltest.Source(t, "testdata/advice.txt", "lanes that could signal to another warp"), nil},
			"one warp, and no bar.warp.sync at which both lanes arrived: only lock step orders them", "a bar.warp.sync between lines 3 and 4, with the mask of the lanes that reach it"},
	} {
		fs := c.run(t, divergence.IndependentThreads)
		if len(fs) != 1 {
			t.Errorf("%s: %v", c.name, summary(fs))
			continue
		}
		if diff := cmp.Diff([]string{c.between, c.fix}, []string{fs[0].Between, fs[0].Fix}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestAsynchronousWritesAreWaitedForAtTheirMbarriers: no barrier of the block orders what a thread does after a copy or
// an answer that signals an mbarrier. What comes before such a write needs a barrier, as before any other.
func TestAsynchronousWritesAreWaitedForAtTheirMbarriers(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/races/mbarriers.txt", raceKeys...) {
		want := c.Values("advises")
		if want == nil {
			continue
		}
		rc := raceCase{grid: dim(1, 1, 1), block: c.Dim(t, "block"), body: c.Body}
		var got []string
		for _, f := range rc.run(t, divergence.IndependentThreads) {
			got = append(got, f.Fix)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: advice (-want +got):\n%s", c.Name, diff)
		}
	}
}
