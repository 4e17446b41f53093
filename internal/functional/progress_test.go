package functional_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// waiters are kernels with threads that wait for each other, and the final value of word 0 of their buffer.
var waiters = []struct {
	name        string
	src         string
	grid, block isa.Dim
	want        uint32
	// hangs are the orders in which a launch never ends under stack; starves says whether it never does under minpc. The
	// report of the hang must contain all of report.
	hangs   []divergence.Order
	starves bool
	report  []string
}{
	{name: "a lock whose winner leaves the loop", want: 64, block: kerneltest.Dim(64, 1), hangs: kerneltest.Orders, starves: true, src: `
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
	{name: "a lock with a delay in its loop", want: 32, hangs: kerneltest.Orders, starves: true, src: `
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
	{name: "a lock that counts its tries", want: 32, hangs: kerneltest.Orders, starves: true, src: `
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
	{name: "a lock taken by a function", want: 32, hangs: kerneltest.Orders, starves: true, src: `
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
	{name: "two lanes hand a token to and fro", want: 20, hangs: kerneltest.Orders, starves: true, src: `
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
	{name: "a vote in both arms", want: 0xffff, hangs: kerneltest.Orders, src: `
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
	{name: "a ticket lock", want: 256, grid: kerneltest.Dim(4, 1), block: kerneltest.Dim(64, 1), hangs: kerneltest.Orders, starves: true, src: `
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
	// A loop of 8 instructions: without jitter a time slice of 4096 would always end at the same place, with the lock
	// taken.
	{name: "a worker that holds a lock most of the time", want: 1, grid: kerneltest.Dim(2, 1), src: `
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
	{name: "all blocks wait for all", want: 300, grid: kerneltest.Dim(300, 1), block: kerneltest.Dim(64, 1), src: gridBarrier + `
	ret;
}`},
	{name: "each block waits for the one before", want: 500, grid: kerneltest.Dim(500, 1), src: `
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

// TestWaiting: threads that wait for each other make progress under independent thread scheduling, and launches under
// the other models either end, too, or are reported as hanging, with the reason. Launches with a clock do the same.
func TestWaiting(t *testing.T) {
	testWaiting(t, nil)
}

func TestWaitingWithClock(t *testing.T) {
	testWaiting(t, func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove})
		if err == nil {
			err = s.Continue(t.Context())
		}
		if err == nil {
			err = s.Timing().Check()
		}
		if err != nil {
			return interp.Stats{}, err
		}
		return s.Stats(), nil
	})
}

func testWaiting(t *testing.T, driver func(m *interp.Machine, l interp.Launch) (interp.Stats, error)) {
	n := 0
	for _, c := range waiters {
		for _, model := range kerneltest.Models {
			for _, order := range kerneltest.Orders {
				if n++; short.Skips(n) || short.Waits(n, 6) {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%v", c.name, model, order), func(t *testing.T) {
					k := kerneltest.Kernel{Source: kerneltest.Entry + c.src, Grid: c.grid, Block: c.block, Words: []int{8},
						Config: interp.Config{Divergence: model, PathOrder: order, MaxSteps: 1e6}, Driver: driver}
					out, stats, err := k.Run(t)
					if model == divergence.ReconvergenceStack && slices.Contains(c.hangs, order) || model == divergence.LowestPC && c.starves {
						kerneltest.WantHang(t, err, c.report...)
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

// TestSlicesEndedByABarrier has lanes that wait for each other in a chain, in the order E, C, A, D, and meet at
// barriers. A barrier ends the time slice of a warp before all splits have had their quantum, so that not all of them
// see a change of memory in the next slice.
func TestSlicesEndedByABarrier(t *testing.T) {
	for _, order := range kerneltest.Orders {
		kerneltest.Kernel{Words: []int{4}, Config: interp.Config{PathOrder: order}, Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %laneid;
	setp.gt.u32 %p1, %r1, 3;
	@%p1 exit;
T:	.branchtargets E, A, C, D;
	brx.idx %r1, T;
E:
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p1, %r2, 20000;
	@%p1 bra E;
	st.volatile.global.u32 [%rd1], 1;
	bar.sync 0;
	ret;
A:
	ld.volatile.global.u32 %r2, [%rd1+4];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra A;
	st.volatile.global.u32 [%rd1+8], 1;
	bar.sync 0;
	ret;
C:
	ld.volatile.global.u32 %r2, [%rd1];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra C;
	st.volatile.global.u32 [%rd1+4], 1;
	bar.sync 0;
	ret;
D:
	ld.volatile.global.u32 %r2, [%rd1+8];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra D;
	st.volatile.global.u32 [%rd1+12], 1;
	bar.sync 0;
	ret;
}`}.Want(t, func(int) uint32 { return 1 })
	}
}
