package lanes

import "math"

// float is the type in which a floating-point instruction computes.
type float interface{ float32 | float64 }

// unaryFloat, binaryFloat and ternaryFloat return the result and the sources of a lane function, all of one type.
func unaryFloat[T float](f *File, in *Op, m Mask) (d, a *[Width]T) {
	return Out[T](f, in.D, m), Reg[T](f, in.A)
}

func binaryFloat[T float](f *File, in *Op, m Mask) (d, a, b *[Width]T) {
	return Out[T](f, in.D, m), Reg[T](f, in.A), Reg[T](f, in.B)
}

func ternaryFloat[T float](f *File, in *Op, m Mask) (d, a, b, c *[Width]T) {
	return Out[T](f, in.D, m), Reg[T](f, in.A), Reg[T](f, in.B), Reg[T](f, in.C)
}

const (
	signF32     = 1 << 31
	exponentF32 = 0xff << 23
	signF64     = 1 << 63
	exponentF64 = 0x7ff << 52
	quietF64    = 1 << 51 // set in a quiet NaN, clear in a signalling one

	// nanF32 is the NaN that every .f32 instruction returns (PTX ISA 9.7.3).
	nanF32 = 0x7fffffff
)

// canonicalF32 is x, or the canonical NaN.
func canonicalF32(x float32) float32 {
	if x != x {
		return math.Float32frombits(nanF32)
	}
	return x
}

// invalidF64 is the NaN of an invalid operation.
const invalidF64 = signF64 | exponentF64 | quietF64

// propagateF64 is the NaN that results from an operation on x and y: the first operand that is a NaN, made quiet, or
// that of an invalid operation. PTX leaves it open; the order of the sources is that of an H100.
func propagateF64(x, y float64) float64 {
	switch {
	case x != x:
		return quietedF64(x)
	case y != y:
		return quietedF64(y)
	}
	return math.Float64frombits(invalidF64)
}

func quietedF64(nan float64) float64 {
	return math.Float64frombits(math.Float64bits(nan) | quietF64)
}

// flushF32 is x, or zero of its sign if x is subnormal.
func flushF32(x float32) float32 {
	if b := math.Float32bits(x); b&exponentF32 == 0 {
		return math.Float32frombits(b & signF32)
	}
	return x
}

// flushLanesF32 is flushF32 of every lane.
func flushLanesF32(d, a *[Width]float32) {
	map1(d, a, func(x float32) float32 { return flushF32(x) })
}

// operandF32 is a source, flushed if the mode requires it.
func (mode Mode) operandF32(x float32) float32 {
	if mode&FTZ != 0 {
		return flushF32(x)
	}
	return x
}

// resultF32 is the result of an instruction that computed x. It flushes the rounded result, which for products is too
// late: see tinyF32.
func (mode Mode) resultF32(x float32) float32 {
	if mode&FTZ != 0 {
		x = flushF32(x)
	}
	if mode&SAT != 0 {
		return saturateF32(x)
	}
	return canonicalF32(x)
}

// saturateF32 is x clamped to [+0, 1], and +0 for NaN.
func saturateF32(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}

// towardOdd is the exact value s + err, with s the nearest float64, rounded to odd: if s is not exact, the one of its
// two neighbours with the last bit set. Rounding that again, to a format with at least two fewer bits, gives the same
// as a single rounding, in any direction (Boldo and Melquiond, 2008). Only the sign of err matters. Infinity and NaN,
// for which err is NaN, stay as they are.
func towardOdd(s, err float64) float64 {
	b := math.Float64bits(s)
	if b&1 != 0 || !(err < 0 || err > 0) {
		return s
	}
	if (err > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// oddSum is x + y rounded to odd. Both are products or values of .f32, so that there is no overflow.
func oddSum(x, y float64) float64 {
	s := x + y
	fromY := s - x
	return towardOdd(s, (x-(s-fromY))+(y-fromY)) // Knuth's TwoSum: the error is exact
}

// narrow is x rounded to a float32 by the mode.
func (mode Mode) narrow(x float64) float32 {
	r := float32(x)
	b := math.Float32bits(r)
	away := false // r is on the wrong side of x, and the right neighbour is further from zero
	switch wide := float64(r); mode & roundMask {
	case RoundZero:
		if math.Abs(wide) > math.Abs(x) {
			return math.Float32frombits(b - 1)
		}
		return r
	case RoundDown:
		if !(wide > x) {
			return r
		}
		away = b&signF32 != 0
	case RoundUp:
		if !(wide < x) {
			return r
		}
		away = b&signF32 == 0
	default:
		return r
	}
	if away {
		return math.Float32frombits(b + 1)
	}
	return math.Float32frombits(b - 1)
}
