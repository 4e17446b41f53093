package gpu_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/gpu"
)

// TestWaves has grids on 132 SMs of four CTAs each: how many waves, how much of the
// last one has CTAs, and how much of all of them.
func TestWaves(t *testing.T) {
	for grid, want := range map[int64]string{
		1:    "1 0.2% 0.2%",
		528:  "1 100.0% 100.0%",
		529:  "2 0.2% 50.1%",
		600:  "2 13.6% 56.8%",
		1000: "2 89.4% 94.7%",
		1056: "2 100.0% 100.0%",
	} {
		w := (&gpu.Config{SMs: 132}).Waves(grid, 4)
		if diff := cmp.Diff(want, fmt.Sprintf("%d %.1f%% %.1f%%", w.Count, 100*w.Last, 100*w.Efficiency)); diff != "" || w.PerWave != 528 {
			t.Errorf("%d CTAs, %d at once (-want +got):\n%s", grid, w.PerWave, diff)
		}
	}
}
