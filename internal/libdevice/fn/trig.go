package fn

import (
	"math"
	"math/bits"
)

// quadrant returns finite x as r plus n times pi/2, with |r| <= pi/4 and n modulo 4.
func quadrant(x float64) (r dd, n int) {
	if math.Abs(x) <= math.Pi/4 {
		return dd{hi: x}, 0
	}
	f, n := turns(math.Abs(x))
	if x < 0 {
		f, n = f.neg(), -n
	}
	return f.mul(halfPi), n & 3
}

// turns returns x times 2/pi, for x > pi/4, as a fraction between -1/2 and 1/2 and an integer modulo 4. It multiplies
// by the significant bits of 2/pi (Payne and Hanek): 256 of them, because the fraction of a float64 may begin with 60
// zeros.
func turns(x float64) (f dd, n int) {
	b := math.Float64bits(x)
	mantissa, e := b&(1<<52-1)|1<<52, int(b>>52)-1075
	first := 64 + e - 2 // the earlier bits contribute multiples of 4
	word, shift := first/64, uint(first%64)
	var w [4]uint64 // of 2/pi, least significant first
	for i := range w {
		at := word + 3 - i
		w[i] = twoOverPi[at]<<shift | twoOverPi[at+1]>>(64-shift)
	}
	var p [4]uint64 // the product, modulo 4
	carry := uint64(0)
	for i := range w {
		hi, lo := bits.Mul64(w[i], mantissa)
		var c uint64
		p[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	n = int(p[3] >> 62)
	p[3] &= 1<<62 - 1
	negative := p[3]>>61 != 0
	if negative {
		n++
		borrow := uint64(0)
		for i := range p {
			p[i], borrow = bits.Sub64(0, p[i], borrow)
		}
		p[3] &= 1<<62 - 1
	}
	e = -254
	for range 3 { // shifts the leading bits to the front
		if p[3] != 0 {
			break
		}
		p = [4]uint64{0, p[0], p[1], p[2]}
		e -= 64
	}
	if z := uint(bits.LeadingZeros64(p[3])); z > 0 {
		for i := 3; i > 0; i-- {
			p[i] = p[i]<<z | p[i-1]>>(64-z)
		}
		p[0] <<= z
		e -= int(z)
	}
	hi := float64(p[3] >> 11)
	mid := float64((p[3]&(1<<11-1))<<42 | p[2]>>22)
	lo := float64(p[2]&(1<<22-1)<<31 | p[1]>>33)
	f = fastSum(math.Ldexp(hi, e+203), math.Ldexp(mid, e+150)).plus(math.Ldexp(lo, e+97))
	if negative {
		f = f.neg()
	}
	return f, n
}

// sinNear and cosNear return the sine and cosine for |x| < 0.8.
func sinNear(x dd) dd { return x.mul(horner(x.sqr(), sinCoefficients)) }
func cosNear(x dd) dd { return horner(x.sqr(), cosCoefficients) }

// sinQuadrant returns sin(r + n pi/2).
func sinQuadrant(r dd, n int) dd {
	switch n & 3 {
	case 0:
		return sinNear(r)
	case 1:
		return cosNear(r)
	case 2:
		return sinNear(r).neg()
	}
	return cosNear(r).neg()
}

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// Sin is the sine.
func Sin(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case math.Abs(x) < 0x1p-300:
		return x
	}
	if y, sure := sinNearest(x, 0); sure {
		return y
	}
	return sinQuadrant(quadrant(x)).float()
}

// Cos is the cosine.
func Cos(x float64) float64 {
	if !isFinite(x) {
		return math.NaN()
	}
	if y, sure := sinNearest(x, 1); sure {
		return y
	}
	r, n := quadrant(x)
	return sinQuadrant(r, n+1).float()
}

// Sincos is Sin and Cos.
func Sincos(x float64) (sin, cos float64) {
	if math.Abs(x) < quickReduced {
		r, n := quickQuadrant(x)
		s, c := quickSincos(r)
		if n&1 != 0 {
			s, c = c, s.neg()
		}
		if n&2 != 0 {
			s, c = s.neg(), c.neg()
		}
		sin, sure := nearest(s, math.FMA(math.Abs(s.hi), quickError, quickReduction))
		cos, sureToo := nearest(c, math.FMA(math.Abs(c.hi), quickError, quickReduction))
		if sure && sureToo && math.Abs(x) >= 0x1p-300 {
			return sin, cos
		}
	}
	return Sin(x), Cos(x)
}

// Tan is the tangent.
func Tan(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case math.Abs(x) < 0x1p-300:
		return x
	}
	if y, sure := tanNearest(x); sure {
		return y
	}
	r, n := quadrant(x)
	return sinQuadrant(r, n).div(sinQuadrant(r, n+1)).float()
}

// halves returns x as r plus n halves, with |r| <= 1/4 and n modulo 4.
func halves(x float64) (r float64, n int) {
	x = math.Mod(x, 2)
	half := math.RoundToEven(mul(2, x))
	return x - mul(half, 0.5), int(half) & 3
}

// Sinpi is sin(pi x): for integers a zero with the sign of x.
func Sinpi(x float64) float64 {
	switch {
	case !isFinite(x):
		return math.NaN()
	case math.Trunc(x) == x:
		return math.Copysign(0, x)
	case math.Abs(x) < 0x1p-300:
		return piDD.times(mul(x, 0x1p200)).scale(-200)
	}
	r, n := halves(x)
	a := piDD.times(r)
	if y, sure := quickNear(quickSin(a, n)); sure {
		return y
	}
	return sinQuadrant(a, n).float()
}

// Cospi is cos(pi x): 0 for half an odd integer.
func Cospi(x float64) float64 {
	if !isFinite(x) {
		return math.NaN()
	}
	r, n := halves(x)
	if r == 0 && n&1 != 0 {
		return 0
	}
	a := piDD.times(r)
	if y, sure := quickNear(quickSin(a, n+1)); sure {
		return y
	}
	return sinQuadrant(a, n+1).float()
}

// Sincospi is Sinpi and Cospi.
func Sincospi(x float64) (sin, cos float64) { return Sinpi(x), Cospi(x) }

// atanOf returns the angle of the point (x, y) in the first quadrant; not both may be 0.
func atanOf(y, x dd) dd {
	if y.hi > x.hi {
		return halfPi.sub(atanOf(x, y))
	}
	z := y.hi / x.hi
	t := z
	if z > 0.41421356 {
		z = (z - 1) / (z + 1)
	}
	u, p := mul(z, z), atanStart[len(atanStart)-1]
	for i := len(atanStart) - 2; i >= 0; i-- {
		p = math.FMA(p, u, atanStart[i])
	}
	if p = mul(p, z); t > 0.41421356 {
		p += math.Pi / 4
	}
	// The rest of the angle, after rotating the point by p.
	s, c := sinNear(dd{hi: p}), cosNear(dd{hi: p})
	d := y.mul(c).sub(x.mul(s)).div(x.mul(c).add(y.mul(s)))
	cube := mul(mul(d.hi, d.hi), d.hi)
	return d.plus(-cube / 3).plus(p)
}

// Atan is the arc tangent.
func Atan(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a < 0x1p-300:
		return x
	case a > 0x1p300:
		return math.Copysign(halfPi.hi, x)
	}
	return math.Copysign(atanNearest(dd{hi: a}, dd{hi: 1}), x)
}

// atanNearest is atanOf, rounded.
func atanNearest(y, x dd) float64 {
	if angle, sure := quickNear(quickAtan(y, x)); sure {
		return angle
	}
	return atanOf(y, x).float()
}

// Atan2 is the angle of the point (x, y), with the special values of C.
func Atan2(y, x float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	a, b := math.Abs(y), math.Abs(x)
	if math.IsInf(a, 0) && math.IsInf(b, 0) {
		a, b = 1, 1
	}
	var angle dd
	small := 0 // power of two by which the angle is scaled at the end
	switch {
	case a == 0 || math.IsInf(b, 0):
	case b == 0 || math.IsInf(a, 0):
		angle = halfPi
	default:
		ma, ea := math.Frexp(a)
		mb, eb := math.Frexp(b)
		switch d := ea - eb; {
		case d > 200:
			angle = halfPi
		case d < -200:
			angle, small = quotient(ma, mb), d
		default:
			return math.Copysign(angleNearest(dd{hi: math.Ldexp(ma, d)}, dd{hi: mb}, math.Signbit(x)), y)
		}
	}
	if math.Signbit(x) {
		if small < 0 {
			angle, small = dd{}, 0
		}
		angle = piDD.sub(angle)
	}
	return math.Copysign(angle.scale(small), y)
}

// angleNearest returns the angle of the point (x, y), rounded, or of (-x, y).
func angleNearest(y, x dd, negative bool) float64 {
	if !negative {
		return atanNearest(y, x)
	}
	if angle, sure := quickNear(piDD.sub(quickAtan(y, x))); sure {
		return angle
	}
	return piDD.sub(atanOf(y, x)).float()
}

// Asin is the arc sine.
func Asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return math.NaN()
	case a < 0x1p-300:
		return x
	}
	return math.Copysign(atanNearest(dd{hi: a}, otherLeg(a)), x)
}

// otherLeg returns the root of 1 - a^2.
func otherLeg(a float64) dd { return twoSum(1, -a).mul(twoSum(1, a)).sqrt() }

// Acos is the arc cosine.
func Acos(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return math.NaN()
	case x == 1:
		return 0
	}
	return angleNearest(otherLeg(a), dd{hi: a}, x < 0)
}
