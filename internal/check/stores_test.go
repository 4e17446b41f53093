package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/linear"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// storing returns a kernel whose block 0 stores 1 to n to a word of each thread, by n instructions in lines 2 to n+1.
// Block 1 then executes an instruction in line n+3.
func storing(t testing.TB, n int, other string) string {
	var stores strings.Builder
	for i := range n {
		fmt.Fprintf(&stores, "st.global.u32 [%%rd2], %d;\n", i+1)
	}
	return prologue + strings.TrimLeft(kerneltest.Source(t, "testdata/stores.txt", "stores", "STORES\n", stores.String(), "OTHER_BLOCK", other), "\n")
}

// TestEveryStoreOfManyIsInRace: if a thread stores different values to a word by many instructions, each of them races
// with a load of another block, and with a store of another block.
func TestEveryStoreOfManyIsInRace(t *testing.T) {
	for _, n := range []int{1, 11, 12, 13, 14, 40, 64, 100, 300} {
		for _, c := range []struct{ rule, other string }{
			{"race-raw", "ld.global.u32 %r10, [%rd2];"},
			{"race-waw", "st.global.u32 [%rd2], 1000000;"},
		} {
			m, l, _ := launchOf(t, parsed(t, storing(t, n, c.other)), interp.Config{}, dim(2, 1, 1), dim(64, 1, 1))
			want := map[string]bool{}
			for i := range n {
				want[fmt.Sprintf("%s %d %d", c.rule, 2+i, n+3)] = true
			}
			got := map[string]bool{}
			for _, s := range summary(findingsOf(t, m, &l)) {
				got[s] = true
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d stores and %s (-want +got):\n%s", n, c.other, diff)
			}
		}
	}
}

// TestManyStoresTakeLinearTime: a thread may store to one word by hundreds of instructions, as an unrolled loop does.
func TestManyStoresTakeLinearTime(t *testing.T) {
	linear.Check(t, 4, func(n int) time.Duration {
		m, l, _ := launchOf(t, parsed(t, storing(t, n, "ld.global.u32 %r10, [%rd2+2048];")), interp.Config{}, dim(2, 1, 1), dim(512, 1, 1))
		began := workloads.CPUTime()
		if fs := findingsOf(t, m, &l); len(fs) > 0 {
			t.Error(summary(fs))
		}
		return workloads.CPUTime() - began
	})
}
