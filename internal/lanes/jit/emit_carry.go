package jit

// AddCarry is a + b, plus 1 in lanes of the predicate in, if there is one; out, if there is one, is the set of lanes
// in which the sum has a carry.
func (e *Emit) AddCarry(d, out, a, b, in Val) {
	t, u := e.Temp(d.Bits), e.Temp(d.Bits)
	e.Add(d, a, b)
	if in.Bits != 0 {
		e.predicateOf(t, in)
		e.Sub(d, d, t)
	}
	if out.Bits == 0 {
		return
	}
	// There is a carry if both top bits are set, or one is and that of the sum is not.
	e.Or(t, a, b)
	e.AndNot(t, d, t)
	e.And(u, a, b)
	e.Or(t, t, u)
	if d.Bits != 64 {
		e.Negative(out, t)
		return
	}
	e.Const(u, 0)
	e.op3(vpcmpgtq, u, u, t)
	e.Narrow(out, u)
}

// predicateOf is all ones in the lanes of p, in the width of d.
func (e *Emit) predicateOf(d, p Val) {
	if d.Bits == 64 {
		e.Widen(d, p, true)
		return
	}
	e.Move(d, p)
}

// SubCarry is a - b, as a + ^b + 1, minus 1 in lanes where the predicate in, if there is one, does not hold; out is
// its carry, which is clear if there is a borrow.
func (e *Emit) SubCarry(d, out, a, b, in Val) {
	complement := e.Temp(d.Bits)
	e.Not(complement, b)
	if in.Bits == 0 {
		in = e.Temp(1)
		e.Const(in, 1<<32-1)
	}
	e.AddCarry(d, out, a, complement, in)
}
