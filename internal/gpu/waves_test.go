package gpu_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/gpu"
)

// TestAtOnceCountsClusters: an H100 has two GPCs of 18 SMs, five of 16, one of 8, and four pairs of SMs outside of
// them. With one CTA per SM, these GPCs hold two, two and one clusters of 8, 120 CTAs together; with three CTAs per SM,
// their 54, 48 and 24 places hold ten, nine and four clusters of 5, and the 6 places of a pair hold one.
func TestAtOnceCountsClusters(t *testing.T) {
	for _, c := range []struct {
		cluster, ctasPerSM int
		want               int64
	}{{0, 1, 132}, {1, 3, 396}, {2, 1, 132}, {8, 1, 8 * (2*2 + 5*2 + 1)}, {8, 2, 8 * (2*4 + 5*4 + 2)}, {5, 3, 5 * (2*10 + 5*9 + 4 + 4)}, {16, 0, 0}} {
		if got := gpu.H100().AtOnce(c.cluster, c.ctasPerSM); got != c.want {
			t.Errorf("clusters of %d, %d on an SM: %d, want %d", c.cluster, c.ctasPerSM, got, c.want)
		}
	}
}

// TestPartialWavesLowerEfficiency: for grids on 132 SMs of four CTAs each, the number of waves, and the fractions of
// places that have CTAs in the last wave and in all waves.
func TestPartialWavesLowerEfficiency(t *testing.T) {
	for grid, want := range map[int64]string{
		1:    "1 0.2% 0.2%",
		528:  "1 100.0% 100.0%",
		529:  "2 0.2% 50.1%",
		600:  "2 13.6% 56.8%",
		1000: "2 89.4% 94.7%",
		1056: "2 100.0% 100.0%",
	} {
		w := gpu.WavesOf(grid, (&gpu.Config{Chip: gpu.Chip{SMs: 132}}).AtOnce(0, 4))
		if diff := cmp.Diff(want, fmt.Sprintf("%d %.1f%% %.1f%%", w.Count, 100*w.Last, 100*w.Efficiency)); diff != "" || w.PerWave != 528 {
			t.Errorf("%d CTAs, %d at once (-want +got):\n%s", grid, w.PerWave, diff)
		}
	}
}
