package native_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// taken returns %p1 and %p2 of a thread of testdata/arms.txt.
func taken(tid uint32) (p1, p2 bool) { return tid*37%32 > 11, tid*37%32 > 20 }

// TestIfConvertedCodeKeepsResults runs the kernels of testdata/arms.txt, with short code that only some lanes execute:
// they have the expected results, and the counters of lane functions.
func TestIfConvertedCodeKeepsResults(t *testing.T) {
	_, cases := readCases(t, "testdata/arms.txt")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for i, model := range kerneltest.Models {
				k := kerneltest.Kernel{Source: wholeKernel(c.code), Block: kerneltest.Dim(32, 1), Words: []int{32}, Config: interp.Config{Divergence: model, PathOrder: kerneltest.Orders[i%2]}}
				if diff := onBothBodies(t, k); diff != "" {
					t.Fatalf("%v (-lane functions +compiled):\n%s", model, diff)
				}
				for _, level := range kerneltest.Levels() {
					k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
					out, _, err := k.Run(t)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(c.want, out[0]); c.want != nil && diff != "" {
						t.Fatalf("%v, %v (-want +got): %s", level, model, diff)
					}
				}
				k.Block = kerneltest.Dim(24, 2) // some lanes of a warp
				if diff := onBothBodies(t, k); diff != "" {
					t.Fatalf("%v, some lanes (-lane functions +compiled):\n%s", model, diff)
				}
			}
		})
	}
}

// TestFaultsInIfConvertedCodeAreExact has lanes that execute a side access memory beyond the end, after a store that
// must be visible, and where only some of them execute the faulting access.
func TestFaultsInIfConvertedCodeAreExact(t *testing.T) {
	begin, _ := readCases(t, "testdata/arms.txt")
	for _, c := range []struct {
		name, code string
		lanes      func(tid int) bool
	}{
		{"at the first access", "ld.shared.u32 %r1, [%r8+196];", func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 && tid >= 15 }},
		{"behind a store", "st.shared.u32 [%r8], 5; ld.global.u32 %r1, [%rd1];", func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 }},
		{"where some skip it", "st.shared.u32 [%r8], 5; setp.lt.u32 %p3, %r4, 7; @%p3 bra OVER; st.global.u32 [%rd1], 5; OVER:",
			func(tid int) bool { p1, _ := taken(uint32(tid)); return !p1 && tid*37%32 >= 7 }},
	} {
		for _, model := range kerneltest.Models {
			k := kerneltest.Kernel{Words: []int{32}, Config: interp.Config{Divergence: model}, Source: wholeKernel(begin + `
	ld.param.u64 %rd1, [out];
	add.u64 %rd1, %rd1, 4096;
	@%p1 bra NEXT;
	` + c.code + `
	add.u32 %r1, %r1, 1;
NEXT:
`)}
			if diff := onBothBodies(t, k); diff != "" {
				t.Errorf("%s, %v: (-lane functions +compiled):\n%s", c.name, model, diff)
			}
			var want lanes.Mask
			for tid := range lanes.Width {
				if c.lanes(tid) {
					want |= 1 << tid
				}
			}
			for _, level := range kerneltest.Levels() {
				k.Config.Compile, k.Config.Lanes = interp.CompileAlways, level
				_, _, err := k.Run(t)
				var fault *interp.Fault
				if !errors.As(err, &fault) || !errors.Is(err, memory.ErrBounds) && !strings.Contains(err.Error(), "no buffer") {
					t.Fatalf("%s, %v: %v", c.name, level, err)
				}
				if fault.Where.Lanes != want {
					t.Errorf("%s, %v, %v: lanes %v, want %v", c.name, level, model, fault.Where.Lanes, want)
				}
			}
		}
	}
}
