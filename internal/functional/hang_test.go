package functional_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestHangs checks the contents of a hang's report: its rule, its place, and which lanes wait or spin where.
func TestHangs(t *testing.T) {
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"endless loop", `
L:	bra L;
}`, []string{"k.s:4:4: error: no warp makes progress", "[sync-spin]", "spins   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:4:4: bra L;"}},
		{"endless loop that counts", `
L:	add.u32 %r1, %r1, 1;
	bra L;
}`, []string{"k.s:4:4: error: step limit: a warp executed 10000 instructions", "add.u32 %r1, %r1, 1;", "block (0,0,0) warp 0"}},
		{"endless loop with a barrier", `
L:	bar.sync 0;
	bra L;
}`, []string{"step limit"}},
		{"warps at different barriers", `
	mov.u32 %r1, %warpid;
	bar.sync %r1;
	ret;
}`, []string{"no warp of the block can go on [sync-deadlock]", "warp 0 lanes 0-31 (ffffffff) at k.s:5:2, barrier 0", "warp 1 lanes 0-31 (ffffffff) at k.s:5:2, barrier 1"}},
		{"lanes that never meet", `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra OTHER;
	vote.sync.any.pred %p2, %p1, -1;
	bar.sync 0;
	ret;
OTHER:
	vote.sync.all.pred %p2, %p1, -1;
	ret;
}`, []string{"[sync-deadlock]", "waits   block (0,0,0) warp 0 lanes 0-15 (0000ffff) at k.s:11:2, vote.sync.all.pred with mask ffffffff, for lanes 16-31",
			"waits   block (0,0,0) warp 1 lanes 16-31 (ffff0000) at k.s:7:2, vote.sync.any.pred with mask ffffffff, for lanes 0-15"}},
		{"a lock whose holder waits for those who want it", `
	atom.global.cas.b32 %r2, [lock], 0, 1;
	ld.param.u64 %rd1, [out];
SPIN:
	atom.global.cas.b32 %r2, [lock], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ret;
}
.global .u32 lock;
`, []string{"k.s:7:2: error: no warp makes progress", "spins   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:7:2: atom.global.cas.b32"}},
		{"a loop that keeps others at a barrier", `
	.shared .b64 full;
	setp.eq.u32 %p1, %tid.x, 0;
	@%p1 mbarrier.init.shared.b64 [full], 1;
	setp.lt.u32 %p1, %tid.x, 32;
	@!%p1 bra MEET;
W:	mbarrier.try_wait.parity.shared.b64 %p2, [full], 0;
	@!%p2 bra W;
MEET:
	bar.sync 0;
	ret;
}`, []string{"k.s:9:4: error: no warp makes progress", "spins   block (0,0,0) warp 0 lanes 0-31 (ffffffff) at k.s:9:4: mbarrier.try_wait",
			"waits   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:12:2, barrier 0", "1 of 1 arrivals are pending"}},
		{"more steps than allowed in a straight line", strings.Repeat("\tadd.u32 %r1, %r1, 1;\n", 10001) + `	ret;
}`, []string{"step limit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Source: kerneltest.Entry + c.src, Block: kerneltest.Dim(64, 1), Words: []int{1}, Config: interp.Config{MaxSteps: 10000}}.Run(t)
			kerneltest.WantHang(t, err, c.want...)
		})
	}
}
