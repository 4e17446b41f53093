package fn

import "math"

// expReduced returns e^x as 1 + s times 2^k, for |x| < 2^20.
func expReduced(x dd) (s dd, k int) {
	n := math.RoundToEven(mul(x.hi, log2e.hi))
	r := twoSum(x.hi, -mul(n, ln2First)).plus(x.lo)
	r = r.sub(product(n, ln2Second)).plus(-mul(n, ln2Third))
	return expm1Near(r), int(n)
}

// expm1Near returns e^x - 1 for |x| < 1/2: that of x/256 by its series, then squared eight times.
func expm1Near(x dd) dd {
	const steps, terms = 8, 11
	x = x.twice(1.0 / (1 << steps))
	s := factorials[terms]
	for n := terms - 1; n > 0; n-- {
		s = s.mul(x).add(factorials[n])
	}
	s = s.mul(x)
	for range steps {
		s = s.mul(s.plus(2))
	}
	return s
}

// expDD returns e^x as m times 2^k.
func expDD(x dd) (m dd, k int) {
	s, k := expReduced(x)
	return dd{hi: 1}.add(s), k
}

// The bounds of x outside of which e^x is infinite, or 0.
const (
	expMost  = 710
	expLeast = -746
)

// expOf returns e^x, rounded.
func expOf(x dd) float64 {
	switch {
	case x.hi != x.hi:
		return x.hi
	case x.hi > expMost:
		return math.Inf(1)
	case x.hi < expLeast:
		return 0
	}
	m, k := expDD(x)
	return m.scale(k)
}

// Exp is e^x.
func Exp(x float64) float64 { return expOf(dd{hi: x}) }

// Exp2 is 2^x.
func Exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 1025:
		return math.Inf(1)
	case x < -1080:
		return 0
	}
	k := math.RoundToEven(x)
	s := expm1Near(ln2.times(x - k))
	return dd{hi: 1}.add(s).scale(int(k))
}

// Exp10 is 10^x.
func Exp10(x float64) float64 {
	if x > 400 || x < -400 {
		return expOf(dd{hi: mul(x, 2)})
	}
	return expOf(ln10.times(x))
}

// expm1DD returns e^x - 1 as m times 2^k, for |x| < 2^20.
func expm1DD(x dd) (m dd, k int) {
	s, k := expReduced(x)
	if k == 0 {
		return s, 0
	}
	m = dd{hi: 1}.add(s)
	if k > 200 {
		return m, k
	}
	if k < -200 {
		return dd{hi: -1}, 0
	}
	return m.plus(-math.Ldexp(1, -k)), k
}

// Expm1 is e^x - 1.
func Expm1(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case x > expMost:
		return math.Inf(1)
	case x < -60:
		return -1
	case math.Abs(x) < 0x1p-500:
		return x
	}
	m, k := expm1DD(dd{hi: x})
	return m.scale(k)
}

// Sinh is the hyperbolic sine.
func Sinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || x == 0 || a < 0x1p-500 || math.IsInf(x, 0):
		return x
	case a > 712:
		return math.Copysign(math.Inf(1), x)
	case a < 1:
		e := expm1Of(dd{hi: a})
		return math.Copysign(mul(e.add(e.div(e.plus(1))).float(), 0.5), x)
	}
	m, k := expDD(dd{hi: a})
	return math.Copysign(m.sub(dd{hi: 1}.div(m).twice(math.Ldexp(1, -2*k))).scale(k-1), x)
}

// expm1Of is e^x - 1 for |x| < 100.
func expm1Of(x dd) dd {
	m, k := expm1DD(x)
	return m.twice(math.Ldexp(1, k))
}

// Cosh is the hyperbolic cosine.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a > 712:
		return math.Inf(1)
	}
	m, k := expDD(dd{hi: a})
	return m.add(dd{hi: 1}.div(m).twice(math.Ldexp(1, -2*k))).scale(k - 1)
}

// Tanh is the hyperbolic tangent.
func Tanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a < 0x1p-500:
		return x
	case a > 40:
		return math.Copysign(1, x)
	}
	e := expm1Of(dd{hi: mul(2, a)})
	return math.Copysign(e.div(e.plus(2)).float(), x)
}
