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

// TestCalls: the kernels of testdata/calls.txt leave what they should, in both orders of the paths.
func TestCalls(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/calls.txt", "want") {
		want := wantedWords(t, &c)
		if len(want) != 32 {
			t.Fatalf("%s: %d words, want one for each lane", c.Name, len(want))
		}
		for _, order := range []divergence.Order{divergence.Taken, divergence.FallThrough} {
			t.Run(c.Name+" "+order.String(), func(t *testing.T) {
				kerneltest.Kernel{Source: c.Body, Grid: kerneltest.Dim(2, 1), Words: []int{64}, Config: interp.Config{PathOrder: order}}.Want(t, func(i int) uint32 {
					return want[i%32]
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
