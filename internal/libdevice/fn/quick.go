package fn

import "math"

// Fast paths of the functions for double precision: with tables, and with the terms of a series past the second one in
// float64, they compute some 66 bits in a tenth of the time of 100. These determine the nearest float64 for all but
// one argument in a few hundred or more; the functions with 100 bits are used for the others. Since a fast path's
// error bound is known, its results are always those of 100 bits (TestQuickResultsAreThoseOf100Bits).

// nearest returns the float64 nearest to v, and whether it is the nearest one to all numbers that differ from v by at
// most e.
func nearest(v dd, e float64) (y float64, sure bool) {
	y = v.hi + (v.lo - e)
	return y, y == v.hi+(v.lo+e)
}

// quickError is the greatest relative error of a fast path, with a margin; TestQuickErrorsAreBounded measures a
// quarter of it or less.
const quickError = 0x1p-62

// quickNear is nearest for a result of a fast path with the usual error.
func quickNear(v dd) (y float64, sure bool) { return nearest(v, mul(math.Abs(v.hi), quickError)) }

// powerOf2 returns 2^k for k from -1022 to 1023.
func powerOf2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// quickExpMost bounds the arguments of quickExp: e^x is normal up to it.
const quickExpMost = 708

// quickExp returns e^x as m times 2^k, with m from 0.99 to 2 and an error below 2^-70, for |x| up to quickExpMost.
func quickExp(x dd) (m dd, k int) { return quickExpOf(expPart(x)) }

// quickExpOf returns e^r times 2^(n/64) as m times 2^k, for |r| up to ln(2)/128.
func quickExpOf(r dd, n int) (m dd, k int) {
	p, t := quickExpNear(r), &powersOf2[n&63]
	q := product(t.hi, p.hi)
	m = fastSum(t.hi, q.hi)
	return fastSum(m.hi, m.lo+(q.lo+math.FMA(t.hi, p.lo, math.FMA(t.lo, p.hi, t.lo)))), n >> 6
}

// quickExpNear returns e^r - 1 for |r| up to ln(2)/128.
func quickExpNear(r dd) dd {
	c := math.FMA(r.hi, math.FMA(r.hi, math.FMA(r.hi, math.FMA(r.hi, 1.0/5040, 1.0/720), 1.0/120), 1.0/24), 1.0/6)
	square := product(r.hi, r.hi)
	p := fastSum(r.hi, mul(square.hi, 0.5))
	p.lo += r.lo + math.FMA(r.hi, r.lo, mul(square.lo, 0.5)) + mul(mul(c, r.hi), square.hi)
	return p
}

// quickExpm1 returns e^x - 1 for |x| up to 1.
func quickExpm1(x dd) dd {
	r, n := expPart(x)
	p, t := quickExpNear(r), powersOf2[n&63].twice(powerOf2(n>>6))
	u, q := twoSum(t.hi, -1), product(t.hi, p.hi)
	s := twoSum(u.hi, q.hi)
	return fastSum(s.hi, u.lo+s.lo+(q.lo+math.FMA(t.hi, p.lo, math.FMA(t.lo, p.hi, t.lo))))
}

// expNearest returns e^x, rounded, if that is sure for an argument with an error up to e. x is at most quickExpMost.
func expNearest(x dd, e float64) (y float64, sure bool) {
	m, k := quickExp(x)
	y, sure = nearest(m, mul(m.hi, e+quickError))
	return mul(y, powerOf2(k)), sure
}

// expm1Nearest returns e^x - 1, rounded, if that is sure.
func expm1Nearest(x float64) (y float64, sure bool) {
	switch a := math.Abs(x); {
	case a < 1:
		return quickNear(quickExpm1(dd{hi: x}))
	case a < quickExpMost:
		m, k := quickExp(dd{hi: x})
		y, sure = quickNear(m.plus(-powerOf2(max(-k, -500))))
		return mul(y, powerOf2(k)), sure
	}
	return 0, false
}

// tanhNearest returns the hyperbolic tangent of a, from 0 to 40, rounded, if that is sure.
func tanhNearest(a float64) (y float64, sure bool) {
	var e dd // e^2a - 1
	if a < 0.5 {
		e = quickExpm1(dd{hi: mul(2, a)})
	} else {
		m, k := quickExp(dd{hi: mul(2, a)})
		e = m.twice(powerOf2(k)).plus(-1)
	}
	return quickNear(e.div(e.plus(2)))
}

// quickLog returns the logarithm of a number with a normal hi. The error is at most that of quickLogError.
func quickLog(a dd) dd {
	b := math.Float64bits(a.hi)
	k, m := int(b>>52)-1023, math.Float64frombits(b&(1<<52-1)|1023<<52)
	lo := mul(a.lo, powerOf2(-k))
	if m >= 0x1.6a09e667f3bcdp+0 {
		m, lo, k = mul(m, 0.5), mul(lo, 0.5), k+1
	}
	r := &reciprocals[int(math.FMA(m, 64, 0.5))-45]
	p := product(m, r.reciprocal)
	w := quickLogNear(twoSum(p.hi-1, math.FMA(lo, r.reciprocal, p.lo)))
	n := float64(k)
	s := twoSum(mul(n, ln2First), r.log.hi)
	t := twoSum(s.hi, w.hi)
	return fastSum(t.hi, s.lo+t.lo+(w.lo+math.FMA(n, ln2Second, r.log.lo)))
}

// quickLogNear returns log(1 + z) for |z| < 1/89.
func quickLogNear(z dd) dd {
	c := math.FMA(z.hi, math.FMA(z.hi, math.FMA(z.hi, math.FMA(z.hi, math.FMA(z.hi, math.FMA(z.hi, math.FMA(z.hi, -1.0/10, 1.0/9), -1.0/8), 1.0/7), -1.0/6), 1.0/5), -1.0/4), 1.0/3)
	square := product(z.hi, z.hi)
	w := fastSum(z.hi, -mul(square.hi, 0.5))
	w.lo += z.lo - math.FMA(z.hi, z.lo, mul(square.lo, 0.5)) + mul(mul(c, z.hi), square.hi)
	return w
}

// quickLogError bounds the error of a result l of quickLog: it is relative for arguments near 1.
func quickLogError(l float64) float64 {
	if l = math.Abs(l); l < 1.0/128 {
		return mul(l, quickError)
	}
	return 0x1p-69
}

// logNearest returns log(x) times scale, rounded, if that is sure.
func logNearest(x float64, scale dd) (y float64, sure bool) {
	if !(x >= 0x1p-1022) || x > math.MaxFloat64 {
		return 0, false
	}
	l := quickLog(dd{hi: x})
	return nearest(l.mul(scale), mul(quickLogError(l.hi)+mul(math.Abs(l.hi), 0x1p-100), mul(2, scale.hi)))
}

// powNearest returns x^y, rounded, for x that is normal, if that is sure.
func powNearest(x, y float64) (z float64, sure bool) {
	l := quickLog(dd{hi: x})
	p := l.times(y)
	if a := math.Abs(p.hi); !(a < quickExpMost) || a < 0x1p-900 {
		return 0, false
	}
	return expNearest(p, mul(math.Abs(y), quickLogError(l.hi)))
}

// quickReduced bounds the arguments of quickQuadrant.
const quickReduced = 1 << 18

// quickQuadrant is quadrant for |x| < quickReduced, with an error of r below quickReduction.
func quickQuadrant(x float64) (r dd, n int) {
	if math.Abs(x) <= math.Pi/4 {
		return dd{hi: x}, 0
	}
	q := math.RoundToEven(mul(x, 2/math.Pi))
	a, p := twoSum(x, -mul(q, halfPiFirst)), product(q, halfPiSecond)
	r = twoSum(a.hi, -p.hi)
	r = fastSum(r.hi, r.lo+(a.lo-p.lo-mul(q, halfPiThird)))
	return r, int(q) & 3
}

const quickReduction = 0x1p-96

// quickSincos returns the sine and cosine of r, for |r| < 0.79.
func quickSincos(r dd) (sin, cos dd) {
	a := r
	if r.hi < 0 {
		a = r.neg()
	}
	i := int(math.FMA(a.hi, 32, 0.5))
	t := twoSum(a.hi-float64(i)/32, a.lo)
	square := product(t.hi, t.hi)
	u := square.hi
	sine := dd{t.hi, t.lo + mul(mul(t.hi, u), math.FMA(u, math.FMA(u, math.FMA(u, 1.0/362880, -1.0/5040), 1.0/120), -1.0/6))}
	less1 := fastSum(mul(u, -0.5), mul(mul(u, u), math.FMA(u, math.FMA(u, 1.0/40320, -1.0/720), 1.0/24))) // cos(t) - 1
	less1.lo -= math.FMA(t.hi, t.lo, mul(square.lo, 0.5))
	s, c := sines[i], cosines[i]
	sin, cos = rotated(s, c, sine, less1), rotated(c, s.neg(), sine, less1)
	if r.hi < 0 {
		sin = sin.neg()
	}
	return sin, cos
}

// rotated returns a + b sine + a less1.
func rotated(a, b, sine, less1 dd) dd {
	p, q := product(b.hi, sine.hi), product(a.hi, less1.hi)
	u := twoSum(a.hi, p.hi)
	v := twoSum(u.hi, q.hi)
	lo := a.lo + math.FMA(b.lo, sine.hi, math.FMA(b.hi, sine.lo, math.FMA(a.hi, less1.lo, mul(a.lo, less1.hi))))
	return fastSum(v.hi, u.lo+v.lo+(p.lo+q.lo+lo))
}

// sinNearest returns sin(x + n pi/2), rounded, if that is sure.
func sinNearest(x float64, n int) (y float64, sure bool) {
	if !(math.Abs(x) < quickReduced) {
		return 0, false
	}
	r, k := quickQuadrant(x)
	v := quickSin(r, k+n)
	return nearest(v, math.FMA(math.Abs(v.hi), quickError, quickReduction))
}

// quickSin returns sin(r + n pi/2) for |r| < 0.79.
func quickSin(r dd, n int) dd {
	v, cos := quickSincos(r)
	if n&1 != 0 {
		v = cos
	}
	if n&2 != 0 {
		return v.neg()
	}
	return v
}

// quickAtan is atanOf.
func quickAtan(y, x dd) dd {
	if y.hi > x.hi {
		return halfPi.sub(quickAtan(x, y))
	}
	i := int(math.FMA(y.hi/x.hi, 64, 0.5))
	c := float64(i) / 64
	d := y.sub(x.times(c)).div(x.add(y.times(c))) // the tangent of the rest of the angle
	u := mul(d.hi, d.hi)
	d.lo += math.FMA(-u, d.lo, mul(mul(d.hi, u), math.FMA(u, math.FMA(u, math.FMA(u, math.FMA(u, -1.0/11, 1.0/9), -1.0/7), 1.0/5), -1.0/3)))
	s := twoSum(arcTangents[i].hi, d.hi)
	return fastSum(s.hi, s.lo+(arcTangents[i].lo+d.lo))
}

// tanNearest returns tan(x), rounded, if that is sure.
func tanNearest(x float64) (y float64, sure bool) {
	if !(math.Abs(x) < quickReduced) {
		return 0, false
	}
	r, n := quickQuadrant(x)
	sin, cos := quickSincos(r)
	if n&1 != 0 {
		sin, cos = cos, sin.neg()
	}
	v := sin.div(cos)
	return nearest(v, math.FMA(math.Abs(v.hi), 2*quickError, mul(quickReduction, math.FMA(v.hi, v.hi, 1))))
}

// quickErf returns erf(x) for |x| <= 2.
func quickErf(x dd) dd { return erfSeries.sum(erfSeries.mapped(x.sqr()), minorIfQuick).mul(x) }

// quickErfc returns erfc(x) as m times 2^k, for x from -10 to 26.
func quickErfc(x dd) (m dd, k int) {
	switch {
	case x.hi < 0.5 && x.hi > -2:
		return dd{hi: 1}.sub(quickErf(x)), 0
	case x.hi < 0:
		m, k = quickErfc(x.neg())
		return dd{hi: 2}.sub(m.twice(powerOf2(k))), 0
	}
	m, k = quickExp(x.sqr().neg())
	t := x.plus(-4).div(x.plus(4))
	return m.mul(erfcxSeries.sum(t, minorIfQuick)).div(x.twice(2).plus(1)), k
}
