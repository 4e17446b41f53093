package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Arithmetic on halves is done in .f32, which has more than twice their bits, so that rounding sums, products and
// differences again is harmless. Products are exact.

// HalfOp is an operation on 32-bit floats; c is for operations with three sources.
type HalfOp func(d, a, b, c Val)

// Half applies op to halves with zeros above.
func (e *Emit) Half(d, a, b, c Val, op HalfOp) {
	x, y, z := e.Temp(32), e.Temp(32), e.Temp(32)
	e.FloatOfHalf(x, a)
	e.FloatOfHalf(y, b)
	if c.Bits != 0 {
		e.FloatOfHalf(z, c)
	}
	op(x, x, y, z)
	e.HalfOfFloat(d, x, lanes.RoundNearest)
}

// Halves applies op to the lower and to the upper halves of words.
func (e *Emit) Halves(d, a, b, c Val, op HalfOp) {
	x, y, z, low := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32)
	part := func(t, a Val, upper bool) {
		if upper {
			e.shift(vpsrld, d, a, 16)
		} else {
			e.AndConst(d, a, 1<<16-1)
		}
		e.FloatOfHalf(t, d)
	}
	for _, upper := range []bool{false, true} {
		part(x, a, upper)
		part(y, b, upper)
		if c.Bits != 0 {
			part(z, c, upper)
		}
		op(x, x, y, z)
		e.HalfOfFloat(d, x, lanes.RoundNearest)
		if !upper {
			e.Move(low, d)
		}
	}
	e.shift(vpslld, d, d, 16)
	e.Or(d, d, low)
}

// FmaForHalf is a * b + c of halves as 32-bit floats, rounded to odd, so that rounding to a half gives the same as
// rounding once. d may be a.
func (e *Emit) FmaForHalf(d, a, b, c, s, t Val) {
	e.MulFloat(d, a, b) // exact
	p := d
	e.AddFloat(s, p, c)
	// The rounding error of the sum, by Knuth's TwoSum.
	e.SubFloat(t, s, p)
	e.SubFloat(b, s, t)
	e.SubFloat(b, p, b)
	e.SubFloat(t, c, t)
	e.AddFloat(t, b, t)
	// If there was an error and the last bit of the sum is clear, move the sum by one towards the exact value, in the
	// direction of the error's sign relative to the sum's.
	e.comparedTo(b, t, 0, lanes.Ne)
	e.Xor(t, t, s)
	e.shift(vpsrad, t, t, 31)
	e.op3m(vpor, t, t, e.constant(1, 32))
	e.And(t, t, b)
	e.shift(vpslld, b, s, 31)
	e.shift(vpsrad, b, b, 31)
	e.AndNot(t, b, t)
	e.Add(d, s, t)
}
