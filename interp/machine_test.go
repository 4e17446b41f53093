package interp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// kernel is a launch of the first kernel of src with buffers of zeroed words
// as its arguments.
type kernel struct {
	src         string
	grid, block isa.Dim // 1 by default; 32 threads
	shared      int64
	words       []int // the size of each buffer argument
	cfg         interp.Config
	// launched runs the launch; nil: Machine.Run does.
	launched func(m *interp.Machine, l interp.Launch) (interp.Stats, error)
}

// run returns what is in each buffer afterwards.
func (k kernel) run(t testing.TB) ([][]uint32, interp.Stats, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(k.src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, k.cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: k.grid, Block: k.block, Shared: k.shared}
	if l.Grid == (isa.Dim{}) {
		l.Grid = dim(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = dim(32, 1)
	}
	var buffers []*memory.Region
	for i, n := range k.words {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(4*n))
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, r)
		l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
	}
	var stats interp.Stats
	if k.launched != nil {
		stats, err = k.launched(m, l)
	} else {
		stats, err = m.Run(context.Background(), l)
	}
	var out [][]uint32
	for _, r := range buffers {
		v := make([]uint32, len(r.Data)/4)
		if _, err := binary.Decode(r.Data, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out, stats, err
}

// want runs k and compares its first buffer with values of f.
func (k kernel) want(t *testing.T, f func(i int) uint32) interp.Stats {
	t.Helper()
	out, stats, err := k.run(t)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint32, len(out[0]))
	for i := range want {
		want[i] = f(i)
	}
	if diff := cmp.Diff(want, out[0]); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	return stats
}

// storeOwn is the end of a kernel that stores %r1 at the thread's linear index.
const storeOwn = `
	mov.u32 %r90, %ntid.x;
	mov.u32 %r91, %ntid.y;
	mov.u32 %r92, %ntid.z;
	mov.u32 %r93, %tid.z;
	mov.u32 %r94, %tid.y;
	mov.u32 %r95, %tid.x;
	mad.lo.u32 %r96, %r93, %r91, %r94;
	mad.lo.u32 %r96, %r96, %r90, %r95;
	mov.u32 %r97, %ctaid.x;
	mul.lo.u32 %r98, %r90, %r91;
	mul.lo.u32 %r98, %r98, %r92;
	mad.lo.u32 %r96, %r97, %r98, %r96;
	ld.param.u64 %rd90, [out];
	mad.wide.u32 %rd90, %r96, 4, %rd90;
	st.global.u32 [%rd90], %r1;
	ret;
}`

const entry = ".entry k(.param .u64 out)\n{\n"

func TestThreadsAreNumberedXFirst(t *testing.T) {
	k := kernel{src: entry + `
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %tid.y;
	mov.u32 %r4, %tid.z;
	mov.u32 %r5, %warpid;
	mov.u32 %r6, %laneid;
	shl.b32 %r1, %r2, 4;
	or.b32 %r1, %r1, %r3;
	shl.b32 %r1, %r1, 4;
	or.b32 %r1, %r1, %r4;
	shl.b32 %r1, %r1, 8;
	or.b32 %r1, %r1, %r5;
	shl.b32 %r1, %r1, 8;
	or.b32 %r1, %r1, %r6;` + storeOwn, block: isa.Dim{X: 5, Y: 4, Z: 3}, words: []int{60}}
	k.want(t, func(i int) uint32 {
		x, y, z := uint32(i%5), uint32(i/5%4), uint32(i/20)
		return ((x<<4|y)<<4|z)<<16 | uint32(i/32)<<8 | uint32(i%32)
	})
}

func TestGridCoordinates(t *testing.T) {
	k := kernel{src: entry + `
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ctaid.y;
	mov.u32 %r4, %ctaid.z;
	mov.u32 %r5, %nctaid.x;
	mov.u32 %r6, %nctaid.y;
	mad.lo.u32 %r7, %r4, %r6, %r3;
	mad.lo.u32 %r7, %r7, %r5, %r2;   // linear
	ld.param.u64 %rd1, [out];
	mad.wide.u32 %rd1, %r7, 4, %rd1;
	mad.lo.u32 %r8, %r2, 100, %r3;
	mad.lo.u32 %r8, %r8, 100, %r4;
	st.global.u32 [%rd1], %r8;
	exit;
}`, grid: isa.Dim{X: 3, Y: 4, Z: 2}, block: dim(1, 1), words: []int{24}}
	k.want(t, func(i int) uint32 { return uint32(i%3*10000 + i/3%4*100 + i/12) })
}

// A register that is read before anything is written to it is 0 in every CTA,
// not what the CTA before left in it.
func TestUnsetRegistersAreZero(t *testing.T) {
	kernel{src: entry + `
	add.u32 %r1, %r1, 5;
	@%p7 add.u32 %r1, %r1, 1;
	setp.eq.u32 %p7, %r1, %r1;` + storeOwn, grid: dim(300, 1), words: []int{300 * 32}}.want(t, func(int) uint32 { return 5 })
}

// Shared memory of a CTA that is done does not show in the next.
func TestSharedStartsClear(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s[32];
	mov.u32 %r2, %laneid;
	mov.u32 %r3, s;
	mad.lo.u32 %r3, %r2, 4, %r3;
	ld.shared.u32 %r1, [%r3];
	st.shared.u32 [%r3], 7;` + storeOwn, grid: dim(4, 1), words: []int{128}}.want(t, func(int) uint32 { return 0 })
}

// CTA 0 waits for the last one, far beyond the first turns: residents have fair
// turns, so it comes.
func TestCTAsWaitForEachOther(t *testing.T) {
	kernel{src: entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r2, %ctaid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SIGNAL;
SPIN:
	ld.volatile.global.u32 %r1, [%rd1+4];
	setp.ne.u32 %p2, %r1, 63;
	@%p2 bra SPIN;
	st.global.u32 [%rd1], %r1;
	ret;
SIGNAL:
	red.global.add.u32 [%rd1+4], 1;
	ret;
}`, grid: dim(64, 1), block: dim(1, 1), words: []int{2}}.want(t, func(int) uint32 { return 63 })
}

func TestGridBarrier(t *testing.T) {
	// Every thread adds 1 to a counter, all CTAs meet, then all read it.
	kernel{src: `.global .u32 count;
.global .u32 met;
` + entry + `
	red.global.add.u32 [count], 1;
	bar.sync 0;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra WAIT;
	red.global.add.u32 [met], 1;
	mov.u32 %r3, %nctaid.x;
SPIN:
	ld.relaxed.gpu.global.u32 %r4, [met];
	setp.lt.u32 %p2, %r4, %r3;
	@%p2 bra SPIN;
WAIT:
	bar.sync 0;
	ld.global.u32 %r1, [count];` + storeOwn, grid: dim(100, 1), block: dim(64, 1), words: []int{6400}}.want(t, func(int) uint32 { return 6400 })
}

func TestBarrierDoesNotWaitForExitedWarps(t *testing.T) {
	// Warps 1 and 3 leave before the barrier; the others exchange through it.
	kernel{src: entry + `
	.shared .u32 s[4];
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p1, %r4, 1;
	@%p1 exit;
	shl.b32 %r5, %r3, 2;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	add.u32 %r7, %r3, 10;
	st.shared.u32 [%r6], %r7;
	bar.sync 0;
	ld.shared.u32 %r8, [s];
	ld.shared.u32 %r9, [s+8];
	mad.lo.u32 %r1, %r8, 100, %r9;` + storeOwn, block: dim(128, 1), words: []int{128}}.want(t, func(i int) uint32 {
		if i/32%2 == 1 {
			return 0
		}
		return 1012
	})
}

// A barrier with a count is passed by that many threads: here warps 0 and 1
// meet at barrier 1 while 2 and 3 meet at barrier 2.
func TestBarrierWithCount(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s[4];
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	shr.u32 %r4, %r2, 6;
	add.u32 %r5, %r4, 1;
	mov.u32 %r6, s;
	mad.lo.u32 %r7, %r3, 4, %r6;
	add.u32 %r8, %r3, 1;
	st.shared.u32 [%r7], %r8;
	barrier.sync %r5, 64;
	xor.b32 %r9, %r3, 1;
	mad.lo.u32 %r7, %r9, 4, %r6;
	ld.shared.u32 %r1, [%r7];` + storeOwn, block: dim(128, 1), words: []int{128}}.want(t, func(i int) uint32 { return uint32(i/32^1) + 1 })
}

// Reductions at a barrier: over the threads that have not exited.
func TestBarrierReductions(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want uint32
	}{
		"popc":             {"bar.red.popc.u32 %r1, 0, %p1;", 20},
		"popc, complement": {"bar.red.popc.u32 %r1, 2, !%p1;", 60},
		"and":              {"bar.red.and.pred %p2, 0, %p1;\nselp.b32 %r1, 1, 2, %p2;", 2},
		"or, with a count": {"barrier.red.or.pred %p2, 0, 96, %p1;\nselp.b32 %r1, 1, 2, %p2;", 1},
	} {
		t.Run(name, func(t *testing.T) {
			kernel{src: entry + `
	mov.u32 %r2, %tid.x;
	setp.lt.u32 %p3, %r2, 80;
	@!%p3 exit;
	setp.lt.u32 %p1, %r2, 20;
	` + c.src + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 {
				if i >= 80 {
					return 0
				}
				return c.want
			})
		})
	}
}

// Warp 0 produces and only arrives; warp 1 waits for it. Twice.
func TestBarrierArrive(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s[2];
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, 1;
	@%p1 bra CONSUME;
	st.shared.u32 [s], 5;
	bar.arrive 1, 64;
	st.shared.u32 [s+4], 6;
	bar.arrive 2, 64;
	exit;
CONSUME:
	bar.sync 1, 64;
	ld.shared.u32 %r3, [s];
	bar.sync 2, 64;
	ld.shared.u32 %r4, [s+4];
	mad.lo.u32 %r1, %r3, 10, %r4;` + storeOwn, block: dim(64, 1), words: []int{64}}.want(t, func(i int) uint32 {
		if i < 32 {
			return 0
		}
		return 56
	})
}

// Warp 0 arrives and ends: it counts as one that has arrived, and as none that is
// waited for. Warp 1 waits for warp 2 all the same.
func TestBarrierArriveAndEnd(t *testing.T) {
	kernel{src: entry + `
	.shared .u32 s;
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, 1;
	setp.eq.u32 %p2, %r2, 2;
	@%p1 bra WAIT;
	@!%p2 bra ARRIVE;
	mov.u32 %r3, 0;
DELAY: // for several turns
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 10000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
ARRIVE:
	bar.arrive 2, 96;
	exit;
WAIT:
	bar.sync 2, 96;
	ld.shared.u32 %r1, [s];` + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 {
		if i/32 == 1 {
			return 7
		}
		return 0
	})
}

// Half of warp 0 ends and the other half arrives, in either order, and ends: that
// is one warp that has arrived.
func TestBarrierHalfArrivesAndEnds(t *testing.T) {
	for _, half := range []string{"ge", "lt"} {
		kernel{src: entry + `
	.shared .u32 s;
	mov.u32 %r2, %warpid;
	mov.u32 %r4, %laneid;
	setp.eq.u32 %p1, %r2, 1;
	setp.eq.u32 %p2, %r2, 2;
	setp.` + half + `.u32 %p4, %r4, 16;
	@%p1 bra WAIT;
	@%p2 bra WORK;
	@%p4 bra END;
	barrier.arrive 0, 96;
END:
	exit;
WORK:
	mov.u32 %r3, 0;
DELAY: // for several turns
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p3, %r3, 20000;
	@%p3 bra DELAY;
	st.shared.u32 [s], 7;
WAIT:
	barrier.sync 0, 96;
	ld.shared.u32 %r1, [s];` + storeOwn, block: dim(96, 1), words: []int{96}}.want(t, func(i int) uint32 { return pick(i < 32, 0, 7) })
	}
}

func TestWarpBarrier(t *testing.T) {
	kernel{src: entry + `
	mov.u32 %r1, 3;
	bar.warp.sync -1;` + storeOwn, words: []int{32}}.want(t, func(int) uint32 { return 3 })
}

func TestPartialWarp(t *testing.T) {
	stats := kernel{src: entry + "mov.u32 %r1, 9;" + storeOwn, block: dim(40, 1), words: []int{41}}.want(t, func(i int) uint32 {
		if i < 40 {
			return 9
		}
		return 0
	})
	if want := stats.WarpInstrs / 2 * 40; stats.LaneInstrs != want {
		t.Errorf("%d lane instructions, want %d", stats.LaneInstrs, want)
	}
}

// A count larger than the threads that are left is met when all of those are
// there, whether the others leave before or after.
func TestBarrierWithCountAfterExit(t *testing.T) {
	for _, leaver := range []string{"0", "1"} {
		kernel{src: entry + `
	mov.u32 %r2, %warpid;
	setp.eq.u32 %p1, %r2, ` + leaver + `;
	@%p1 exit;
	bar.sync 1, 64;
	mov.u32 %r1, 4;` + storeOwn, block: dim(64, 1), words: []int{64}}.want(t, func(i int) uint32 {
			if fmt.Sprint(i/32) == leaver {
				return 0
			}
			return 4
		})
	}
}

// A thread that runs off the end of the code has ended.
func TestEndOfCodeIsExit(t *testing.T) {
	kernel{src: entry + `
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], 3;
	bra END;
END:
}`, words: []int{1}}.want(t, func(int) uint32 { return 3 })
}

// Loops with several exits, under every path order.
func TestLoopWithBreakAndContinue(t *testing.T) {
	for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority} {
		kernel{src: entry + `
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 0;              // i
	mov.u32 %r1, 0;              // sum
LOOP:
	add.u32 %r3, %r3, 1;
	setp.gt.u32 %p1, %r3, 40;
	@%p1 bra DONE;
	and.b32 %r4, %r3, 1;
	setp.eq.u32 %p2, %r4, 0;
	@%p2 bra LOOP;               // continue on even i
	add.u32 %r1, %r1, %r3;
	setp.ge.u32 %p3, %r3, %r2;
	@%p3 bra DONE;               // break at i >= lane
	bra LOOP;
DONE:` + storeOwn, words: []int{32}, cfg: interp.Config{PathOrder: order}}.want(t, func(lane int) uint32 {
			sum := uint32(0)
			for i := 1; i <= 40; i += 2 {
				sum += uint32(i)
				if i >= lane {
					break
				}
			}
			return sum
		})
	}
}

func TestStatePlaces(t *testing.T) {
	for name, k := range map[string]kernel{
		"const with initialiser": {src: `.const .u32 c[4] = {3, 5, 7};
` + entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mov.u64 %rd1, c;
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	ld.const.u32 %r1, [%rd1];` + storeOwn},
		"pointer in an initialiser": {src: `.global .u32 c[4] = {3, 5, 7};
.global .u64 p = generic(c);
` + entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	ld.global.u64 %rd1, [p];
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	ld.u32 %r1, [%rd1];` + storeOwn},
		"shared through a generic address": {src: entry + `
	.shared .align 16 .b8 pad[16];
	.shared .u32 s[4];
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	mov.u64 %rd1, s;
	cvta.shared.u64 %rd1, %rd1;
	mad.wide.u32 %rd1, %r2, 4, %rd1;
	shl.b32 %r3, %r2, 1;
	add.u32 %r3, %r3, 3;
	setp.eq.u32 %p1, %r2, 3;
	selp.b32 %r3, 0, %r3, %p1;
	st.u32 [%rd1], %r3;
	atom.add.u32 %r4, [%rd1], 0;
	ld.u32 %r1, [%rd1];` + storeOwn},
		"local, the same address in every lane": {src: entry + `
	.local .align 8 .b8 depot[24];
	mov.u64 %rd1, depot;
	cvta.local.u64 %rd2, %rd1;
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 3;
	shl.b32 %r3, %r2, 1;
	add.u32 %r3, %r3, 3;
	setp.eq.u32 %p1, %r2, 3;
	selp.b32 %r3, 0, %r3, %p1;
	st.local.u32 [%rd1+20], %r3;
	ld.u32 %r1, [%rd2+20];` + storeOwn},
		"bytes and halves": {src: entry + `
	.shared .u32 s[32];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 2;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	st.shared.u16 [%r6+2], %r4;
	ld.shared.u8 %rs1, [%r6+2];
	cvt.u32.u16 %r1, %rs1;` + storeOwn},
		"vectors": {src: entry + `
	.shared .align 16 .b8 s[512];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 4;
	mov.u32 %r6, s;
	add.u32 %r6, %r6, %r5;
	st.shared.v4.u32 [%r6], {1, 2, %r4, 4};
	ld.shared.v2.u32 {%r1, _}, [%r6+8];` + storeOwn},
		"32-bit addresses wrap": {src: entry + `
	.shared .u32 pad[8];
	.shared .u32 s[4];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r3, 2;
	sub.u32 %r6, %r5, 64;
	st.shared.u32 [%r6+96], %r4;
	ld.shared.u32 %r1, [%r6+96];` + storeOwn},
		"constants beside wide registers in a vector": {src: entry + `
	.shared .align 16 .b8 s[512];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	cvt.u64.u32 %rd4, %r4;
	setp.eq.u32 %p1, %r3, 3;
	mov.u32 %r5, s;
	mad.lo.u32 %r5, %r2, 16, %r5;
	st.shared.v4.u32 [%r5], {%rd4, 0, 7, %rd4};
	@%p1 add.u32 %r5, %r5, 4;
	ld.shared.u32 %r1, [%r5];` + storeOwn},
		"a vector of bytes, with a sink": {src: entry + `
	.shared .align 4 .b8 s[128];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	neg.s32 %r4, %r4;
	mov.u32 %r5, s;
	mad.lo.u32 %r5, %r2, 4, %r5;
	st.shared.v2.u8 [%r5], {9, %r4};
	ld.shared.v2.s8 {_, %r1}, [%r5];
	neg.s32 %r1, %r1;` + storeOwn},
		"dynamic shared arrays start together": {shared: 128, src: `.extern .shared .align 8 .b8 x[];
.extern .shared .u32 y[];
` + entry + `
	.shared .u32 static[3];
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	shl.b32 %r4, %r3, 1;
	add.u32 %r4, %r4, 3;
	setp.eq.u32 %p1, %r3, 3;
	selp.b32 %r4, 0, %r4, %p1;
	shl.b32 %r5, %r2, 2;
	mov.u32 %r6, x;
	add.u32 %r6, %r6, %r5;
	st.shared.u32 [static], 1;
	st.shared.u32 [%r6], %r4;
	mov.u32 %r7, y;
	add.u32 %r7, %r7, %r5;
	ld.shared.u32 %r1, [%r7];` + storeOwn},
	} {
		t.Run(name, func(t *testing.T) {
			k.words = []int{32}
			k.want(t, func(lane int) uint32 { return []uint32{3, 5, 7, 0}[lane%4] })
		})
	}
}

func TestCollectives(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want func(lane int) uint32
	}{
		"shfl.down": {"shfl.sync.down.b32 %r1|%p1, %r2, 4, 31, -1;\nselp.b32 %r1, %r1, 99, %p1;", func(l int) uint32 {
			if l+4 > 31 {
				return 99
			}
			return uint32(l + 4)
		}},
		"shfl.up, within 8": {"shfl.sync.up.b32 %r1|%p1, %r2, 1, 6144, -1;\nselp.b32 %r1, %r1, 99, %p1;", func(l int) uint32 {
			if l%8 == 0 {
				return 99
			}
			return uint32(l - 1)
		}},
		"shfl.bfly":                          {"shfl.sync.bfly.b32 %r1, %r2, 5, 31, -1;", func(l int) uint32 { return uint32(l ^ 5) }},
		"shfl.idx takes the index modulo 32": {"shfl.sync.idx.b32 %r1, %r2, 40, 31, -1;", func(int) uint32 { return 8 }},
		"ballot":                             {"setp.gt.u32 %p1, %r2, 15;\nvote.sync.ballot.b32 %r1, %p1, -1;", func(int) uint32 { return 0xffff0000 }},
		"any":                                {"setp.eq.u32 %p1, %r2, 15;\nvote.sync.any.pred %p2, %p1, -1;\nselp.b32 %r1, 1, 0, %p2;", func(int) uint32 { return 1 }},
		"all":                                {"setp.ne.u32 %p1, %r2, 15;\nvote.sync.all.pred %p2, %p1, -1;\nselp.b32 %r1, 1, 0, %p2;", func(int) uint32 { return 0 }},
		"uni, of a complement": {"setp.ge.u32 %p1, %r2, 0;\nvote.sync.uni.pred %p2, !%p1, -1;\nselp.b32 %r1, 1, 0, %p2;",
			func(int) uint32 { return 1 }},
		"groups with masks of their own": {"mov.u32 %r3, 65535;\nsetp.gt.u32 %p1, %r2, 15;\nselp.b32 %r3, 0xffff0000, %r3, %p1;\nand.b32 %r4, %r2, 1;\nsetp.eq.u32 %p2, %r4, 0;\nvote.sync.ballot.b32 %r1, %p2, %r3;",
			func(l int) uint32 {
				if l > 15 {
					return 0x55550000
				}
				return 0x5555
			}},
		"old form: the active lanes": {"setp.lt.u32 %p3, %r2, 8;\nmov.pred %p1, 1;\n@%p3 vote.ballot.b32 %r1, %p1;", func(l int) uint32 {
			if l < 8 {
				return 0xff
			}
			return 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			kernel{src: entry + "mov.u32 %r2, %laneid;\n" + c.src + storeOwn, words: []int{32}}.want(t, c.want)
		})
	}
}

func TestAtomics(t *testing.T) {
	for op, want := range map[string][2]uint32{ // the cell before and after 32 lanes with the operand 1 + lane
		"add.u32": {5, 5 + 32*33/2}, "min.u32": {5, 1}, "max.s32": {5, 32}, "or.b32": {0, 63}, "xor.b32": {0, 32},
		"and.b32": {7, 0}, "exch.b32": {0, 32},
	} {
		t.Run(op, func(t *testing.T) {
			kernel{src: entry + fmt.Sprintf(`
	mov.u32 %%r2, %%laneid;
	add.u32 %%r2, %%r2, 1;
	ld.param.u64 %%rd1, [out];
	st.global.u32 [%%rd1], %d;
	atom.global.%s %%r3, [%%rd1], %%r2;
	ret;
}`, want[0], op), words: []int{1}}.want(t, func(int) uint32 { return want[1] })
		})
	}
	t.Run("inc wraps", func(t *testing.T) {
		kernel{src: entry + `
	ld.param.u64 %rd1, [out];
	atom.global.inc.u32 %r3, [%rd1], 9;
	ret;
}`, words: []int{1}}.want(t, func(int) uint32 { return 2 }) // 32 counts through 0..9
	})
	t.Run("dec wraps", func(t *testing.T) {
		kernel{src: entry + `
	ld.param.u64 %rd1, [out];
	atom.global.dec.u32 %r3, [%rd1], 9;
	ret;
}`, words: []int{1}}.want(t, func(int) uint32 { return 8 }) // 0, 9 .. 0, three times and 2 more
	})
	t.Run("cas returns the old value", func(t *testing.T) {
		kernel{src: entry + `
	mov.u32 %r2, %laneid;
	ld.param.u64 %rd1, [out];
	add.u32 %r4, %r2, 1;
	atom.global.cas.b32 %r3, [%rd1+128], %r2, %r4;
	setp.eq.u32 %p1, %r3, %r2;   // each lane found its own number in turn
	selp.b32 %r1, 1, 0, %p1;` + storeOwn, words: []int{33}}.want(t, func(i int) uint32 {
			if i == 32 {
				return 32
			}
			return 1
		})
	})
}

// faults are kernels that cannot be executed, with what the message must say.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, src string
		is        error
		want      []string
	}{
		{"past the end", `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	mad.wide.u32 %rd1, %r1, 4, %rd1;
	st.global.u32 [%rd1+64], %r1;
	ret;
}`, memory.ErrBounds, []string{"k.s:7:2: error: store past the end of buffer 0 [mem-oob] global 0x110000080",
			"st.global.u32 [%rd1+64], %r1;", "who     block (0,0,0) warp 0 lanes 16-31 (ffff0000), 4 bytes each",
			"buffer  buffer 0: 128 bytes at 0x110000000..0x11000007f; the access starts 0 bytes past the end"}},
		{"across the end", `
	ld.param.u64 %rd1, [out];
	ld.global.u64 %rd2, [%rd1+128];
	ret;
}`, memory.ErrBounds, []string{"the access starts 0 bytes past the end"}},
		{"before the start", `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [%rd1-4];
	ret;
}`, memory.ErrBounds, []string{"load before the start of buffer 0 [mem-oob] global 0x10ffffffc", "the access starts 4 bytes before it"}},
		{"null", `
	mov.u64 %rd1, 0;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"load in .global space, but the address is null [mem-space] global 0x0"}},
		{"an offset from null", `
	mov.u64 %rd1, 0;
	st.u32 [%rd1+24], %r1;
	ret;
}`, memory.ErrSpace, []string{"generic store, but the address is an offset from null [mem-space] generic 0x18"}},
		{"a shared address in global space", `
	.shared .u32 s[8];
	mov.u64 %rd1, s;
	st.global.u32 [%rd1+4], %r1;
	ret;
}`, memory.ErrSpace, []string{"store in .global space, but the address is 0x4 in .shared space, or an offset from null [mem-space] global 0x4"}},
		{"a generic address in global space", `
	.local .u32 l[8];
	mov.u64 %rd1, l;
	cvta.local.u64 %rd1, %rd1;
	ld.global.u32 %r1, [%rd1+8];
	ret;
}`, memory.ErrSpace, []string{"the address is the generic address of 0x8 in .local space; cvta.to.local converts it [mem-space] global 0x2000008"}},
		{"a generic address in shared space", `
	.shared .u32 s[8];
	mov.u32 %r1, s;
	cvta.shared.u32 %r1, %r1;
	atom.shared.add.u32 %r2, [%r1], 1;
	ret;
}`, memory.ErrSpace, []string{"atomic in .shared space, but the address is the generic address of 0x0 in .shared space"}},
		{"a global address in local space", `
	.local .u32 l[8];
	ld.param.u64 %rd1, [out];
	ld.local.u32 %r1, [%rd1+4];
	ret;
}`, memory.ErrSpace, []string{"load in .local space, but the address is that of buffer 0+4 in .global space [mem-space] local 0x110000004"}},
		{"an address cut to 32 bits", `
	ld.param.u64 %rd1, [out];
	cvt.u32.u64 %r1, %rd1;
	cvt.u64.u32 %rd1, %r1;
	ld.global.u32 %r1, [%rd1+4];
	ret;
}`, memory.ErrSpace, []string{"the address is the lower 32 bits of one in buffer 0 [mem-space] global 0x10000004"}},
		{"the address of a function", `
	mov.u64 %rd1, k;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"the address is that of function k [mem-space]"}},
		{"nowhere", `
	mov.u64 %rd1, 0x123456789abc;
	ld.global.u32 %r1, [%rd1];
	ret;
}`, memory.ErrBounds, []string{"load outside of every buffer [mem-oob] global 0x123456789abc"}},
		{"misaligned", `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r1, [%rd1+2];
	ret;
}`, memory.ErrMisaligned, []string{"misaligned load: global 0x110000002 is not a multiple of 4 bytes [mem-misaligned]"}},
		{"a vector is aligned as a whole", `
	ld.param.u64 %rd1, [out];
	ld.global.v2.u32 {%r1, %r2}, [%rd1+4];
	ret;
}`, memory.ErrMisaligned, []string{"is not a multiple of 8 bytes"}},
		{"shared", `
	.shared .u32 s[8];
	mov.u32 %r1, %laneid;
	shl.b32 %r1, %r1, 2;
	ld.shared.u32 %r2, [%r1];
	ret;
}`, memory.ErrBounds, []string{"load past the end of s [mem-oob] shared 0x20", "lanes 8-31 (ffffff00)", "32 bytes"}},
		{"shared, the second of two variables", `
	.shared .u16 a;
	.shared .u32 b[4];
	mov.u32 %r1, b;
	ld.shared.u32 %r2, [%r1+16];
	st.shared.u16 [a], 1;
	ret;
}`, memory.ErrBounds, []string{"load past the end of b [mem-oob] shared 0x14", "b: 16 bytes at 0x4..0x13"}},
		{"shared, misaligned", `
	.shared .u32 a[4];
	.shared .u32 b[4];
	st.shared.u32 [a], 1;
	ld.shared.u32 %r2, [b+2];
	ret;
}`, memory.ErrMisaligned, []string{"misaligned load: shared 0x12 is not", "b: 16 bytes at 0x10..0x1f"}},
		{"local, of a function", `
	.local .u32 l[4];
	st.local.u32 [l], 1;
	call f;
	ret;
}
.func f()
{
	.local .u32 m[4];
	mov.u32 %r1, m;
	st.local.u32 [%r1+16], %r1;
	ret;
}`, memory.ErrBounds, []string{"store past the end of m [mem-oob] local 0x20", "m: 16 bytes at 0x10..0x1f"}},
		{"local", `
	.local .u32 l[8];
	mov.u32 %r1, 32;
	st.local.u32 [%r1], %r1;
	ret;
}`, memory.ErrBounds, []string{"store past the end of l [mem-oob] local 0x20"}},
		{"constant memory is read-only", `
	mov.u64 %rd1, c;
	st.u32 [%rd1], 1;
	ret;
}
.const .u32 c = 5;
`, memory.ErrReadOnly, []string{"store to c, which is read-only"}},
		{"constant space has only constants", `
	ld.param.u64 %rd1, [out];
	ld.const.u32 %r1, [%rd1];
	ret;
}`, memory.ErrSpace, []string{"load in .const space, but the address is that of buffer 0 in .global space"}},
		{"parameters are read-only", `
	mov.u32 %r1, 0;
	st.param.u32 [%r1], 3;
	ret;
}`, memory.ErrReadOnly, []string{"store to the parameters, which is read-only"}},
		{"before the parameters", `
	ld.param.u32 %r1, [out+-4];
	ret;
}`, memory.ErrBounds, []string{"[mem-oob] param 0xfffffffffffffffc"}},
		{"lanes at different barriers", `
	mov.u32 %r1, %laneid;
	and.b32 %r1, %r1, 1;
	bar.sync %r1;
	ret;
}`, nil, []string{"lanes of one warp wait at different barriers [sync-mismatch]"}},
		{"shfl outside of its mask", `
	mov.u32 %r1, %laneid;
	shfl.sync.down.b32 %r2, %r1, 1, 31, 65535;
	ret;
}`, nil, []string{"lanes 16-31 (ffff0000)", "not in its mask 0000ffff [sync-mask-self]"}},
		{"trap", `
	mov.u32 %r1, %laneid;
	setp.eq.u32 %p1, %r1, 9;
	@%p1 trap;
	ret;
}`, nil, []string{"k.s:6:7: error: trap", "lane 9 (00000200)"}},
		{"barriers for different numbers", `
	mov.u32 %r1, %warpid;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bar.arrive 1, 64;
	@!%p1 bar.sync 1, 32;
	ret;
}`, nil, []string{"barrier 1 for 32 threads, at which others are for 64"}},
		{"no such barrier", `
	bar.sync 16;
	ret;
}`, nil, []string{"barrier 16: a CTA has barriers 0 to 15"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := kernel{src: entry + c.src, block: dim(64, 1), words: []int{32}}.run(t)
			var fault *interp.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a fault", err)
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v is not %v", err, c.is)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the message lacks %q:\n%v", w, err)
				}
			}
			if diff := cmp.Diff(make([]uint32, 32), out[0]); diff != "" {
				t.Errorf("the faulting instruction wrote to memory:\n%s", diff)
			}
		})
	}
}

func TestHangs(t *testing.T) {
	for _, c := range []struct {
		name, src string
		model     divergence.Model
		want      []string
	}{
		{"endless loop", `
L:	bra L;
}`, its, []string{"k.s:4:4: error: no warp can get on", "[sync-spin]", "spins   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:4:4: bra L;"}},
		{"endless loop that counts", `
L:	add.u32 %r1, %r1, 1;
	bra L;
}`, its, []string{"k.s:4:4: error: step limit: a warp executed 10000 instructions", "add.u32 %r1, %r1, 1;", "block (0,0,0) warp 0"}},
		{"endless loop with a barrier", `
L:	bar.sync 0;
	bra L;
}`, its, []string{"step limit"}},
		{"barrier in one arm", `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bar.sync 0;
	ret;
}`, stack, []string{"k.s:6:7: error: barrier inside divergent code [sync-diverged]", "arrived block (0,0,0) warp 0 lanes 0-15 (0000ffff)", "absent  block (0,0,0) warp 0 lanes 16-31 (ffff0000)"}},
		{"warps at different barriers", `
	mov.u32 %r1, %warpid;
	bar.sync %r1;
	ret;
}`, its, []string{"no warp of the block can go on [sync-deadlock]", "warp 0 lanes 0-31 (ffffffff) at k.s:5:2, barrier 0", "warp 1 lanes 0-31 (ffffffff) at k.s:5:2, barrier 1"}},
		{"shfl without all its lanes", `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra SKIP;
	shfl.sync.down.b32 %r2, %r1, 1, 31, -1;
SKIP:
	ret;
}`, stack, []string{"[sync-mask-missing]", "absent  block (0,0,0) warp 0 lanes 0-15 (0000ffff), to go on at k.s:9:2"}},
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
}`, its, []string{"[sync-deadlock]", "waits   block (0,0,0) warp 0 lanes 0-15 (0000ffff) at k.s:11:2, vote.sync.all.pred with mask ffffffff, for lanes 16-31",
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
`, its, []string{"k.s:7:2: error: no warp can get on", "spins   block (0,0,0) warp 1 lanes 0-31 (ffffffff) at k.s:7:2: atom.global.cas.b32"}},
		{"more steps than allowed in a straight line", strings.Repeat("\tadd.u32 %r1, %r1, 1;\n", 10001) + `	ret;
}`, its, []string{"step limit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := kernel{src: entry + c.src, block: dim(64, 1), words: []int{1}, cfg: interp.Config{MaxSteps: 10000, Divergence: c.model}}.run(t)
			var hang *interp.Hang
			if !errors.As(err, &hang) {
				t.Fatalf("got %v, want a hang", err)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the message lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

func TestRefusedLaunches(t *testing.T) {
	for _, c := range []struct {
		name string
		k    kernel
		want string
	}{
		{"too many threads", kernel{block: dim(64, 17)}, "block 64x17x1: 1088 threads, at most 1024"},
		{"z", kernel{block: isa.Dim{X: 1, Y: 1, Z: 65}}, "at most 1024x1024x64"},
		{"grid", kernel{grid: isa.Dim{X: 1, Y: 65536, Z: 1}}, "at most 2147483647x65535x65535"},
		{"shared memory", kernel{shared: 227<<10 + 1}, "232449 bytes of shared memory per block, at most 232448"},
		{"parameters", kernel{words: []int{1, 1}}, "16 bytes of parameters; the kernel takes 8"},
		{"reqntid", kernel{src: ".entry k(.param .u64 out) .reqntid 64, 2 { ret; }"}, "block 32x1x1: .reqntid asks for 64x2x1"},
		{"local memory", kernel{src: ".entry k(.param .u64 out) { .local .b8 x[2000000000]; st.local.u8 [x], 1; ret; }"}, "2000000000 bytes of local memory per thread, at most 524288"},
		{"maxntid", kernel{src: ".entry k(.param .u64 out) .maxntid 16 { ret; }"}, "block 32x1x1: 32 threads, .maxntid allows 16"},
	} {
		if c.k.src == "" {
			c.k.src = entry + "ret;\n}"
		}
		if c.k.words == nil {
			c.k.words = []int{1}
		}
		_, _, err := c.k.run(t)
		var refused *interp.LaunchError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Only the kernel that is launched must be supported.
func TestNotSupportedYet(t *testing.T) {
	src := entry + "ret;\n}\n.entry other() {\n\tmma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0}, {%r0}, {%r1}, {%f1};\n\tret;\n}"
	if _, _, err := (kernel{src: src, words: []int{1}}).run(t); err != nil {
		t.Error(err)
	}
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Run(context.Background(), interp.Launch{Kernel: "other", Grid: dim(1, 1), Block: dim(1, 1)})
	if want := "k.s:6:2: mma is not supported yet"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestAllocations holds that nothing is allocated per instruction or per CTA
// once the first CTA has its place: a launch of many times the work allocates
// no more than a small one.
func TestAllocations(t *testing.T) {
	src := entry + `
	.shared .u32 s[64];
	mov.u32 %r2, %tid.x;
	shl.b32 %r3, %r2, 2;
	mov.u32 %r4, s;
	add.u32 %r4, %r4, %r3;
	ld.param.u64 %rd1, [out];
	mov.u32 %r5, 0;
	mov.u32 %r6, %nctaid.x;
LOOP:
	st.shared.u32 [%r4], %r2;
	bar.sync 0;
	and.b32 %r7, %r2, 7;
	setp.lt.u32 %p1, %r7, %r5;
	@%p1 bra ODD;
	add.u32 %r1, %r1, 1;
ODD:
	mov.u32 %r10, %clock;
	atom.shared.add.u32 %r8, [s], 1;
	ld.u32 %r9, [%rd1];
	shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p2, %r5, %r6;
	@%p2 bra LOOP;
	st.global.u32 [%rd1], 0;
	ret;
}`
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	allocs := func(ctas uint32) float64 {
		return testing.AllocsPerRun(5, func() {
			_, err := m.Run(context.Background(), interp.Launch{Kernel: "k", Grid: dim(ctas, 1), Block: dim(64, 1),
				Params: binary.LittleEndian.AppendUint64(nil, r.Base)})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(2), allocs(200); many > few {
		t.Errorf("2 CTAs with 2 turns of the loop make %v allocations, 200 with 200 make %v", few, many)
	}
}
