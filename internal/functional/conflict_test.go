package functional_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// conflictCases are kernels for CTAs of 256 threads, eight warps, with races that end the same way on every GPU: warps
// that leave a barrier together, or start together, read before the first of them writes. Want returns the word that a
// GPU leaves for each thread.
var conflictCases = []struct {
	name  string
	block isa.Dim
	src   string
	want  func(i int) uint32
	warns bool // results depend on the order of warps in shared memory
	alone bool // one CTA is enough
}{
	// The numbers of the warps are summed twice, both times through one array. Only a loop of 40 instructions separates
	// the loads of the first sum from the stores of the second.
	{name: "two reductions", want: func(i int) uint32 { return 28*1000 + 28*3 }, warns: true, src: `
	.shared .u32 s[8];
	mov.u32 %r10, s;
	shr.u32 %r11, %r4, 5;
	mad.lo.u32 %r12, %r11, 4, %r10;
	and.b32 %r13, %r4, 31;
	setp.eq.u32 %p1, %r13, 0;
	@%p1 st.shared.u32 [%r12], %r11;
	bar.sync 0;` + sumUp + `
	mov.u32 %r16, %r15;
	mul.lo.u32 %r18, %r11, 3;
	mov.u32 %r17, 0;
	BUSY:
	add.u32 %r17, %r17, 1;
	setp.lt.u32 %p2, %r17, 10;
	@%p2 bra BUSY;
	@%p1 st.shared.u32 [%r12], %r18;
	bar.sync 0;` + strings.ReplaceAll(sumUp, "SUM", "SUM2") + `
	mad.lo.u32 %r1, %r16, 1000, %r15;
	st.global.u32 [%rd5], %r1;
	ret;
}`},
	// Eight warps add to the same 32 words, a term at a time: all load, all store the same.
	{name: "warps that do the same", alone: true, block: isa.Dim{X: 32, Y: 8, Z: 1}, want: func(i int) uint32 {
		if i < 32 {
			return 45
		}
		return 0
	}, src: `
	mad.wide.u32 %rd6, %r4, 4, %rd1;
	mov.u32 %r10, 0;
	LOOP:
	ld.global.u32 %r11, [%rd6];
	add.u32 %r11, %r11, %r10;
	st.global.u32 [%rd6], %r11;
	add.u32 %r10, %r10, 1;
	setp.lt.u32 %p1, %r10, 10;
	@%p1 bra LOOP;
	ret;
}`},
	// The barrier after the stores is missing; all warps store within a few cycles.
	{name: "stores, then loads of others' words", want: func(i int) uint32 { return uint32(255 - i) }, warns: true, src: `
	.shared .u32 s[256];
	mov.u32 %r10, s;
	mad.lo.u32 %r11, %r4, 4, %r10;
	sub.u32 %r12, 255, %r4;
	mad.lo.u32 %r12, %r12, 4, %r10;
	st.shared.u32 [%r11], %r4;
	ld.shared.u32 %r13, [%r12];
	st.global.u32 [%rd5], %r13;
	ret;
}`},
	// The same with matrix rows: lane i gets a word of the row to which the address of lane i/4 points.
	{name: "ldmatrix of others' rows", want: func(i int) uint32 { return uint32(255 - i/32*32 - i%32/4) }, warns: true, src: `
	.shared .align 16 .b8 s[4096];
	mov.u32 %r10, s;
	mad.lo.u32 %r11, %r4, 16, %r10;
	sub.u32 %r12, 255, %r4;
	mad.lo.u32 %r12, %r12, 16, %r10;
	st.shared.v4.u32 [%r11], {%r4, %r4, %r4, %r4};
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r13, %r14, %r15, %r16}, [%r12];
	st.global.u32 [%rd5], %r13;
	ret;
}`},
	// The first warp is busy for a long time, and then loads words that others have stored meanwhile.
	{name: "a late reader", want: func(i int) uint32 { return map[bool]uint32{true: 7, false: 0}[i < 32] }, warns: true, src: `
	.shared .u32 s[1];
	mov.u32 %r1, 0;
	setp.ge.u32 %p1, %r4, 32;
	@%p1 bra WRITE;
	mov.u32 %r10, 0;
	LOOP:
	add.u32 %r10, %r10, 1;
	setp.lt.u32 %p2, %r10, 1000;
	@%p2 bra LOOP;
	ld.shared.u32 %r1, [s];
	bra END;
	WRITE:
	setp.eq.u32 %p2, %r4, 224;
	@%p2 st.shared.u32 [s], 7;
	END:
	st.global.u32 [%rd5], %r1;
	ret;
}`},
	// A bitonic sort. The analysis of addresses cannot show that its warps use different words, but they do.
	{name: "bitonic sort", want: func(i int) uint32 { return uint32(i) }, src: `
	.shared .u32 s[256];
	mov.u32 %r10, s;
	mad.lo.u32 %r11, %r4, 4, %r10;
	xor.b32 %r12, %r4, 165;
	st.shared.u32 [%r11], %r12;
	mov.u32 %r13, 2;
	OUTER:
	shr.u32 %r14, %r13, 1;
	INNER:
	bar.sync 0;
	xor.b32 %r15, %r4, %r14;
	setp.le.u32 %p1, %r15, %r4;
	@%p1 bra NEXT;
	mad.lo.u32 %r16, %r15, 4, %r10;
	ld.shared.u32 %r17, [%r11];
	ld.shared.u32 %r18, [%r16];
	and.b32 %r19, %r4, %r13;
	setp.ne.u32 %p2, %r19, 0;
	setp.gt.u32 %p3, %r17, %r18;
	xor.pred %p3, %p2, %p3;
	@!%p3 bra NEXT;
	st.shared.u32 [%r11], %r18;
	st.shared.u32 [%r16], %r17;
	NEXT:
	shr.u32 %r14, %r14, 1;
	setp.ne.u32 %p1, %r14, 0;
	@%p1 bra INNER;
	shl.b32 %r13, %r13, 1;
	setp.le.u32 %p1, %r13, 256;
	@%p1 bra OUTER;
	bar.sync 0;
	ld.shared.u32 %r1, [%r11];
	st.global.u32 [%rd5], %r1;
	ret;
}`},
	// With its barriers the same sum does not depend on the order of warps, and there is no warning.
	{name: "no race", want: func(i int) uint32 { return 28 }, src: `
	.shared .u32 s[8];
	mov.u32 %r10, s;
	shr.u32 %r11, %r4, 5;
	mad.lo.u32 %r12, %r11, 4, %r10;
	and.b32 %r13, %r4, 31;
	setp.eq.u32 %p1, %r13, 0;
	mov.u32 %r17, 0;
	AGAIN:
	@%p1 st.shared.u32 [%r12], %r11;
	bar.sync 0;` + sumUp + `
	bar.sync 0;
	add.u32 %r17, %r17, 1;
	setp.lt.u32 %p2, %r17, 3;
	@%p2 bra AGAIN;
	st.global.u32 [%rd5], %r15;
	ret;
}`},
}

// sumUp sets %r15 to the sum of eight words from %r10 on, which each lane loads one after the other.
const sumUp = `
	mov.u32 %r14, %r10;
	mov.u32 %r15, 0;
	SUM:
	ld.shared.u32 %r19, [%r14];
	add.u32 %r15, %r15, %r19;
	add.u32 %r14, %r14, 4;
	add.u32 %r20, %r10, 32;
	setp.lt.u32 %p3, %r14, %r20;
	@%p3 bra SUM;
`

// TestRacesThatGPUsWin: kernels with a race that give the right result on every GPU give it here under each way of
// execution, and a warning says that they depend on the order of warps.
func TestRacesThatGPUsWin(t *testing.T) {
	for _, c := range conflictCases {
		for _, model := range kerneltest.Models {
			for _, on := range []interp.Config{{Threads: 1, Compile: interp.CompileNever}, {Threads: 1, Compile: interp.CompileAlways}, {Threads: 3, Compile: interp.CompileAlways}} {
				t.Run(fmt.Sprintf("%s/%v/%d threads/%d", c.name, model, on.Threads, on.Compile), func(t *testing.T) {
					on.Divergence = model
					ctas := 12 // more than trialCTAs
					if c.alone {
						ctas = 1
					}
					block := c.block
					if block.X == 0 {
						block = kerneltest.Dim(256, 1)
					}
					k := kerneltest.Kernel{Source: kerneltest.Entry + threadWord + c.src, Grid: kerneltest.Dim(uint32(ctas), 1), Block: block, Words: []int{256 * ctas}, Config: on}
					stats := k.Want(t, func(i int) uint32 { return c.want(i % 256) })
					warned := false
					for _, w := range stats.Warnings {
						warned = warned || w.Rule == interp.RuleOrder
					}
					if warned != c.warns {
						t.Errorf("warnings %v", stats.Warnings)
					}
				})
			}
		}
	}
}

// TestConflictsEndInHangs: a hang is found although a warp spins on an access at which its time slice ends.
func TestConflictsEndInHangs(t *testing.T) {
	_, _, err := kerneltest.Kernel{Block: kerneltest.Dim(64, 1), Words: []int{64}, Source: kerneltest.Source(t, "testdata/kernels/conflict.txt", "conflicts end in hangs")}.Run(t)
	kerneltest.WantHang(t, err, "sync-spin")
}

// stepThrough runs a launch instruction by instruction.
type stepThrough struct{}

func (stepThrough) Step(interp.Warp, divergence.Split) bool { return false }

// TestConflictsStepByStep: a launch that is run instruction by instruction has the same time slices and results.
func TestConflictsStepByStep(t *testing.T) {
	for _, c := range conflictCases {
		if c.block.X != 0 {
			continue
		}
		k := kerneltest.Kernel{Source: kerneltest.Entry + threadWord + c.src, Block: kerneltest.Dim(256, 1), Words: []int{256}}
		_, want, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			l.Observers = append(l.Observers, stepThrough{})
			return functional.Run(context.Background(), m, l)
		}
		if got := k.Want(t, c.want); got.WarpInstrs != want.WarpInstrs || len(got.Warnings) != len(want.Warnings) {
			t.Errorf("%s: %d instructions, %d warnings; not step by step %d and %d", c.name, got.WarpInstrs, len(got.Warnings), want.WarpInstrs, len(want.Warnings))
		}
	}
}
