package sm_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// races are kernels with results that depend on the order of CTAs.
var races = map[string]racing{
	"stores to one word": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	and.b32 %r3, %r2, 7;
	mad.wide.u32 %rd2, %r3, 4, %rd1;
	mov.u32 %r5, 9;
L:
	mad.lo.u32 %r4, %r1, 1000, %r2;
	ld.global.u32 %r6, [%rd2];
	add.u32 %r4, %r4, %r6;
	st.global.u32 [%rd2], %r4;
	sub.u32 %r5, %r5, 1;
	setp.ne.u32 %p1, %r5, 0;
	@%p1 bra L;
	ret;
}`, ctas: 40, block: 96, words: 8},
	"histogram of floats": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r1, 37, %r2;
	mul.lo.u32 %r3, %r3, 40503;
	shr.u32 %r4, %r3, 4;
	and.b32 %r4, %r4, 15;
	mad.wide.u32 %rd2, %r4, 4, %rd1;
	cvt.rn.f32.u32 %f1, %r3;
	mul.f32 %f1, %f1, 0f3DCCCCCD;
	red.global.add.f32 [%rd2], %f1;
	atom.global.add.f32 %f2, [%rd2], %f1;
	mul.f32 %f2, %f2, 0f3F000000;
	red.global.add.f32 [%rd2+64], %f2;
	ret;
}`, ctas: 40, block: 96, words: 64},
	"flags without fences": {source: kerneltest.Entry + `
	.global .u32 flags[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mov.u64 %rd3, flags;
	mad.wide.u32 %rd4, %r1, 4, %rd3;
	setp.ne.u32 %p1, %r1, 0;
	@!%p1 bra WRITE;
WAIT:
	ld.volatile.global.u32 %r3, [%rd4+-4];
	setp.eq.u32 %p2, %r3, 0;
	@%p2 bra WAIT;
WRITE:
	mad.wide.u32 %rd5, %r2, 4, %rd1;
	ld.global.u32 %r4, [%rd5];
	mad.lo.u32 %r4, %r4, 3, %r1;
	st.global.u32 [%rd5], %r4;
	st.global.u32 [%rd4], 1;
	ret;
}`, ctas: 24, block: 64, words: 64},
	"acquires beside loads": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	mad.lo.u32 %r4, %r1, 37, %r2;
	and.b32 %r4, %r4, 255;
	mad.wide.u32 %rd2, %r4, 4, %rd1;
	mad.lo.u32 %r5, %r1, 5, %r3;
	and.b32 %r5, %r5, 7;
	mad.wide.u32 %rd3, %r5, 128, %rd1;
	setp.eq.u32 %p1, %r3, 1;
	setp.eq.u32 %p2, %r3, 2;
	mov.u32 %r9, 12;
L:
	ld.global.u32 %r6, [%rd2];
	ld.global.u32 %r7, [%rd3];
	add.u32 %r8, %r6, %r7;
	@%p1 ld.acquire.gpu.global.u32 %r6, [%rd3];
	@%p2 fence.acq_rel.gpu;
	add.u32 %r8, %r8, %r6;
	st.global.u32 [%rd2], %r8;
	ld.global.u32 %r6, [%rd2+128];
	add.u32 %r8, %r8, %r6;
	sub.u32 %r9, %r9, 1;
	setp.ne.u32 %p3, %r9, 0;
	@%p3 bra L;
	ret;
}`, ctas: 24, block: 128, words: 512},
	"tickets": {source: kerneltest.Entry + `
	.global .u32 ticket;
	ld.param.u64 %rd1, [out];
	mov.u64 %rd2, ticket;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r2, %r1, 64, %r2;
L:
	atom.global.add.u32 %r3, [%rd2], 1;
	setp.ge.u32 %p1, %r3, 4096;
	@%p1 bra END;
	mad.wide.u32 %rd3, %r3, 4, %rd1;
	st.global.u32 [%rd3], %r2;
	bra L;
END:
	ret;
}`, ctas: 20, block: 64, words: 4096},
}

// failing are kernels that fail, and some that print and allocate.
var failing = map[string]racing{
	"faults in several CTAs": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], %r2;
	ld.global.u32 %r3, [%rd2];
	rem.u32 %r4, %r1, 5;
	setp.ne.u32 %p1, %r4, 3;
	@%p1 bra END;
	mul.wide.u32 %rd3, %r3, 4096;
	add.u64 %rd3, %rd3, %rd2;
	st.global.u32 [%rd3], %r1;
END:
	atom.global.add.u32 %r5, [%rd1], 1;
	ret;
}`, ctas: 30, block: 64, words: 64},
	"hang": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	st.global.u32 [%rd2], 7;
L:
	ld.volatile.global.u32 %r2, [%rd1+128];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra L;
	ret;
}`, ctas: 9, block: 32, words: 64},
	"calls of the system that fail": {source: `
.extern .func free(.param .b64 p);
` + kerneltest.Entry + `
	.param .b64 p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mul.lo.u32 %r2, %r1, 7;
	rem.u32 %r2, %r2, 30;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
L:
	ld.global.u32 %r3, [%rd2];
	add.u32 %r3, %r3, 1;
	st.global.u32 [%rd2], %r3;
	setp.lt.u32 %p1, %r3, %r2;
	@%p1 bra L;
	st.param.b64 [p], %rd2;
	call free, (p);
	red.global.add.u32 [%rd1+120], 1;
	ret;
}`, ctas: 30, block: 64, words: 64},
	"deadlock": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	atom.global.add.u32 %r2, [%rd1], 1;
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra OTHER;
	bar.sync 0;
	ret;
OTHER:
	bar.sync 1;
	ret;
}`, ctas: 20, block: 64, words: 64},
	"faults and steps in one epoch": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	shr.u32 %r3, %r2, 5;
	mad.lo.u32 %r3, %r1, 3, %r3;
	rem.u32 %r4, %r3, 11;
L:
	red.global.add.u32 [%rd1], 1;
	sub.u32 %r4, %r4, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra L;
	rem.u32 %r4, %r3, 7;
	setp.gt.u32 %p1, %r4, 3;
	@%p1 bra L;
	ld.global.u32 %r5, [%rd1+1];
	ret;
}`, ctas: 20, block: 96, words: 64, cfg: interp.Config{MaxSteps: 60}, options: sm.Options{DualIssue: true}},
	"step limit of a warp": {source: kerneltest.Entry + `
	mov.u32 %r1, %ctaid.x;
	rem.u32 %r2, %r1, 3;
L:
	add.u32 %r3, %r3, 1;
	setp.ne.u32 %p1, %r2, 1;
	@%p1 ret;
	bra L;
}`, ctas: 9, block: 32, words: 64, cfg: interp.Config{MaxSteps: 1000}},
	"step limit of a launch": {source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	rem.u32 %r2, %r1, 3;
L:
	atom.global.add.u32 %r3, [%rd1], 1;
	setp.ne.u32 %p1, %r2, 1;
	@%p1 ret;
	bra L;
}`, ctas: 9, block: 32, words: 64, cfg: interp.Config{MaxLaunchSteps: 3000}},
	"prints and allocates": {source: `
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func (.param .b64 p) malloc(.param .b64 n);
.global .b8 line[8] = {37, 100, 32, 37, 100, 10, 0};
` + kerneltest.Entry + `
	.local .align 8 .b32 args[2];
	.param .b64 f, a, n, p;
	.param .b32 r;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	and.b32 %r3, %r2, 31;
	setp.ne.u32 %p1, %r3, 0;
	@%p1 bra END;
	mov.u64 %rd2, args;
	cvta.local.u64 %rd2, %rd2;
	st.u32 [%rd2], %r1;
	st.u32 [%rd2+4], %r2;
	mov.u64 %rd3, line;
	st.param.b64 [f], %rd3;
	st.param.b64 [a], %rd2;
	call (r), vprintf, (f, a);
	mov.u64 %rd4, 16;
	st.param.b64 [n], %rd4;
	call (p), malloc, (n);
	ld.param.b64 %rd5, [p];
	st.u32 [%rd5], %r1;
	ld.u32 %r4, [%rd5];
	cvt.u32.u64 %r5, %rd5;
	shl.b32 %r6, %r1, 1;
	mad.wide.u32 %rd6, %r6, 4, %rd1;
	st.global.v2.u32 [%rd6], {%r4, %r5};
END:
	ret;
}`, ctas: 12, block: 64, words: 64},
}

// TestRacesAreTheSameInAllWindows: kernels with data races, faults, hangs, limits, prints and allocations do the
// same, and fail with the same errors, for every window and number of threads.
func TestRacesAreTheSameInAllWindows(t *testing.T) {
	for _, kernels := range []map[string]racing{races, failing} {
		for name, r := range kernels {
			t.Run(name, func(t *testing.T) {
				r.cfg.GPU = few(t, "h100", 7)
				if diff := r.same(t); diff != "" {
					t.Error(diff)
				}
				if got := r.run(t, 0, 1); (got.Error != "") != (name != "prints and allocates" && failing[name].source != "") {
					t.Errorf("it ends with %q", got.Error)
				}
			})
		}
	}
}

// TestRacesAgain: repeated runs are the same: a hundred of four kernels with races, a few of the others.
func TestRacesAgain(t *testing.T) {
	for name, r := range races {
		t.Run(name, func(t *testing.T) {
			times := 10
			switch name {
			case "stores to one word", "histogram of floats", "flags without fences", "tickets":
				times = 100
			}
			r.cfg.GPU = few(t, "h100", 7)
			want := r.run(t, 0, 1)
			for i := range short.Of(times) {
				if diff := kerneltest.Diff(want, r.run(t, 0, 1+i%4)); diff != "" {
					t.Fatalf("run %d (-first +this):\n%.3000s", i, diff)
				}
			}
		})
	}
}
