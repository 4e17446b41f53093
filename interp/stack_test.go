package interp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestStack: each lane has a stack pointer, which functions restore.
func TestStack(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want func(lane uint32) uint32
	}{
		"sizes that differ, aligned": {kerneltest.Entry + `
	.local .align 4 .b32 before;
	mov.u32 %r2, %laneid;
	mov.u32 %r3, 77;
	st.local.u32 [before], %r3;
	alloca.u32 %r4, %r2;
	alloca.u32 %r5, 4, 64;
	and.b32 %r6, %r5, 63;
	st.local.u32 [%r5], %r2;
	ld.local.u32 %r7, [before];
	ld.local.u32 %r8, [%r5];
	sub.u32 %r9, %r5, %r4;
	setp.ge.u32 %p1, %r9, %r2;
	selp.u32 %r9, 1000, 0, %p1;
	add.u32 %r1, %r7, %r8;
	add.u32 %r1, %r1, %r9;
	mad.lo.u32 %r1, %r6, 100000, %r1;` + kerneltest.StoreR1, func(n uint32) uint32 { return 1077 + n }},
		"what is saved and restored is given again": {kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	stacksave.u64 %rd1;
	setp.lt.u32 %p1, %r2, 9;
	@!%p1 bra MORE;
	alloca.u64 %rd2, 100;
	stackrestore.u64 %rd1;
MORE:
	alloca.u64 %rd3, 16, 8;
	stacksave.u64 %rd4;
	sub.u64 %rd5, %rd4, %rd1;
	cvt.u32.u64 %r1, %rd5;
	setp.eq.u64 %p2, %rd3, %rd1;
	@%p2 add.u32 %r1, %r1, 1000;` + kerneltest.StoreR1, func(uint32) uint32 { return 1016 }},
		"calls are above what lanes have taken": {`
.func (.reg .u32 r) fill(.reg .u32 n)
{
	.local .b32 own[4];
	.reg .b32 p, q, i;
	.reg .pred done;
	mov.u32 i, 0;
	st.local.u32 [own+12], n;
	alloca.u32 p, 64;
	st.local.u32 [p+60], n;
	setp.eq.u32 done, n, 0;
	mov.u32 r, 1;
	@done ret;
	sub.u32 q, n, 1;
	call (r), fill, (q);
	ld.local.u32 q, [p+60];
	add.u32 r, r, q;
	ld.local.u32 q, [own+12];
	add.u32 r, r, q;
	ret;
}
` + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	and.b32 %r3, %r2, 3;
	mul.lo.u32 %r4, %r2, 24;
	add.u32 %r4, %r4, 8;
	alloca.u32 %r5, %r4;
	add.u32 %r6, %r5, %r4;
	st.local.u32 [%r6+-4], %r2;
	call (%r1), fill, (%r3);
	ld.local.u32 %r7, [%r6+-4];
	mad.lo.u32 %r1, %r7, 100, %r1;` + kerneltest.StoreR1, func(n uint32) uint32 {
			m := n % 4
			return 100*n + m*(m+1) + 1
		}},
	} {
		k := kerneltest.Kernel{Source: c.src, Words: []int{32}}
		words, _, err := k.Run(t)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for lane, got := range words[0] {
			if want := c.want(uint32(lane)); got != want {
				t.Fatalf("%s: lane %d: %d, want %d", name, lane, got, want)
			}
		}
	}
}

// TestStackOverflow: an allocation beyond a thread's local memory is an error.
func TestStackOverflow(t *testing.T) {
	for _, bytes := range []string{"0x1000000", "-1"} {
		_, _, err := kerneltest.Kernel{Source: kerneltest.Entry + `
	mov.u32 %r2, ` + bytes + `;
	alloca.u32 %r3, %r2;
	mov.u32 %r1, 0;` + kerneltest.StoreR1, Words: []int{32}}.Run(t)
		var fault *interp.Fault
		if !errors.As(err, &fault) || fault.Rule != interp.RuleCallDepth || !strings.Contains(err.Error(), "stack overflow") {
			t.Errorf("%s bytes: %v", bytes, err)
		}
	}
}
