// Package fn is functions of real numbers with the same results on every machine. They use only additions, products
// and fused products of float64, and a compiler must not fuse any of these (TestNothingFuses).
//
// Most are computed as a sum of two float64, with about 100 bits, and rounded once: the result is the nearest float64
// except for about one argument in a trillion.
package fn

import "math"

// dd is the sum of two floats; lo is at most half an ulp of hi.
type dd struct{ hi, lo float64 }

// mul returns a separately rounded product: Go may fuse a product with a following sum.
func mul(a, b float64) float64 { return float64(a * b) }

// twoSum returns a + b, exactly.
func twoSum(a, b float64) dd {
	s := a + b
	t := s - a
	return dd{s, (a - (s - t)) + (b - t)}
}

// fastSum returns a + b, exactly, if a is 0 or has at least the magnitude of b.
func fastSum(a, b float64) dd {
	s := a + b
	return dd{s, b - (s - a)}
}

// product returns a * b, exactly unless it underflows.
func product(a, b float64) dd {
	p := mul(a, b)
	return dd{p, math.FMA(a, b, -p)}
}

func (a dd) neg() dd { return dd{-a.hi, -a.lo} }

func (a dd) add(b dd) dd {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

func (a dd) sub(b dd) dd { return a.add(b.neg()) }

// plus returns a + b.
func (a dd) plus(b float64) dd {
	s := twoSum(a.hi, b)
	return fastSum(s.hi, s.lo+a.lo)
}

func (a dd) mul(b dd) dd {
	p := product(a.hi, b.hi)
	return fastSum(p.hi, p.lo+math.FMA(a.hi, b.lo, mul(a.lo, b.hi)))
}

// times returns a * b.
func (a dd) times(b float64) dd {
	p := product(a.hi, b)
	return fastSum(p.hi, math.FMA(a.lo, b, p.lo))
}

func (a dd) sqr() dd { return a.mul(a) }

// twice returns a times a power of two.
func (a dd) twice(power float64) dd { return dd{mul(a.hi, power), mul(a.lo, power)} }

func (a dd) div(b dd) dd {
	q := a.hi / b.hi
	r := a.sub(b.times(q))
	return fastSum(q, r.hi/b.hi)
}

func (a dd) sqrt() dd {
	if a.hi <= 0 {
		return dd{math.Sqrt(a.hi), 0}
	}
	s := math.Sqrt(a.hi)
	r := a.sub(product(s, s))
	return fastSum(s, r.hi/(s+s))
}

func (a dd) float() float64 { return a.hi + a.lo }

func quotient(a, b float64) dd { return dd{hi: a}.div(dd{hi: b}) }

// scale returns a times 2^e, rounded once, also if the result is subnormal.
func (a dd) scale(e int) float64 {
	if a.hi == 0 || math.IsInf(a.hi, 0) || a.hi != a.hi {
		return a.hi
	}
	if _, exp := math.Frexp(a.hi); exp+e >= -1020 {
		return math.Ldexp(a.hi+a.lo, e)
	}
	if e < -3000 {
		e = -3000
	}
	m, exp := math.Frexp(a.hi)
	lo := math.Ldexp(a.lo, -exp)
	e += exp
	if e < -1080 {
		return math.Ldexp(m, -1500) // a zero of the same sign
	}
	quantum := math.Ldexp(1, -1074-e) // in units of 2^e
	hi := mul(math.RoundToEven(m/quantum), quantum)
	// m is rounded; lo decides if it is between two multiples.
	switch rest, half := m-hi, mul(quantum, 0.5); {
	case rest == half && lo > 0:
		hi += quantum
	case rest == -half && lo < 0:
		hi -= quantum
	}
	if hi == 0 {
		return math.Copysign(0, m)
	}
	return math.Ldexp(hi, e)
}

// horner returns the value at x of a polynomial, with the coefficients of low powers first.
func horner(x dd, coefficients []dd) dd {
	sum := coefficients[len(coefficients)-1]
	for i := len(coefficients) - 2; i >= 0; i-- {
		sum = sum.mul(x).add(coefficients[i])
	}
	return sum
}
