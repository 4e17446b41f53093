package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestStolenWorkIsDoneOnce: the work of each CTA is done once, by any CTA, on one thread of the host and on several.
func TestStolenWorkIsDoneOnce(t *testing.T) {
	for _, grid := range []isa.Dim{{X: 1, Y: 1, Z: 1}, {X: 7, Y: 1, Z: 1}, {X: 3, Y: 4, Z: 5}, {X: 600, Y: 1, Z: 1}} {
		n := int(grid.Count())
		var first interp.Stats
		for _, threads := range []int{1, 4} {
			out, stats, err := kerneltest.Kernel{Source: kerneltest.Stealing, Grid: grid, Words: []int{n + 1}, Config: interp.Config{Threads: threads}}.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			for i, times := range out[0][:n] {
				if times != 1 {
					t.Fatalf("grid %v, %d threads: the work of %d was done %d times", grid, threads, i, times)
				}
			}
			if n < 100 && out[0][n] != 1 {
				t.Errorf("grid %v: %d blocks have started, but the first could cancel all others in its time slice", grid, out[0][n])
			}
			if threads == 1 {
				first = stats
			} else if diff := cmp.Diff(first.WarpInstrs, stats.WarpInstrs); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// TestCancelTakesWholeClusters: an answer to all CTAs of a cluster cancels all CTAs of another.
func TestCancelTakesWholeClusters(t *testing.T) {
	for _, threads := range []int{1, 4} {
		kerneltest.Kernel{Source: kerneltest.StealingClusters, Grid: kerneltest.Dim(40, 1), Cluster: kerneltest.Dim(2, 1), Words: []int{40}, Config: interp.Config{Threads: threads}}.Want(t, func(int) uint32 { return 1 })
	}
}

// TestForbiddenCancelsFault: uses that PTX forbids are refused.
func TestForbiddenCancelsFault(t *testing.T) {
	const cancel = "clusterlaunchcontrol.try_cancel.async%s.mbarrier::complete_tx::bytes.b128 %s, %s;"
	for body, want := range map[string]string{
		fmt.Sprintf(cancel, ".shared::cta", "[s]", "[s+16]"):                                 "no mbarrier is at shared 0x10 of block (0,0,0) ... [mbarrier-state]",
		fmt.Sprintf(cancel, ".shared::cta", "[s+8]", "[s+16]"):                               "misaligned place for an answer: shared 0x8 is not a multiple of 16 bytes",
		fmt.Sprintf(cancel, ".shared::cta", "[s]", "[s+20]"):                                 "misaligned mbarrier: shared 0x14",
		fmt.Sprintf(cancel, ".shared::cta", "[s+48]", "[s+16]"):                              "place for an answer past the end of s [mem-oob]",
		fmt.Sprintf(cancel, "", "[%rd1]", "[%rd1]"):                                          "place for an answer in .shared space, but the address is that of buffer 0 in .global space",
		kerneltest.Source(t, "testdata/kernels/cancel.txt", "the tx-count leaves its range"): "the tx-count leaves the range from -1048575 to 1048575: 16 bytes ... [mbarrier-count]",
	} {
		_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/cancel.txt", "cancel faults", "$body", body), Words: []int{8}}.Run(t)
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
