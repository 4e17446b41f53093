package lanes

import (
	"fmt"
	"math"
	"testing"
)

// TestAtomAddsFloatsInLaneOrder adds the sources of 32 lanes to one place and, separately, to a place for each lane,
// and compares them with sums rounded once.
func TestAtomAddsFloatsInLaneOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		fn     MemFunc
		e      Elem
		shared bool
	}{
		{"f16", AtomAddF16, F16, false}, {"bf16", AtomAddBF16, BF16, false}, {"f32 in shared memory", AtomAddF32, F32, true},
		{"f32 in global memory", AtomAddF32, F32, false}, {"f64 in global memory", AtomAddF64, F64, false},
		{"f64 in shared memory", AtomAddF64, F64, true},
	} {
		mode := RoundNearest
		if c.e == F32 && !c.shared {
			mode = FTZ
		}
		add := func(x, y uint64) uint64 {
			nan := refNaN(c.e)
			if c.e == F64 {
				nan = refNaNF64(x, y)
				for _, v := range []uint64{x, y} {
					if !c.shared && math.IsNaN(refValue(F64, v)) {
						nan = v // as it is
					}
				}
			}
			return refResult(c.e, refExact("add", refValue(c.e, refFlush(c.e, x, mode)), refValue(c.e, refFlush(c.e, y, mode)), 0, mode), mode, nan)
		}
		cases := triples(c.e, 2, 2000)
		for len(cases) >= Width {
			for _, stride := range []uint64{0, 8} {
				if err := checkAtomAdd(c.fn, c.e, c.shared, stride, cases[:Width], add); err != nil {
					t.Fatalf("%s, %d bytes apart: %v", c.name, stride, err)
				}
			}
			cases = cases[Width:]
		}
	}
}

// checkAtomAdd has lane i find the first of cases[i], or the result of the lane before if stride is 0, and add the
// second.
func checkAtomAdd(fn MemFunc, e Elem, shared bool, stride uint64, cases []triple, add func(x, y uint64) uint64) error {
	f := NewFile(fileBytes)
	a := &Access{Mem: make([]byte, Width*8+8), Size: uint64(e.bits() / 8)}
	if shared {
		a.Space = SharedSpace
	}
	var old, after [Width]uint64
	sum := cases[0][0]
	for lane, c := range cases {
		a.Off[lane] = uint64(lane) * stride
		put(f, regB, uint(max(32, e.bits())), lane, c[1])
		if stride > 0 {
			sum = c[0]
		}
		*place[uint64](a, lane, 0) = cases[lane*int(stride/8)][0]
		old[lane] = sum
		sum = add(sum, c[1])
		after[lane] = sum
	}
	fn(f, &Op{D: regD, B: regB}, AllLanes, a)
	for lane := range cases {
		if got := get(f, regD, uint(max(32, e.bits())), lane); got != old[lane] {
			return fmt.Errorf("lane %d found %#x, want %#x", lane, got, old[lane])
		}
		want := after[lane]
		if stride == 0 {
			want = after[Width-1]
		}
		if got := *place[uint64](a, lane, 0) & (1<<e.bits() - 1); got != want {
			return fmt.Errorf("lane %d left %#x, want %#x", lane, got, want)
		}
	}
	return nil
}

func TestAtomAddsF16x2Halves(t *testing.T) {
	f := NewFile(fileBytes)
	a := &Access{Mem: make([]byte, 4), Size: 4}
	*place[uint32](a, 0, 0) = 0x7bff3c00 // 65504 and 1
	put(f, regB, 32, 0, 0x4c00c000)      // 16 and -2
	AtomAddF16x2(f, &Op{D: regD, B: regB}, 1, a)
	if old, sum := get(f, regD, 32, 0), *place[uint32](a, 0, 0); old != 0x7bff3c00 || sum != 0x7c00bc00 {
		t.Errorf("found %08x, left %08x; want 7bff3c00, 7c00bc00", old, sum)
	}
}
