package trace_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// traced runs the first kernel of src with the address of one buffer x of 256 bytes as each parameter, and returns
// its trace.
func traced(t *testing.T, src string, cfg interp.Config, grid, block isa.Dim, o trace.Options) (text string, err error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Alloc("x", 256)
	if err != nil {
		t.Fatal(err)
	}
	kernel := mod.Entries()[0]
	l := interp.Launch{Kernel: kernel.Name, Grid: grid, Block: block}
	for range kernel.Params {
		for shift := 0; shift < 64; shift += 8 {
			l.Params = append(l.Params, byte(x.Base>>shift))
		}
	}
	var b strings.Builder
	tr, err := trace.Attach(m, &l, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = functional.Run(context.Background(), m, l)
	if endErr := tr.End(); endErr != nil {
		t.Error(endErr)
	}
	return b.String(), err
}

func dim(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// one returns a one-dimensional grid or block.
func one(n uint32) isa.Dim { return dim(n, 1) }

func check(t *testing.T, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), got); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

// arms is an if with two arms: lanes 0 to 15 go to LOW, line 9.
const arms = `.entry k()
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	add.u32 %r2, %r1, 1;
	bra MEET;
LOW:
	add.u32 %r2, %r1, 2;
MEET:
	mul.lo.u32 %r2, %r2, 2;
	ret;
}
`

// The lanes diverge at line 5 and reconverge at line 11 in every model. In between, its has one convergence barrier;
// the stack has an entry for the reconvergence PC and one for each side; minpc has a split for each side, and nothing
// else.
func TestMaskTraceFollowsModel(t *testing.T) {
	for model, want := range map[divergence.Model]string{
		divergence.IndependentThreads: `
b0.w0  diverge     L5    ffffffff  taken 0000ffff to L9  fall-through ffff0000 to L6  reconverge at L11  depth 1  @%p1 bra LOW;
b0.w0  reconverge  L11   ffffffff  from 0000ffff ffff0000  depth 0
b0.w0  exit        L12   ffffffff  left 00000000  ret;
`,
		divergence.ReconvergenceStack: `
b0.w0  diverge     L5    ffffffff  taken 0000ffff to L9  fall-through ffff0000 to L6  reconverge at L11  depth 3  @%p1 bra LOW;
b0.w0  reconverge  L11   ffffffff  from 0000ffff ffff0000  depth 1
b0.w0  exit        L12   ffffffff  left 00000000  ret;
`,
		divergence.LowestPC: `
b0.w0  diverge     L5    ffffffff  taken 0000ffff to L9  fall-through ffff0000 to L6  depth 2  @%p1 bra LOW;
b0.w0  reconverge  L11   ffffffff  from 0000ffff ffff0000  depth 1
b0.w0  exit        L12   ffffffff  left 00000000  ret;
`} {
		t.Run(model.String(), func(t *testing.T) {
			got, err := traced(t, arms, interp.Config{Divergence: model}, one(1), one(32), trace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, want, got)
		})
	}
}

// By default the taken side runs first; minpc runs the fall-through side, which comes first in the text.
func TestInstructionTraceFollowsPathOrder(t *testing.T) {
	const low = `
b0.w0  instr       L9    0000ffff  0000ffff  add.u32 %r2, %r1, 2;
`
	const high = `
b0.w0  instr       L6    ffff0000  ffff0000  add.u32 %r2, %r1, 1;
b0.w0  instr       L7    ffff0000  ffff0000  bra MEET;
`
	for _, c := range []struct {
		cfg  interp.Config
		arms string
	}{
		{interp.Config{}, low + high[1:]},
		{interp.Config{PathOrder: divergence.FallThrough}, high + low[1:]},
		{interp.Config{Divergence: divergence.ReconvergenceStack}, low + high[1:]},
		{interp.Config{Divergence: divergence.LowestPC}, high + low[1:]},
	} {
		got, err := traced(t, arms, c.cfg, one(1), one(32), trace.Options{Kind: trace.Instr})
		if err != nil {
			t.Fatal(err)
		}
		check(t, `
b0.w0  instr       L3    ffffffff  ffffffff  mov.u32 %r1, %laneid;
b0.w0  instr       L4    ffffffff  ffffffff  setp.lt.u32 %p1, %r1, 16;
b0.w0  instr       L5    ffffffff  0000ffff  @%p1 bra LOW;
`+c.arms[1:]+`b0.w0  instr       L11   ffffffff  ffffffff  mul.lo.u32 %r2, %r2, 2;
b0.w0  instr       L12   ffffffff  ffffffff  ret;
`, got)
	}
}

// sheds is a loop that lane i leaves after i%4+1 iterations. Lanes 0, 4, 8 … leave first: at each of three branches a
// quarter of the lanes falls through to line 8, and waits there for the rest, which leave the last iteration
// together.
const sheds = `.entry k()
{
	mov.u32 %r1, %laneid;
	and.b32 %r1, %r1, 3;
LOOP:	sub.u32 %r1, %r1, 1;
	setp.ge.s32 %p1, %r1, 0;
	@%p1 bra LOOP;
	exit;
}
`

// With the stack, lanes that leave the loop need no entries of their own: they are in the entry of the reconvergence
// PC. So the depth stays at 2.
func TestLoopNeedsOneStackEntry(t *testing.T) {
	got, err := traced(t, sheds, interp.Config{Divergence: divergence.ReconvergenceStack}, one(1), one(32), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  diverge     L7    ffffffff  taken eeeeeeee to L5  fall-through 11111111 to L8  reconverge at L8  depth 2  @%p1 bra LOOP;
b0.w0  diverge     L7    eeeeeeee  taken cccccccc to L5  fall-through 22222222 to L8  reconverge at L8  depth 2  @%p1 bra LOOP;
b0.w0  diverge     L7    cccccccc  taken 88888888 to L5  fall-through 44444444 to L8  reconverge at L8  depth 2  @%p1 bra LOOP;
b0.w0  reconverge  L8    ffffffff  from 11111111 22222222 44444444 88888888  depth 1
b0.w0  exit        L8    ffffffff  left 00000000  exit;
`, got)
}

// meets is a barrier between two warps. The first warp stores before it.
const meets = `.entry k(.param .u64 x)
{
	.shared .u32 s[64];
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, s;
	mad.lo.u32 %r2, %r1, 4, %r2;
	st.shared.u32 [%r2], %r1;
	bar.sync 0;
	xor.b32 %r2, %r2, 128;
	ld.shared.u32 %r3, [%r2];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r3;
	ret;
}
`

// Warp 0 waits; warp 1 completes the barrier and continues; then warp 0 does. The block of 40 threads has 8 lanes in
// warp 1.
func TestBarrierTraceShowsArrivals(t *testing.T) {
	got, err := traced(t, meets, interp.Config{}, one(1), one(40), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  barrier     L9    ffffffff  barrier 0  waits  bar.sync 0;
b0.w1  barrier     L9    000000ff  barrier 0  complete  bar.sync 0;
b0.w0  release     L10   ffffffff  barrier 0
b0.w0  exit        L14   ffffffff  left 00000000  ret;
b0.w1  exit        L14   000000ff  left 00000000  ret;
`, got)
}

// Thread i stores i at 4i of shared memory, reads the other warp's word at 4i xor 128, and stores it at 4i of x.
// Kernel parameters are registers here: reading them is not an access.
func TestMemoryTraceShowsAddresses(t *testing.T) {
	got, err := traced(t, meets, interp.Config{}, one(1), one(64), trace.Options{Kind: trace.Mem})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  store       L8    ffffffff  4 bytes of shared at 0-31: 4*lane  st.shared.u32 [%r2], %r1;
b0.w1  store       L8    ffffffff  4 bytes of shared at 0-31: 4*lane+128  st.shared.u32 [%r2], %r1;
b0.w0  load        L11   ffffffff  4 bytes of shared at 0-31: 4*lane+128  ld.shared.u32 %r3, [%r2];
b0.w0  store       L13   ffffffff  4 bytes of global x at 0-31: 4*lane  st.global.u32 [%rd2], %r3;
b0.w1  load        L11   ffffffff  4 bytes of shared at 0-31: 4*lane  ld.shared.u32 %r3, [%r2];
b0.w1  store       L13   ffffffff  4 bytes of global x at 0-31: 4*lane+128  st.global.u32 [%rd2], %r3;
`, got)
}

// The filters select warp 1 of block 3, the last of a grid of 2 by 2, and lines 5 to 7 and 11. The warp reads what
// warp 0 wrote: the thread's number.
func TestRegisterTraceIsFiltered(t *testing.T) {
	filter := func(text string) trace.Filter {
		f, err := trace.ParseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	o := trace.Options{Kind: trace.Regs, Blocks: filter("3"), Warps: filter("1"), Lines: filter("5-7,11")}
	got, err := traced(t, meets, interp.Config{}, dim(2, 2), one(64), o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b3.w1  write       L5    ffffffff  %r1 = 0-31: lane+32  mov.u32 %r1, %tid.x;
b3.w1  write       L6    ffffffff  %r2 = 0-31: 0  mov.u32 %r2, s;
b3.w1  write       L7    ffffffff  %r2 = 0-31: 4*lane+128  mad.lo.u32 %r2, %r1, 4, %r2;
b3.w1  write       L11   ffffffff  %r3 = 0-31: lane  ld.shared.u32 %r3, [%r2];
`, got)
}

// halves has a vote of all lanes in both arms: the first arm's lanes wait for the others, which complete it, and get
// the result when they continue.
const halves = `.entry k()
{
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra LOW;
	vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
	fence.sc.cta;
	ret;
LOW:
	vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
	ret;
}
`

// Lanes 0-15 run first, before the vote and after it.
func TestCollectiveTraceShowsWaitingLanes(t *testing.T) {
	got, err := traced(t, halves, interp.Config{}, one(1), one(32), trace.Options{Kind: trace.Sync})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  collective  L10   0000ffff  0000ffff waits for ffff0000  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
b0.w0  collective  L6    ffff0000  complete  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
b0.w0  release     L11   0000ffff  vote.sync.ballot.b32
b0.w0  fence       L7    ffff0000  fence.sc.cta;
`, got)
	got, err = traced(t, halves, interp.Config{}, one(1), one(32), trace.Options{Kind: trace.Regs})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  write       L3    ffffffff  %r1 = 0-31: lane  mov.u32 %r1, %laneid;
b0.w0  write       L4    ffffffff  %p1 = 0000ffff  setp.lt.u32 %p1, %r1, 16;
b0.w0  write       L6    ffff0000  %r2 = 16-31: 65535  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
b0.w0  write       L10   0000ffff  %r2 = 0-15: 65535  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
`, got)
}

// In calls, odd lanes call a function that returns twice their number.
const calls = `.func (.reg .u32 %ret) twice(.reg .u32 %n)
{
	shl.b32 %ret, %n, 1;
	ret;
}
.entry k()
{
	mov.u32 %r1, %laneid;
	and.b32 %r2, %r1, 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 call (%r3), twice, (%r1);
	ret;
}
`

// TestClusterTraceShowsMbarrierWait traces two blocks of a cluster. The first waits at its mbarrier until the second
// has arrived there.
func TestClusterTraceShowsMbarrierWait(t *testing.T) {
	got, err := traced(t, `.version 8.0
.target sm_90
.address_size 64
.entry k(.param .u64 x) .reqnctapercluster 2
{
	.shared .b64 bar;
	ld.param.u64 %rd1, [x];
	cp.async.ca.shared.global [bar], [%rd1], 8;
	cp.async.commit_group;
	cp.async.wait_group 0;
	mov.u32 %r1, %cluster_ctarank;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared.b64 [bar], 2;
	barrier.cluster.arrive;
	barrier.cluster.wait;
	@%p1 bra WAIT;
	mapa.shared::cluster.u32 %r2, bar, 0;
	mbarrier.arrive.shared::cluster.b64 _, [%r2], 2;
	bra END;
WAIT:
	mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
	@!%p2 bra WAIT;
END:
	barrier.cluster.arrive;
	barrier.cluster.wait;
	ret;
}
`, interp.Config{}, one(2), one(1), trace.Options{Kind: trace.Sync})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  group       L9    00000001  cp.async.commit_group;
b0.w0  group       L10   00000001  cp.async.wait_group 0;
b0.w0  mbarrier    L13   00000001  shared at 0  parity 0  pending 2 of 2  tx 0  @%p1 mbarrier.init.shared.b64 [bar], 2;
b0.w0  cluster     L14   00000001  arrives  barrier.cluster.arrive;
b0.w0  cluster     L15   00000001  waits  barrier.cluster.wait;
b1.w0  group       L9    00000001  cp.async.commit_group;
b1.w0  group       L10   00000001  cp.async.wait_group 0;
b1.w0  cluster     L14   00000001  arrives  barrier.cluster.arrive;
b1.w0  cluster     L15   00000001  complete  barrier.cluster.wait;
b1.w0  mbarrier    L18   00000001  shared of b0 at 0  parity 1  pending 2 of 2  tx 0  mbarrier.arrive.shared::cluster.b64 _, [%r2], 2;
b1.w0  cluster     L24   00000001  arrives  barrier.cluster.arrive;
b1.w0  cluster     L25   00000001  waits  barrier.cluster.wait;
b0.w0  release     L16   00000001  barrier.cluster.wait
b0.w0  mbarrier    L21   00000001  shared at 0  parity 1  pending 2 of 2  tx 0  mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;
b0.w0  cluster     L24   00000001  arrives  barrier.cluster.arrive;
b0.w0  cluster     L25   00000001  complete  barrier.cluster.wait;
b1.w0  release     L26   00000001  barrier.cluster.wait
`, got)
}

func TestCallTraceShowsReturns(t *testing.T) {
	got, err := traced(t, calls, interp.Config{}, one(1), one(32), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  call        L11   aaaaaaaa  twice  @%p1 call (%r3), twice, (%r1);
b0.w0  split       L3    aaaaaaaa  without 55555555
b0.w0  return      L4    aaaaaaaa  to L12  ret;
b0.w0  reconverge  L12   ffffffff  from 55555555 aaaaaaaa  depth 0
b0.w0  exit        L12   ffffffff  left 00000000  ret;
`, got)
	lines, err := trace.ParseFilter("4")
	if err != nil {
		t.Fatal(err)
	}
	got, err = traced(t, calls, interp.Config{}, one(1), one(32), trace.Options{Kind: trace.Regs, Lines: lines})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
b0.w0  write       L4    aaaaaaaa  %r3 = aaaaaaaa: 2*lane  ret;
`, got)
}

// In leaves, the upper half of the lanes ends at line 6, and the lower quarter reads past the end of x at line 9.
const leaves = `.entry k(.param .u64 x)
{
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %laneid;
	setp.ge.u32 %p1, %r1, 16;
	@%p1 exit;
	setp.lt.u32 %p2, %r1, 8;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	@%p2 ld.global.u32 %r2, [%rd2+256];
	ret;
}
`

// A launch that faults is traced up to the instruction before.
func TestFaultingLaunchIsTraced(t *testing.T) {
	got, err := traced(t, leaves, interp.Config{}, one(1), one(32), trace.Options{})
	if err == nil {
		t.Error("no fault")
	}
	check(t, `
b0.w0  exit        L6    ffff0000  left 0000ffff  @%p1 exit;
`, got)
	got, err = traced(t, leaves, interp.Config{}, one(1), one(32), trace.Options{Kind: trace.Regs})
	if err == nil {
		t.Error("no fault")
	}
	if !strings.HasSuffix(got, "%rd2 = 0-15: 4*lane+4563402752  mad.wide.u32 %rd2, %r1, 4, %rd1;\n") {
		t.Errorf("it ends otherwise:\n%s", got)
	}
}

// The picture of arms in a block of 24: 3 instructions for all, one for the lower lanes, two for the upper ones, two
// for all.
func TestHeatShowsActiveLanes(t *testing.T) {
	got, err := traced(t, arms, interp.Config{}, one(1), one(24), trace.Options{Kind: trace.Heat})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
heat b0.w0  instructions 0-7   # on  . masked  w barrier  x exited
 l0-15   ####..##
 l16-23  ###.####
`, got)
}

// Rows are labelled with ranges of lanes even if they are scattered: lanes 4, 8 and 12 apart are not shown as a mask.
func TestHeatLabelsScatteredLanes(t *testing.T) {
	got, err := traced(t, `.entry k() {
	mov.u32 %r1, %laneid;
	and.b32 %r2, %r1, 3;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 exit;
	ret;
}
`, interp.Config{}, one(1), one(16), trace.Options{Kind: trace.Heat})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
heat b0.w0  instructions 0-4   # on  . masked  w barrier  x exited
 l0,4,8,12            ####x
 l1-3,5-7,9-11,13-15  #####
`, got)
}

// Lanes 0-15 wait at one barrier until the others have arrived at the other, which then continue first, and end.
func TestHeatShowsBarrier(t *testing.T) {
	src := strings.ReplaceAll(halves, "vote.sync.ballot.b32 %r2, %p1, 0xffffffff", "barrier.sync 0")
	got, err := traced(t, src, interp.Config{}, one(1), one(32), trace.Options{Kind: trace.Heat})
	if err != nil {
		t.Fatal(err)
	}
	check(t, `
heat b0.w0  instructions 0-7   # on  . masked  w barrier  x exited
 l0-15   ###ww..#
 l16-31  ###.w##x
`, got)
}
