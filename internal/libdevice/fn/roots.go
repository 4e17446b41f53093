package fn

import "math"

// cbrtOf returns the cube root of a > 0, as m times 2^k.
func cbrtOf(a float64) (m dd, k int) {
	f, e := math.Frexp(a)
	for e%3 != 0 {
		f, e = mul(f, 0.5), e+1
	}
	y := 0.4 + mul(0.6, f) // for 1/8 <= f < 1
	for range 4 {          // Halley's steps
		cube := mul(mul(y, y), y)
		y = mul(y, (cube+f+f)/(cube+cube+f))
	}
	square := product(y, y)
	rest := square.times(y).plus(-f)
	m = dd{hi: y}.sub(rest.div(square.times(3)))
	// The remaining error is of the order of the step squared.
	step := y - m.hi
	return m.plus(-mul(step, step) / y), e / 3
}

// Cbrt is the cube root.
func Cbrt(x float64) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return x
	}
	m, k := cbrtOf(math.Abs(x))
	return math.Copysign(m.scale(k), x)
}

// Rcbrt is 1 / Cbrt.
func Rcbrt(x float64) float64 {
	if x == 0 || x != x || math.IsInf(x, 0) {
		return 1 / x
	}
	m, k := cbrtOf(math.Abs(x))
	return math.Copysign(dd{hi: 1}.div(m).scale(-k), x)
}

// Rsqrt is the reciprocal of the root.
func Rsqrt(x float64) float64 {
	switch {
	case x == 0 || x != x || math.IsInf(x, 1):
		return 1 / math.Copysign(math.Sqrt(math.Abs(x)), x)
	case x < 0:
		return math.NaN()
	}
	f, e := math.Frexp(x)
	if e&1 != 0 {
		f, e = mul(f, 2), e-1
	}
	return dd{hi: 1}.div(dd{hi: f}.sqrt()).scale(-e / 2)
}

// Hypot is the root of the sum of the squares.
func Hypot(a, b float64) float64 { return squares(a, b).Norm() }

// Rhypot is 1 / Hypot.
func Rhypot(a, b float64) float64 { return squares(a, b).Rnorm() }

// Norm3d is the length of a vector.
func Norm3d(a, b, c float64) float64 { return squares(a, b, c).Norm() }

// Rnorm3d is 1 / Norm3d.
func Rnorm3d(a, b, c float64) float64 { return squares(a, b, c).Rnorm() }

// Norm4d is the length of a vector.
func Norm4d(a, b, c, d float64) float64 { return squares(a, b, c, d).Norm() }

// Rnorm4d is 1 / Norm4d.
func Rnorm4d(a, b, c, d float64) float64 { return squares(a, b, c, d).Rnorm() }
