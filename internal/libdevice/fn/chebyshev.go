package fn

// chebyshev is a function between lo and hi by its Chebyshev series.
type chebyshev struct {
	lo, hi       float64
	coefficients []dd
}

// at is the function at x, by Clenshaw's recurrence.
func (c *chebyshev) at(x dd) dd {
	return c.unit(x.twice(2).sub(twoSum(c.lo, c.hi)).div(twoSum(c.hi, -c.lo)))
}

// unit is the function at the place t of -1 to 1.
func (c *chebyshev) unit(t dd) dd {
	var a, b dd
	t2 := t.twice(2)
	for i := len(c.coefficients) - 1; i > 0; i-- {
		a, b = t2.mul(a).sub(b).add(c.coefficients[i]), a
	}
	return t.mul(a).sub(b).add(c.coefficients[0])
}

// nearZero is a function between two places, with a zero there that is the sum of three
// floats: the function over the distance from it.
type nearZero struct {
	zero, low, lowest float64
	over              chebyshev
}

// value is the function at x, of which at is the one in whose interval x is; it is as exact
// next to the zero as elsewhere.
func value(all []nearZero, x float64) dd {
	i := 0
	for i < len(all)-1 && x > all[i].over.hi {
		i++
	}
	z := &all[i]
	distance := twoSum(x, -z.zero).plus(-z.low).plus(-z.lowest)
	return z.over.at(dd{hi: x}).mul(distance)
}
