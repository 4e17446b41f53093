package jit

// Quotients of integers of up to 32 bits are those of .f64 without their fractions: in 53 bits no rounding,
// whichever it is, brings one to the next integer, which is at least 1/b away.

// Divide is a / b towards zero; all bits are set where b is 0.
func (e *Emit) Divide(d, a, b Val, signed bool) {
	e.quotient(d, a, b, signed)
	t := e.Temp(32)
	e.whereZero(t, b)
	e.Or(d, d, t)
}

// Remainder is a - b * (a / b); all bits are set where b is 0.
func (e *Emit) Remainder(d, a, b Val, signed bool) {
	e.quotient(d, a, b, signed)
	e.Mul(d, d, b)
	e.Sub(d, a, d)
	t := e.Temp(32)
	e.whereZero(t, b)
	e.Or(d, d, t)
}

// whereZero is the lanes in which a is 0.
func (e *Emit) whereZero(d, a Val) {
	e.Const(d, 0)
	e.op3(vpcmpeqd, d, d, a)
}

// CheckNonZero goes to fail if b is 0 in lanes of p, or in any if p is nil.
func (e *Emit) CheckNonZero(b Val, p *Val, fail Label) {
	t := e.Temp(32)
	e.whereZero(t, b)
	if p != nil {
		e.And(t, t, *p)
	}
	l, _ := e.shape(32)
	e.vToReg(vmovmskps, l, RCX, t.Lo)
	e.Test(W32, RCX, RCX)
	e.jcc(condNE, fail)
}

// magic is 2 to the 52: an integer of 32 bits is in the low bits of its sum with that.
const magic = 0x4330000000000000

// quotient is a / b where b is not 0.
func (e *Emit) quotient(d, a, b Val, signed bool) {
	x, y := e.Temp(64), e.Temp(64)
	e.wordToF64(x, a, signed)
	e.wordToF64(y, b, signed)
	e.op3(vdivpd, x, x, y)
	if signed {
		e.truncateF64(d, x)
		return
	}
	const towardsZero = 0x0b
	e.op2i(vroundpd, x, x, towardsZero)
	e.op3m(vaddpd, x, x, e.constant(magic, 64))
	e.Narrow(d, x)
}

// wordToF64 is an integer of 32 bits as .f64.
func (e *Emit) wordToF64(d, a Val, signed bool) {
	if !signed {
		e.Widen(d, a, false)
		e.op3m(vpor, d, d, e.constant(magic, 64))
		e.op3m(vsubpd, d, d, e.constant(magic, 64))
		return
	}
	e.lengthen(vcvtdq2PD, d, a)
}

// truncateF64 is a number without its fraction as a signed integer of 32 bits; 2 to the 31 is the least one.
func (e *Emit) truncateF64(d, a Val) { e.shorten(vcvttpd2DQ, d, a) }
