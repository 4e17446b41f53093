package warp

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestCTAsAreNumberedXFirst: without clusters as %ctaid counts, with clusters all CTAs of one after the other.
func TestCTAsAreNumberedXFirst(t *testing.T) {
	grid := isa.Dim{X: 4, Y: 4, Z: 2}
	plain, clustered := Shape{Grid: grid}, Shape{Grid: grid, Cluster: isa.Dim{X: 2, Y: 2, Z: 1}}
	for n, want := range map[int64][2]isa.Dim{
		0:  {{}, {}},
		1:  {{X: 1}, {X: 1}},
		2:  {{X: 2}, {Y: 1}},
		3:  {{X: 3}, {X: 1, Y: 1}},
		4:  {{Y: 1}, {X: 2}}, // the second cluster
		9:  {{X: 1, Y: 2}, {X: 1, Y: 2}},
		14: {{X: 2, Y: 3}, {X: 2, Y: 3}},
		17: {{X: 1, Z: 1}, {X: 1, Z: 1}},
	} {
		if p, c := plain.At(n), clustered.At(n); p != want[0] || c != want[1] {
			t.Errorf("CTA %d is at %v, with clusters at %v; want %v", n, p, c, want)
		}
	}
	for n := range grid.Count() {
		if p, c := plain.Number(plain.At(n)), clustered.Number(clustered.At(n)); p != n || c != n {
			t.Errorf("where CTA %d is, there are CTAs %d and %d", n, p, c)
		}
	}
	if plain.ClusterSize() != 1 || clustered.ClusterSize() != 4 {
		t.Errorf("clusters of %d and %d", plain.ClusterSize(), clustered.ClusterSize())
	}
}

// warpOf is a warp of a CTA of a clustered launch: 48 threads as 6 x 4 x 2.
func warpOf(id int) *State {
	shape := &Shape{Grid: isa.Dim{X: 8, Y: 6, Z: 4}, Block: isa.Dim{X: 6, Y: 4, Z: 2}, Cluster: isa.Dim{X: 4, Y: 2, Z: 2}, DynamicShared: 64, TotalShared: 100,
		WarpsPerCTA: 2, ThreadsPerCTA: 48, SMs: 10, Workspace: 0x123456789}
	return New(id, shape, divergence.NewStack(flow.New(function()), divergence.Taken))
}

// TestSpecialRegistersMatchISA in CTA (6, 3, 1), by the PTX ISA: it is CTA (2, 1, 1) of cluster (1, 1, 0), and the CTA
// of number 6 + 8 (3 + 6) = 78 of the grid.
func TestSpecialRegistersMatchISA(t *testing.T) {
	w := warpOf(1)
	w.Start(isa.Dim{X: 6, Y: 3, Z: 1})
	for s, want := range map[isa.Special]func(lane uint64) uint64{
		isa.TidX:            func(lane uint64) uint64 { return (32 + lane) % 6 },
		isa.TidY:            func(lane uint64) uint64 { return (32 + lane) / 6 % 4 },
		isa.TidZ:            func(lane uint64) uint64 { return (32 + lane) / 24 },
		isa.LaneID:          func(lane uint64) uint64 { return lane },
		isa.LaneMaskEq:      func(lane uint64) uint64 { return 1 << lane },
		isa.LaneMaskLt:      func(lane uint64) uint64 { return 1<<lane - 1 },
		isa.LaneMaskLe:      func(lane uint64) uint64 { return 1<<lane | (1<<lane - 1) },
		isa.LaneMaskGt:      func(lane uint64) uint64 { return 0xffffffff &^ (1<<lane | (1<<lane - 1)) },
		isa.LaneMaskGe:      func(lane uint64) uint64 { return 0xffffffff &^ (1<<lane - 1) },
		isa.WarpID:          all(1),
		isa.NWarpID:         all(2),
		isa.NtidX:           all(6),
		isa.CtaidX:          all(6),
		isa.CtaidY:          all(3),
		isa.CtaidZ:          all(1),
		isa.NctaidZ:         all(4),
		isa.SMID:            all(78 % 10),
		isa.NSMID:           all(10),
		isa.ClusterIDX:      all(1),
		isa.ClusterIDY:      all(1),
		isa.ClusterIDZ:      all(0),
		isa.NClusterIDX:     all(2),
		isa.NClusterIDY:     all(3),
		isa.NClusterIDZ:     all(2),
		isa.ClusterCtaidX:   all(2),
		isa.ClusterCtaidY:   all(1),
		isa.ClusterCtaidZ:   all(1),
		isa.ClusterCtaRank:  all(2 + 4*(1+2*1)),
		isa.ClusterNctaidX:  all(4),
		isa.ClusterNctaRank: all(16),
		isa.EnvReg0 + 1:     all(0x23456789), // cooperative groups find their workspace here
		isa.EnvReg0 + 2:     all(1),
		isa.Clock64:         all(0),

		isa.IsExplicitCluster: all(1),
		isa.DynamicSharedSize: all(64),
		isa.TotalSharedSize:   all(100),
	} {
		got := w.Special(s)
		for lane := range uint64(16) { // the threads of the last warp
			if got[lane] != want(lane) {
				t.Errorf("%v of lane %d is %#x, want %#x", s, lane, got[lane], want(lane))
			}
		}
	}
	w.Place(7, 40)
	if smid, warpid := w.Special(isa.SMID), w.Special(isa.WarpID); smid[3] != 7 || warpid[3] != 40 {
		t.Errorf("in slot 40 of SM 7 the warp is in slot %d of SM %d", warpid[3], smid[3])
	}
}

func all(v uint64) func(lane uint64) uint64 { return func(uint64) uint64 { return v } }

// TestLanesBeyondLastThreadGoOnAffinely: compiled code takes for granted that the index of a thread is affine.
func TestLanesBeyondLastThreadGoOnAffinely(t *testing.T) {
	w := New(0, &Shape{Block: isa.Dim{X: 5, Y: 1, Z: 1}, ThreadsPerCTA: 5, WarpsPerCTA: 1, SMs: 1}, nil)
	for lane, x := range w.Special(isa.TidX) {
		if x != uint64(lane) {
			t.Errorf("%%tid.x of lane %d is %d", lane, x)
		}
	}
	if w.Threads != 0x1f {
		t.Errorf("the threads are lanes %#x", w.Threads)
	}
	single := New(0, &Shape{Block: isa.Dim{X: 1, Y: 1, Z: 1}, ThreadsPerCTA: 1, WarpsPerCTA: 1, SMs: 1}, nil)
	if x := single.Special(isa.TidX); x != [lanes.Width]uint64{} {
		t.Errorf("%%tid.x of a single thread's warp is %v", x)
	}
}
