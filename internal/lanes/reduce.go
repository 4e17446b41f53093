package lanes

import (
	"math"
	"unsafe"
)

// Reduce combines each element of an array in memory with that of another one of the same size, as an asynchronous
// copy with a reduction does: to becomes the result.
type Reduce func(to, from []byte)

// Reducing makes a Reduce of an operation on elements of the width of V.
func Reducing[V Int](op func(old, b V) V) Reduce {
	size := int(unsafe.Sizeof(V(0)))
	return func(to, from []byte) {
		for at := 0; at+size <= len(to); at += size {
			p := (*V)(unsafe.Pointer(&to[at]))
			*p = op(*p, *(*V)(unsafe.Pointer(&from[at])))
		}
	}
}

// Operations of reductions. The results of inc and dec are 0 to b.

// Added is the sum.
func Added[V Int](old, b V) V { return old + b }

// Smaller is the smaller one.
func Smaller[V Int](old, b V) V { return min(old, b) }

// Larger is the larger one.
func Larger[V Int](old, b V) V { return max(old, b) }

// BitsOfBoth is the bits that both have.
func BitsOfBoth[V Int](old, b V) V { return old & b }

// BitsOfEither is the bits that either has.
func BitsOfEither[V Int](old, b V) V { return old | b }

// BitsOfOne is the bits that only one has.
func BitsOfOne[V Int](old, b V) V { return old ^ b }

// CountedUp is one more than old, or 0 from b on.
func CountedUp(old, b uint32) uint32 {
	if old >= b {
		return 0
	}
	return old + 1
}

// CountedDown is one less than old, or b if old is 0 or above b.
func CountedDown(old, b uint32) uint32 {
	if old == 0 || old > b {
		return b
	}
	return old - 1
}

// AddedPreciseF32 is the sum of two .f32, including subnormal numbers.
func AddedPreciseF32(old, b uint32) uint32 {
	sum := math.Float32frombits(old) + math.Float32frombits(b)
	return math.Float32bits(RoundNearest.resultF32(sum))
}

// AddedF64 is the sum of two .f64 in global memory: a NaN is unchanged, and that of b takes precedence.
func AddedF64(old, b uint64) uint64 {
	x, y := math.Float64frombits(old), math.Float64frombits(b)
	switch sum := x + y; {
	case sum == sum || x == x && y == y:
		return math.Float64bits(binaryResultF64(sum, x, y))
	case y != y:
		return b
	}
	return old
}
