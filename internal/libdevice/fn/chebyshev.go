package fn

// chebyshev is the Chebyshev series of a function between lo and hi.
type chebyshev struct {
	lo, hi       float64
	coefficients []dd
}

// at returns the function at x, by Clenshaw's recurrence.
func (c *chebyshev) at(x dd) dd {
	return c.unit(x.twice(2).sub(twoSum(c.lo, c.hi)).div(twoSum(c.hi, -c.lo)))
}

// unit returns the function at t, which is x mapped from lo..hi to -1..1.
func (c *chebyshev) unit(t dd) dd {
	var a, b dd
	t2 := t.twice(2)
	for i := len(c.coefficients) - 1; i > 0; i-- {
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
