package cost_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
)

// TestLower: functions with the machine instructions of each instruction in its comment, without sources and results.
func TestLower(t *testing.T) {
	for name, src := range map[string]string{
		"nothing": `
	ld.param.u64 %rd1, [out];           // -
	cvta.to.global.u64 %rd2, %rd1;      // -
	mov.u32 %r1, %ntid.x;               // -
	mov.u32 %r2, %r1;                   // -
	mov.f32 %f1, 1.0;                   // -
	mov.b64 %rd3, {%r1, %r2};           // -
	mov.b64 {%r3, %r4}, %rd3;           // -
	cvt.u32.u64 %r5, %rd3;              // -
	cvt.u64.u32 %rd4, %r5;              // -
	setp.eq.u32 %p1, %r5, 3;            // integer
	@%p1 mov.u32 %r5, 1;                // integer
	@%p1 mov.u64 %rd4, 1;               // integer, integer
	mov.b32 {%rs1, %rs2}, %r5;          // integer
	mov.u32 %r6, %tid.x;                // read_special
	mov.u32 %r7, %clock;                // read_clock
	ld.param.u32 %r8, [%rd1];           // load_constant
	ret;                                // exit`,
		"sequences": `
	add.s64 %rd1, %rd2, %rd3;           // integer, product
	mul.lo.u64 %rd4, %rd2, %rd3;        // product_wide, product > product > integer
	sin.approx.f32 %f1, %f2;            // single > special_function
	setp.lt.s64 %p1, %rd2, %rd3;        // integer > integer
	@%p1 bfe.u32 %r1, %r2, 3, 5;        // integer > integer
	shr.u16 %rs1, %rs2, 3;              // integer
	shr.u16 %rs1, %rs2, %r3;            // integer > integer > integer > integer
	div.approx.ftz.f32 %f3, %f1, %f2;   // special_function > single
	st.release.gpu.global.u32 [%rd1], %r1; // fence_gpu, store_global
	atom.acq_rel.cta.shared.add.u32 %r5, [x], 1; // fence_cta, atomic_shared`,
		"multiply and add": `
	mul.f32 %f1, %f2, %f3;              // -
	sub.f32 %f4, %f5, %f1;              // single
	mul.f32 %f1, %f2, %f3;              // single
	add.rn.f32 %f4, %f5, %f1;           // single
	mul.rn.f32 %f1, %f2, %f3;           // single
	add.f32 %f4, %f5, %f1;              // single
	mul.f32 %f6, %f2, %f3;              // single
	mov.f32 %f2, 0f00000000;            // -
	add.f32 %f4, %f6, %f5;              // single
	mul.f32 %f7, %f4, %f3;              // single
	add.f32 %f8, %f7, %f7;              // single
	mul.f32 %f9, %f4, %f3;              // -
	add.f32 %f10, %f9, %f5;             // single
	add.f32 %f11, %f9, %f5;             // single
	mul.f32 %f12, %f4, %f3;             // single
	add.f32 %f10, %f12, %f5;            // single
	st.global.f32 [%rd1], %f12;         // store_global
	mul.f64 %fd1, %fd2, %fd3;           // -
	@%p1 add.f64 %fd4, %fd1, %fd5;      // double
	mul.f64 %fd1, %fd2, %fd3;           // double
	@%p1 add.f64 %fd1, %fd1, %fd5;      // double
	st.global.f64 [%rd1], %fd1;         // store_global
	@%p1 mul.lo.u32 %r1, %r2, %r3;      // product
	add.u32 %r4, %r1, %r5;              // integer
	mul.lo.u32 %r6, %r2, %r3;           // -
	add.u32 %r4, %r5, %r6;              // product`,
		"in another block": `
	mul.f32 %f1, %f2, %f3;              // single
	mul.f32 %f5, %f2, %f3;              // -
	add.f32 %f4, %f5, %f3;              // single
L:
	add.f32 %f4, %f1, %f4;              // single
	bra L;                              // branch`,
		"addresses": `
	mul.wide.u32 %rd1, %r1, 4;          // -
	add.s64 %rd2, %rd10, %rd1;          // product_wide
	add.s64 %rd3, %rd11, %rd1;          // product_wide
	add.s64 %rd4, %rd2, 16;             // -
	ld.global.f32 %f1, [%rd4];          // load_global
	ld.global.f32 %f2, [%rd4+64];       // load_global
	add.s64 %rd5, %rd3, 16;             // integer, product
	st.global.u64 [%rd5], %rd5;         // store_global
	mul.wide.u32 %rd6, %r1, 4;          // product_wide
	st.global.u64 [%rd10], %rd6;        // store_global
	shl.b32 %r2, %r1, 4;                // -
	add.u32 %r3, %r2, %r4;              // integer
	shl.b64 %rd7, %rd10, 3;             // -
	add.s64 %rd8, %rd7, %rd11;          // integer > integer
	ld.global.u8 %rs1, [%rd8];          // load_global
	cvt.u32.u8 %r5, %rs1;               // -
	cvt.u32.u8 %r6, %rs2;               // integer`,
		"three operands": `
	add.u32 %r1, %r2, %r3;              // -
	sub.u32 %r4, %r5, %r1;              // integer
	add.u32 %r6, %r2, %r3;              // -
	add.u32 %r7, %r6, %r5;              // integer
	add.u32 %r8, %r7, %r4;              // product
	xor.b32 %r9, %r8, %r3;              // -
	or.b32 %r9, %r9, %r2;               // integer
	and.b32 %r10, %r9, 1;               // -
	setp.ne.b32 %p1, %r10, 0;           // integer
	and.b32 %r11, %r9, 1;               // integer
	setp.eq.b32 %p2, %r11, 1;           // -
	and.pred %p3, %p1, %p2;             // integer
	neg.f32 %f1, %f2;                   // -
	mul.f32 %f3, %f1, %f4;              // -
	abs.f32 %f5, %f6;                   // -
	sub.f32 %f7, %f3, %f5;              // single`,
		"two pipes for sums": `
	add.u32 %r1, %r2, %r3;              // integer
	add.u32 %r4, %r2, %r4;              // product
	shl.b32 %r5, %r4, 2;                // integer
	sub.u32 %r6, %r1, %r5;              // product
	mul.lo.u32 %r7, %r6, %r2;           // product
	add.u32 %r8, %r7, %r7;              // integer
	st.global.v2.u32 [%rd1], {%r6, %r1}; // store_global`,
		"atomics": `
	atom.global.add.u32 %r1, [%rd1], 1; // reduction_global
	atom.global.add.u32 %r1, [%rd1], 1; // atomic_global
	atom.shared.add.u32 %r2, [x], %r1;  // atomic_shared
	red.shared.add.f32 [x], %f1;        // warp_sync, warp_sync, integer, branch, load_shared > single > atomic_shared
	atom.release.gpu.global.add.u32 %r1, [%rd1], 1; // fence_gpu, reduction_global`,
		"not supported yet": `
	mul.f32 %f1, %f2, %f3;              // single
	fma.rn.bf16x2 %r1, %r2, %r3, %r4;   // half
	mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4, %r5, %r6}, {%r3, %r4}, {%r1, %r2}; // matrix
	add.f32 %f4, %f1, %f1;              // single`,
		"calls": `
	mov.u32 %r1, 3;                     // -
	call f, (%r1);                      // integer, call
	brx.idx %r1, T;                     // product > load_constant > integer > indirect_branch
A: B: T: .branchtargets A, B;
	ret;                                // exit`,
	} {
		t.Run(name, func(t *testing.T) {
			checkSlots(t, ".shared .u32 x[4];\n.func f(.param .u32 a);\n.entry k(.param .u64 out)\n{\n"+src+"\n}", false)
		})
	}
}

// checkSlots compares the slots of each instruction of a function with its comment.
func checkSlots(t *testing.T, src string, convergence bool) {
	t.Helper()
	var want []string
	for line := range strings.Lines(src) {
		if _, c, ok := strings.Cut(line, "// "); ok {
			want = append(want, strings.TrimSpace(c))
		}
	}
	got := slotsOf(t, src, convergence)
	if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" { // without the exit that is added at the end
		t.Errorf("-want +got:\n%s", diff)
	}
}

// slotsOf returns the slots of each instruction, - for none.
func slotsOf(t *testing.T, src string, convergence bool) []string {
	t.Helper()
	f, costs := lower(t, src, cost.Lowered, convergence)
	var got []string
	for i := range costs {
		slots, _, _ := strings.Cut(text(f, &costs[i]), ":")
		if slots == "" {
			slots = "-"
		}
		got = append(got, slots)
	}
	return got
}

// TestCounts: lanes are counted where 1 is added to words of shared memory and nothing reads what they were.
func TestCounts(t *testing.T) {
	const src = `.shared .u32 x[32];
.entry k()
{
	red.shared.add.u32 [x], 1;
	atom.shared.add.s32 %r1, [x], 1;
	red.shared.add.u32 [x], 2;
	red.shared.add.u32 [x], %r2;
	red.shared.max.u32 [x], 1;
	red.shared.add.u64 [x], 1;
	red.global.add.u32 [%rd1], 1;
	atom.shared.add.u32 %r3, [x], 1;
	st.global.u32 [%rd1], %r3;
	ret;
}`
	for mode, want := range map[cost.Mode][]int{cost.Lowered: {0, 1}, cost.PTX: nil} {
		var got []int
		_, costs := lower(t, src, mode, false)
		for pc := range costs {
			if costs[pc].Counts {
				got = append(got, pc)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: those at %v count, want %v", mode, got, want)
		}
	}
}

// TestFusedSources: a fused instruction waits for the sources of both instructions.
func TestFusedSources(t *testing.T) {
	f, costs := lower(t, `.entry k() {
	neg.f32 %f1, %f2;
	mul.f32 %f3, %f1, %f4;
	@%p1 add.f32 %f5, %f3, %f6;
	mov.f32 %f7, %f5;
}`, cost.Lowered, false)
	want := []string{":  ->", ":  ->", "single: %p1 %f6 %f2 %f4 -> %f5", ": %f5 -> %f7", "exit:  ->"}
	var got []string
	for i := range costs {
		got = append(got, text(f, &costs[i]))
	}
	for i := range got[2:3] { // the order of sources does not matter
		if len(strings.Fields(got[2+i])) != len(strings.Fields(want[2+i])) {
			t.Errorf("%s, want %s", got[2+i], want[2+i])
		}
		want[2+i] = got[2+i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestShortArmsAreGuarded: which branches become machine instructions, and the places of convergence barriers.
func TestShortArmsAreGuarded(t *testing.T) {
	for name, src := range map[string]string{
		"a short arm is guarded": `
	mov.u32 %r1, %tid.x;                // read_special
	setp.eq.u32 %p1, %r1, 3;            // integer
	@%p1 bra END;                       // -
	add.u32 %r2, %r2, %r1;              // integer
	st.global.u32 [%rd1], %r2;          // store_global
END:
	st.global.u32 [%rd1], %r1;          // store_global
	ret;                                // exit`,
		"a divergent branch": `
	mov.u32 %r1, %tid.x;                // read_special
	setp.eq.u32 %p1, %r1, 3;            // integer
	@%p1 bra END;                       // warp_sync, branch
	atom.global.add.u32 %r2, [%rd1], 1; // atomic_global
END:
	st.global.u32 [%rd1], %r2;          // sync store_global
	ret;                                // exit`,
		"a branch to the end": `
	mov.u32 %r1, %tid.x;                // read_special
	setp.eq.u32 %p1, %r1, 3;            // integer
	@%p1 bra END;                       // branch
	atom.global.add.u32 %r2, [%rd1], 1; // atomic_global
	st.global.u32 [%rd1], %r2;          // store_global
END:
	ret;                                // exit`,
		"a uniform branch": `
	mov.u32 %r1, %ntid.x;               // -
	setp.eq.u32 %p1, %r1, 3;            // integer
	@%p1 bra END;                       // branch
	atom.global.add.u32 %r2, [%rd1], 1; // atomic_global
END:
	st.global.u32 [%rd1], %r2;          // store_global
	ret;                                // exit`,
		"two arms": `
	mov.u32 %r1, %tid.x;                // read_special
	setp.eq.u32 %p1, %r1, 3;            // integer
	@%p1 bra ELSE;                      // -
	add.u32 %r2, %r2, %r1;              // integer
	bra END;                            // -
ELSE:
	sub.u32 %r2, %r2, %r1;              // integer
END:
	st.global.u32 [%rd1], %r2;          // store_global
	ret;                                // exit`,
		"both of two conditions, as && becomes": `
	setp.eq.u32 %p1, %r1, 3;            // integer
	setp.eq.u32 %p2, %r1, 4;            // integer
	@%p1 bra ELSE;                      // -
	@%p2 bra ELSE;                      // -
	add.u32 %r2, %r2, %r1;              // integer > integer
	bra END;                            // -
ELSE:
	sub.u32 %r2, %r2, %r1;              // integer
END:
	st.global.u32 [%rd1], %r2;          // store_global
	ret;                                // exit`,
		"one of two conditions, as || becomes": `
	setp.eq.u32 %p1, %r1, 3;            // integer
	setp.eq.u32 %p2, %r1, 4;            // integer
	@%p1 bra THEN;                      // -
	@%p2 bra END;                       // -
THEN:
	add.u32 %r2, %r2, %r1;              // integer > integer
END:
	st.global.u32 [%rd1], %r2;          // store_global
	ret;                                // exit`,
		"a second condition that other code leads to": `
	mov.u32 %r1, %ntid.x;               // -
	setp.eq.u32 %p1, %r1, 3;            // integer
	setp.eq.u32 %p2, %r1, 4;            // integer
	@%p1 bra ELSE;                      // branch
SECOND:
	@%p2 bra ELSE;                      // branch
	add.u32 %r2, %r2, %r1;              // integer
	bra SECOND;                         // branch
ELSE:
	st.global.u32 [%rd1], %r2;          // store_global
	ret;                                // exit`,
		"a loop": `
	mov.u32 %r1, %tid.x;                // read_special
	mov.u32 %r2, 0;                     // warp_sync, integer
LOOP:
	add.u32 %r2, %r2, 1;                // integer
	setp.ge.u32 %p1, %r2, %r1;          // integer
	@%p1 bra END;                       // branch
	bra LOOP;                           // -
END:
	st.global.u32 [%rd1], %r2;          // sync store_global
	ret;                                // exit`,
		"a loop in a branch with the same reconvergence PC": `
	mov.u32 %r1, %tid.x;                // read_special
	setp.eq.u32 %p1, %r1, 0;            // integer
	@%p1 bra END;                       // warp_sync, branch
	mov.u32 %r2, %r1;                   // -
LOOP:
	shr.u32 %r2, %r2, 1;                // integer
	setp.ne.u32 %p1, %r2, 0;            // integer
	@%p1 bra LOOP;                      // branch
END:
	st.global.u32 [%rd1], %r2;          // sync store_global
	ret;                                // exit`,
		"a jump to what nothing falls through to": `
	bra A;                              // -
B:
	ret;                                // exit
A:
	add.u32 %r2, %r2, 1;                // integer
	setp.eq.u32 %p1, %r2, 7;            // integer
	@%p1 bra C;                         // branch
	bra A;                              // branch
	ret;                                // exit
C:
	bra B;                              // branch`,
	} {
		t.Run(name, func(t *testing.T) { checkSlots(t, ".entry k()\n{\n"+src+"\n}", true) })
	}
}
