package fn

import "math"

// expPart returns x as r plus n times ln(2)/64, with |r| up to ln(2)/128, for |x| < 2^14.
func expPart(x dd) (r dd, n int) {
	f := math.RoundToEven(mul(x.hi, 0x1.71547652b82fep+6)) // 64 / ln(2)
	a, p := twoSum(x.hi, -mul(f, ln2First/64)), product(f, ln2Second/64)
	r = twoSum(a.hi, -p.hi)
	return twoSum(r.hi, r.lo+(a.lo-p.lo+math.FMA(f, -ln2Third/64, x.lo))), int(f)
}

// expReduced returns e^x as 1 + s times 2^k, for |x| < 2^14.
func expReduced(x dd) (s dd, k int) { return expOfPart(expPart(x)) }

// expOfPart returns e^r times 2^(n/64) as 1 + s times 2^k, with s between -0.3 and 0.42, for |r| up to ln(2)/128.
func expOfPart(r dd, n int) (s dd, k int) {
	j := (n+32)&63 - 32
	t := powersOf2[j&63]
	if j < 0 {
		t = t.twice(0.5)
	}
	return t.plus(-1).add(t.mul(expNear(r))), (n - j) / 64
}

// expNear returns e^r - 1 for |r| up to ln(2)/128. Of terms from r^6 on, a float64 has all the bits that matter.
func expNear(r dd) dd {
	s := dd{hi: math.FMA(r.hi, math.FMA(r.hi, math.FMA(r.hi, math.FMA(r.hi, 1.0/3628800, 1.0/362880), 1.0/40320), 1.0/5040), 1.0/720)}
	for n := 5; n > 0; n-- {
		s = s.mul(r).add(factorials[n])
	}
	return s.mul(r)
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
func Exp(x float64) float64 {
	if math.Abs(x) < quickExpMost {
		if y, sure := expNearest(dd{hi: x}, 0); sure {
			return y
		}
	}
	return expOf(dd{hi: x})
}

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
	n := math.RoundToEven(mul(x, 64))
	r := ln2.times(x - mul(n, 1.0/64))
	if math.Abs(x) < 1020 {
		m, k := quickExpOf(r, int(n))
		if y, sure := quickNear(m); sure {
			return mul(y, powerOf2(k))
		}
	}
	s, k := expOfPart(r, int(n))
	return dd{hi: 1}.add(s).scale(k)
}

// Exp10 is 10^x.
func Exp10(x float64) float64 {
	if x > 400 || x < -400 {
		return expOf(dd{hi: mul(x, 2)})
	}
	l := ln10.times(x)
	if math.Abs(l.hi) < quickExpMost {
		if y, sure := expNearest(l, 0); sure {
			return y
		}
	}
	return expOf(l)
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
	if y, sure := expm1Nearest(x); sure {
		return y
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
		e := quickExpm1(dd{hi: a})
		if y, sure := quickNear(e.add(e.div(e.plus(1)))); sure {
			return math.Copysign(mul(y, 0.5), x)
		}
		e = expm1Of(dd{hi: a})
		return math.Copysign(mul(e.add(e.div(e.plus(1))).float(), 0.5), x)
	}
	if a < quickExpMost {
		m, k := quickExp(dd{hi: a})
		if y, sure := quickNear(m.sub(dd{hi: 1}.div(m).twice(powerOf2(-2 * min(k, 500))))); sure {
			return math.Copysign(mul(y, powerOf2(k-1)), x)
		}
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
	if a < quickExpMost {
		m, k := quickExp(dd{hi: a})
		if y, sure := quickNear(m.add(dd{hi: 1}.div(m).twice(powerOf2(-2 * min(k, 500))))); sure {
			return mul(y, powerOf2(k-1))
		}
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
	if y, sure := tanhNearest(a); sure {
		return math.Copysign(y, x)
	}
	e := expm1Of(dd{hi: mul(2, a)})
	return math.Copysign(e.div(e.plus(2)).float(), x)
}
