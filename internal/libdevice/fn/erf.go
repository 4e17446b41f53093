package fn

import "math"

// erfNear returns erf(x) for |x| <= 2.
func erfNear(x dd) dd { return erfSeries.at(x.sqr()).mul(x) }

// erfcxOf returns erfc(x) e^(x^2) for x >= 0.
func erfcxOf(x dd) dd {
	if x.hi > 0x1p500 {
		return dd{hi: 0.5}.div(halfRootPi.mul(x))
	}
	t := x.plus(-4).div(x.plus(4))
	return erfcxSeries.unit(t).div(x.twice(2).plus(1))
}

// erfcOf returns erfc(x) as m times 2^k, for |x| < 40.
func erfcOf(x dd) (m dd, k int) {
	switch {
	case x.hi < 0.5 && x.hi > -2:
		return dd{hi: 1}.sub(erfNear(x)), 0
	case x.hi < 0:
		m, k = erfcOf(x.neg())
		return dd{hi: 2}.sub(m.twice(math.Ldexp(1, k))), 0
	}
	m, k = expDD(x.sqr().neg())
	return m.mul(erfcxOf(x)), k
}

// Erf is the error function.
func Erf(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || x == 0:
		return x
	case a < 0x1p-300:
		return dd{hi: mul(x, 0x1p200)}.div(halfRootPi).scale(-200)
	case a > 6:
		return math.Copysign(1, x)
	case a <= 2:
		if y, sure := quickNear(quickErf(dd{hi: x})); sure {
			return y
		}
		return erfNear(dd{hi: x}).float()
	}
	m, k := quickErfc(dd{hi: a})
	if y, sure := quickNear(dd{hi: 1}.sub(m.twice(powerOf2(k)))); sure {
		return math.Copysign(y, x)
	}
	m, k = erfcOf(dd{hi: a})
	return math.Copysign(dd{hi: 1}.sub(m.twice(math.Ldexp(1, k))).float(), x)
}

// erfcAt returns erfc(x) times 2^down, rounded.
func erfcAt(x dd, down int) float64 {
	switch {
	case x.hi != x.hi:
		return x.hi
	case x.hi > 30:
		return 0
	case x.hi < -10:
		return math.Ldexp(2, down)
	}
	if x.hi < 26 { // the result is normal
		m, k := quickErfc(x)
		if y, sure := quickNear(m); sure {
			return mul(y, powerOf2(k+down))
		}
	}
	m, k := erfcOf(x)
	return m.scale(k + down)
}

// Erfc is 1 - Erf.
func Erfc(x float64) float64 { return erfcAt(dd{hi: x}, 0) }

// Normcdf is the cumulative distribution of the standard normal distribution.
func Normcdf(x float64) float64 {
	if math.Abs(x) > 100 {
		return erfcAt(dd{hi: -x}, -1)
	}
	return erfcAt(rootHalf.times(-x), -1)
}

// Erfcx is erfc(x) e^(x^2).
func Erfcx(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 1):
		return 0
	case x >= 0:
		if x > 0x1p1000 { // the result may be subnormal
			return dd{hi: 0.5}.div(halfRootPi.times(mul(x, 0x1p-200))).scale(-200)
		}
		return erfcxOf(dd{hi: x}).float()
	case x < -27:
		return math.Inf(1)
	}
	m, k := expDD(product(x, x))
	// 2 e^(x^2) - erfcx(-x)
	return m.twice(2).sub(erfcxOf(dd{hi: -x}).twice(math.Ldexp(1, -k))).scale(k)
}

// erfinvOf returns the x with erf(x) = y, for |y| <= 1/2.
func erfinvOf(y dd) dd {
	u := mul(y.hi, y.hi)
	x := mul(mul(y.hi, 0.886226925452758), 1+mul(u, 0.2617993878+mul(u, 0.1439317+mul(u, mul(0.2, u)))))
	at := dd{hi: x}
	for range 3 { // Halley's steps
		m, k := expDD(at.sqr())
		h := y.sub(erfNear(at)).mul(halfRootPi).mul(m).twice(math.Ldexp(1, k))
		at = at.add(h.div(dd{hi: 1 - mul(h.hi, at.hi)}))
	}
	return at
}

// erfcinvOf returns the x with erfc(x) = z, for 0 < z <= 1/2.
func erfcinvOf(z float64) dd {
	t := math.Sqrt(mul(-2, logOf(dd{hi: z}).hi-ln2.hi))
	x := mul(0.70711, t-(2.30753+mul(t, 0.27061))/(1+mul(t, 0.99229+mul(t, 0.04481))))
	at := dd{hi: x}
	for range 3 {
		m, k := expDD(at.sqr())
		f, e := math.Frexp(z)
		h := erfcxOf(at).sub(m.times(f).twice(math.Ldexp(1, k+e))).mul(halfRootPi)
		at = at.add(h.div(dd{hi: 1 - mul(h.hi, at.hi)}))
	}
	return at
}

// Erfinv is the inverse of Erf.
func Erfinv(y float64) float64 {
	a := math.Abs(y)
	switch {
	case !(a <= 1):
		return math.NaN()
	case a == 1:
		return math.Copysign(math.Inf(1), y)
	case a == 0:
		return y
	case a < 0x1p-300:
		return halfRootPi.times(mul(y, 0x1p200)).scale(-200)
	case a <= 0.5:
		return erfinvOf(dd{hi: y}).float()
	}
	return math.Copysign(erfcinvOf(1-a).float(), y)
}

// erfcinv is the inverse of Erfc for 0 < z < 2.
func erfcinv(z float64) dd {
	switch {
	case z <= 0.5:
		return erfcinvOf(z)
	case z >= 1.5:
		return erfcinvOf(2 - z).neg()
	}
	return erfinvOf(dd{hi: 1 - z})
}

// Erfcinv is the inverse of Erfc.
func Erfcinv(z float64) float64 {
	switch {
	case !(z >= 0 && z <= 2):
		return math.NaN()
	case z == 0:
		return math.Inf(1)
	case z == 2:
		return math.Inf(-1)
	}
	return erfcinv(z).float()
}

// Normcdfinv is the inverse of Normcdf.
func Normcdfinv(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case p == 0.5:
		return 0
	}
	return erfcinv(mul(2, p)).mul(rootTwo).neg().float()
}
