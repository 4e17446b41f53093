package sm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestAcquireSeesWhatWasReleased: a thread that has seen a flag sees the stores that were released before it, even if
// the load does not depend on the flag. One CTA sets 256 flags, each after its datum; the other CTA reads both, and
// counts flags that were set and data that were not.
func TestAcquireSeesWhatWasReleased(t *testing.T) {
	g := preset(t, "h100")
	for _, class := range []isa.CostClass{isa.CostFenceGPU, isa.CostFenceSystem} {
		g.Classes[class].Latency = 1
	}
	for _, acquire := range []string{
		"ld.acquire.gpu.global.u32 %r7, [%rd1+20];",
		"ld.acquire.sys.u32 %r7, [%rd1+20];",
		"atom.acquire.gpu.global.or.b32 %r7, [%rd1+20], 0;",
		"atom.acq_rel.gpu.global.or.b32 %r7, [%rd1+20], 0;",
		"ld.relaxed.gpu.global.u32 %r7, [%rd1+20]; fence.acq_rel.gpu;",
		"ld.volatile.global.u32 %r7, [%rd1+20]; membar.sys;",
	} {
		some := false
		for delay := 100; delay <= 500; delay += 50 {
			src := strings.NewReplacer("DELAY", fmt.Sprint(delay), "ACQUIRE", acquire).Replace(kerneltest.Source(t, "testdata/kernels/acquire.txt", "acquire sees what was released"))
			_, out := timed(t, g, 2, 1, 2*256+4, src, sm.Options{})
			some = some || out[0] > 0 && out[0] < 256
			if out[1] > 0 {
				t.Errorf("%s delay %d: of %d flags that were set, %d were without their datum", acquire, delay, out[0], out[1])
			}
		}
		if !some {
			t.Errorf("%s: the reader never ran at the same time as the writer", acquire)
		}
	}
}
