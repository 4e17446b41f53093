package profile_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/interp"
)

// cost is the expected counts of an instruction.
type cost struct{ runs, lanes, divergences, larger, others, diverged, exited uint64 }

func costOf(c *profile.Counts) cost {
	return cost{c.Runs, c.Lanes, c.Divergences, c.LargerSides, c.OtherSides, c.LostDiverged, c.LostExited}
}

func wantCost(t *testing.T, p *profile.Profile, function, opcode string, n int, want cost) {
	t.Helper()
	if got := costOf(at(t, p, function, opcode, n)); got != want {
		t.Errorf("%s %d of %s: got %+v, want %+v", opcode, n, function, got, want)
	}
}

// In TestIfElseLosesSlotsOfBothSides 8 lanes take a side of one instruction, and 24 a side of two and a branch: 3
// instructions lose 8 slots each, and one loses 24.
func TestIfElseLosesSlotsOfBothSides(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		p := kernel{model: m, grid: plane(3, 1), block: plane(64, 1), src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "if else")}.profile(t)
		const warps = 6
		wantCost(t, p, "k", "bra", 0, cost{warps, warps * 32, warps, warps * 24, warps * 8, warps * (3*8 + 24), 0})
		wantCost(t, p, "k", "add.u32", 1, cost{warps, warps * 24, 0, 0, 0, 0, 0})
		wantCost(t, p, "k", "sub.u32", 0, cost{warps, warps * 8, 0, 0, 0, 0, 0})
		wantCost(t, p, "k", "ret", 0, cost{warps, warps * 32, 0, 0, 0, 0, 0})
		if c := &p.Total; c.Branches != 2*warps || c.DivergentBranches != warps {
			t.Errorf("%d branches, %d of them divergent", c.Branches, c.DivergentBranches)
		}
	})
}

// In TestLoopCountsLostSlots lane i executes i%4 + 1 iterations: the loop's two instructions and its branch execute 4
// times with 32, 24, 16 and 8 lanes, and each time 8 more leave. 3 * (8 + 16 + 24) slots are lost.
func TestLoopCountsLostSlots(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		p := kernel{model: m, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "loop")}.profile(t)
		wantCost(t, p, "k", "bra", 0, cost{4, 32 + 24 + 16 + 8, 3, 24 + 16 + 8, 8 + 8 + 8, 3 * (8 + 16 + 24), 0})
	})
}

// In TestExitedLanesLoseSlots the last 4 lanes end by a guarded exit; two additions, a branch and the last exit execute
// without them.
func TestExitedLanesLoseSlots(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		for _, end := range []string{"exit", "ret"} { // equivalent in a kernel
			p := kernel{model: m, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "exit", "$end", end)}.profile(t)
			wantCost(t, p, "k", end, 0, cost{1, 32, 1, 28, 4, 0, 4 * 4})
		}
	})
}

// TestPartialWarpLosesSlots has 40 threads: 8 in the second warp.
func TestPartialWarpLosesSlots(t *testing.T) {
	p := kernel{block: plane(40, 1), grid: plane(5, 1), src: `.entry k() { mov.u32 %r0, 1; ret; }`}.profile(t)
	if got := p.Total.LostBlock; got != 5*2*24 {
		t.Errorf("%d lane slots lost to the block's size, want %d", got, 5*2*24)
	}
}

// TestEndOfCodeCountsAsInstruction runs past the end of the code, which counts as an instruction.
func TestEndOfCodeCountsAsInstruction(t *testing.T) {
	p := kernel{block: plane(32, 1), grid: plane(3, 1), src: `.entry k() { mov.u32 %r0, 1; add.u32 %r1, %r0, 1; }`}.profile(t)
	if got := p.Total.Runs; got != 3*3 {
		t.Errorf("%d instructions, want %d", got, 3*3)
	}
}

// TestCalledFunctionCountsBothCalls has a function of 3 instructions called from two places: by all lanes, and by 10
// lanes under a guard, while 22 wait for 3 instructions. In the function, whose counts include both calls, 2 lanes of
// each call return early by a guarded return, one instruction before the others.
func TestCalledFunctionCountsBothCalls(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		p := kernel{model: m, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "calls")}.profile(t)
		wantCost(t, p, "f", "setp.lt.u32", 0, cost{2, 32 + 10, 0, 0, 0, 0, 0})
		wantCost(t, p, "f", "ret", 0, cost{2, 32 + 10, 2, 30 + 8, 2 + 2, 2 + 2, 0})
		wantCost(t, p, "k", "call", 0, cost{1, 32, 0, 0, 0, 0, 0})
		wantCost(t, p, "k", "call", 1, cost{1, 32, 1, 22, 10, 3 * 22, 0})
		wantCost(t, p, "k", "ret", 0, cost{1, 32, 0, 0, 0, 0, 0})
	})
}

// In TestIndirectCallsLoseSlots one call instruction makes 8 lanes call a function of 2 instructions, and 24 another of
// 1: 2*24 + 8 slots are lost.
func TestIndirectCallsLoseSlots(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		p := kernel{model: m, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "indirect calls")}.profile(t)
		wantCost(t, p, "k", "call", 0, cost{1, 32, 1, 24, 8, 2*24 + 8, 0})
	})
}

// TestBarriersCountArrivals has two barriers for two warps; at the second, the first warp arrives in parts.
func TestBarriersCountArrivals(t *testing.T) {
	p := kernel{block: plane(64, 1), model: divergence.IndependentThreads, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "barriers")}.profile(t)
	if c := at(t, p, "k", "bar.sync", 0); c.Arrivals != 2 || c.ArrivedLanes != 64 {
		t.Errorf("%d arrivals of %d lanes, want 2 of 64", c.Arrivals, c.ArrivedLanes)
	}
	if c := &p.Total; c.Arrivals != 5 || c.ArrivedLanes != 128 {
		t.Errorf("%d arrivals of %d lanes in all, want 5 of 128", c.Arrivals, c.ArrivedLanes)
	}
}

// TestArrivalsCountAtTheirInstruction has both sides of a branch arrive at a shuffle, at two different instructions:
// the first half waits while the second executes. The branch causes all losses: 16 slots in each of the 2 + 1
// instructions of the sides.
func TestArrivalsCountAtTheirInstruction(t *testing.T) {
	p := kernel{model: divergence.IndependentThreads, src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "arrivals at different instructions")}.profile(t)
	wantCost(t, p, "k", "bra", 0, cost{1, 32, 1, 16, 16, 3 * 16, 0})
}

// TestFaultingLaunchIsCounted checks the counts up to a fault: the load is the third instruction, and is not executed.
func TestFaultingLaunchIsCounted(t *testing.T) {
	m, l := kernel{src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "faulting launch")}.launch(t)
	c, err := profile.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, l)
	if err == nil {
		t.Fatal("no fault")
	}
	p := c.Profile()
	checkTotals(t, p, stats)
	if p.Total.Runs != 2 || len(p.Total.Traffic) != 0 {
		t.Errorf("counted %+v", p.Total)
	}
}

// TestMemoryDoesNotGrowWithCTAs has more CTAs than are resident, and checks that memory does not grow with them.
func TestMemoryDoesNotGrowWithCTAs(t *testing.T) {
	m, l := kernel{grid: plane(100000, 1), src: kerneltest.Source(t, "testdata/kernels/divergence.txt", "many CTAs")}.launch(t)
	allocations := func(l interp.Launch) float64 {
		return testing.AllocsPerRun(1, func() {
			if _, err := functional.Run(context.Background(), m, l); err != nil {
				t.Fatal(err)
			}
		})
	}
	none := allocations(l)
	if _, err := profile.Attach(m, &l); err != nil {
		t.Fatal(err)
	}
	collected := allocations(l)
	if collected > none+100 {
		t.Errorf("collecting makes %.0f allocations for %d CTAs", collected-none, l.Grid.X)
	}
}
