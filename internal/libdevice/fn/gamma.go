package fn

import "math"

// stirlingFrom is the lower limit at which Stirling's series has 110 bits.
const stirlingFrom = 20

// lgammaOf returns log(gamma(x)) for x > 0.
func lgammaOf(x dd) dd {
	switch {
	case x.hi < 0.5:
		return lgammaOf(x.plus(1)).sub(logOf(x))
	case x.hi < 1.5:
		return lgammaLow.at(x).mul(x.plus(-1)).mul(x.plus(-2))
	case x.hi < 2.5:
		return lgammaHigh.at(x).mul(x.plus(-1)).mul(x.plus(-2))
	}
	factor := dd{hi: 1}
	for x.hi < stirlingFrom {
		factor = factor.mul(x)
		x = x.plus(1)
	}
	l := logOf(x)
	sum := x.plus(-0.5).mul(l).sub(x).add(halfLogTwoPi)
	if x.hi < 0x1p60 {
		r := dd{hi: 1}.div(x)
		sum = sum.add(horner(r.sqr(), stirling).mul(r))
	}
	if factor.hi != 1 {
		sum = sum.sub(logOf(factor))
	}
	return sum
}

// Lgamma is the logarithm of the absolute value of Tgamma.
func Lgamma(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0) || x <= 0 && math.Trunc(x) == x:
		return math.Inf(1)
	case x > 0x1p200: // x (log(x) - 1), where x alone may be near the greatest float
		return logOf(dd{hi: x}).plus(-1).times(mul(x, 0x1p-200)).scale(200)
	case x > 0:
		return lgammaOf(dd{hi: x}).float()
	case x > -0x1p-100: // 1/|x|
		return logOf(dd{hi: -x}).neg().float()
	}
	for i := range lgammaZeros {
		z := &lgammaZeros[i]
		if d := x - z.zero; math.Abs(d) < 0x1p-40 {
			distance := twoSum(d, -z.zeroLow).plus(-z.zeroLowest)
			slope := twoSum(z.slope, mul(z.curve, mul(0.5, distance.hi)))
			return slope.mul(distance).float()
		}
	}
	return logPi.sub(logOf(sinpiOf(-x))).sub(lgammaOf(twoSum(1, -x))).float()
}

// sinpiOf returns |sin(pi x)| for x that is not an integer.
func sinpiOf(x float64) dd {
	r, n := halves(x)
	s := sinQuadrant(piDD.times(r), n)
	if s.hi < 0 {
		return s.neg()
	}
	return s
}

// Tgamma is the gamma function.
func Tgamma(x float64) float64 {
	switch {
	case x == 0:
		return 1 / x
	case x != x || math.IsInf(x, -1) || x < 0 && math.Trunc(x) == x:
		return math.NaN()
	case x > 180:
		return math.Inf(1)
	case x > 0:
		return expOf(lgammaOf(dd{hi: x}))
	case x > -0x1p-100:
		return 1 / x
	}
	negative := math.Mod(math.Trunc(x), 2) == 0 // between -1 and 0, -3 and -2 …
	result := 0.0
	if x > -200 {
		m, k := expDD(lgammaOf(twoSum(1, -x)))
		result = piDD.div(sinpiOf(-x).mul(m)).scale(-k)
	}
	if negative {
		return -result
	}
	return result
}
