package fn

import "math"

// The functions below are for arguments of single precision. They compute only with float64, with an error below
// 2^-38, and are then rounded to single precision: the result is the nearest float except for about one argument in
// ten thousand. They take a tenth of the time of the functions for double precision.

// The numbers of terms of series for single precision.
const (
	expTerms   = 12
	atanhTerms = 5
	sinTerms   = 9
)

// series64 returns the value at x of a polynomial with the first n coefficients, without their low parts.
func series64(x float64, coefficients []dd, n int) float64 {
	sum := coefficients[n-1].hi
	for i := n - 2; i >= 0; i-- {
		sum = math.FMA(sum, x, coefficients[i].hi)
	}
	return sum
}

// exp64 returns e^x for |x| < 700.
func exp64(x float64) float64 {
	n := math.RoundToEven(mul(x, log2e.hi))
	r := math.FMA(-n, ln2.lo, math.FMA(-n, ln2.hi, x))
	return mul(series64(r, factorials, expTerms), power(int(n)))
}

// power returns 2^n for -1022 <= n <= 1023.
func power(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// within returns x, limited to the bound beyond which the function is 0 or infinite in single precision. NaN stays
// NaN.
func within(x, bound float64) float64 {
	if x > bound {
		return bound
	}
	if x < -bound {
		return -bound
	}
	return x
}

// ExpSingle is e^x.
func ExpSingle(x float64) float64 { return exp64(within(x, 200)) }

// Exp10Single is 10^x.
func Exp10Single(x float64) float64 { return exp64(mul(within(x, 100), ln10.hi)) }

// Expm1Single is e^x - 1.
func Expm1Single(x float64) float64 {
	if math.Abs(x) < 0.25 {
		return mul(x, series64(x, factorials[1:], expTerms-1))
	}
	return exp64(within(x, 200)) - 1
}

// SinhSingle is the hyperbolic sine.
func SinhSingle(x float64) float64 {
	if math.Abs(x) < 0.25 {
		u := mul(x, x)
		return math.FMA(mul(x, u), 1.0/6+mul(u, 1.0/120+mul(u, 1.0/5040+mul(u, 1.0/362880))), x)
	}
	e := exp64(within(x, 200))
	return mul(0.5, e-1/e)
}

// CoshSingle is the hyperbolic cosine.
func CoshSingle(x float64) float64 {
	e := exp64(within(x, 200))
	return mul(0.5, e+1/e)
}

// TanhSingle is the hyperbolic tangent.
func TanhSingle(x float64) float64 {
	e := Expm1Single(mul(2, within(x, 20)))
	if x == 0 {
		return x
	}
	return e / (e + 2)
}

// log64 returns log(x) for x > 0 that is not subnormal.
func log64(x float64) float64 {
	b := math.Float64bits(x)
	k := int(b>>52) - 1022
	m := math.Float64frombits(b&(1<<52-1) | 1022<<52) // at least 0.5 and less than 1
	if m < 0x1.6a09e667f3bcdp-1 {
		m, k = mul(m, 2), k-1
	}
	i := int(mul(m, 64) + 0.5)
	r := &reciprocals[i-45]
	return math.FMA(float64(k), ln2.hi, r.log.hi+log1p64(math.FMA(m, r.reciprocal, -1)))
}

// log1p64 returns log(1 + z) for |z| < 1/64.
func log1p64(z float64) float64 {
	s := z / (2 + z)
	return mul(mul(2, s), series64(mul(s, s), atanhCoefficients, atanhTerms))
}

// LogSingle is the natural logarithm.
func LogSingle(x float64) float64 { return logarithm(x, log64) }

// Log2Single is the logarithm to base 2.
func Log2Single(x float64) float64 {
	return logarithm(x, func(x float64) float64 { return mul(log64(x), log2e.hi) })
}

// Log10Single is the logarithm to base 10.
func Log10Single(x float64) float64 {
	return logarithm(x, func(x float64) float64 { return mul(log64(x), log10e.hi) })
}

// Log1pSingle is log(1 + x).
func Log1pSingle(x float64) float64 {
	if math.Abs(x) < 1.0/128 {
		if x == 0 {
			return x
		}
		return log1p64(x)
	}
	return logarithm(1+x, log64)
}

// PowSingle is x^y.
func PowSingle(x, y float64) float64 {
	a := math.Abs(x)
	if !(a > 0 && isFinite(a) && isFinite(y)) {
		return Pow(x, y)
	}
	p := exp64(within(mul(y, log64(a)), 200))
	switch {
	case x > 0:
		return p
	case math.Trunc(y) != y:
		return math.NaN()
	case math.Mod(y, 2) != 0:
		return -p
	}
	return p
}

// quadrant64 is quadrant for a float64.
func quadrant64(x float64) (r float64, n int) {
	if math.Abs(x) > MostReduced {
		r, n := quadrant(x)
		return r.hi, n
	}
	k := math.RoundToEven(mul(x, twoOverPiDD.hi))
	return math.FMA(-k, halfPi.lo, math.FMA(-k, halfPi.hi, x)), int(k)
}

// sin64 is sin(r + n pi/2) for |r| <= pi/4.
func sin64(r float64, n int) float64 {
	u, v := mul(r, r), 0.0
	if n&1 == 0 {
		v = mul(r, series64(u, sinCoefficients, sinTerms))
	} else {
		v = series64(u, cosCoefficients, sinTerms)
	}
	if n&2 != 0 {
		return -v
	}
	return v
}

// SinSingle is the sine.
func SinSingle(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case x == 0:
		return x
	}
	return sin64(quadrant64(x))
}

// CosSingle is the cosine.
func CosSingle(x float64) float64 {
	if !isFinite(x) {
		return math.NaN()
	}
	r, n := quadrant64(x)
	return sin64(r, n+1)
}

// SincosSingle is SinSingle and CosSingle.
func SincosSingle(x float64) (sin, cos float64) {
	switch {
	case !isFinite(x):
		return math.NaN(), math.NaN()
	case x == 0:
		return x, 1
	}
	r, n := quadrant64(x)
	return sin64(r, n), sin64(r, n+1)
}

// TanSingle is the tangent.
func TanSingle(x float64) float64 {
	sin, cos := SincosSingle(x)
	return sin / cos
}

// SinpiSingle is sin(pi x).
func SinpiSingle(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case math.Trunc(x) == x:
		return math.Copysign(0, x)
	}
	r, n := halves(x)
	return sin64(mul(math.Pi, r), n)
}

// CospiSingle is cos(pi x).
func CospiSingle(x float64) float64 {
	if !isFinite(x) {
		return math.NaN()
	}
	r, n := halves(x)
	if r == 0 && n&1 != 0 {
		return 0
	}
	return sin64(mul(math.Pi, r), n+1)
}

// SincospiSingle is SinpiSingle and CospiSingle.
func SincospiSingle(x float64) (sin, cos float64) { return SinpiSingle(x), CospiSingle(x) }

// atan64 returns the angle of the point (x, y) in the first quadrant; x and y may be neither both 0 nor both
// infinite.
func atan64(y, x float64) float64 {
	small, great := min(x, y), max(x, y)
	z, base := small/great, 0.0
	if z > 0.41421356 {
		z, base = (small-great)/(small+great), math.Pi/4
	}
	u, p := mul(z, z), atanStart[len(atanStart)-1]
	for i := len(atanStart) - 2; i >= 0; i-- {
		p = math.FMA(p, u, atanStart[i])
	}
	a := math.FMA(p, z, base)
	if y > x {
		return math.Pi/2 - a
	}
	return a
}

// AtanSingle is the arc tangent.
func AtanSingle(x float64) float64 {
	if x != x || x == 0 {
		return x
	}
	return math.Copysign(atan64(within(math.Abs(x), 0x1p200), 1), x)
}

// AsinSingle is the arc sine.
func AsinSingle(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return math.NaN()
	case a == 0:
		return x
	}
	return math.Copysign(atan64(a, math.Sqrt(mul(1-a, 1+a))), x)
}

// AcosSingle is the arc cosine.
func AcosSingle(x float64) float64 {
	a := math.Abs(x)
	if !(a <= 1) {
		return math.NaN()
	}
	angle := atan64(math.Sqrt(mul(1-a, 1+a)), a)
	if x < 0 {
		return math.Pi - angle
	}
	return angle
}

// Atan2Single is the angle of the point (x, y).
func Atan2Single(y, x float64) float64 {
	a, b := math.Abs(y), math.Abs(x)
	if !(a > 0 && b > 0 && isFinite(a) && isFinite(b)) {
		return Atan2(y, x)
	}
	angle := atan64(a, b)
	if x < 0 {
		angle = math.Pi - angle
	}
	return math.Copysign(angle, y)
}

// unit64 is unit for a float64, with as many coefficients as single precision needs.
func (c *chebyshev) unit64(t float64) float64 {
	n := len(c.coefficients)
	for n > 1 && math.Abs(c.coefficients[n-1].hi) < 0x1p-44 {
		n--
	}
	a, b := 0.0, 0.0
	for i := n - 1; i > 0; i-- {
		a, b = math.FMA(mul(2, t), a, c.coefficients[i].hi-b), a
	}
	return math.FMA(t, a, c.coefficients[0].hi-b)
}

// erfcx64 returns erfc(x) e^(x^2) for x >= 0.
func erfcx64(x float64) float64 {
	return erfcxSeries.unit64((x-4)/(x+4)) / (1 + mul(2, x))
}

// ErfSingle is the error function.
func ErfSingle(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || x == 0:
		return x
	case a <= 2:
		return mul(x, erfSeries.unit64(math.FMA(a, mul(a, 0.5), -1)))
	case a > 5:
		return math.Copysign(1, x)
	}
	return math.Copysign(1-mul(exp64(-mul(a, a)), erfcx64(a)), x)
}

// ErfcSingle is 1 - ErfSingle.
func ErfcSingle(x float64) float64 {
	switch {
	case x != x:
		return x
	case x < 0.5:
		return 1 - ErfSingle(x)
	case x > 12:
		return 0
	}
	return mul(exp64(-mul(x, x)), erfcx64(x))
}

// NormcdfSingle is the cumulative distribution of the standard normal distribution.
func NormcdfSingle(x float64) float64 { return mul(0.5, ErfcSingle(-mul(x, rootHalf.hi))) }

// ErfinvSingle is the inverse of ErfSingle.
func ErfinvSingle(y float64) float64 {
	a := math.Abs(y)
	switch {
	case !(a < 1) || a == 0:
		return Erfinv(y)
	case a > 0.5:
		return math.Copysign(erfcinv64(1-a), y)
	}
	return erfinv64(y)
}

// erfinv64 returns the x with erf(x) = y, for 0 < |y| <= 1/2.
func erfinv64(y float64) float64 {
	u := mul(y, y)
	x := mul(mul(y, halfRootPi.hi), 1+mul(u, 0.2617993878+mul(u, 0.1439317+mul(u, mul(0.2, u)))))
	for range 2 {
		h := mul(mul(y-ErfSingle(x), halfRootPi.hi), exp64(mul(x, x)))
		x += h / (1 - mul(h, x))
	}
	return x
}

// erfcinv64 returns the x with erfc(x) = z, for 0 < z <= 1/2.
func erfcinv64(z float64) float64 {
	t := math.Sqrt(mul(-2, log64(z)-ln2.hi))
	x := mul(0.70711, t-(2.30753+mul(t, 0.27061))/(1+mul(t, 0.99229+mul(t, 0.04481))))
	for range 2 {
		h := mul(erfcx64(x)-mul(z, exp64(mul(x, x))), halfRootPi.hi)
		x += h / (1 - mul(h, x))
	}
	return x
}

// ErfcinvSingle is the inverse of ErfcSingle.
func ErfcinvSingle(z float64) float64 {
	switch {
	case !(z > 0 && z < 2) || z == 1:
		return Erfcinv(z)
	case z <= 0.5:
		return erfcinv64(z)
	case z >= 1.5:
		return -erfcinv64(2 - z)
	}
	return erfinv64(1 - z)
}

// NormcdfinvSingle is the inverse of NormcdfSingle.
func NormcdfinvSingle(p float64) float64 {
	if !(p > 0 && p < 1) || p == 0.5 {
		return Normcdfinv(p)
	}
	return -mul(ErfcinvSingle(mul(2, p)), rootTwo.hi)
}
