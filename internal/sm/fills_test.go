package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestBlocksWaitForTheSameFill: blocks on SMs of their own time one load of the same cold word. Each waits about as
// long as device memory takes: none gets the word from L2 before the first request has brought it there.
func TestBlocksWaitForTheSameFill(t *testing.T) {
	const blocks = 4
	for _, name := range []string{"h100", "a100", "v100", "rtx4090"} {
		g := preset(t, name)
		_, waited := timed(t, g, blocks, 32, 512, kerneltest.Source(t, "testdata/kernels/fills.txt", "blocks wait for the same fill"), sm.Options{})
		// The blocks start a few cycles after each other.
		for b, cycles := range waited[:blocks] {
			if least := uint32(g.Memory.DRAM - 20); cycles < least {
				t.Errorf("%s: block %d waited %d cycles for a word that device memory delivers in %d", name, b, cycles, g.Memory.DRAM)
			}
		}
	}
}
