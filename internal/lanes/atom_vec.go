package lanes

import (
	"math"
	"unsafe"
)

// AtomVec is an atomic on each of n contiguous elements: op of the old value and of the registers of in.Vec from
// MaxVec on, one lane after the other. The old values go to the first n registers of in.Vec, or to scratch.
func AtomVec[V Int](n int, op func(old, b V) V) MemFunc {
	return func(f *File, in *Op, m Mask, a *Access) {
		a.expand()
		for ; m != 0; m &= m - 1 {
			i := m.First()
			var b [MaxVec]V // a result may be another element's source
			for k := range n {
				b[k] = V(Reg[uint32](f, in.Vec[MaxVec+k])[i])
			}
			for k := range n {
				p := place[V](a, i, uint64(k)*uint64(unsafe.Sizeof(V(0))))
				Reg[uint32](f, in.Vec[k])[i] = uint32(*p)
				*p = op(*p, b[k])
			}
		}
	}
}

// Operations of vector atomics on their elements, all of them in global memory.

// AddedF32 is the sum of two .f32, with subnormal numbers flushed to zero.
func AddedF32(old, b uint32) uint32 {
	x, y := FTZ.operandF32(math.Float32frombits(old)), FTZ.operandF32(math.Float32frombits(b))
	return math.Float32bits(FTZ.resultF32(x + y))
}

// AddedF16 is the sum of two halves.
func AddedF16(old, b uint16) uint16 { return uint16(addF16(uint32(old), uint32(b), RoundNearest)) }

// MinF16Of is the smaller of two halves.
func MinF16Of(old, b uint16) uint16 { return uint16(minF16(uint32(old), uint32(b), RoundNearest)) }

// MaxF16Of is the larger of two halves.
func MaxF16Of(old, b uint16) uint16 { return uint16(maxF16(uint32(old), uint32(b), RoundNearest)) }

// AddedBF16 is the sum of two bfloat16 numbers.
func AddedBF16(old, b uint16) uint16 { return uint16(addBF16(uint32(old), uint32(b), RoundNearest)) }

// MinBF16Of is the smaller of two bfloat16 numbers.
func MinBF16Of(old, b uint16) uint16 { return uint16(minBF16(uint32(old), uint32(b), RoundNearest)) }

// MaxBF16Of is the larger of two bfloat16 numbers.
func MaxBF16Of(old, b uint16) uint16 { return uint16(maxBF16(uint32(old), uint32(b), RoundNearest)) }

// Halves is op on both halves of a word.
func Halves(op func(old, b uint16) uint16) func(old, b uint32) uint32 {
	return func(old, b uint32) uint32 {
		return uint32(op(uint16(old), uint16(b))) | uint32(op(uint16(old>>16), uint16(b>>16)))<<16
	}
}
