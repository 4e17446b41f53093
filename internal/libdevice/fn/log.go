package fn

import "math"

// logNear is log(1 + z) for |z| < 1/64, by 2 atanh(z / (2 + z)).
func logNear(z dd) dd {
	s := z.div(z.plus(2))
	return s.mul(horner(s.sqr(), atanhCoefficients)).twice(2)
}

// logOf is log(a) for a > 0, also a subnormal one.
func logOf(a dd) dd {
	m, k := math.Frexp(a.hi)
	lo := math.Ldexp(a.lo, -k)
	if m < 0x1.6a09e667f3bcdp-1 {
		m, lo, k = mul(m, 2), mul(lo, 2), k-1
	}
	i := int(mul(m, 64) + 0.5)
	if i == 64 && k == 0 {
		return logNear(fastSum(m-1, lo))
	}
	r := &reciprocals[i-45]
	p := product(m, r.reciprocal)
	z := fastSum(p.hi-1, p.lo).plus(mul(lo, r.reciprocal))
	n := float64(k)
	sum := product(n, ln2Second).plus(mul(n, ln2Third)).add(r.log).add(logNear(z))
	return dd{hi: mul(n, ln2First)}.add(sum)
}

// log1pOf is log(1 + u).
func log1pOf(u dd) dd {
	if math.Abs(u.hi) < 1.0/128 {
		return logNear(u)
	}
	return logOf(u.plus(1))
}

// logarithm is f(x) with the special values that all logarithms have.
func logarithm(x float64, f func(x float64) float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	return f(x)
}

// Log is the natural logarithm.
func Log(x float64) float64 {
	if y, sure := logNearest(x, dd{hi: 1}); sure {
		return y
	}
	return logarithm(x, func(x float64) float64 { return logOf(dd{hi: x}).float() })
}

// Log2 is the logarithm to base 2.
func Log2(x float64) float64 {
	if y, sure := logNearest(x, log2e); sure {
		return y
	}
	return logarithm(x, func(x float64) float64 { return logOf(dd{hi: x}).mul(log2e).float() })
}

// Log10 is the logarithm to base 10.
func Log10(x float64) float64 {
	if y, sure := logNearest(x, log10e); sure {
		return y
	}
	return logarithm(x, func(x float64) float64 { return logOf(dd{hi: x}).mul(log10e).float() })
}

// Log1p is log(1 + x).
func Log1p(x float64) float64 {
	switch {
	case math.Abs(x) < 0x1p-500:
		return x
	case x > 0x1p200: // 1 is negligible
		return Log(x)
	}
	return logarithm(1+x, func(float64) float64 {
		if x <= -1 {
			return Log(1 + x)
		}
		if math.Abs(x) < 1.0/128 {
			if y, sure := quickNear(quickLogNear(dd{hi: x})); sure {
				return y
			}
			return logNear(dd{hi: x}).float()
		}
		u := twoSum(1, x)
		l := quickLog(u)
		if y, sure := nearest(l, quickLogError(l.hi)); sure {
			return y
		}
		return logOf(u).float()
	})
}

// Asinh is the inverse of Sinh.
func Asinh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || math.IsInf(x, 0) || a < 0x1p-500:
		return x
	case a > 0x1p100:
		return math.Copysign(logOf(dd{hi: a}).add(ln2).float(), x)
	}
	square := product(a, a)
	root := square.plus(1).sqrt()
	return math.Copysign(log1pOf(square.div(root.plus(1)).plus(a)).float(), x)
}

// Acosh is the inverse of Cosh.
func Acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	case x > 0x1p100:
		return logOf(dd{hi: x}).add(ln2).float()
	}
	t := twoSum(x, -1)
	return log1pOf(t.mul(t.plus(2)).sqrt().add(t)).float()
}

// Atanh is the inverse of Tanh.
func Atanh(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return math.NaN()
	case a == 1:
		return math.Copysign(math.Inf(1), x)
	case a < 0x1p-500:
		return x
	}
	u := dd{hi: mul(2, a)}.div(twoSum(1, -a))
	return math.Copysign(mul(log1pOf(u).float(), 0.5), x)
}

// Pow is x^y, with the special values of C.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y:
		return math.NaN()
	}
	a, whole := math.Abs(x), math.Trunc(y) == y
	odd := whole && math.Abs(y) < 0x1p53 && math.Mod(y, 2) != 0
	negative := odd && math.Signbit(x)
	switch {
	case a == 1 && (whole || math.IsInf(y, 0)):
		a = 1
	case math.IsInf(y, 0):
		if (a > 1) == (y > 0) {
			return math.Inf(1)
		}
		return 0
	case a == 0 || math.IsInf(a, 0):
		if (a == 0) == (y > 0) {
			a = 0
		} else {
			a = math.Inf(1)
		}
	case x < 0 && !whole:
		return math.NaN()
	default:
		a = powOf(a, y)
	}
	if negative {
		return -a
	}
	return a
}

// powOf is x^y for x that is positive and finite, and y that is finite.
func powOf(x, y float64) float64 {
	if x >= 0x1p-1022 {
		if z, sure := powNearest(x, y); sure {
			return z
		}
	}
	l := logOf(dd{hi: x})
	if p := mul(l.hi, y); p > 800 || p < -800 {
		return expOf(dd{hi: p})
	}
	if math.Abs(y) < 0x1p-900 {
		return 1
	}
	return expOf(l.times(y))
}
