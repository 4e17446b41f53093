package lanes

import "math"

// The approximations of PTX are bounded in error, not defined to the bit, and
// GPUs differ. Here the function is computed in float64 and rounded once,
// which is inside every bound.

// approximate applies fn to every lane. It honours FTZ.
func approximate(f *File, in *Op, m Mask, fn func(float64) float64) {
	d, a := unaryFloat[float32](f, in, m)
	for i := range d {
		d[i] = in.Mode.resultF32(float32(fn(float64(in.Mode.operandF32(a[i])))))
	}
	Merge[float32](f, in.D, m)
}

// RcpApproxF32 is 1 / a.
func RcpApproxF32(f *File, in *Op, m Mask) {
	approximate(f, in, m, func(x float64) float64 { return 1 / x })
}

// RsqrtApproxF32 is 1 / the square root of a; -Inf for -0.
func RsqrtApproxF32(f *File, in *Op, m Mask) {
	approximate(f, in, m, func(x float64) float64 { return 1 / math.Sqrt(x) })
}

// SqrtApproxF32 is the square root of a.
func SqrtApproxF32(f *File, in *Op, m Mask) { approximate(f, in, m, math.Sqrt) }

// transcend is approximate for functions that take so long that it pays to leave
// out the lanes that are not in m.
func transcend(f *File, in *Op, m Mask, fn func(float64) float64) {
	d, a := unaryFloat[float32](f, in, m)
	Some1(d, a, m, func(x float32) float32 { return in.Mode.resultF32(float32(fn(float64(in.Mode.operandF32(x))))) })
	Merge[float32](f, in.D, m)
}

// SinF32 is the sine of a, in radians.
func SinF32(f *File, in *Op, m Mask) { transcend(f, in, m, math.Sin) }

// CosF32 is the cosine of a, in radians.
func CosF32(f *File, in *Op, m Mask) { transcend(f, in, m, math.Cos) }

// Ex2F32 is 2 to the power of a.
func Ex2F32(f *File, in *Op, m Mask) { transcend(f, in, m, math.Exp2) }

// Lg2F32 is the logarithm of a to base 2; -Inf for both zeros. math.Log2 would
// cancel near 1.
func Lg2F32(f *File, in *Op, m Mask) {
	transcend(f, in, m, func(x float64) float64 { return math.Log(x) * (1 / math.Ln2) })
}

// TanhF32 is the hyperbolic tangent of a.
func TanhF32(f *File, in *Op, m Mask) { transcend(f, in, m, math.Tanh) }

// DivApproxF32 is a / b. Where the magnitude of b is above 2^126, so that its
// reciprocal is subnormal, the quotient is zero, or NaN for an infinite a. It
// honours FTZ.
func DivApproxF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	mode := in.Mode
	Map2(d, a, b, func(x, y float32) float32 {
		x, y = mode.operandF32(x), mode.operandF32(y)
		if y < -0x1p126 || y > 0x1p126 {
			return canonicalF32(x * float32(math.Copysign(0, float64(y))))
		}
		return mode.resultF32(x / y)
	})
	Merge[float32](f, in.D, m)
}

// DivFullF32 is a / b over the whole range. It honours FTZ.
func DivFullF32(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float32](f, in, m)
	mode := in.Mode
	Map2(d, a, b, func(x, y float32) float32 {
		return mode.resultF32(mode.operandF32(x) / mode.operandF32(y))
	})
	Merge[float32](f, in.D, m)
}

// nanApproxF64 is the NaN that the .f64 approximations give.
const nanApproxF64 = 0x7fffffff << 32

// RsqrtApproxF64 is 1 / the square root of a; -Inf for -0.
func RsqrtApproxF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	Map1(d, a, func(x float64) float64 {
		r := 1 / math.Sqrt(x)
		if r != r {
			return math.Float64frombits(nanApproxF64)
		}
		return r
	})
	Merge[float64](f, in.D, m)
}

// upperF64 is x as the .approx.ftz.f64 instructions see it and leave it: only
// the upper 32 bits count, so that a NaN with nothing there is infinite, and
// subnormal numbers are zero.
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
	Map1(d, a, func(x float64) float64 { return upperF64(1 / upperF64(x)) })
	Merge[float64](f, in.D, m)
}

// RsqrtApproxFtzF64 is 1 / the square root of a, from and to the upper 32 bits
// of numbers.
func RsqrtApproxFtzF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	Map1(d, a, func(x float64) float64 { return upperF64(1 / math.Sqrt(upperF64(x))) })
	Merge[float64](f, in.D, m)
}
