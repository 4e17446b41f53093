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
	const kernel = kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r3, 0;
	mov.u32 %r4, 1;
	mov.u32 %r5, 0;
	mov.u32 %r6, 0;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra READ;
SET:
	nanosleep.u32 DELAY;
	st.global.u32 [%rd1+16], %r4;
	st.release.gpu.global.u32 [%rd1+20], %r4;
	add.u64 %rd1, %rd1, 8;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 256;
	@%p1 bra SET;
	ret;
READ:
	ACQUIRE
	ld.global.u32 %r8, [%rd1+16];
	setp.ne.u32 %p1, %r7, 0;
	@%p1 add.u32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r8, %r7;
	@%p1 add.u32 %r6, %r6, 1;
	add.u64 %rd1, %rd1, 8;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 256;
	@%p1 bra READ;
	ld.param.u64 %rd1, [out];
	st.global.v2.u32 [%rd1], {%r5, %r6};
	ret;
}`
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
			src := strings.NewReplacer("DELAY", fmt.Sprint(delay), "ACQUIRE", acquire).Replace(kernel)
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
