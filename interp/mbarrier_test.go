package interp_test

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestFailedWaitLetsOthersRun: a warp with a failed wait lets others run, independent of the shape of its loop. Two
// warps pass a word back and forth ten times, which takes each of them some 10 instructions each time, and few waits.
func TestFailedWaitLetsOthersRun(t *testing.T) {
	for _, wait := range []string{
		"W%[1]s: mbarrier.try_wait.parity.shared.b64 %%p3, [%[2]s], %%r4;\n\t@!%%p3 bra W%[1]s;",
		"W%[1]s: mbarrier.test_wait.parity.shared.b64 %%p3, [%[2]s], %%r4;\n\t@%%p3 bra D%[1]s;\n\tbra W%[1]s;\nD%[1]s:",
	} {
		stats := kerneltest.Kernel{Block: kerneltest.Dim(64, 1), Source: kerneltest.Source(t, "testdata/kernels/mbarrier.txt", "waits in vain", "$wait2", fmt.Sprintf(wait, "2", "bars"), "$wait", fmt.Sprintf(wait, "1", "bars+8")), Words: []int{64}}.Want(t, func(i int) uint32 {
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
