package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// calls are kernels that leave f(lane) in their output, for some f.
var calls = map[string]struct {
	src  string
	want func(lane uint32) uint32
}{
	"scalar": {`
.func (.param .b32 r) square(.param .b32 a)
{
	ld.param.b32 %r1, [a];
	mul.lo.s32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call.uni (v), square, (p);
	ld.param.b32 %r3, [v];
	}
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p+0], %r3;
	call.uni (v), square, (p);
	ld.param.b32 %r1, [v+0];
	}` + kerneltest.StoreR1, func(n uint32) uint32 { return n * n * n * n }},
	"addresses of parameters, which are in local memory": {`
.func (.param .b32 r) pick(.param .align 4 .b8 s[13], .param .b32 i)
{
	.local .align 4 .b8 own[8];
	mov.b64 %rd1, s;
	cvta.local.u64 %rd2, %rd1;
	ld.param.s32 %rd3, [i];
	shl.b64 %rd3, %rd3, 2;
	add.s64 %rd2, %rd2, %rd3;
	ld.b32 %r1, [%rd2];
	add.u32 %r1, %r1, 1;
	st.b32 [%rd2], %r1;
	mov.b64 %rd4, s;
	add.s64 %rd4, %rd4, %rd3;
	ld.local.b32 %r2, [%rd4];
	ld.local.u8 %r3, [%rd1+12];
	add.u32 %r2, %r2, %r3;
	ld.param.b32 %r4, [s+8];
	add.u32 %r2, %r2, %r4;
	st.param.b32 [r], %r2;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 1;
	{
	.param .align 4 .b8 p[13];
	.param .b32 i;
	.param .b32 v;
	st.param.b32 [p], %r2;
	mul.lo.u32 %r4, %r2, 10;
	st.param.b32 [p+4], %r4;
	st.param.b32 [p+8], 5000;
	st.param.b8 [p+12], 200;
	st.param.b32 [i], %r3;
	call.uni (v), pick, (p, i);
	ld.param.b32 %r1, [v];
	}` + kerneltest.StoreR1, func(n uint32) uint32 { return n*(1+n%2*9) + 1 + 200 + 5000 }},
	"registers as parameters, defined later": {`
.func (.reg .u32 r) twice (.reg .u32 a);
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	call (%r1), twice, (%r2);
	call (%r1), twice, (%r1);
	call (%r3), twice, (5);
	add.u32 %r1, %r1, %r3;` + kerneltest.StoreR1 + `
.func (.reg .u32 r) twice (.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}`, func(n uint32) uint32 { return 4*n + 10 }},
	"vectors of registers as arguments": {`
.func (.reg .v2 .u32 r) turned(.reg .u32 a, .reg .v2 .u32 v)
{
	add.u32 r.x, v.y, a;
	add.u32 r.y, v.x, a;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	call ({%r3, %r4}), turned, (5, {%r2, 100});
	mad.lo.u32 %r1, %r3, 1000, %r4;` + kerneltest.StoreR1, func(n uint32) uint32 { return 105000 + n + 5 }},
	"registers of 128 bits": {`
.func (.reg .b128 o, .param .align 16 .b8 p[16]) turned(.reg .b128 i, .param .align 16 .b8 q[16])
{
	.reg .b64 %x, %y;
	.reg .b128 %z;
	mov.b128 {%x, %y}, i;
	mov.b128 o, {%y, %x};
	ld.param.b128 %z, [q];
	st.param.b128 [p], %z;
	ret;
}
` + kerneltest.Entry + `
	.reg .b128 %q<4>;
	.reg .b64 %low, %high;
	.param .align 16 .b8 there[16];
	.param .align 16 .b8 back[16];
	mov.u32 %r2, %laneid;
	cvt.u64.u32 %rd2, %r2;
	mov.b128 %q1, {%rd2, 0x700000000};
	st.param.b128 [there], %q1;
	setp.gt.u32 %p1, %r2, 3;
	@%p1 call (%q2, back), turned, (%q1, there);
	@%p1 mov.b128 {%rd3, %rd4}, %q2;
	@!%p1 mov.b128 {%rd4, %rd3}, %q1;
	ld.param.b128 %q3, [back];
	mov.b128 {%rd5, _}, %q3;
	shr.u64 %rd3, %rd3, 30;
	mad.lo.u64 %rd6, %rd4, 100, %rd3;
	mad.lo.u64 %rd6, %rd5, 10000, %rd6;
	cvt.u32.u64 %r1, %rd6;` + kerneltest.StoreR1, func(n uint32) uint32 {
		if n > 3 {
			return 28 + 100*n + 10000*n
		}
		return 28 + 100*n
	}},
	"local variables of an activation that are aligned, above others that are not": {`
.local .align 1 .b8 odd[3];
.func (.reg .u64 r) keep(.reg .u64 a)
{
	.local .align 8 .b64 kept;
	.local .align 64 .b64 aligned;
	mov.u64 %rd1, kept;
	st.local.u64 [%rd1], a;
	cvta.local.u64 %rd2, aligned;
	and.b64 %rd2, %rd2, 63;
	st.local.u64 [aligned], %rd2;
	ld.local.u64 %rd3, [kept];
	ld.local.u64 %rd4, [aligned];
	add.u64 r, %rd3, %rd4;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	st.local.u8 [odd], %r2;
	cvt.u64.u32 %rd1, %r2;
	call (%rd2), keep, (%rd1);
	ld.local.u8 %r3, [odd];
	cvt.u32.u64 %r1, %rd2;
	add.u32 %r1, %r1, %r3;` + kerneltest.StoreR1, func(n uint32) uint32 { return 2 * n }},
	"a result that is not always written, and is 0 then": {`
.func (.reg .u32 r) large(.reg .u32 a)
{
	setp.lt.u32 %p1, a, 16;
	@%p1 bra SMALL;
	mov.u32 r, a;
SMALL:
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	call (%r1), large, (777);
	call (%r1), large, (%r2);` + kerneltest.StoreR1, func(n uint32) uint32 { return pick(n < 16, 0, n) }},
	"recursion, as deep as the lane": {`
.func (.param .b32 r) fact(.param .b32 n)
{
	ld.param.u32 %r1, [n];
	setp.lt.u32 %p1, %r1, 2;
	mov.u32 %r4, 1;
	@%p1 bra DONE;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), fact, (p);
	ld.param.b32 %r3, [v];
	}
	mul.lo.u32 %r4, %r1, %r3;
DONE:
	st.param.b32 [r], %r4;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r2, %r2, 7;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), fact, (p);
	ld.param.b32 %r1, [v];
	}` + kerneltest.StoreR1, func(n uint32) uint32 {
		f := uint32(1)
		for i := uint32(2); i <= n&7; i++ {
			f *= i
		}
		return f
	}},
	"early return and a guarded call": {`
.func (.param .b32 r) f(.param .b32 a)
{
	ld.param.b32 %r1, [a];
	st.param.b32 [r], 100;
	setp.lt.u32 %p1, %r1, 20;
	@%p1 ret;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p2, %r2, 1;
	@%p2 bra ODD;
	st.param.b32 [r], 200;
	ret;
ODD:
	st.param.b32 [r], 300;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	mov.u32 %r1, 7;
	setp.ge.u32 %p1, %r2, 10;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	st.param.b32 [v], 7;
	@%p1 call (v), f, (p);
	ld.param.b32 %r1, [v];
	}
	add.u32 %r1, %r1, 1;` + kerneltest.StoreR1, func(n uint32) uint32 {
		switch {
		case n < 10:
			return 8
		case n < 20:
			return 101
		case n%2 == 1:
			return 301
		}
		return 201
	}},
	"indirect, with other targets in other lanes": {`
.func (.param .b32 r) inc(.param .b32 a)
{
	ld.param.b32 %r1, [a];
	add.u32 %r1, %r1, 1;
	st.param.b32 [r], %r1;
	ret;
}
.func (.param .b32 r) neg(.param .b32 a)
{
	ld.param.s32 %r1, [a];
	neg.s32 %r1, %r1;
	st.param.b32 [r], %r1;
	ret;
}
.global .u64 table[3] = {inc, neg, inc};
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	rem.u32 %r3, %r2, 3;
	mov.u64 %rd1, table;
	mad.wide.u32 %rd1, %r3, 8, %rd1;
	ld.global.u64 %rd2, [%rd1];
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
	call (v), %rd2, (p), prototype_0;
	ld.param.b32 %r1, [v];
	}` + kerneltest.StoreR1, func(n uint32) uint32 {
		if n%3 == 1 {
			return -n
		}
		return n + 1
	}},
	"aggregates at offsets": {`
.func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16])
{
	ld.param.b64 %rd1, [a];
	ld.param.v2.b32 {%r1, %r2}, [a+8];
	st.param.b64 [r+8], %rd1;
	st.param.b32 [r], %r1;
	st.param.b8 [r+4], %r2;
	st.param.b8 [r+5], 0;
	st.param.b16 [r+6], 0;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	cvt.u64.u32 %rd1, %r2;
	{
	.param .align 8 .b8 p[16];
	.param .align 8 .b8 v[16];
	st.param.b64 [p+0], %rd1;
	st.param.v2.b32 [p+8], {%r2, 515};
	call (v), swap, (p);
	ld.param.b32 %r3, [v];
	ld.param.b32 %r4, [v+4];
	ld.param.b32 %r5, [v+8];
	}
	mad.lo.u32 %r1, %r4, 100, %r3;
	mad.lo.u32 %r1, %r5, 1000, %r1;` + kerneltest.StoreR1, func(n uint32) uint32 { return n + 3*100 + n*1000 }},
	"local variables of each activation": {`
.func (.param .b32 r) sum(.param .b32 n)
{
	.local .u32 mine[2];
	ld.param.u32 %r1, [n];
	mov.u32 %r4, 0;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra DONE;
	st.local.u32 [mine+4], %r1;
	sub.u32 %r2, %r1, 1;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), sum, (p);
	ld.param.b32 %r3, [v];
	}
	mov.u64 %rd1, mine;
	cvta.local.u64 %rd1, %rd1;
	ld.u32 %r4, [%rd1+4];
	add.u32 %r4, %r4, %r3;
DONE:
	st.param.b32 [r], %r4;
	ret;
}
` + kerneltest.Entry + `
	.local .u32 before[5];
	mov.u32 %r2, %laneid;
	st.local.u32 [before+16], 1000;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), sum, (p);
	ld.param.b32 %r1, [v];
	}
	ld.local.u32 %r3, [before+16];
	add.u32 %r1, %r1, %r3;` + kerneltest.StoreR1, func(n uint32) uint32 { return n*(n+1)/2 + 1000 }},
	"exit within a call": {`
.func leave(.param .b32 a)
{
	ld.param.b32 %r1, [a];
	setp.gt.u32 %p1, %r1, 15;
	@%p1 exit;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	{
	.param .b32 p;
	st.param.b32 [p], %r2;
	call leave, (p);
	}
	mov.u32 %r1, 5;` + kerneltest.StoreR1, func(n uint32) uint32 {
		if n > 15 {
			return 0
		}
		return 5
	}},
	"an extern that is not called": {`
.extern .func nowhere ();
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	setp.gt.u32 %p1, %r2, 100;
	mov.u32 %r1, 3;
	@%p1 call nowhere;` + kerneltest.StoreR1, func(uint32) uint32 { return 3 }},
	"malloc and free": {`
.extern .func (.param .b64 r) malloc (.param .b64 size);
.extern .func free (.param .b64 p);
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	{
	.param .b64 p;
	.param .b64 v;
	st.param.b64 [p], 8;
	call (v), malloc, (p);
	ld.param.b64 %rd1, [v];
	}
	st.u32 [%rd1+4], %r2;
	{
	.param .b64 p;
	.param .b64 v;
	st.param.b64 [p], 100000000;
	call (v), malloc, (p);
	ld.param.b64 %rd2, [v];
	}
	setp.eq.u64 %p1, %rd2, 0;
	selp.b32 %r3, 1, 0, %p1;
	ld.u32 %r1, [%rd1+4];
	add.u32 %r1, %r1, %r3;
	{
	.param .b64 p;
	st.param.b64 [p], %rd1;
	call free, (p);
	}` + kerneltest.StoreR1, func(n uint32) uint32 { return n + 1 }},
}

func TestCalls(t *testing.T) {
	for name, c := range calls {
		for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough} {
			t.Run(name+" "+order.String(), func(t *testing.T) {
				kerneltest.Kernel{Source: c.src, Grid: kerneltest.Dim(2, 1), Words: []int{64}, Config: interp.Config{PathOrder: order}}.Want(t, func(i int) uint32 {
					return c.want(uint32(i % 32))
				})
			})
		}
	}
}

// A loop of calls allocates nothing once its frames exist.
func TestCallsDoNotAllocate(t *testing.T) {
	if jit.Verifies() {
		t.Skip("a comparison of compiled code with lane functions allocates memory")
	}
	src := `
.func (.param .b32 r) fib(.param .b32 n)
{
	ld.param.u32 %r1, [n];
	setp.lt.u32 %p1, %r1, 2;
	mov.u32 %r5, %r1;
	@%p1 bra DONE;
	sub.u32 %r2, %r1, 1;
	sub.u32 %r3, %r1, 2;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), fib, (p);
	ld.param.b32 %r2, [v];
	}
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r3;
	call (v), fib, (p);
	ld.param.b32 %r3, [v];
	}
	add.u32 %r5, %r2, %r3;
DONE:
	st.param.b32 [r], %r5;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	shr.u32 %r2, %r2, 1;
	{
	.param .b32 p;
	.param .b32 v;
	st.param.b32 [p], %r2;
	call (v), fib, (p);
	ld.param.b32 %r1, [v];
	}` + kerneltest.StoreR1
	fib := func(n int) uint32 {
		a, b := uint32(0), uint32(1)
		for range n {
			a, b = b, a+b
		}
		return a
	}
	stats := kerneltest.Kernel{Source: src, Words: []int{32}}.Want(t, func(i int) uint32 { return fib(i / 2) })
	allocs := testing.AllocsPerRun(1, func() {
		if _, _, err := (kerneltest.Kernel{Source: src, Words: []int{32}}).Run(t); err != nil {
			t.Fatal(err)
		}
	})
	if stats.WarpInstrs < 20000 || allocs > 3000 {
		t.Errorf("%d instructions with %v allocations", stats.WarpInstrs, allocs)
	}
}

func TestCallFaults(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"endless recursion": {`
.func f()
{
	call f;
	ret;
}
` + kerneltest.Entry + `
	call f;
	ret;
}`, "call stack overflow: 16385 calls are open"},
		"not a function": {kerneltest.Entry + `
	mov.u64 %rd1, 77;
	p: .callprototype _ ();
	call %rd1, (), p;
	ret;
}`, "0x4d is not the address of a function"},
		"an extern that is called": {`
.extern .func nowhere ();
` + kerneltest.Entry + `
	call nowhere;
	ret;
}`, "nowhere is declared but not defined in any module"},
		"assertion": {`
.extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .b8 s[] = {120, 33, 0};
` + kerneltest.Entry + `
	{
	.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
	mov.u64 %rd1, s;
	st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 42; st.param.b64 [d], %rd1; st.param.b64 [e], 1;
	call __assertfail, (a, b, c, d, e);
	}
	ret;
}`, "assertion `x!` failed at x!:42 in x! [assert]"},
		"free of what malloc did not give": {`
.extern .func free (.param .b64 p);
` + kerneltest.Entry + `
	{
	.param .b64 p;
	st.param.b64 [p], 4096;
	call free, (p);
	}
	ret;
}`, "free of 0x1000"},
	} {
		_, _, err := kerneltest.Kernel{Source: c.src, Words: []int{1}}.Run(t)
		var fault *interp.Fault
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestBranchByIndex(t *testing.T) {
	src := kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	mov.u32 %r1, 0;
	T: .branchtargets A, B, A, C;
	brx.idx %r3, T;
A:	add.u32 %r1, %r1, 1;     // falls through to B
B:	add.u32 %r1, %r1, 10;
	bra DONE;
C:	add.u32 %r1, %r1, 100;
DONE:` + kerneltest.StoreR1
	for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority} {
		stats := kerneltest.Kernel{Source: src, Words: []int{32}, Config: interp.Config{PathOrder: order}}.Want(t, func(lane int) uint32 {
			return []uint32{11, 10, 11, 100}[lane%4]
		})
		if stats.DivergentBranches != 1 {
			t.Errorf("%d divergent branches", stats.DivergentBranches)
		}
	}
	_, _, err := kerneltest.Kernel{Source: strings.Replace(src, ", 3;", ", 7;", 1), Words: []int{32}}.Run(t)
	if want := "index 4, but the list has 4 targets [branch-target]"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}
