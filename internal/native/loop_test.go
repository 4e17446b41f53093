package native_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// loopCase is a kernel with a loop, and the expected %r1 of a lane.
type loopCase struct {
	code string
	want func(tid uint32) uint32
}

// manyHeld is a loop with more vector values than there are registers.
func manyHeld(n int) loopCase {
	var b strings.Builder
	b.WriteString("\tmov.u32 %r2, %tid.x;\n\tmul.lo.u32 %r2, %r2, %r2;\n\tmov.u32 %r3, 0;\n")
	for i := range n {
		fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r2, %d;\n", 100+i, i)
	}
	b.WriteString("L:\n")
	for i := range n {
		fmt.Fprintf(&b, "\tmad.lo.u32 %%r%d, %%r%d, 3, %%r%d;\n", 100+i, 100+i, 100+(i+1)%n)
	}
	b.WriteString("\tadd.u32 %r3, %r3, 1;\n\tsetp.lt.u32 %p1, %r3, 9;\n\t@%p1 bra L;\n\tmov.u32 %r1, 0;\n")
	for i := range n {
		fmt.Fprintf(&b, "\tmad.lo.u32 %%r1, %%r1, 31, %%r%d;\n", 100+i)
	}
	return loopCase{b.String(), func(tid uint32) (sum uint32) {
		all := make([]uint32, n)
		for i := range all {
			all[i] = tid*tid + uint32(i)
		}
		for range 9 {
			for i := range all {
				all[i] = 3*all[i] + all[(i+1)%n]
			}
		}
		for _, v := range all {
			sum = 31*sum + v
		}
		return sum
	}}
}

func fma(a, b, c float32) float32 { return float32(math.FMA(float64(a), float64(b), float64(c))) } // of small integers

var loopCases = map[string]loopCase{
	"a sum": {`
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r2, %r2, %r2;
	mov.u32 %r1, %r2;
	mov.u32 %r3, 0;
L:
	mad.lo.u32 %r1, %r1, 3, %r2;
	add.u32 %r3, %r3, 1;
	setp.eq.u32 %p1, %r3, 7;
	@%p1 bra OUT;
	bra L;
OUT:
`, func(tid uint32) uint32 {
		v := tid * tid
		for range 7 {
			v = 3*v + tid*tid
		}
		return v
	}},
	"registers that change places": {`
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r2, %r2, %r2;
	add.u32 %r4, %r2, 5;
	xor.b32 %r5, %r2, 99;
	mov.u32 %r3, 0;
L:
	mov.u32 %r6, %r2;
	mov.u32 %r2, %r4;
	mov.u32 %r4, %r5;
	mov.u32 %r5, %r6;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 8;
	@%p1 bra L;
	mad.lo.u32 %r1, %r2, 31, %r4;
	mad.lo.u32 %r1, %r1, 31, %r5;
`, func(tid uint32) uint32 {
		a, b, c := tid*tid, tid*tid+5, tid*tid^99
		for range 8 {
			a, b, c = b, c, a
		}
		return 31*(31*a+b) + c
	}},
	"scalars that change places": {`
	mov.u32 %r2, 3;
	mov.u32 %r4, %ctaid.x;
	mul.lo.u32 %r7, %tid.x, %tid.x;
	mov.u32 %r1, 0;
	mov.u32 %r3, 0;
L:
	mad.lo.u32 %r1, %r1, %r2, %r7;
	add.u32 %r1, %r1, %r4;
	add.u32 %r6, %r2, 1;
	mov.u32 %r2, %r4;
	mov.u32 %r4, %r6;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 8;
	@%p1 bra L;
	add.u32 %r1, %r1, %r2;
`, func(tid uint32) uint32 {
		a, b, v := uint32(3), uint32(0), uint32(0)
		for range 8 {
			v = v*a + tid*tid + b
			a, b = b, a+1
		}
		return v + a
	}},
	"lanes that leave one after the other": {`
	mov.u32 %r2, %tid.x;
	xor.b32 %r4, %r2, 21;
	mov.u32 %r1, 1;
L:
	mad.lo.u32 %r1, %r1, 5, %r2;
	add.u32 %r4, %r4, -1;
	setp.gt.s32 %p1, %r4, 0;
	@%p1 bra L;
`, func(tid uint32) uint32 {
		v := uint32(1)
		for range max(1, tid^21) {
			v = 5*v + tid
		}
		return v
	}},
	"a break": {`
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r4, %r2, 7;
	and.b32 %r4, %r4, 31;
	mov.u32 %r1, 1;
	mov.u32 %r3, 0;
	bra L;
BACK:
	setp.gt.u32 %p2, %r4, %r3;
	@%p2 bra L;
	bra OUT;
L:
	setp.ge.u32 %p1, %r3, 20;
	@%p1 bra OUT;
	mul.lo.u32 %r5, %r1, %r1;
	setp.le.u32 %p3, %r4, %r3;
	@%p3 bra BACK;
	add.u32 %r3, %r3, 1;
	add.u32 %r1, %r5, %r2;
	bra BACK;
OUT:
	add.u32 %r1, %r1, %r3;
`, func(tid uint32) uint32 {
		v, i, n := uint32(1), uint32(0), 7*tid&31
		for i < 20 && i < n {
			v = v*v + tid
			i++
		}
		return v + i
	}},
	"a predicate from the iteration before": {`
	mov.u32 %r2, %tid.x;
	mov.u32 %r1, 1;
	mov.u32 %r3, 0;
	setp.gt.u32 %p2, %r2, 11;
L:
	@%p2 mad.lo.u32 %r1, %r1, 3, %r2;
	selp.u32 %r4, 17, %r3, %p2;
	add.u32 %r1, %r1, %r4;
	and.b32 %r5, %r1, 4;
	setp.eq.u32 %p2, %r5, 0;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 12;
	@%p1 bra L;
	@%p2 add.u32 %r1, %r1, 100;
`, func(tid uint32) uint32 {
		v, p := uint32(1), tid > 11
		for i := range uint32(12) {
			add := i
			if p {
				v, add = 3*v+tid, 17
			}
			v += add
			p = v&4 == 0
		}
		if p {
			v += 100
		}
		return v
	}},
	"results in place of each source": {`
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r4, %r2, %r2;
	mov.u32 %r5, %r4;
	mov.u32 %r6, %r4;
	mov.u32 %r7, %r4;
	cvt.u64.u32 %rd1, %r4;
	cvt.rn.f32.u32 %f9, %r4;
	mov.f32 %f1, %f9;
	mov.f32 %f2, %f9;
	mov.f32 %f3, %f9;
	mov.f32 %f4, %f9;
	mov.f32 %f5, %f9;
	mov.u32 %r3, 0;
L:
	sub.u32 %r4, %r4, %r2;
	sub.u32 %r5, %r2, %r5;
	add.u32 %r6, %r6, %r6;
	xor.b32 %r7, %r6, %r7;
	sub.u64 %rd1, 77, %rd1;
	fma.rn.f32 %f1, %f1, 0f3F000000, %f9;
	fma.rn.f32 %f2, 0f3F000000, %f2, %f9;
	fma.rn.f32 %f3, %f9, 0f3F000000, %f3;
	fma.rn.f32 %f4, %f4, 0f3F000000, %f4;
	sub.f32 %f5, %f9, %f5;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 5;
	@%p1 bra L;
	mad.lo.u32 %r1, %r4, 31, %r5;
	mad.lo.u32 %r1, %r1, 31, %r6;
	mad.lo.u32 %r1, %r1, 31, %r7;
	cvt.u32.u64 %r8, %rd1;
	mad.lo.u32 %r1, %r1, 31, %r8;
	mov.b32 %r8, %f1;
	mad.lo.u32 %r1, %r1, 31, %r8;
	mov.b32 %r8, %f2;
	mad.lo.u32 %r1, %r1, 31, %r8;
	mov.b32 %r8, %f3;
	mad.lo.u32 %r1, %r1, 31, %r8;
	mov.b32 %r8, %f4;
	mad.lo.u32 %r1, %r1, 31, %r8;
	mov.b32 %r8, %f5;
	mad.lo.u32 %r1, %r1, 31, %r8;
`, func(tid uint32) uint32 {
		n := tid * tid
		a, b, c, d, w := n, n, n, n, uint64(n)
		x := float32(n)
		f := [5]float32{x, x, x, x, x}
		for range 5 {
			a, b, c = a-tid, tid-b, c+c
			d, w = c^d, 77-w
			f = [5]float32{fma(f[0], 0.5, x), fma(0.5, f[1], x), fma(x, 0.5, f[2]), fma(f[3], 0.5, f[3]), x - f[4]}
		}
		sum := 31*(31*(31*(31*a+b)+c)+d) + uint32(w)
		for _, v := range f {
			sum = 31*sum + math.Float32bits(v)
		}
		return sum
	}},
	"64 bits": {`
	mov.u32 %r2, %tid.x;
	cvt.u64.u32 %rd2, %r2;
	add.u64 %rd3, %rd2, 0x123456789;
	cvt.rn.f64.u32 %fd1, %r2;
	mov.f64 %fd2, 0d3FF8000000000000;
	mov.u32 %r3, 0;
L:
	mad.lo.u64 %rd2, %rd2, %rd3, 11;
	mov.u64 %rd4, %rd3;
	mov.u64 %rd3, %rd2;
	mov.u64 %rd2, %rd4;
	fma.rn.f64 %fd1, %fd1, %fd2, %fd2;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 6;
	@%p1 bra L;
	mov.b64 %rd5, %fd1;
	xor.b64 %rd2, %rd2, %rd5;
	mad.lo.u64 %rd2, %rd2, 3, %rd3;
	shr.u64 %rd3, %rd2, 32;
	cvt.u32.u64 %r1, %rd2;
	cvt.u32.u64 %r2, %rd3;
	xor.b32 %r1, %r1, %r2;
`, func(tid uint32) uint32 {
		a, b, f := uint64(tid), uint64(tid)+0x123456789, float64(tid)
		for range 6 {
			a, b = b, a*b+11
			f = math.FMA(f, 1.5, 1.5)
		}
		a = 3*(a^math.Float64bits(f)) + b
		return uint32(a) ^ uint32(a>>32)
	}},
	"NaN": {`
	mov.u32 %r2, %tid.x;
	cvt.rn.f32.u32 %f1, %r2;
	and.b32 %r4, %r2, 3;
	setp.eq.u32 %p2, %r4, 1;
	selp.b32 %r5, 0x7fa12345, %f1, %p2;
	setp.eq.u32 %p2, %r4, 2;
	selp.b32 %r5, 0x7f800000, %r5, %p2;
	mov.b32 %f2, %r5;
	mov.u32 %r3, 0;
L:
	fma.rn.f32 %f2, %f2, 0f3F000000, %f1;
	sub.f32 %f1, %f1, %f2;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 3;
	@%p1 bra L;
	mov.b32 %r1, %f1;
	mov.b32 %r2, %f2;
	mad.lo.u32 %r1, %r1, 31, %r2;
`, func(tid uint32) uint32 {
		f, g := float32(tid), float32(tid)
		if tid&3 == 1 || tid&3 == 2 { // NaN, or infinity from which it is taken
			nan := uint32(0x7fffffff)
			return 31*nan + nan
		}
		for range 3 {
			g = fma(g, 0.5, f)
			f -= g
		}
		return 31*math.Float32bits(f) + math.Float32bits(g)
	}},
	"NaN whose bits the loop reads": {`
	mov.u32 %r2, %tid.x;
	add.u32 %r4, %r2, 0x7e000000;
	mov.b32 %f1, %r4;
	mov.b32 %f2, %r4;
	mov.u32 %r1, 0;
	mov.u32 %r3, 0;
L:
	xor.b32 %r5, %f2, 5;
	mad.lo.u32 %r1, %r1, 31, %r5;
	add.f32 %f1, %f1, %f1;
	sub.f32 %f2, %f2, %f1;
	add.f32 %f1, %f1, %f2;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 9;
	@%p1 bra L;
`, func(tid uint32) (sum uint32) {
		canonical := func(f float32) float32 {
			if f != f {
				return math.Float32frombits(0x7fffffff)
			}
			return f
		}
		f := math.Float32frombits(tid + 0x7e000000)
		g := f
		for range 9 {
			sum = 31*sum + (math.Float32bits(g) ^ 5)
			f = canonical(f + f)
			g = canonical(g - f)
			f = canonical(f + g)
		}
		return sum
	}},
	"NaN that no step makes": {`
	mov.u32 %r2, %tid.x;
	add.u32 %r4, %r2, 0x7fa00000;
	mov.b32 %f1, %r4;
	mov.b32 %f2, %r4;
	mov.u32 %r3, 0;
L:
	setp.gt.u32 %p2, %r2, %r3;
	@%p2 add.f32 %f1, %f1, %f1;
	add.u32 %r3, %r3, 5;
	setp.lt.u32 %p1, %r3, 20;
	@!%p1 bra OUT;
	add.f32 %f2, %f2, %f1;
	bra L;
OUT:
	mov.b32 %r1, %f1;
	mov.b32 %r2, %f2;
	mad.lo.u32 %r1, %r1, 31, %r2;
`, func(tid uint32) uint32 {
		nan := uint32(0x7fffffff)
		if tid == 0 {
			return 31*0x7fa00000&(1<<32-1) + nan
		}
		return 31*nan + nan
	}},
	"shared memory, in two runs": {`
	.shared .b32 s[96];
	mov.u32 %r2, %tid.x;
	mov.u32 %r8, s;
	mad.lo.u32 %r7, %r2, 4, %r8;
	mul.lo.u32 %r1, %r2, %r2;
	mov.u32 %r3, 0;
	st.shared.u32 [%r7+128], %r1;
L:
	ld.shared.u32 %r4, [%r7+128];
	mad.lo.u32 %r1, %r1, 3, %r4;
	st.shared.u32 [%r7+128], %r1;
	ld.shared.u32 %r5, [%r7+128];
	xor.b32 %r1, %r5, %r3;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p1, %r3, 5;
	@%p1 bra L;
	add.u32 %r1, %r1, %r4;
`, func(tid uint32) uint32 {
		v, s, r := tid*tid, tid*tid, uint32(0)
		for i := range uint32(5) {
			r = s
			s = 3*v + s
			v = s ^ i
		}
		return v + r
	}},
	"accesses at random, and what other lanes have": {`
	.shared .b32 s[64];
	mov.u32 %r2, %tid.x;
	mov.u32 %r8, s;
	mad.lo.u32 %r7, %r2, 4, %r8;
	mul.lo.u32 %r1, %r2, 13;
	st.shared.u32 [%r7], %r1;
	mov.u32 %r3, 0;
	bar.sync 0;
L:
	and.b32 %r4, %r1, 31;
	mad.lo.u32 %r4, %r4, 4, %r8;
	add.u32 %r3, %r3, 1;
	ld.shared.u32 %r5, [%r4];
	shfl.sync.bfly.b32 %r6, %r1, 9, 31, -1;
	mad.lo.u32 %r1, %r6, 3, %r5;
	setp.lt.u32 %p1, %r3, 6;
	@%p1 bra L;
`, nil},
	"a loop in a loop": {`
	mov.u32 %r2, %tid.x;
	mul.lo.u32 %r1, %r2, %r2;
	mov.u32 %r3, 0;
OUTER:
	mov.u32 %r4, %r3;
INNER:
	mad.lo.u32 %r1, %r1, 3, %r4;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p1, %r4, 6;
	@%p1 bra INNER;
	xor.b32 %r1, %r1, %r3;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, 4;
	@%p2 bra OUTER;
`, func(tid uint32) uint32 {
		v := tid * tid
		for i := range uint32(4) {
			for j := i; j < 6; j++ {
				v = 3*v + j
			}
			v ^= i
		}
		return v
	}},
	"20 values": manyHeld(20),
	"7 values":  manyHeld(7),
}

// TestLoopsInRegisters runs loops with values that code may keep in registers: they have the expected results, and
// the counters of lane functions.
func TestLoopsInRegisters(t *testing.T) {
	for name, c := range loopCases {
		t.Run(name, func(t *testing.T) {
			for _, threads := range []uint32{32, 23} {
				for _, model := range kerneltest.Models {
					k := kerneltest.Kernel{Source: wholeKernel(c.code), Block: kerneltest.Dim(threads, 1), Words: []int{32}, Config: interp.Config{Divergence: model, PathOrder: kerneltest.Orders[threads%2]}}
					if diff := onBothBodies(t, k); diff != "" {
						t.Fatalf("%v, %d threads (-lane functions +compiled):\n%s", model, threads, diff)
					}
					if c.want == nil {
						continue
					}
					want := make([]uint32, 32)
					for tid := range threads {
						want[tid] = c.want(tid)
					}
					for _, level := range kerneltest.Levels() {
						k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
						out, _, err := k.Run(t)
						if err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(want, out[0]); diff != "" {
							t.Fatalf("%v, %v, %d threads: %s", level, model, threads, diff)
						}
					}
				}
			}
		})
	}
}

// TestLoopsAtTheEndsOfBudgets enters the code of loops with every budget: at each exit, registers and memory are
// those of lane functions.
func TestLoopsAtTheEndsOfBudgets(t *testing.T) {
	for name, c := range loopCases {
		t.Run(name, func(t *testing.T) {
			for _, level := range kerneltest.Levels() {
				for _, threads := range []uint32{32, 23} {
					k := kerneltest.Kernel{Source: wholeKernel(c.code), Block: kerneltest.Dim(threads, 1), Words: []int{32}, Config: interp.Config{Compile: interp.CompileAlways, Lanes: level, Verify: true}}
					k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
						m.VerifyBudgets(150)
						return functional.Run(context.Background(), m, l)
					}
					if wrong := kerneltest.Miscompilation(func() {
						if _, _, err := k.Run(t); err != nil {
							t.Fatal(err)
						}
					}); wrong != nil {
						t.Errorf("%v: %v", level, wrong)
					}
				}
			}
		})
	}
}

// TestFaultsInLaterIterations has a loop run beyond the end of memory, in all lanes, in some, and after some lanes
// have left the loop.
func TestFaultsInLaterIterations(t *testing.T) {
	for name, advance := range map[string]string{
		"all lanes": "0",
		"one row":   "%r7",
		"a scatter": "%r9",
	} {
		for _, leave := range []uint32{100, 3} {
			k := kerneltest.Kernel{Words: []int{64}, Source: wholeKernel(fmt.Sprintf(`
	mov.u32 %%r2, %%tid.x;
	ld.param.u64 %%rd1, [out];
	mul.lo.u32 %%r7, %%r2, 4;
	xor.b32 %%r9, %%r7, 36;
	mov.u32 %%r1, %%r2;
	mov.u32 %%r3, 0;
	mov.u32 %%r4, 5;
	cvt.u64.u32 %%rd3, %s;
	add.u64 %%rd1, %%rd1, %%rd3;
L:
	mad.lo.u32 %%r1, %%r1, 3, %%r4;
	mov.u32 %%r6, %%r4;
	mov.u32 %%r4, %%r2;
	mov.u32 %%r2, %%r6;
	ld.global.u32 %%r5, [%%rd1];
	add.u64 %%rd1, %%rd1, 16;
	add.u32 %%r1, %%r1, %%r5;
	add.u32 %%r3, %%r3, 1;
	setp.gt.u32 %%p1, %%r1, 0x40000000;
	setp.gt.and.u32 %%p1, %%r3, %d, %%p1;
	@%%p1 bra OUT;
	bra L;
OUT:
`, advance, leave))}
			if diff := onBothBodies(t, k); diff != "" {
				t.Errorf("%s, %d: (-lane functions +compiled):\n%s", name, leave, diff)
			}
			for _, level := range kerneltest.Levels() {
				k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
				_, stats, err := k.Run(t)
				var fault *interp.Fault
				if !errors.As(err, &fault) || !errors.Is(err, memory.ErrBounds) || !strings.HasPrefix(fault.Text, "ld.global.u32 %r5") {
					t.Fatalf("%s, %v: %v", name, level, err)
				}
				if name == "all lanes" && leave == 100 && (fault.Where.Lanes != lanes.AllLanes || stats.WarpInstrs != 9+16*12+4) { // behind 256 bytes
					t.Errorf("lanes %v, %d instructions", fault.Where.Lanes, stats.WarpInstrs)
				}
			}
		}
	}
}
