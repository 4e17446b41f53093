package native_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestSumsThatWrapAreExtended extends multiples of the thread's index, and products of them, from 32 bits to 64, near
// values at which 32-bit sums wrap: within a subvector of lanes, and just not.
func TestSumsThatWrapAreExtended(t *testing.T) {
	type sum struct {
		stride int32
		base   uint32
	}
	var sums []sum
	for _, stride := range []int32{1, 4, 1000, -1, -3} {
		for _, limit := range []uint32{0, 1 << 31} {
			for d := -9; d <= 9; d++ {
				sums = append(sums, sum{stride, limit - uint32(stride*int32(d))}, sum{stride, limit - uint32(stride*int32(d)) + 1})
			}
		}
	}
	for _, signed := range []string{"s32", "u32"} {
		var code strings.Builder
		code.WriteString("\tmov.u64 %rd5, 0;\n")
		for _, s := range sums { // the barrier ends what is executed together
			fmt.Fprintf(&code, "\tmad.lo.u32 %%r2, %%tid.x, %d, %d;\n\tmul.wide.%s %%rd2, %%r2, 12;\n\tmad.lo.u64 %%rd5, %%rd5, 31, %%rd2;\n\tbar.sync 0;\n",
				s.stride, s.base, signed)
		}
		code.WriteString("\tcvt.u32.u64 %r1, %rd5;\n\tshr.u64 %rd5, %rd5, 32;\n\tcvt.u32.u64 %r2, %rd5;\n\txor.b32 %r1, %r1, %r2;\n")
		want := make([]uint32, 32)
		for lane := range want {
			all := uint64(0)
			for _, s := range sums {
				v := uint32(lane)*uint32(s.stride) + s.base
				wide := uint64(v)
				if signed == "s32" {
					wide = uint64(int64(int32(v)))
				}
				all = 31*all + 12*wide
			}
			want[lane] = uint32(all) ^ uint32(all>>32)
		}
		for _, level := range kerneltest.Levels() {
			k := kerneltest.Kernel{Source: wholeKernel(code.String()), Words: []int{32}, Config: interp.Config{Compile: interp.CompileAlways, Lanes: level}}
			out, _, err := k.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out[0]); diff != "" {
				t.Errorf("%s, %v: %s", signed, level, diff)
			}
		}
	}
}
