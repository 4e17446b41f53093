package jit

// Quotients of integers of up to 32 bits are .f64 quotients without their fractions: in 53 bits no rounding mode
// reaches the next integer, which is at least 1/b away.

// Divide is a / b towards zero; all bits are set if b is 0.
func (e *Emit) Divide(d, a, b Val, signed bool) {
	e.quotient(d, a, b, signed)
	t := e.Temp(32)
	e.whereZero(t, b)
	e.Or(d, d, t)
}

// Remainder is a - b * (a / b); all bits are set if b is 0.
func (e *Emit) Remainder(d, a, b Val, signed bool) {
	e.quotient(d, a, b, signed)
	e.Mul(d, d, b)
	e.Sub(d, a, d)
	t := e.Temp(32)
	e.whereZero(t, b)
	e.Or(d, d, t)
}

// whereZero is the set of lanes in which a is 0.
func (e *Emit) whereZero(d, a Val) {
	e.Const(d, 0)
	e.op3(vpcmpeqd, d, d, a)
}

// CheckNonZero jumps to fail if b is 0 in lanes of p, or in any lane if p is nil.
func (e *Emit) CheckNonZero(b Val, p *Val, fail Label) {
	t := e.Temp(32)
	if b.Bits == 64 {
		u := e.Temp(64)
		e.Const(u, 0)
		e.op3(vpcmpeqq, u, u, b)
		e.Narrow(t, u)
	} else {
		e.whereZero(t, b)
	}
	e.failWhere(t, p, fail)
}

// failWhere jumps to fail if t, which it changes, has ones in lanes of p, or in any lane if p is nil.
func (e *Emit) failWhere(t Val, p *Val, fail Label) {
	if p != nil {
		e.And(t, t, *p)
	}
	l, _ := e.shape(32)
	e.vToReg(vmovmskps, l, RCX, t.Lo)
	e.test(W32, RCX, RCX)
	e.jcc(condNE, fail)
}

// magic is 2^52: the sum of that and a 32-bit integer has the integer in its low bits.
const magic = 0x4330000000000000

// quotient is a / b, for b other than 0.
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

// truncateF64 is a number without its fraction as a signed 32-bit integer; 2^31 becomes the smallest one.
func (e *Emit) truncateF64(d, a Val) { e.shorten(vcvttpd2DQ, d, a) }
