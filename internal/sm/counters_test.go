package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestCountersMatchHandCount: the instructions and pipe cycles of a launch of 2 CTAs of 2 warps, counted by hand. A
// warp issues 5 products of doubles, and a load of shared memory in which all lanes access the same bank: 32
// wavefronts.
func TestCountersMatchHandCount(t *testing.T) {
	var issued [isa.NumCostClasses]uint64
	timing, _ := timed(t, preset(t, "h100"), 2, 64, 0, kerneltest.Source(t, "testdata/kernels/counters.txt", "counters match hand count"), sm.Options{Recorder: issues{func(i *sm.Issue) { issued[i.Class]++ }}})
	if all := timing.Total().Schedulers[0].Classes; all != issued {
		t.Errorf("classes are %v, of what was issued %v", all, issued)
	}
	for id := range timing.SMs {
		m := &timing.SMs[id]
		if id > 1 {
			if m.First != 0 || m.Last != 0 || m.MemoryPipe != 0 {
				t.Errorf("SM %d, which has no CTA: %+v", id, m)
			}
			continue
		}
		did := m.Sum()
		if double, load, exit := did.Classes[isa.CostDouble], did.Classes[isa.CostLoadShared], did.Classes[isa.CostExit]; double != 2*5 || load != 2 || exit != 2 {
			t.Errorf("SM %d issues %d products, %d loads and %d exits", id, double, load, exit)
		}
		if m.MemoryPipe != 2*32 {
			t.Errorf("the memory pipe of SM %d is busy for %d cycles, want 64", id, m.MemoryPipe)
		}
		if m.First != 0 || m.Last-m.First != m.Active {
			t.Errorf("SM %d is active in %d cycles from %d to %d", id, m.Active, m.First, m.Last)
		}
	}
	if timing.SMs[1].Last != timing.Cycles {
		t.Errorf("the last SM ends at %d of %d", timing.SMs[1].Last, timing.Cycles)
	}
}
