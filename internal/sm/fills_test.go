package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestBlocksWaitForTheSameFill: blocks on SMs of their own time one load of the same cold word. Each waits about as
// long as device memory takes: none gets the word from L2 before the first request has brought it there.
func TestBlocksWaitForTheSameFill(t *testing.T) {
	const kernel = kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r9, %ctaid.x;
	mul.wide.u32 %rd3, %r9, 4;
	add.u64 %rd2, %rd1, %rd3;
	mov.u32 %r1, %clock;
	ld.global.u32 %r2, [%rd1+1024];
	add.u32 %r3, %r2, %r1;
	mov.u32 %r4, %clock;
	sub.u32 %r5, %r4, %r1;
	st.global.u32 [%rd2], %r5;
	ret;
}`
	const blocks = 4
	for _, name := range []string{"h100", "a100", "v100", "rtx4090"} {
		g := preset(t, name)
		_, waited := timed(t, g, blocks, 32, 512, kernel, sm.Options{})
		// The blocks start a few cycles after each other.
		for b, cycles := range waited[:blocks] {
			if least := uint32(g.Memory.DRAM - 20); cycles < least {
				t.Errorf("%s: block %d waited %d cycles for a word that device memory delivers in %d", name, b, cycles, g.Memory.DRAM)
			}
		}
	}
}
