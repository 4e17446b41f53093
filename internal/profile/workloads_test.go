package profile_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

func plane(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// TestLostSlotsHaveCause checks on compiled CUDA C, at two numbers of CTAs, that all lost lane slots have a cause. The
// requests of vecadd are known: each of its 16 warps makes two loads and a store of contiguous words.
func TestLostSlotsHaveCause(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		prepared := w.Prepare(t, mod, interp.Config{})
		m, l := prepared.Machine, prepared.Launch
		l.Grid.X = min(l.Grid.X, 2)
		c, err := profile.Attach(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		stats, err := functional.Run(context.Background(), m, l)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Profile()
		checkTotals(t, p, stats)
		if p.Total.LostBlock != 0 {
			t.Errorf("%s: %d lane slots are lost to blocks of whole warps", w.Name, p.Total.LostBlock)
		}
		if w.Name != "vecadd" {
			continue
		}
		const warps = 16
		want := []profile.Traffic{
			{Kind: isa.Load, Space: isa.Global, Requests: 2 * warps, Lanes: 64 * warps, Sectors: 8 * warps, Lines: 2 * warps, IdealSectors: 8 * warps, L1Wavefronts: 2 * warps},
			{Kind: isa.Store, Space: isa.Global, Requests: warps, Lanes: 32 * warps, Sectors: 4 * warps, Lines: warps, IdealSectors: 4 * warps, L1Wavefronts: warps},
		}
		if diff := cmp.Diff(want, p.Total.Traffic); diff != "" {
			t.Errorf("vecadd (-want +got):\n%s", diff)
		}
	}
}

// BenchmarkCollect measures the cost of a Collector.
func BenchmarkCollect(b *testing.B) {
	workloads.BenchmarkCost(b, func(m *interp.Machine, l *interp.Launch) error {
		_, err := profile.Attach(m, l)
		return err
	})
}
