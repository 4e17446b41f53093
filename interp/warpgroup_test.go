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

// TestWarpgroupFaults: warps of a warpgroup that do not execute the same, and matrices that are not
// in shared memory.
func TestWarpgroupFaults(t *testing.T) {
	const begin = kerneltest.Entry + `
	.shared .align 1024 .b8 tile[2048];
	.reg .f32 %f<4>;
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	setp.eq.u32 %p1, %r2, 2;
	setp.lt.u32 %p2, %r1, 100;
	mov.b64 %rd1, 0x4000000000010000;
	mov.b64 %rd2, 0x4000008000010000;
	`
	const product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, "
	const whole = product + "{%r4, %r5, %r6, %r7}, %rd2, 1, 1, 1, 0;"
	for _, c := range []struct {
		threads    uint32
		body, want string
	}{
		{64, whole, "warps 0 to 3 execute this together, and the block has warps 0 to 1: its threads must be a multiple of 128 [sync-warpgroup]"},
		{192, whole, "warps 4 to 7 execute this together, and the block has warps 0 to 5"},
		{256, whole, ""},
		{128, "@!%p1 bra GO;\n\texit;\nGO:\n\t" + whole, "warp 2"},
		{128, "@%p1 bra SKIP;\n\t" + whole + "\nSKIP:", "the warp ends, and warp 0 of its warpgroup has executed wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 at k.s:"},
		{128, "@%p1 bra OTHER;\n\twgmma.fence.sync.aligned;\n\tbra END;\nOTHER:\n\twgmma.commit_group.sync.aligned;\nEND:", "warp 0 of the warpgroup has executed wgmma.fence.sync.aligned at k.s:"},
		{128, "@%p1 mov.b64 %rd1, 0x4000000000010040;\n\t" + product + "%rd1, %rd2, 1, 1, 1, 0, 0;", "the descriptor of A is 0x4000000000010040, and in warp 0 of the warpgroup 0x4000000000010000"},
		{128, "@%p1 mov.b64 %rd2, 0x4000008000010040;\n\t" + whole, "the descriptor of B is 0x4000008000010040, and in warp 0 of the warpgroup 0x4000008000010000"},
		{128, "@%p2 mov.b64 %rd2, 0;\n\t" + whole, "the descriptor of B differs between lanes ... warp 3 lanes 0-31"},
		{128, product + "{%r4, %r5, %r6, %r7}, %rd2, %p2, 1, 1, 0;", "scale-d holds in lanes 0-3, and not in the others"},
		{128, "mov.b64 %rd2, 0x4000008000010080;\n\t" + whole, "the descriptor 0x4000008000010080 of B (start 0x800, leading offset 16, stride offset 2048, swizzle of 128 bytes) leads to shared 0x800, past 2048 bytes of shared memory [mem-oob]"},
		{128, "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, %rd2, 0x44444440, 0, 1, 1, 1, 0;", "metadata 0b0000 for chunk 0 of row 0 of A, the places 0 and 0: they must differ [matrix-metadata]"},
		{128, "mov.b64 %rd2, 0xc000008000010000;\n\twgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r5, %r6, %r7}, %rd2, 0x44444444, 0, 1, 1, 1, 0;", "a column of B has 64 bytes, and the swizzle of its descriptor rows of 32"},
		{128, "@%p2 bra GO;\n\texit;\nGO:\n\t" + whole, "all 32 lanes of a warp execute this together, and lanes 4-31 have ended"},
	} {
		_, _, err := kerneltest.Kernel{Source: begin + c.body + "\n\tret;\n}", Block: isa.Dim{X: c.threads, Y: 1, Z: 1}, Words: []int{32}}.Run(t)
		fault, ok := errors.AsType[*interp.Fault](err)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.body, err)
			}
			continue
		}
		if !ok {
			t.Errorf("%s: got %v, want a fault", c.body, err)
			continue
		}
		for part := range strings.SplitSeq(c.want, " ... ") {
			if !strings.Contains(fault.Error(), part) {
				t.Errorf("%s: the message lacks %q:\n%v", c.body, part, err)
			}
		}
	}
}

// TestWarpgroupAccumulates: D is read where it counts, so that it may hold what was there before, and
// may share no register with what is read with it.
func TestWarpgroupAccumulates(t *testing.T) {
	out, _, err := kerneltest.Kernel{Source: kerneltest.Entry + `
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
	mov.f32 %f0, 100.0;
	mov.f32 %f1, 200.0;
	mov.f32 %f2, 300.0;
	mov.f32 %f3, 400.0;
	setp.eq.u32 %p1, %r20, 1000;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, %rd2, 1, 1, -1, 0;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, %rd2, !%p1, -1, -1, 0;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r4, %r4, %r4, %r4}, %rd2, 1, 1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	add.f32 %f0, %f0, %f1;
	add.f32 %f2, %f2, %f3;
	add.f32 %f0, %f0, %f2;
	cvt.rzi.u32.f32 %r1, %f0;
` + kerneltest.StoreR1, Block: isa.Dim{X: 128, Y: 1, Z: 1}, Words: []int{128}}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range out[0] {
		if want := uint32(1000 + 4*16); got != want {
			t.Fatalf("thread %d has %d, want %d", i, got, want)
		}
	}
}

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
