package fn

import "math"

// chebyshev is the Chebyshev series of a function between lo and hi.
type chebyshev struct {
	lo, hi       float64
	coefficients []dd
}

// The part of the first coefficient below which a float64 suffices for a coefficient and those after it: for 100 bits,
// and for the bits of a fast path.
const (
	minorFor100Bits = 0x1p-56
	minorIfQuick    = 0x1p-14
)

// at returns the function at x.
func (c *chebyshev) at(x dd) dd { return c.unit(c.mapped(x)) }

// mapped returns x mapped from lo..hi to -1..1.
func (c *chebyshev) mapped(x dd) dd {
	return x.twice(2).sub(twoSum(c.lo, c.hi)).div(twoSum(c.hi, -c.lo))
}

// unit returns the function at the x that is mapped to t.
func (c *chebyshev) unit(t dd) dd { return c.sum(t, minorFor100Bits) }

// sum returns the function at the x that is mapped to t, by Clenshaw's recurrence: in float64 for the last
// coefficients, up to one of the part minor of the first.
func (c *chebyshev) sum(t dd, minor float64) dd {
	limit := mul(math.Abs(c.coefficients[0].hi), minor)
	i, t2 := len(c.coefficients)-1, t.twice(2)
	var p, q float64
	for ; i > 0 && math.Abs(c.coefficients[i].hi) < limit; i-- {
		p, q = math.FMA(t2.hi, p, c.coefficients[i].hi-q), p
	}
	a, b := dd{hi: p}, dd{hi: q}
	for ; i > 0; i-- {
		a, b = t2.mul(a).sub(b).add(c.coefficients[i]), a
	}
	return t.mul(a).sub(b).add(c.coefficients[0])
}

// nearZero is a function in an interval with a zero, which is the sum of three floats: the series is the function
// divided by the distance from the zero.
type nearZero struct {
	zero, low, lowest float64
	over              chebyshev
}

// value returns the function at x, with the element that has x in its interval. It is as exact next to the zero as
// elsewhere.
func value(all []nearZero, x float64) dd {
	i := 0
	for i < len(all)-1 && x > all[i].over.hi {
		i++
	}
	z := &all[i]
	distance := twoSum(x, -z.zero).plus(-z.low).plus(-z.lowest)
	return z.over.at(dd{hi: x}).mul(distance)
}
