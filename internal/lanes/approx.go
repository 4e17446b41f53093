package lanes

import "math"

// PTX bounds the error of its approximations but does not define their bits, and GPUs differ. These take the steps of
// an H100: scale the source into the range of the multi-function unit, apply one function of the unit, and scale the
// result back. Only the unit itself is more accurate here: its function is computed in float64 and rounded once.

// unitF32 is a function of the multi-function unit, which flushes subnormal numbers.
func unitF32(fn func(float64) float64, x float32) float32 {
	return canonicalF32(flushF32(float32(fn(float64(flushF32(x))))))
}

// approximate computes an approximate function in every lane of m. With .ftz it is fn, the function of the GPU's
// special function unit; without, it is steps, which also scales the operand into the unit's range and the result
// back.
func approximate(f *File, in *Op, m Mask, fn func(float64) float64, steps func(x float32) float32) {
	d, a := unaryFloat[float32](f, in, m)
	if in.Mode&FTZ != 0 {
		steps = func(x float32) float32 { return unitF32(fn, x) }
	}
	some1(d, a, m, steps)
	Merge[float32](f, in.D, m)
}

const (
	intoRangeF32 = 0x1p24  // scales subnormal numbers into the range of the unit
	hugeF32      = 0x1p126 // the reciprocal of this is the smallest normal number
)

// intoRange returns x, or a multiple of x if that is subnormal, and the factor.
func intoRange(x float32) (scaled, factor float32) {
	if magnitudeF32(x) < leastNormalF32 {
		return x * intoRangeF32, intoRangeF32
	}
	return x, 1
}

func reciprocal(x float64) float64 { return 1 / x }

// RcpApproxF32 is 1 / a. It honours FTZ.
func RcpApproxF32(f *File, in *Op, m Mask) {
	approximate(f, in, m, reciprocal, func(x float32) float32 {
		x, factor := intoRange(x)
		if magnitudeF32(x) > hugeF32 {
			x, factor = x*0.25, 0.25
		}
		return canonicalF32(unitF32(reciprocal, x) * factor)
	})
}

func reciprocalRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// RsqrtApproxF32 is 1 / the square root of a; -Inf for -0. It honours FTZ.
func RsqrtApproxF32(f *File, in *Op, m Mask) {
	approximate(f, in, m, reciprocalRoot, func(x float32) float32 {
		x, factor := intoRange(x)
		if factor != 1 {
			factor = 0x1p12
		}
		return unitF32(reciprocalRoot, x) * factor
	})
}

// SqrtApproxF32 is the square root of a. It honours FTZ.
func SqrtApproxF32(f *File, in *Op, m Mask) {
	approximate(f, in, m, math.Sqrt, func(x float32) float32 {
		x, factor := intoRange(x)
		if factor != 1 {
			factor = 0x1p-12
		}
		return canonicalF32(unitF32(math.Sqrt, x) * factor)
	})
}

// turnF32 is 1 / 2π in the precision that the assembler uses.
const turnF32 = 0x1.45f306p-3

// trigonometric applies fn to a in turns (multiples of 2 pi), truncated to 24 bits: therefore the sine of large numbers
// is 0.
func trigonometric(f *File, in *Op, m Mask, fn func(turns float64) float64) {
	d, a := unaryFloat[float32](f, in, m)
	some1(d, a, m, func(x float32) float32 { return unitF32(fn, RoundZero.mulF32(x, turnF32)) })
	Merge[float32](f, in.D, m)
}

// partOfTurn returns the fractional part of x, which is not negative, in the unit's resolution.
func partOfTurn(x float64) float64 {
	const steps = 1 << 25
	x = math.Abs(x)
	return math.Trunc((x-math.Floor(x))*steps) / steps
}

// sineOfTurns returns the sine of 2π times x, from 0 to 1.25, with exact zeros.
func sineOfTurns(x float64) float64 {
	switch {
	case x > 0.75:
		x--
	case x > 0.25:
		x = 0.5 - x
	}
	return math.Sin(2 * math.Pi * x)
}

// SinF32 is the sine of a, in radians. A zero result has the sign of a.
func SinF32(f *File, in *Op, m Mask) {
	trigonometric(f, in, m, func(x float64) float64 {
		if math.Signbit(x) {
			return -sineOfTurns(partOfTurn(x))
		}
		return sineOfTurns(partOfTurn(x))
	})
}

// CosF32 is the cosine of a, in radians.
func CosF32(f *File, in *Op, m Mask) {
	trigonometric(f, in, m, func(x float64) float64 { return sineOfTurns(partOfTurn(x) + 0.25) })
}

// Ex2F32 is 2 to the power of a. It honours FTZ.
func Ex2F32(f *File, in *Op, m Mask) {
	approximate(f, in, m, math.Exp2, func(x float32) float32 {
		if x < -126 {
			r := unitF32(math.Exp2, x*0.5)
			return r * r
		}
		return unitF32(math.Exp2, x)
	})
}

// log2 is the logarithm to base 2; math.Log2 would cancel near 1.
func log2(x float64) float64 { return math.Log(x) * (1 / math.Ln2) }

// Lg2F32 is the logarithm of a to base 2; -Inf for both zeros. It honours FTZ.
func Lg2F32(f *File, in *Op, m Mask) {
	approximate(f, in, m, log2, func(x float32) float32 {
		x, factor := intoRange(x)
		if factor != 1 {
			return canonicalF32(unitF32(log2, x) - 24)
		}
		return unitF32(log2, x)
	})
}

// TanhF32 is the hyperbolic tangent of a.
func TanhF32(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float32](f, in, m)
	some1(d, a, m, func(x float32) float32 { return canonicalF32(float32(math.Tanh(float64(x)))) })
	Merge[float32](f, in.D, m)
}

// divide is a times the unit's reciprocal of b. That is zero for a huge b, unless full first scales both into its
// range.
func divide(f *File, in *Op, m Mask, full bool) {
	d, a, b := binaryFloat[float32](f, in, m)
	mode := in.Mode
	map2(d, a, b, func(x, y float32) float32 {
		if full && magnitudeF32(y) > hugeF32 {
			x, y = mode.mulF32(x, 0.25), mode.mulF32(y, 0.25)
		}
		if mode&FTZ == 0 {
			scaled, factor := intoRange(y)
			x, y = x*factor, scaled
		}
		return mode.resultF32(mode.mulF32(mode.operandF32(x), unitF32(reciprocal, y)))
	})
	Merge[float32](f, in.D, m)
}

// DivApproxF32 is a / b. If the magnitude of b is above 2^126, so that its reciprocal is subnormal, the quotient is
// zero, or NaN for an infinite a. It honours FTZ.
func DivApproxF32(f *File, in *Op, m Mask) { divide(f, in, m, false) }

// DivFullF32 is a / b over the whole range. It honours FTZ.
func DivFullF32(f *File, in *Op, m Mask) { divide(f, in, m, true) }

// nanApproxF64 is the NaN that the .f64 approximations return.
const nanApproxF64 = 0x7fffffff << 32

// RsqrtApproxF64 is 1 / the square root of a; -Inf for -0.
func RsqrtApproxF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	map1(d, a, func(x float64) float64 {
		r := 1 / math.Sqrt(x)
		if r != r {
			return math.Float64frombits(nanApproxF64)
		}
		return r
	})
	Merge[float64](f, in.D, m)
}

// upperF64 is x as the .approx.ftz.f64 instructions read and write it: only the upper 32 bits count, so that a NaN
// with a payload only in the lower bits becomes infinite, and subnormal numbers are zero.
func upperF64(x float64) float64 {
	b := math.Float64bits(x) &^ (1<<32 - 1)
	switch {
	case b&^signF64 > exponentF64:
		b = nanApproxF64
	case b&exponentF64 == 0:
		b &= signF64
	}
	return math.Float64frombits(b)
}

// RcpApproxFtzF64 is 1 / a, from and to the upper 32 bits of numbers.
func RcpApproxFtzF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	map1(d, a, func(x float64) float64 { return upperF64(1 / upperF64(x)) })
	Merge[float64](f, in.D, m)
}

// RsqrtApproxFtzF64 is 1 / the square root of a, from and to the upper 32 bits
// of numbers.
func RsqrtApproxFtzF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	map1(d, a, func(x float64) float64 { return upperF64(1 / math.Sqrt(upperF64(x))) })
	Merge[float64](f, in.D, m)
}
