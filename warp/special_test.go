package warp

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// TestSpecialsAreUniformWithoutClusters: in CTA (3, 1, 2) of 200x4x5, which is number
// 3 + 200 * (1 + 4 * 2) = 1803 = 13 * 132 + 87.
func TestSpecialsAreUniformWithoutClusters(t *testing.T) {
	want := map[isa.Special]uint32{
		isa.SMID: 87, isa.NSMID: 132,
		isa.ClusterIDX: 3, isa.ClusterIDY: 1, isa.ClusterIDZ: 2,
		isa.NClusterIDX: 200, isa.NClusterIDY: 4, isa.NClusterIDZ: 5,
		isa.ClusterCtaidX: 0, isa.ClusterCtaRank: 0,
		isa.ClusterNctaidX: 1, isa.ClusterNctaidY: 1, isa.ClusterNctaidZ: 1, isa.ClusterNctaRank: 1,
		isa.DynamicSharedSize: 64, isa.TotalSharedSize: 100, isa.AggregateSharedSize: 100,
		isa.ReservedSharedBegin: 0, isa.EnvReg0: 0, isa.EnvReg31: 0, isa.PM0: 0, isa.PM7: 0, isa.PM064: 0, isa.PM764: 0, isa.CurrentGraphExec: 0,
	}
	f := function()
	l := program.NewLayout(f)
	for s := range want {
		l.Special(s)
	}
	gridID, explicit := l.Special(isa.GridID), l.Special(isa.IsExplicitCluster)
	if explicit < gridID+lanes.Slot64 {
		t.Errorf("%%gridid at %d has no 64 bits: the next slot is at %d", gridID, explicit)
	}
	shape := &Shape{Grid: isa.Dim{X: 200, Y: 4, Z: 5}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, DynamicShared: 64, TotalShared: 100, WarpsPerCTA: 1, ThreadsPerCTA: 32, SMs: 132}
	w := New(0, shape, divergence.NewStack(flow.New(f), divergence.Taken))
	file := w.NewFile(l)
	w.Start(isa.Dim{X: 3, Y: 1, Z: 2})
	w.Enter(file, l, nil, nil)
	for s, value := range want {
		r := lanes.Reg[uint32](file, l.Special(s))
		if r[0] != value || r[31] != value {
			t.Errorf("%s is %d in lane 0, %d in lane 31; want %d", s, r[0], r[31], value)
		}
	}
	if lanes.Reg[uint64](file, gridID)[0] != 0 || *lanes.Pred(file, explicit) != 0 {
		t.Errorf("%s or %s is not 0", isa.GridID, isa.IsExplicitCluster)
	}
}
