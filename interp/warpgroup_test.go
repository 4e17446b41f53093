package interp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// lateWarp is a kernel of one warpgroup, whose warp 3 comes to the product of ones late. Behind the wait one thread
// overwrites B: no warp may find that.
const lateWarp = kerneltest.Entry + `
	.shared .align 1024 .b8 tile[256];
	.reg .f32 %f<4>;
	mov.u32 %r20, %tid.x;
	shl.b32 %r21, %r20, 1;
	mov.u32 %r22, tile;
	add.u32 %r21, %r21, %r22;
	mov.b16 %rs1, 0x3c00;
	st.shared.b16 [%r21], %rs1;
	bar.sync 0;
	mov.b64 %rd2, 0x0000000800080000;
	mov.b32 %r4, 0x3c003c00;
	shr.u32 %r23, %r20, 5;
	setp.ne.u32 %p1, %r23, 3;
	mov.u32 %r24, 0;
	@%p1 bra GO;
LATE:
	add.u32 %r24, %r24, 1;
	setp.lt.u32 %p2, %r24, 3000;
	@%p2 bra LATE;
	%LATE%
GO:
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, %rd2, 0, 1, 1, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	setp.eq.u32 %p2, %r20, 0;
	mov.u64 %rd3, 0;
	@%p2 st.shared.u64 [tile], %rd3;
	@%p2 st.shared.u64 [tile+128], %rd3;
	cvt.rzi.u32.f32 %r1, %f0;
` + kerneltest.StoreR1

// TestWarpgroupWaits: a wait is over when all four warps have computed their rows.
func TestWarpgroupWaits(t *testing.T) {
	for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": nil, "timed": withClock} {
		out, _, err := kerneltest.Kernel{Source: strings.ReplaceAll(lateWarp, "%LATE%", ""), Block: isa.Dim{X: 128, Y: 1, Z: 1}, Words: []int{128}, Driver: driver}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range out[0] {
			if got != 16 {
				t.Fatalf("%s: thread %d has %d, want 16", name, i, got)
			}
		}
	}
}

// TestWarpgroupHang: a warp that waits for others which never come says for which.
func TestWarpgroupHang(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: strings.ReplaceAll(lateWarp, "%LATE%", "bar.sync 1, 64;"), Block: isa.Dim{X: 128, Y: 1, Z: 1}, Words: []int{128}}.Run(t)
	hang, ok := errors.AsType[*interp.Hang](err)
	if !ok {
		t.Fatalf("got %v, want a hang", err)
	}
	const want = "for products of the warpgroup, which warp 3 has yet to execute"
	if !slices.ContainsFunc(hang.Involved, func(i interp.Involved) bool { return i.For == want }) {
		t.Errorf("got %+v, want lanes that wait %s", hang.Involved, want)
	}
}
