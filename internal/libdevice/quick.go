package libdevice

import (
	"math"

	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// quick returns a function of single precision with the results of f in the time of approx, which need not have the
// same bits on every machine: package math has assembly on some, and may fuse products and sums on others. The result
// of approx is taken if all numbers near it are rounded to the same .f32. Where it is in doubt, f decides.
func quick(approx, f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if y := approx(x); settled(y) {
			return y
		}
		return f(x)
	}
}

// quickTwo is quick for a function of two floats.
func quickTwo(approx, f func(a, b float64) float64) func(a, b float64) float64 {
	return func(a, b float64) float64 {
		if y := approx(a, b); settled(y) {
			return y
		}
		return f(a, b)
	}
}

// doubt is the relative error that results of approximations are suspected of: far more than that of package math, and
// than those of package fn for single precision. One argument in 2000 is in doubt.
const doubt = 0x1p-36

// settled reports whether all numbers within the doubt of x are rounded to the same normal .f32.
func settled(x float64) bool {
	if m := math.Abs(x); !(m > 0x1p-120 && m < 0x1p+127) {
		return false
	}
	e := float64(x * doubt)
	return float32(x-e) == float32(x+e)
}

func normcdf(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// lgamma is the logarithm of the absolute value of the gamma function. At its zeros below 0 math.Lgamma subtracts
// almost equal numbers, so that its relative error may exceed doubt. A result near 0 becomes 0, which is never
// settled: the exact function decides.
func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	if math.Abs(y) < 0x1p-6 {
		return 0
	}
	return y
}

func rcbrt(x float64) float64 { return 1 / math.Cbrt(x) }

// hypot needs no care for squares that overflow or underflow: a and b are of single precision.
func hypot(a, b float64) float64 { return math.Sqrt(a*a + b*b) }

func rhypot(a, b float64) float64 { return 1 / hypot(a, b) }

func norm3(a, b, c float64) float64     { return math.Sqrt(a*a + b*b + c*c) }
func rnorm3(a, b, c float64) float64    { return 1 / norm3(a, b, c) }
func norm4(a, b, c, d float64) float64  { return math.Sqrt(a*a + b*b + c*c + d*d) }
func rnorm4(a, b, c, d float64) float64 { return 1 / norm4(a, b, c, d) }

// singleMod is fn.Mod for numbers of single precision. If the quotient is less than 2^52 one product tells the rest,
// which is exact: a multiple of the last places of a and b, and less than 2b.
func singleMod(a, b float64) float64 {
	x, y := math.Abs(a), math.Abs(b)
	q := math.Trunc(x / y)
	if !(q < 1<<52) || y == 0 || math.IsInf(y, 0) {
		return fn.Mod(a, b)
	}
	r := math.FMA(-q, y, x)
	if r < 0 {
		r += y
	} else if r >= y {
		r -= y
	}
	return math.Copysign(r, a)
}
