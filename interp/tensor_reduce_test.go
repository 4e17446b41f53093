package interp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestTensorLoadReducesColumnsOfLane: tcgen05.ld.red gives the least or largest number of a lane's columns as PTX
// defines it, by a search with Go's own comparisons.
func TestTensorLoadReducesColumnsOfLane(t *testing.T) {
	special := []uint32{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 1, 0x80000001, 0x3f800000, 0xbf800000}
	for _, form := range []string{"min.f32", "max.f32", "min.abs.f32", "max.NaN.f32", "max.abs.NaN.f32", "min.u32", "max.u32", "min.s32", "max.s32"} {
		const columns = 4
		r := rand.New(rand.NewPCG(7, uint64(len(form))))
		var cells [32][columns]uint32
		var text strings.Builder
		text.WriteString(takeTensor + "mov.u32 %r3, %laneid;\n")
		for lane := range cells {
			for c := range columns {
				cells[lane][c] = special[r.IntN(len(special))]
				if lane%3 > 0 {
					cells[lane][c] = r.Uint32()
				}
				fmt.Fprintf(&text, "setp.eq.u32 %%p1, %%r3, %d;\n@%%p1 mov.u32 %%r%d, 0x%x;\n", lane, 10+c, cells[lane][c])
			}
		}
		text.WriteString("@!%p80 bra OVER;\ntcgen05.st.sync.aligned.32x32b.x4.b32 [%r2+8], {%r10, %r11, %r12, %r13};\n" +
			"tcgen05.ld.red.sync.aligned.32x32b.x4." + form + " {%r20, %r21, %r22, %r23}, %r24, [%r2+8];\n" +
			"tcgen05.ld.red.sync.aligned.16x32bx2.x2." + form + " {%r30, %r31}, %r32, [%r2+8], 2;\n")
		text.WriteString("ld.param.u64 %rd1, [out];\n")
		for i, reg := range []int{24, 32, 20, 23} {
			fmt.Fprintf(&text, "mad.lo.u32 %%r5, %%r3, 16, %d;\ncvt.u64.u32 %%rd5, %%r5;\nadd.u64 %%rd5, %%rd5, %%rd1;\nst.global.u32 [%%rd5], %%r%d;\n", 4*i, reg)
		}
		text.WriteString("OVER:\n" + freeTensor + "ret;\n}\n")
		kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: text.String(), Words: []int{32 * 4}}.Want(t, func(i int) uint32 {
			lane := i / 4
			half := cells[lane%16][:2] // of lanes 16 to 31 two columns further on
			if lane >= 16 {
				half = cells[lane%16][2:]
			}
			cell := cells[lane]
			return [4]uint32{reduced(form, cell[:]), reduced(form, half), cell[0], cell[3]}[i%4]
		})
		if t.Failed() {
			t.Fatal(form)
		}
	}
}

// reduced returns the least or largest number of a row.
func reduced(form string, row []uint32) uint32 {
	best, found, nan := uint32(0), false, false
	for _, v := range row {
		if strings.Contains(form, "abs") {
			v &= 1<<31 - 1
		}
		x := math.Float32frombits(v)
		if strings.HasSuffix(form, "f32") && x != x {
			nan = true
			continue
		}
		less := v < best
		switch {
		case strings.HasSuffix(form, "s32"):
			less = int32(v) < int32(best)
		case strings.HasSuffix(form, "f32"):
			y := math.Float32frombits(best)
			less = x < y || x == y && math.Signbit(float64(x)) && !math.Signbit(float64(y))
		}
		if !found || less == strings.HasPrefix(form, "min") && v != best {
			best, found = v, true
		}
	}
	if !found || nan && strings.Contains(form, "NaN") {
		return 0x7fffffff
	}
	return best
}
