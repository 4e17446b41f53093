package interp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// onBothBodies runs a launch by lane functions alone, and compiled from the first instruction on, and
// says how what comes of it differs, or "".
func onBothBodies(t testing.TB, k kerneltest.Kernel) string {
	t.Helper()
	type outcome struct {
		Out   [][]uint32
		Stats interp.Stats
		Err   string
	}
	run := func(c interp.Compilation, level jit.Level) outcome {
		k.Config.Compile, k.Config.Lanes = c, level
		out, stats, err := k.Run(t)
		return outcome{out, stats, fmt.Sprint(err)}
	}
	want := run(interp.CompileNever, jit.None)
	for _, level := range compiledLevels() {
		if diff := kerneltest.Diff(want, run(interp.CompileAlways, level), cmpopts.EquateEmpty()); diff != "" {
			return fmt.Sprintf("%v: %s", level, diff)
		}
	}
	return ""
}

// wholeKernel is code as a kernel with a buffer, in which it stores what is in %r1 at the end.
func wholeKernel(code string) string { return kerneltest.Entry + code + kerneltest.StoreR1 }

// manyValues is code that loads so many vectors before it uses any of them, and one word from a place of each lane's own.
func manyValues(loads int) string {
	var b strings.Builder
	b.WriteString(`
	ld.param.u64 %rd1, [out];
	xor.b32 %r0, %tid.x, 5;
	mad.wide.u32 %rd9, %r0, 4, %rd1;
	bar.sync 0;
	ld.global.u32 %r2, [%rd9];
`)
	for i := range loads {
		fmt.Fprintf(&b, "\tld.global.v4.u64 {%%rd%d, %%rd%d, %%rd%d, %%rd%d}, [%%rd1+%d];\n", 100+4*i, 101+4*i, 102+4*i, 103+4*i, 32*i)
	}
	b.WriteString("\tcvt.u64.u32 %rd2, %r2;\n")
	value := func(i int) int { return 100 + min(i, 4*loads-1) }
	for i := 0; i < 4*loads; i += 3 {
		fmt.Fprintf(&b, "\tmad.lo.u64 %%rd%d, %%rd%d, %%rd%d, %%rd%d;\n", value(i), value(i), value(i+1), value(i+2))
	}
	b.WriteString("\tbar.sync 0;\n\tmov.u64 %rd2, 0;\n")
	for i := 0; i < 4*loads; i += 3 {
		fmt.Fprintf(&b, "\tmad.lo.u64 %%rd2, %%rd2, 3, %%rd%d;\n", value(i))
	}
	b.WriteString("\tcvt.u32.u64 %r1, %rd2;\n\tadd.u32 %r1, %r1, %r2;\n\tadd.u32 %r1, %r1, %tid.x;\n")
	return b.String()
}

// leaving is a loop in which lanes for which a condition holds end by a branch into another exit region, or past it.
func leaving(condition, branch string) string {
	return `
	mov.u32 %r1, 5;
	and.b32 %r2, %tid.x, 32;
	mov.u32 %r3, 0;
	bra L;
OUT:
	exit;
L:
	add.u32 %r3, %r3, 1;
	` + condition + `
	` + branch + `
	mad.lo.u32 %r1, %r1, 3, %tid.x;
	setp.lt.u32 %p2, %r3, 6;
	@%p2 bra L;
`
}

// oddLanes has in %p1 whether a lane is an even one, and in %r2 what differs from lane to lane.
const oddLanes = `
	mad.lo.u32 %r2, %tid.x, 7, 5;
	mov.u32 %r1, 0;
	and.b32 %r11, %tid.x, 1;
	setp.eq.u32 %p1, %r11, 0;
`

// meeting is code in which lanes find out together what is in %r1 behind it, each with the mask of those that are to.
func meeting(mask string) string {
	return strings.ReplaceAll(`
	shfl.sync.bfly.b32 %r3|%p2, %r2, 2, 31, MASK;
	shfl.sync.up.b32 %r4|%p3, %r3, 3, 0x1800, MASK;
	shfl.sync.down.b32 %r5, %r4, 1, 31, MASK;
	shfl.sync.idx.b32 %r6|%p4, %r5, %r2, 31, MASK;
	vote.sync.ballot.b32 %r7, %p2, MASK;
	vote.sync.all.pred %p5, !%p3, MASK;
	vote.sync.any.pred %p6, %p4, MASK;
	vote.sync.uni.pred %p7, %p1, MASK;
	bar.warp.sync MASK;
	selp.u32 %r8, 1, 0, %p5;
	selp.u32 %r9, 2, 0, %p6;
	selp.u32 %r10, 4, 0, %p7;
	add.u32 %r8, %r8, %r9;
	add.u32 %r8, %r8, %r10;
	mad.lo.u32 %r1, %r6, 64, %r7;
	mad.lo.u32 %r1, %r1, 8, %r8;
	xor.b32 %r1, %r1, %r5;
`, "MASK", mask)
}

// TestCompiledCases runs kernels that compiled code could take for what they are not. The second CTA finds
// compiled code that knows where accesses go.
func TestCompiledCases(t *testing.T) {
	for _, c := range []struct {
		name, code string
		block      isa.Dim
	}{
		{name: "misaligned in shared memory", code: `
	.shared .b32 s[64];
	mul.lo.u32 %r7, %tid.x, 2;
	mov.u32 %r8, s;
	add.u32 %r8, %r8, %r7;
	ld.shared.u32 %r1, [%r8];
	bar.sync 0;
`},
		{name: "stores that overlap", code: `
	.shared .b32 s[64];
	mul.lo.u32 %r7, %tid.x, 2;
	mov.u32 %r8, s;
	add.u32 %r8, %r8, %r7;
	st.shared.v2.u16 [%r8], {%r7, %r7};
	bar.sync 0;
`},
		{name: "divisors of which one is 0", code: `
	sub.u32 %r2, %tid.x, 21;
	div.s32 %r1, -1000, %r2;
	rem.u32 %r3, 1000, %r2;
	xor.b32 %r1, %r1, %r3;
`},
		{name: "a divisor that is 0 where nobody divides", code: `
	and.b32 %r2, %tid.x, 3;
	setp.ne.u32 %p1, %r2, 0;
	mov.u32 %r1, 7;
	@%p1 div.u32 %r1, 1000, %r2;
	@!%p1 rem.s32 %r1, -1000, %tid.x;
`},
		{name: "a uniform divisor that is 0", code: `
	ld.param.u64 %rd1, [out];
	ld.global.u32 %r2, [%rd1];
	div.u32 %r1, %tid.x, %r2;
	setp.lt.u32 %p1, %tid.x, 40;
	@%p1 rem.u32 %r1, %r1, %r2;
`},
		{name: "a divisor that is computed before", code: `
	add.u32 %r2, %tid.x, 1;
	div.u32 %r3, 100000, %r2;
	sub.u32 %r3, %r3, 1000;
	rem.s32 %r1, 123456, %r3;
	div.s32 %r1, %r1, %r1;
	.reg .u16 %h<3>;
	cvt.u16.u32 %h1, %r3;
	div.u16 %h2, %h1, %h1;
	rem.s16 %h1, %h2, %h1;
	cvt.u32.u16 %r4, %h1;
	add.u32 %r1, %r1, %r4;
`},
		{name: "divisors where lanes have diverged", code: `
	and.b32 %r2, %tid.x, 7;
	mov.u32 %r1, 1;
L:
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra NEXT;
	div.s32 %r3, -5000, %r2;
	mad.lo.u32 %r1, %r1, 3, %r3;
	sub.u32 %r2, %r2, 1;
	bra L;
NEXT:
`},
		{name: "a branch by which nobody leaves its exit region, taken", code: leaving("setp.gt.u32 %p1, %r3, 1000;", "@%p1 bra OUT;")},
		{name: "a branch by which nobody leaves its exit region, not taken", code: leaving("setp.gt.u32 %p1, %r3, 1000;", "@!%p1 bra GO; exit; GO:")},
		{name: "a branch by which all lanes leave their exit region, taken", code: leaving("setp.gt.u32 %p1, %r3, 4;", "@%p1 bra OUT;")},
		{name: "a branch by which all lanes leave their exit region, not taken", code: leaving("setp.gt.u32 %p1, %r3, 4;", "@!%p1 bra GO; exit; GO:")},
		{name: "a branch by which one warp leaves its exit region, taken", code: leaving("setp.ge.u32 %p1, %r2, 32;", "@%p1 bra OUT;")},
		{name: "a branch by which one warp leaves its exit region, not taken", code: leaving("setp.ge.u32 %p1, %r2, 32;", "@!%p1 bra GO; exit; GO:")},
		{name: "a branch by which some lanes leave their exit region, taken", code: leaving("add.u32 %r4, %r3, %tid.x; and.b32 %r4, %r4, 15; setp.eq.u32 %p1, %r4, 7;", "@%p1 bra OUT;")},
		{name: "a branch by which some lanes leave their exit region, not taken", code: leaving("add.u32 %r4, %r3, %tid.x; and.b32 %r4, %r4, 15; setp.eq.u32 %p1, %r4, 7;", "@!%p1 bra GO; exit; GO:")},
		{name: "what odd lanes find out together", code: oddLanes + `
	@%p1 bra NEXT;
` + meeting("0xaaaaaaaa") + `NEXT:
`},
		{name: "what those who are here find out together", code: oddLanes + `
	@%p1 bra NEXT;
	activemask.b32 %r12;
` + meeting("%r12") + `NEXT:
`},
		{name: "what two halves of a warp find out, each by itself", code: oddLanes + `
	setp.lt.u32 %p8, %laneid, 16;
	selp.u32 %r12, 0xffff, 0xffff0000, %p8;
` + meeting("%r12")},
		{name: "what is found out beside lanes that have ended", code: oddLanes + `
	setp.eq.u32 %p8, %laneid, 9;
	@%p8 exit;
` + meeting("-1")},
		{name: "what is found out beside lanes that have ended, by who is here", code: oddLanes + `
	setp.eq.u32 %p8, %laneid, 9;
	@%p8 exit;
	activemask.b32 %r12;
	@%p1 bra NEXT;
` + meeting("0xfffffaaa") + `NEXT:
`},
		{name: "a mask that is the same in all lanes, and computed", code: oddLanes + `
	sub.u32 %r12, 63, %ntid.x;
` + meeting("%r12")},
		{name: "a lane that is not in its mask", code: oddLanes + `
	@%p1 bra NEXT;
` + meeting("0xaaaaaaa8") + `NEXT:
`},
		{name: "lanes that would have to be waited for", code: oddLanes + `
	@%p1 bra NEXT;
` + meeting("0xaaaaaaab") + `NEXT:
`},
		{name: "a factor that is extended", code: `
	mov.u32 %r2, 0xffffffff;
	mul.wide.u32 %rd2, %tid.x, 0xffffffff;
	shr.u64 %rd3, %rd2, 32;
	cvt.u32.u64 %r1, %rd3;
`},
		{name: "a factor that is extended, and a sum", code: `
	cvt.u64.u32 %rd3, %tid.x;
	mad.wide.u32 %rd2, %tid.x, 0xfffffff0, %rd3;
	shr.u64 %rd3, %rd2, 30;
	cvt.u32.u64 %r1, %rd3;
`},
		{name: "an atomic on floats before other rounding", code: `
	.shared .b32 s[64];
	mul.lo.u32 %r7, %tid.x, 4;
	mov.u32 %r8, s;
	add.u32 %r8, %r8, %r7;
	add.u32 %r6, %r7, 0x101;
	st.shared.u32 [%r8], 0x3f800000;
	red.shared.add.f32 [%r8+16], %r6;
	red.shared.add.f32 [%r8+16], 0.00000008940696716308593750;
	mad.rz.ftz.f32 %r5, %r6, %r6, %r8;
	bar.sync 0;
	ld.shared.u32 %r1, [%r8+16];
	xor.b32 %r1, %r1, %r5;
`},
		{name: "many values", code: manyValues(14)},
		{name: "strips in which no lane executes", code: `
	.shared .align 8 .b32 s[64];
	.shared .align 8 .b64 d[32];
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r1, %r2, %r2, 7;
	setp.gt.u32 %p2, %r1, 200;
	cvt.u64.u32 %rd2, %r1;
	mov.u32 %r8, s;
	mov.u32 %r9, d;
	and.b32 %r3, %r2, 31;
	shl.b32 %r4, %r3, 3;
	add.u32 %r8, %r8, %r4;
	xor.b32 %r4, %r4, 24;
	add.u32 %r9, %r9, %r4;
	st.shared.v2.u32 [%r8], {%r1, %r2};
	st.shared.u64 [%r9], %rd2;
	and.b32 %r5, %r2, 8;
	setp.eq.u32 %p1, %r5, 0;
	@%p1 bra over;
	setp.lt.u32 %p2, %r1, 400;
	ld.shared.u32 %r6, [%r8+4];
	ld.shared.u64 %rd3, [%r9];
	mad.lo.u64 %rd2, %rd3, %rd3, %rd2;
	add.u32 %r1, %r1, %r6;
	st.shared.u32 [%r8], %r1;
	st.shared.u64 [%r9], %rd2;
over:
	bar.sync 0;
	@%p2 add.u32 %r1, %r1, 1000;
	ld.shared.u32 %r6, [%r8];
	ld.shared.u32 %r7, [%r9];
	mad.lo.u32 %r1, %r6, 3, %r1;
	mad.lo.u32 %r1, %r7, 5, %r1;
	cvt.u32.u64 %r6, %rd2;
	mad.lo.u32 %r1, %r6, 11, %r1;
`},
		{name: "scalars that lanes change while they are apart", code: `
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ctaid.x;
	add.u32 %r4, %tid.x, %ctaid.x;
	add.u32 %r5, %tid.x, %ctaid.x;
	mov.u32 %r9, 0;
	mov.u32 %r1, 0;
	mov.u32 %r10, 5;
again:
	setp.gt.u32 %p1, %tid.x, 10;
	@%p1 bra more;
	add.u32 %r2, %r2, 3;
	add.u32 %r5, %r5, 7;
	bra.uni over;
more:
	add.u32 %r2, %r2, 3;
	add.u32 %r4, %r4, %r10;
	add.u32 %r5, %r5, 7;
over:
	mad.lo.u32 %r1, %r1, 3, %r2;
	mad.lo.u32 %r1, %r1, 3, %r3;
	mad.lo.u32 %r1, %r1, 3, %r4;
	mad.lo.u32 %r1, %r1, 3, %r5;
	add.u32 %r3, %r3, 11;
	setp.ne.u32 %p3, %r9, 7;
	@%p3 bra next;
	mov.u32 %r10, 0;
	add.u32 %r4, %tid.x, %ctaid.x;
next:
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 20;
	@%p2 bra again;
`},
		{name: "scalars of lanes that are apart, where code is left", code: `
	mad.lo.u32 %r2, %ctaid.x, 77, 5;
	mad.lo.u32 %r3, %tid.x, 12, %r2;
	mul.lo.u32 %r6, %r2, 3;
	mul.lo.u32 %r7, %r2, 9;
	cvt.u64.u32 %rd2, %r2;
	mul.lo.u64 %rd2, %rd2, 0x100000007;
	setp.lt.u32 %p1, %tid.x, 7;
	@%p1 bra low;
	add.u32 %r6, %r6, %tid.x;
	shfl.sync.idx.b32 %r4, %r2, 9, 31, 0xffffff80;
	shfl.sync.down.b32 %r5, %r3, 2, 31, 0xffffff80;
	mad.lo.u32 %r1, %r4, 3, %r5;
	mad.lo.u32 %r1, %r1, 3, %r2;
	setp.gt.u32 %p2, %tid.x, 19;
	@%p2 bra both;
	mad.lo.u32 %r1, %r1, 5, %r3;
	shfl.sync.idx.b32 %r4, %r6, 9, 31, 0xfff80;
	add.u32 %r1, %r1, %r4;
	bra.uni both;
low:
	setp.gt.u32 %p2, %tid.x, 3;
	mad.lo.u32 %r1, %r3, 7, %r2;
	@%p2 bra inner;
	add.u32 %r1, %r1, %r6;
inner:
	add.u32 %r7, %r7, 3;
	cvt.u32.u64 %r5, %rd2;
	mad.lo.u32 %r1, %r1, 5, %r5;
	shfl.sync.up.b32 %r4, %r3, 1, 0, 0x7f;
	shfl.sync.idx.b32 %r5, %r6, 3, 31, 0x7f;
	add.u32 %r1, %r1, %r4;
	mad.lo.u32 %r1, %r1, 3, %r5;
both:
	shfl.sync.idx.b32 %r4, %r2, 3, 31, -1;
	shr.u64 %rd3, %rd2, 32;
	cvt.u32.u64 %r5, %rd3;
	mad.lo.u32 %r1, %r1, 3, %r4;
	mad.lo.u32 %r1, %r1, 3, %r5;
	mad.lo.u32 %r1, %r1, 3, %r3;
	mad.lo.u32 %r1, %r1, 3, %r6;
	mad.lo.u32 %r1, %r1, 3, %r7;
`},
		{name: "scalars of lanes that leave a loop one by one", code: `
	mad.lo.u32 %r2, %ctaid.x, 77, 5;
	mad.lo.u32 %r3, %tid.x, 3, %r2;
	mov.u32 %r4, 0;
	mov.u32 %r1, %r3;
	mov.u32 %r9, 0;
again:
	mad.lo.u32 %r1, %r1, 3, %r2;
	setp.lt.u32 %p2, %r4, 600;
	@%p2 bra next;
	mad.lo.u32 %r1, %r1, 5, %r3;
	add.u32 %r9, %r9, 1;
next:
	add.u32 %r4, %r4, 1;
	mad.lo.u32 %r5, %tid.x, 40, 3;
	setp.lt.u32 %p1, %r4, %r5;
	@%p1 bra again;
	mad.lo.u32 %r1, %r1, 3, %r2;
	mad.lo.u32 %r1, %r1, 3, %r3;
	mad.lo.u32 %r1, %r1, 3, %r9;
`},
		{name: "addresses that are loaded, in memory of several kinds", code: `
	.shared .align 8 .b32 s[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r8, s;
	mov.u64 %rd2, s;
	cvta.shared.u64 %rd2, %rd2;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r2, 13, 5;
	and.b32 %r3, %r3, 63;
	mad.lo.u32 %r4, %r2, 8, %r8;
	add.u32 %r5, %r3, 17;
	st.shared.v2.u32 [%r4], {%r3, %r5};
	bar.sync 0;
	mov.u32 %r9, 0;
	mov.u32 %r7, 0x3f800000;
	mov.u64 %rd7, 1;
again:
	add.rz.ftz.f32 %r7, %r7, 0f3EAAAAAB;
	and.b32 %r4, %r2, 63;
	mad.wide.u32 %rd3, %r4, 4, %rd2;
	setp.gt.u32 %p1, %r9, 4;
	setp.gt.and.u32 %p1, %tid.x, 17, %p1;
	mad.wide.u32 %rd4, %r4, 4, %rd1;
	selp.b64 %rd4, %rd4, %rd3, %p1;
	ld.u32 %r5, [%rd4];
	mad.lo.u64 %rd7, %rd7, 3, %rd4;
	sub.u64 %rd7, %rd7, %rd4;
	add.rz.ftz.f32 %r7, %r7, %r5;
	and.b32 %r5, %r5, 63;
	mad.wide.u32 %rd5, %r5, 4, %rd2;
	setp.lt.u32 %p3, %r5, 60;
	@%p3 ld.u32 %r6, [%rd5];
	@!%p3 mov.u32 %r6, 77;
	add.u32 %r2, %r6, %r9;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 12;
	@%p2 bra again;
	cvt.u32.u64 %r1, %rd7;
	mad.lo.u32 %r1, %r1, 3, %r2;
	mad.lo.u32 %r1, %r1, 3, %r7;
`},
		{name: "addresses that are loaded, of lanes that have diverged", code: `
	.shared .align 8 .b32 s[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r8, s;
	mov.u64 %rd2, s;
	cvta.shared.u64 %rd2, %rd2;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r2, 13, 5;
	and.b32 %r3, %r3, 63;
	mad.lo.u32 %r4, %r2, 8, %r8;
	add.u32 %r5, %r3, 17;
	st.shared.v2.u32 [%r4], {%r3, %r5};
	bar.sync 0;
	mov.u32 %r9, 0;
	mov.u32 %r7, 0x3f800000;
	mov.u64 %rd7, 1;
again:
	add.rz.ftz.f32 %r7, %r7, 0f3EAAAAAB;
	and.b32 %r4, %r2, 63;
	mad.wide.u32 %rd3, %r4, 4, %rd2;
	setp.gt.u32 %p1, %r9, 4;
	setp.gt.and.u32 %p1, %tid.x, 17, %p1;
	mad.wide.u32 %rd4, %r4, 4, %rd1;
	selp.b64 %rd4, %rd4, %rd3, %p1;
	ld.u32 %r5, [%rd4];
	mad.lo.u64 %rd7, %rd7, 3, %rd4;
	sub.u64 %rd7, %rd7, %rd4;
	add.rz.ftz.f32 %r7, %r7, %r5;
	and.b32 %r5, %r5, 63;
	mad.wide.u32 %rd5, %r5, 4, %rd2;
	setp.lt.u32 %p3, %r5, 60;
	@%p3 ld.u32 %r6, [%rd5];
	@!%p3 mov.u32 %r6, 77;
	mad.lo.u32 %r10, %tid.x, 5, 3;
	and.b32 %r10, %r10, 7;
	setp.gt.u32 %p4, %r9, %r10;
	@%p4 bra over;
	add.u32 %r2, %r6, %r9;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 12;
	@%p2 bra again;
over:
	cvt.u32.u64 %r1, %rd7;
	mad.lo.u32 %r1, %r1, 3, %r2;
	mad.lo.u32 %r1, %r1, 3, %r7;
`},
		{name: "addresses that are loaded, and one outside of memory", code: `
	.shared .align 8 .b32 s[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r8, s;
	mov.u64 %rd2, s;
	cvta.shared.u64 %rd2, %rd2;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r2, 13, 5;
	and.b32 %r3, %r3, 63;
	mad.lo.u32 %r4, %r2, 8, %r8;
	add.u32 %r5, %r3, 17;
	st.shared.v2.u32 [%r4], {%r3, %r5};
	bar.sync 0;
	mov.u32 %r9, 0;
	mov.u32 %r7, 0x3f800000;
	mov.u64 %rd7, 1;
again:
	add.rz.ftz.f32 %r7, %r7, 0f3EAAAAAB;
	and.b32 %r4, %r2, 63;
	mad.wide.u32 %rd3, %r4, 4, %rd2;
	setp.gt.u32 %p1, %r9, 4;
	setp.gt.and.u32 %p1, %tid.x, 17, %p1;
	mad.wide.u32 %rd4, %r4, 4, %rd1;
	selp.b64 %rd4, %rd4, %rd3, %p1;
	ld.u32 %r5, [%rd4];
	mad.lo.u64 %rd7, %rd7, 3, %rd4;
	sub.u64 %rd7, %rd7, %rd4;
	add.rz.ftz.f32 %r7, %r7, %r5;
	and.b32 %r5, %r5, 63;
	mad.wide.u32 %rd5, %r5, 4, %rd2;
	setp.lt.u32 %p3, %r5, 60;
	@%p3 ld.u32 %r6, [%rd5];
	@!%p3 mov.u32 %r6, 77;
	setp.eq.u32 %p4, %r9, 7;
	setp.eq.and.u32 %p4, %tid.x, 21, %p4;
	selp.b64 %rd6, 0x123456789000, %rd5, %p4;
	ld.u32 %r6, [%rd6];
	add.u32 %r2, %r6, %r9;
	add.u32 %r9, %r9, 1;
	setp.lt.u32 %p2, %r9, 12;
	@%p2 bra again;
	cvt.u32.u64 %r1, %rd7;
	mad.lo.u32 %r1, %r1, 3, %r2;
	mad.lo.u32 %r1, %r1, 3, %r7;
`},
		{name: "exchanges, of what was exchanged", code: `
	mul.lo.u32 %r1, %tid.x, 2654435761;
	shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;
	max.u32 %r1, %r1, %r2;
	shfl.sync.bfly.b32 %r1|%p1, %r1, 8, 31, -1;
	shfl.sync.down.b32 %r3|%p2, %r2, 3, 0x180f, -1;
	shfl.sync.up.b32 %r4|%p3, %r2, 3, 0x1800, -1;
	shfl.sync.idx.b32 %r5, %r2, %r1, 31, -1;
	shfl.sync.idx.b32 %r6, %tid.x, 5, 0x1807, -1;
	shfl.sync.idx.b32 %r7, 77, 5, 31, -1;
	shfl.sync.up.b32 %r8, %r2, 1, 0, -1;
	shfl.sync.up.b32 %r9, %r2, 2, 0, -1;
	shfl.sync.up.b32 %r10, %r2, 4, 0, -1;
	shfl.sync.up.b32 %r11, %r2, 8, 0, -1;
	shfl.sync.up.b32 %r12, %r2, 16, 0, -1;
	mad.lo.u32 %r1, %r3, 3, %r1;
	mad.lo.u32 %r1, %r4, 5, %r1;
	@%p2 mad.lo.u32 %r1, %r5, 7, %r1;
	@%p3 mad.lo.u32 %r1, %r6, 11, %r1;
	mad.lo.u32 %r1, %r7, 13, %r1;
	mad.lo.u32 %r1, %r8, 17, %r1;
	mad.lo.u32 %r1, %r9, 19, %r1;
	mad.lo.u32 %r1, %r10, 23, %r1;
	mad.lo.u32 %r1, %r11, 29, %r1;
	mad.lo.u32 %r1, %r12, 31, %r1;
	setp.lt.u32 %p4, %tid.x, 16;
	@%p4 bra some;
	shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff0000;
	add.u32 %r1, %r1, %r2;
some:
	bar.warp.sync -1;
	@%p4 shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff;
	add.u32 %r1, %r1, %r2;
`},
		{name: "one place at which some lanes store", code: `
	.shared .align 8 .b32 s[64];
	mov.u32 %r8, s;
	mov.u32 %r2, %tid.x;
	shl.b32 %r3, %r2, 3;
	and.b32 %r3, %r3, 248;
	add.u32 %r3, %r8, %r3;
	st.shared.v2.u32 [%r3], {%r2, %r8};
	mad.lo.u32 %r4, %r2, 37, 11;
	and.b32 %r5, %r4, 31;
	setp.gt.u32 %p1, %r5, 19;
	setp.eq.u32 %p2, %r5, 2;
	setp.gt.u32 %p3, %r5, 100;
	mul.wide.u32 %rd2, %r4, 0x1000193;
	bar.sync 0;
	@%p1 st.shared.u32 [%r8+60], %r4;
	@%p1 st.shared.u64 [%r8+64], %rd2;
	@%p2 st.shared.u16 [%r8+74], %r4;
	@%p2 st.shared.u8 [%r8+77], %rd2;
	@!%p1 st.shared.u32 [%r8+80], %rd2;
	@%p3 st.shared.u64 [%r8+88], %rd2;
	setp.gt.u32 %p4, %r5, 12;
	@%p4 bra over;
	st.shared.u64 [%r8+96], %rd2;
	st.shared.u32 [%r8+104], %r4;
	@%p2 st.shared.u8 [%r8+109], %r4;
over:
	bar.sync 0;
	and.b32 %r6, %r2, 63;
	mad.lo.u32 %r6, %r6, 4, %r8;
	ld.shared.u32 %r1, [%r6];
`, block: kerneltest.Dim(16, 4)},
		{name: "places at which several of some lanes store", code: `
	.shared .b32 s[128];
	mov.u32 %r2, %tid.x;
	mov.u32 %r1, s;
	and.b32 %r3, %r2, 3;
	mad.lo.u32 %r8, %r3, 12, %r1;
	mul.lo.u32 %r4, %r2, 2654435761;
	shr.u32 %r4, %r4, 28;
	setp.gt.u32 %p1, %r4, 9;
	setp.lt.u32 %p2, %r4, 3;
	bar.sync 0;
	@%p1 st.shared.u32 [%r8], %r2;
	@!%p1 st.shared.u16 [%r8+4], %r2;
	@%p2 st.shared.u32 [%r1+60], %r4;
	mad.lo.u32 %r8, %r2, -4, %r1;
	@%p1 st.shared.u8 [%r8+254], %r4;
	mad.lo.u32 %r8, %r2, 4, %r1;
	@%p2 st.shared.v2.b16 [%r8+256], {%r2, %r4};
	bar.sync 0;
	and.b32 %r3, %r2, 63;
	mad.lo.u32 %r8, %r3, 4, %r1;
	ld.shared.u32 %r1, [%r8];
	ld.shared.u32 %r3, [%r8+256];
	mad.lo.u32 %r1, %r3, 5, %r1;
`, block: kerneltest.Dim(64, 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, model := range kerneltest.Models {
				k := kerneltest.Kernel{Source: wholeKernel(c.code), Grid: kerneltest.Dim(3, 1), Block: c.block, Words: []int{256}, Config: interp.Config{Divergence: model}}
				if diff := onBothBodies(t, k); diff != "" {
					t.Errorf("%v (-lane functions +compiled):\n%s", model, diff)
				}
			}
		})
	}
}
