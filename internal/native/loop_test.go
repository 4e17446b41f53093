package native_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TestLoopsInRegistersKeepResults runs the loops of testdata/loops.txt, with values that code may keep in registers:
// they have the expected results, and the counters of lane functions.
func TestLoopsInRegistersKeepResults(t *testing.T) {
	_, cases := readCases(t, "testdata/loops.txt")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
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
					copy(want[:threads], c.want)
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

// TestLoopsStopAtEveryBudget enters the code of loops with every budget: at each exit, registers and memory are
// those of lane functions.
func TestLoopsStopAtEveryBudget(t *testing.T) {
	_, cases := readCases(t, "testdata/loops.txt")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
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

// TestFaultsInLaterIterationsAreExact has a loop run beyond the end of memory, in all lanes, in some, and after some
// lanes have left the loop.
func TestFaultsInLaterIterationsAreExact(t *testing.T) {
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
