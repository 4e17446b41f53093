package functional_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/memory"
)

// TestBarrierOverTooManyBlocksHangs: an H100 holds 132 * 32 CTAs of one warp, so that a barrier over more never
// completes.
func TestBarrierOverTooManyBlocksHangs(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/resident.txt", "too many blocks for a barrier"), Grid: kerneltest.Dim(132*32+1, 1), Words: []int{8}}.Run(t)
	kerneltest.WantHang(t, err, "[sync-spin]", "spins   block (0,0,0) warp 0 lane 0 (00000001) at k.s:10:2",
		"waiting 1 block, not started: the GPU holds 4224 of these at once")
}

// TestCTAsWaitForEachOther: CTA 0 waits for the 63 others, which have time slices in turn with it.
func TestCTAsWaitForEachOther(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/resident.txt", "CTAs wait for each other"), Grid: kerneltest.Dim(64, 1), Block: kerneltest.Dim(1, 1), Words: []int{2}}.Want(t, func(int) uint32 { return 63 })
}

// TestGridBarrierWaitsForAllThreads: every thread adds 1 to a counter, and reads it after a barrier of the whole grid.
func TestGridBarrierWaitsForAllThreads(t *testing.T) {
	kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/resident.txt", "grid barrier"), Grid: kerneltest.Dim(100, 1), Block: kerneltest.Dim(64, 1), Words: []int{6400}}.Want(t, func(int) uint32 { return 6400 })
}

// TestBlocksThatWaitNeedMemory: 64 blocks wait for each other, each with 2 MiB of local memory. All of them fit an
// H100. If the budget has room for only a few, the error is the missing memory, not a hang.
func TestBlocksThatWaitNeedMemory(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/resident.txt", "blocks that wait need memory"), Grid: kerneltest.Dim(64, 1), Words: []int{1}}
	if _, _, err := k.Run(t); err != nil {
		t.Errorf("with room for all: %v", err)
	}
	k.Config.Budget = memory.NewBudget(64 << 20)
	_, _, err := k.Run(t)
	var over *memory.BudgetError
	if !errors.As(err, &over) || !strings.Contains(err.Error(), "7 blocks run and wait, perhaps for the 57 that have not started") {
		t.Errorf("with room for 7: %v", err)
	}
}

// TestMemoryDoesNotGrowWithGrid: memory does not grow with the grid.
func TestMemoryDoesNotGrowWithGrid(t *testing.T) {
	allocated := func(blocks uint32) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, stats, err := kerneltest.Kernel{Source: kerneltest.Entry + "ret;\n}", Grid: kerneltest.Dim(blocks, 1), Words: []int{1}}.Run(t)
		runtime.ReadMemStats(&after)
		if err != nil || stats.WarpInstrs != uint64(blocks) {
			t.Fatalf("%d blocks: %d instructions, %v", blocks, stats.WarpInstrs, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1)
	if few, many := allocated(10), allocated(1e6); many > few+1<<16 {
		t.Errorf("10 blocks allocate %d bytes, a million %d", few, many)
	}
}

// TestFewBlocksCostFew: a GPU of 132 SMs with 8 resident CTAs takes the memory of 8 CTAs.
func TestFewBlocksCostFew(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const shared = 64 << 10 // bytes of each: the SMs together hold 396 such CTAs
	if _, _, err := (kerneltest.Kernel{Source: kerneltest.Entry + "bar.sync 0;\n\tret;\n}", Grid: kerneltest.Dim(8, 1), Block: kerneltest.Dim(256, 1), Shared: shared, Words: []int{1}}).Run(t); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 10*shared {
		t.Errorf("8 blocks of %d bytes allocate %d", shared, got)
	}
}
