package interp_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

const (
	its   = divergence.IndependentThreads
	stack = divergence.ReconvergenceStack
	minPC = divergence.LowestPC
)

// waiters are kernels whose threads wait for each other, and what word 0 of
// their buffer is in the end.
var waiters = []struct {
	name        string
	src         string
	grid, block isa.Dim
	want        uint32
	// hangs says in which orders the stack never ends, and starves whether minpc
	// never does. The report of the hang must have all of report.
	hangs   []divergence.Order
	starves bool
	report  []string
}{
	{name: "a lock whose winner leaves the loop", want: 64, block: dim(64, 1), hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
SPIN:
	atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	atom.global.exch.b32 %r4, [%rd1+4], 0;
	ret;
}`, report: []string{"k.s:6:2: error: no warp makes progress", "[sync-spin]",
		"spins   block (0,0,0) warp 0 lanes 1-31 (fffffffe) at k.s:6:2: atom.global.cas.b32 %r2, [%rd1+4], 0, 1;",
		"beside  block (0,0,0) warp 0 lane 0 (00000001), to go on at k.s:9:2", "--divergence its gives each of them time slices"}},
	{name: "a lock with a delay in its loop", want: 32, hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
SPIN:
	mov.u32 %r5, 10;
DELAY:
	sub.u32 %r5, %r5, 1;
	setp.ne.u32 %p2, %r5, 0;
	@%p2 bra DELAY;
	atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	atom.global.exch.b32 %r4, [%rd1+4], 0;
	ret;
}`, report: []string{"[sync-spin]"}},
	{name: "a lock that counts its tries", want: 32, hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
SPIN:
	add.u32 %r5, %r5, 1;
	atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	atom.global.exch.b32 %r4, [%rd1+4], 0;
	ret;
}`, report: []string{"step limit"}},
	{name: "a lock taken by a function", want: 32, hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
SPIN:
	{
	.param .b64 a;
	.param .b32 r;
	st.param.b64 [a], %rd1;
	call (r), take, (a);
	ld.param.b32 %r2, [r];
	}
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	atom.global.exch.b32 %r4, [%rd1+4], 0;
	ret;
}
.func (.param .b32 r) take(.param .b64 a)
{
	ld.param.u64 %rd1, [a];
	atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
	st.param.b32 [r], %r2;
	ret;
}`, report: []string{"[sync-spin]"}},
	{name: "a lock that is released within the loop", want: 32, src: `
	ld.param.u64 %rd1, [out];
AGAIN:
	atom.global.cas.b32 %r2, [%rd1+4], 0, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra NEXT;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	atom.global.exch.b32 %r4, [%rd1+4], 0;
NEXT:
	@%p1 bra AGAIN;
	ret;
}`},
	{name: "one arm waits for the other", want: 7, hangs: []divergence.Order{divergence.FallThrough, divergence.Majority}, starves: true, src: `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra SET;
WAIT:
	ld.volatile.global.u32 %r2, [%rd1+4];
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra WAIT;
	st.global.u32 [%rd1], %r2;
	bra DONE;
SET:
	st.volatile.global.u32 [%rd1+4], 7;
DONE:
	ret;
}`, report: []string{"spins   block (0,0,0) warp 0 lanes 16-31 (ffff0000)"}},
	{name: "two lanes hand a token to and fro", want: 20, hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	setp.gt.u32 %p1, %r1, 1;
	@%p1 exit;
TURN:
	ld.volatile.global.u32 %r2, [%rd1];
	and.b32 %r3, %r2, 1;
	setp.ne.u32 %p2, %r3, %r1;
	@%p2 bra TURN;
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%rd1], %r2;
	setp.lt.u32 %p3, %r2, 19;
	@%p3 bra TURN;
	ret;
}`, report: []string{"[sync-spin]"}},
	{name: "a vote in both arms", want: 0xffff, hangs: allOrders, src: `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	vote.sync.ballot.b32 %r2, %p1, -1;
	st.global.u32 [%rd1], %r2;
	ret;
LOW:
	vote.sync.ballot.b32 %r2, %p1, -1;
	ret;
}`, report: []string{"[sync-mask-missing]", "--divergence its gives each of them time slices"}},
	{name: "a ticket lock", want: 256, grid: dim(4, 1), block: dim(64, 1), hangs: allOrders, starves: true, src: `
	ld.param.u64 %rd1, [out];
	atom.global.add.u32 %r1, [%rd1+4], 1;
WAIT:
	ld.volatile.global.u32 %r2, [%rd1+8];
	setp.ne.u32 %p1, %r2, %r1;
	@%p1 bra WAIT;
	ld.volatile.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	add.u32 %r2, %r2, 1;
	st.volatile.global.u32 [%rd1+8], %r2;
	ret;
}`, report: []string{"[sync-spin]"}},
	// 8 instructions, of which a turn of 4096 would end in the same place every
	// time, with the lock taken.
	{name: "a worker that holds a lock most of the time", want: 1, grid: dim(2, 1), src: `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 ret;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra BOSS;
WORK:
	atom.global.exch.b32 %r3, [%rd1+4], 1;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra WORK;
	ld.volatile.global.u32 %r4, [%rd1];
	membar.gl;
	atom.global.exch.b32 %r5, [%rd1+4], 0;
	setp.eq.u32 %p2, %r4, 0;
	@%p2 bra WORK;
	ret;
BOSS:
	atom.global.exch.b32 %r3, [%rd1+4], 1;
	setp.ne.u32 %p2, %r3, 0;
	@%p2 bra BOSS;
	st.volatile.global.u32 [%rd1], 1;
	membar.gl;
	atom.global.exch.b32 %r5, [%rd1+4], 0;
	ret;
}`},
	{name: "all blocks wait for all", want: 300, grid: dim(300, 1), block: dim(64, 1), src: gridBarrier + `
	ret;
}`},
	{name: "each block waits for the one before", want: 500, grid: dim(500, 1), src: `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 exit;
	mov.u32 %r2, %ctaid.x;
WAIT:
	ld.volatile.global.u32 %r3, [%rd1];
	setp.ne.u32 %p2, %r3, %r2;
	@%p2 bra WAIT;
	add.u32 %r3, %r3, 1;
	st.volatile.global.u32 [%rd1], %r3;
	ret;
}`},
}

var allOrders = []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority}

// gridBarrier counts the CTAs that have come, and waits for all.
const gridBarrier = `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra ALL;
	mov.u32 %r2, %nctaid.x;
	atom.global.add.u32 %r3, [%rd1], 1;
WAIT:
	ld.volatile.global.u32 %r4, [%rd1];
	setp.ne.u32 %p2, %r4, %r2;
	@%p2 bra WAIT;
ALL:
	bar.sync 0;`

// TestWaiting holds that threads which wait for each other get on under
// independent thread scheduling, and that the other models either end too, or
// are found not to, with a report that says why.
func TestWaiting(t *testing.T) {
	n := 0
	for _, c := range waiters {
		for _, model := range []divergence.Model{its, stack, minPC} {
			for _, order := range allOrders {
				if n++; short.Skips(n) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%v", c.name, model, order), func(t *testing.T) {
					k := kernel{src: entry + c.src, grid: c.grid, block: c.block, words: []int{8},
						cfg: interp.Config{Divergence: model, PathOrder: order, MaxSteps: 1e6}}
					out, stats, err := k.run(t)
					var hang *interp.Hang
					if model == stack && slices.Contains(c.hangs, order) || model == minPC && c.starves {
						if !errors.As(err, &hang) {
							t.Fatalf("got %v, want a hang", err)
						}
						for _, want := range c.report {
							if !strings.Contains(err.Error(), want) {
								t.Errorf("the report lacks %q:\n%v", want, err)
							}
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if out[0][0] != c.want {
						t.Errorf("word 0 is %d, want %d", out[0][0], c.want)
					}
					t.Logf("%d warp instructions", stats.WarpInstrs)
				})
			}
		}
	}
}

// TestTooManyBlocksForABarrier: an H100 holds 132 * 32 CTAs of one warp, so
// that a barrier over more never ends.
func TestTooManyBlocksForABarrier(t *testing.T) {
	_, _, err := kernel{src: entry + gridBarrier + "\n\tret;\n}", grid: dim(132*32+1, 1), words: []int{8}}.run(t)
	var hang *interp.Hang
	if !errors.As(err, &hang) {
		t.Fatalf("got %v, want a hang", err)
	}
	for _, want := range []string{"[sync-spin]", "spins   block (0,0,0) warp 0 lane 0 (00000001) at k.s:11:2", "waiting 1 blocks have not started: the GPU holds 4224 of these at once"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
}

// TestMillionBlocks holds that memory does not grow with the grid.
func TestMillionBlocks(t *testing.T) {
	allocated := func(blocks uint32) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, stats, err := kernel{src: entry + "ret;\n}", grid: dim(blocks, 1), words: []int{1}}.run(t)
		runtime.ReadMemStats(&after)
		if err != nil || stats.WarpInstrs != uint64(blocks) {
			t.Fatalf("%d blocks: %d instructions, %v", blocks, stats.WarpInstrs, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1)
	if few, many := allocated(10), allocated(1e6); many > few+1<<16 {
		t.Errorf("10 blocks allocate %d bytes, a million %d", few, many)
	}
}

// TestLargeGridsHaveALimit: a limit per warp is no limit to a launch of many
// warps. The launch's own is for what happens between the end of one CTA and
// that of the next, so that it does not matter how large a grid is that gets on.
func TestLargeGridsHaveALimit(t *testing.T) {
	const limit = 1e6
	k := kernel{grid: dim(264, 1), block: dim(256, 1), words: []int{1}, cfg: interp.Config{MaxLaunchSteps: limit}}
	for name, loop := range map[string]string{
		"counts":        "L:	add.u32 %r1, %r1, 1;\n	bra L;\n}",
		"reads a clock": "L:	mov.u64 %rd1, %clock64;\n	setp.ne.u64 %p1, %rd1, -1;\n	@%p1 bra L;\n	ret;\n}",
	} {
		k.src = entry + loop
		_, stats, err := k.run(t)
		if err == nil || !strings.Contains(err.Error(), "[sync-steps]") || !strings.Contains(err.Error(), "blocks  0 of 264 are done") {
			t.Errorf("a loop that %s: %v", name, err)
		}
		const turn = 8 * 2 * 5000 // instructions of a CTA's 8 warps, who have a turn or two before anybody looks
		if n := stats.WarpInstrs; n < limit || n > limit+turn {
			t.Errorf("a loop that %s: %d instructions, want about %g", name, n, float64(limit))
		}
	}
	k.src = entry + `
L:	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p1, %r1, 1000;
	@%p1 bra L;
	ret;
}`
	if _, stats, err := k.run(t); err != nil || stats.WarpInstrs < 4*limit {
		t.Errorf("%d instructions, %v; want some millions, and no error", stats.WarpInstrs, err)
	}
}
