package fn

import "math"

// besselLimit is the lower limit for Hankel's expansions.
const besselLimit = 16

// hankel is the first or the second function of Bessel, of order 0 or 1, for x >= besselLimit.
func hankel(order int, second bool, x float64) dd {
	u := quotient(besselLimit, x).sqr()
	p, q := hankelP0.at(u), hankelQ0.at(u)
	if order == 1 {
		p, q = hankelP1.at(u), hankelQ1.at(u)
	}
	q = q.div(dd{hi: x})
	return wave(order, second, x, p, q)
}

// hankelFrom is the lower limit at which the least term of Hankel's series, about e^(-2x), is negligible.
const hankelFrom = 50

// hankelSeries is hankel for any order n and x of at least 4n^2 and hankelFrom: each term of P and Q is then less
// than an eighth of the previous one.
func hankelSeries(n int, second bool, x float64) dd {
	four := product(mul(2, float64(n)), mul(2, float64(n)))
	term, sums := dd{hi: 1}, [2]dd{{hi: 1}, {}}
	for k := 1; k < 40; k++ {
		odd := float64(2*k - 1)
		term = term.mul(four.plus(-mul(odd, odd))).div(dd{hi: float64(8 * k)}).div(dd{hi: x})
		if math.Abs(term.hi) < 0x1p-130 {
			break
		}
		sum := &sums[k&1]
		if k&2 != 0 {
			*sum = sum.sub(term)
		} else {
			*sum = sum.add(term)
		}
	}
	return wave(n, second, x, sums[0], sums[1])
}

// wave returns sqrt(2/(pi x)) (P cos(c) - Q sin(c)), or sqrt(2/(pi x)) (P sin(c) + Q cos(c)) for the second kind,
// where c = x - pi/4 - order pi/2.
func wave(order int, second bool, x float64, p, q dd) dd {
	// As one sine, for exactness at its zeros: P + iQ is r e^(i a).
	r := p.sqr().add(q.sqr()).sqrt()
	angle, n := quadrant(x)
	var a dd
	if q.hi < 0 {
		a = atanOf(q.neg(), p).neg()
	} else {
		a = atanOf(q, p)
	}
	angle = angle.sub(quarterPi).add(a)
	n -= order & 3
	if !second {
		n++
	}
	if angle.hi > quarterPi.hi {
		angle, n = angle.sub(halfPi), n+1
	} else if angle.hi < -quarterPi.hi {
		angle, n = angle.add(halfPi), n-1
	}
	root := twoOverPiDD.div(dd{hi: x}).sqrt()
	if x > 0x1p1000 {
		root = twoOverPiDD.div(dd{hi: mul(x, 0x1p-200)}).sqrt().twice(0x1p-100)
	}
	return sinQuadrant(angle, n).mul(r).mul(root)
}

func j0Of(x float64) dd {
	if x < besselLimit {
		return value(j0Near, x)
	}
	return hankel(0, false, x)
}

func j1Of(x float64) dd {
	if x < besselLimit {
		return value(j1Near, x)
	}
	return hankel(1, false, x)
}

func y0Of(x float64) dd {
	switch {
	case x < 0.5:
		l := logOf(dd{hi: x}).add(eulerLn2)
		return twoOverPiDD.mul(l).mul(j0Of(x)).add(y0Regular.at(product(x, x)))
	case x < besselLimit:
		return value(y0Near, x)
	}
	return hankel(0, true, x)
}

func y1Of(x float64) dd {
	switch {
	case x < 1:
		l := logOf(dd{hi: x}).sub(ln2)
		return twoOverPiDD.mul(l.mul(j1Of(x)).sub(dd{hi: 1}.div(dd{hi: x}))).add(y1Regular.at(product(x, x)).times(x))
	case x < besselLimit:
		return value(y1Near, x)
	}
	return hankel(1, true, x)
}

// J0 is the function of Bessel of the first kind, of order 0.
func J0(x float64) float64 {
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return 0
	}
	return j0Of(math.Abs(x)).float()
}

// J1 is the function of Bessel of the first kind, of order 1.
func J1(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case math.IsInf(x, 0):
		return math.Copysign(0, x)
	case a < 0x1p-300:
		return mul(x, 0.5)
	}
	v := j1Of(a).float()
	if x < 0 {
		return -v
	}
	return v
}

// ofSecondKind returns f(x), with the special values of functions of the second kind.
func ofSecondKind(x float64, f func(x float64) float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return 0
	}
	return f(x)
}

// Y0 is the function of Bessel of the second kind, of order 0.
func Y0(x float64) float64 {
	return ofSecondKind(x, func(x float64) float64 { return y0Of(x).float() })
}

// Y1 is the function of Bessel of the second kind, of order 1.
func Y1(x float64) float64 {
	return ofSecondKind(x, func(x float64) float64 {
		if x < 0x1p-300 { // -2/(pi x)
			return twoOverPiDD.div(dd{hi: -mul(x, 0x1p300)}).scale(300)
		}
		return y1Of(x).float()
	})
}

// scaled is m times 2^e, for numbers outside the range of float64.
type scaled struct {
	m dd
	e int
}

// isFar reports whether hankelSeries applies to x.
func isFar(order, x float64) bool { return x >= hankelFrom && mul(mul(4, order), order) <= x }

// Jn is the function of the first kind of order n; NaN for n below 0. Its time is proportional to n, unless x is at
// least 4n^2 and 50.
func Jn(n int32, x float64) float64 {
	a := math.Abs(x)
	switch {
	case n < 0 || x != x:
		return math.NaN()
	case n == 0:
		return J0(x)
	case n == 1:
		return J1(x)
	case a < 0x1p-540 || math.IsInf(x, 0): // x^2/8, or less, is negligible
		return 0
	}
	var v float64
	if order := float64(n); isFar(order, a) {
		v = hankelSeries(int(n), false, a).float()
	} else if order <= a {
		before, at := j0Of(a), j1Of(a)
		for k := 1; k < int(n); k++ {
			before, at = at, at.times(float64(2*k)).div(dd{hi: a}).sub(before)
		}
		v = at.float()
	} else {
		v = jnBelow(int(n), a)
	}
	if x < 0 && n&1 != 0 {
		return -v
	}
	return v
}

// jnBelow is Jn for n > x > 0, by Miller's recurrence: downwards from an order at which it is negligible, and then
// scaled to match j0 or j1.
func jnBelow(n int, x float64) float64 {
	// Kapteyn's inequality is an upper bound.
	z := x / float64(n)
	root := math.Sqrt(mul(1-z, 1+z))
	if mul(float64(n), root+logOf(dd{hi: z / (1 + root)}).hi) < -760 {
		return 0
	}
	top := n
	for ratio, last := 1.0, 0.0; math.Abs(ratio) < 0x1p120 && top < n+1<<22; top++ {
		ratio, last = mul(ratio, float64(2*top)/x)-last, ratio
	}
	at, after, e, wanted := dd{hi: 1}, dd{}, 0, scaled{}
	for k := top; k > 0; k-- {
		if k == n {
			wanted = scaled{at, e}
		}
		at, after = at.times(float64(2*k)).div(dd{hi: x}).sub(after), at
		for math.Abs(at.hi) > 0x1p300 {
			at, after, e = at.twice(0x1p-300), after.twice(0x1p-300), e+300
		}
	}
	known, computed := j0Of(x), at
	if one := j1Of(x); math.Abs(one.hi) > math.Abs(known.hi) {
		known, computed = one, after
	}
	return wanted.m.mul(known).div(computed).scale(wanted.e - e)
}

// Yn is the function of the second kind of order n; NaN for n below 0. Its time is proportional to n, unless x is at
// least 4n^2 and 50.
func Yn(n int32, x float64) float64 {
	switch {
	case n < 0:
		return math.NaN()
	case n == 0:
		return Y0(x)
	case n == 1:
		return Y1(x)
	}
	return ofSecondKind(x, func(x float64) float64 {
		if x < 0x1p-520 {
			return math.Inf(-1)
		}
		if isFar(float64(n), x) {
			return hankelSeries(int(n), true, x).float()
		}
		before, at, e := y0Of(x), y1Of(x), 0
		if x < 1 { // the quotients by it must not overflow
			before, at, e = before.twice(0x1p-600), at.twice(0x1p-600), 600
		}
		for k := 1; k < int(n) && e < 3000; k++ {
			before, at = at, at.times(float64(2*k)).div(dd{hi: x}).sub(before)
			for math.Abs(at.hi) > 0x1p300 {
				at, before, e = at.twice(0x1p-300), before.twice(0x1p-300), e+300
			}
		}
		return at.scale(e)
	})
}

// modified returns I0 or I1 of x >= 0, as m times 2^k.
func modified(x float64, coefficients []dd, far *chebyshev) (m dd, k int) {
	if x <= 20 {
		return horner(product(x, x).twice(0.25), coefficients), 0
	}
	m, k = expDD(dd{hi: x})
	return m.mul(far.at(quotient(20, x))).div(dd{hi: x}.sqrt()), k
}

// CylBesselI0 is the modified function of Bessel of order 0.
func CylBesselI0(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a > 720:
		return math.Inf(1)
	}
	m, k := modified(a, i0Coefficients, &i0Scaled)
	return m.scale(k)
}

// CylBesselI1 is the modified function of Bessel of order 1.
func CylBesselI1(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return x
	case a > 720:
		return math.Copysign(math.Inf(1), x)
	case a < 0x1p-300:
		return mul(x, 0.5)
	}
	m, k := modified(a, i1Coefficients, &i1Scaled)
	if a <= 20 {
		m = m.times(mul(a, 0.5))
	}
	return math.Copysign(m.scale(k), x)
}
