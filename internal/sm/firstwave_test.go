package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/sm"
)

// TestFirstCTAsStartOneByOne: on an H100 the first CTAs of an SM start 23 cycles and one for each warp after each
// other, on all SMs at once; only those that take the place of others wait for the GPU to start 0.83 in a cycle.
func TestFirstCTAsStartOneByOne(t *testing.T) {
	g := preset(t, "h100")
	one, _ := timed(t, g, 1, 128, 0, uniform(t), sm.Options{})
	four, _ := timed(t, g, 4*132, 128, 0, uniform(t), sm.Options{})
	for id := range four.SMs {
		if m := &four.SMs[id]; m.First != 0 || m.CTAs != 4 {
			t.Errorf("SM %d has %d CTAs from cycle %d on", id, m.CTAs, m.First)
		}
	}
	// The last CTA starts last, and has others beside it, which slow it down by a few cycles.
	if gap := four.Cycles - one.Cycles; gap < 3*27 || gap > 3*27+20 {
		t.Errorf("4 CTAs on an SM take %d cycles more than one; want 81, and up to 20 for the others beside", gap)
	}
}
