package load_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
	"github.com/simtrun/simtrun/internal/workloads"
)

// rounds is a kernel whose 512 warps execute a million instructions in rounds of a load, two barriers, shared memory
// and guards.
const rounds = `//sim:grid 64
//sim:block 256
//sim:arg in = iota:16384:u32
//sim:arg out = zeros:16384:u32
.entry k(.param .u64 in, .param .u64 out) {
    .shared .align 4 .b8 s[1024];
    .reg .u32 %r<12>;
    .reg .u64 %rd<4>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r3, %ctaid.x, 256, %r1;
    mul.wide.u32 %rd3, %r3, 4;
    add.u64 %rd1, %rd1, %rd3;
    add.u64 %rd2, %rd2, %rd3;
    shl.b32 %r4, %r1, 2;
    mov.u32 %r5, s;
    add.u32 %r9, %r5, %r4;
    xor.b32 %r10, %r4, 124;
    add.u32 %r10, %r5, %r10;
    mov.u32 %r6, 0;
    mov.u32 %r7, 0;
ROUND:
    ld.global.u32 %r8, [%rd1];
    st.shared.u32 [%r9], %r8;
    bar.sync 0;
    ld.shared.u32 %r5, [%r10];
    and.b32 %r11, %r5, 1;
    setp.eq.u32 %p1, %r11, 0;
    @%p1 add.u32 %r7, %r7, %r5;
    @!%p1 sub.u32 %r7, %r7, %r8;
    bar.sync 0;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p2, %r6, 160;
    @%p2 bra ROUND;
    st.global.u32 [%rd2], %r7;
    ret;
}
`

// BenchmarkSeek goes to random moments of rounds, as a drag on the timeline does, and draws all views of a random
// warp. It reports percentiles of CPU time, in ms.
func BenchmarkSeek(b *testing.B) {
	for _, timed := range []bool{false, true} {
		b.Run(map[bool]string{false: "functional", true: "timed"}[timed], func(b *testing.B) { seek(b, timed) })
	}
}

func seek(b *testing.B, timed bool) {
	text := rounds
	s := view.New(view.Config{Load: load.Text})
	a := s.Answer(b.Context(), &view.Request{Version: view.Version, Open: &view.Open{Name: "k.s", Text: &text, Settings: &view.Settings{Timed: timed}}})
	if a.Error != "" || a.Opened.Failure != "" {
		b.Fatal(a.Error)
	}
	l, r := a.Opened.Launches[0], rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for b.Loop() {
		warp, step, began := r.Int64N(l.Warps), r.Int64N(l.Steps), workloads.CPUTime()
		for _, v := range []string{"source", "warp", "block", "memory"} {
			s.Message(b.Context(), fmt.Appendf(nil, `{"version":1,"state":{"view":%q,"launch":0,"warp":%d,"step":%d}}`, v, warp, step))
		}
		took = append(took, workloads.CPUTime()-began)
	}
	slices.Sort(took)
	for _, p := range []int{50, 95} {
		b.ReportMetric(took[len(took)*p/100].Seconds()*1000, fmt.Sprintf("p%d-ms", p))
	}
}
