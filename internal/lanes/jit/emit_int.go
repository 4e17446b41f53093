package jit

// Integers. 16-bit values have zeros above, which operations on 16-bit elements preserve.

// NegInt is d = -a.
func (e *Emit) NegInt(d, a Val) {
	e.Const(d, 0)
	e.Sub(d, d, a)
}

// AbsInt is the magnitude of a; that of the most negative number is the number itself.
func (e *Emit) AbsInt(d, a Val) {
	if d.Bits != 64 || e.Level == AVX512 {
		e.op2(byWidth(d.Bits, vpabsd, vpabsq), d, a)
		return
	}
	t := e.Temp(64)
	e.Const(t, 0)
	e.op3(vpcmpgtq, t, t, a)
	e.Xor(d, a, t)
	e.Sub(d, d, t)
}

// Min is the smaller of a and b.
func (e *Emit) Min(d, a, b Val, signed bool) {
	switch {
	case d.Bits == 64 && e.Level < AVX512:
		e.extremum64(d, a, b, b, a, signed)
	case signed:
		e.op3(byWidth(d.Bits, vpminsd, vpminsq), d, a, b)
	default:
		e.op3(byWidth(d.Bits, vpminud, vpminuq), d, a, b)
	}
}

// Max is the larger of a and b.
func (e *Emit) Max(d, a, b Val, signed bool) {
	switch {
	case d.Bits == 64 && e.Level < AVX512:
		e.extremum64(d, a, b, a, b, signed)
	case signed:
		e.op3(byWidth(d.Bits, vpmaxsd, vpmaxsq), d, a, b)
	default:
		e.op3(byWidth(d.Bits, vpmaxud, vpmaxuq), d, a, b)
	}
}

// extremum64 is yes where a > b, else no.
func (e *Emit) extremum64(d, a, b, yes, no Val, signed bool) {
	t := e.greater64(a, b, signed)
	e.choose(d, no, yes, t)
}

// greater64 is all ones where a > b, else zeros, in a temporary.
func (e *Emit) greater64(a, b Val, signed bool) Val {
	t := e.Temp(64)
	if signed {
		e.op3(vpcmpgtq, t, a, b)
		return t
	}
	u := e.flipped(b)
	e.XorConst(t, a, 1<<63)
	e.op3(vpcmpgtq, t, t, u)
	return t
}

// Difference is |a - b|, as an unsigned number.
func (e *Emit) Difference(d, a, b Val, signed bool) {
	if d.Bits == 64 && e.Level < AVX512 {
		t := e.greater64(b, a, signed)
		e.Sub(d, a, b)
		e.Xor(d, d, t)
		e.Sub(d, d, t)
		return
	}
	t := e.Temp(d.Bits)
	e.Min(t, a, b, signed)
	e.Max(d, a, b, signed)
	e.Sub(d, d, t)
}

// MulHigh is the high half of a * b.
func (e *Emit) MulHigh(d, a, b Val, signed bool) {
	if d.Bits == 64 {
		e.mulHigh64(d, a, b, signed)
		return
	}
	t := e.Temp(32)
	e.products(d, t, a, b, signed)
	e.shift(vpsrlq, d, d, 32)
	e.takeOdd(d, t)
}

// takeOdd copies the odd lanes of t to d. VPBLENDD has no EVEX form: registers above 15 cannot be its operands.
func (e *Emit) takeOdd(d, t Val) {
	l, _ := e.shape(d.Bits)
	if l < l512 && d.Lo|t.Lo < 16 {
		e.op3i(vpblendd, d, d, t, 0xaa)
		return
	}
	e.v3MI(vpternlogd, l, d.Lo, t.Lo, e.constant((1<<32-1)<<32, 64), 0xd8) // t in the lanes in which the constant is all ones
}

// products computes 64-bit products: of the even lanes in d, and of the odd ones in t.
func (e *Emit) products(d, t, a, b Val, signed bool) {
	op := vpmuludq
	if signed {
		op = vpmuldq
	}
	e.shift(vpsrlq, d, a, 32)
	e.shift(vpsrlq, t, b, 32)
	e.op3(op, t, t, d)
	e.op3(op, d, a, b)
}

// mulHigh64 adds up the four products of halves.
func (e *Emit) mulHigh64(d, a, b Val, signed bool) {
	ah, bh, t := e.Temp(64), e.Temp(64), e.Temp(64)
	e.shift(vpsrlq, ah, a, 32)
	e.shift(vpsrlq, bh, b, 32)
	e.op3(vpmuludq, d, a, b)
	e.shift(vpsrlq, d, d, 32)
	e.op3(vpmuludq, t, ah, b)
	e.Add(t, t, d)
	e.AndConst(d, t, 1<<32-1)
	e.shift(vpsrlq, t, t, 32)
	e.op3(vpmuludq, ah, ah, bh)
	e.Add(ah, ah, t)
	e.op3(vpmuludq, bh, bh, a)
	e.Add(bh, bh, d)
	e.shift(vpsrlq, bh, bh, 32)
	e.Add(d, ah, bh)
	if !signed {
		return
	}
	// A negative factor counts 2^64 too much.
	for _, f := range [][2]Val{{a, b}, {b, a}} {
		e.Const(t, 0)
		e.op3(vpcmpgtq, t, t, f[0])
		e.And(t, t, f[1])
		e.Sub(d, d, t)
	}
}

// Low24 is the low 24 bits of a, extended.
func (e *Emit) Low24(d, a Val, signed bool) {
	if signed {
		e.SignExtend(d, a, 24)
		return
	}
	e.AndConst(d, a, 1<<24-1)
}

// MulHigh24 is the high 32 of the 48 bits of a product of numbers of 24 bits, which are extended.
func (e *Emit) MulHigh24(d, a, b Val, signed bool) {
	t := e.Temp(32)
	e.products(d, t, a, b, signed)
	e.shift(vpsrlq, d, d, 16)
	e.shift(vpsllq, t, t, 16)
	e.takeOdd(d, t)
}

// AddSat is a + b, signed, saturated to 32 bits.
func (e *Emit) AddSat(d, a, b Val) {
	t, u := e.Temp(32), e.Temp(32)
	e.Add(d, a, b)
	e.Xor(t, a, d)
	e.Xor(u, b, d)
	e.And(t, t, u)
	e.clampOverflow(d, a, t, u)
}

// SubSat is a - b, signed, saturated to 32 bits.
func (e *Emit) SubSat(d, a, b Val) {
	t, u := e.Temp(32), e.Temp(32)
	e.Sub(d, a, b)
	e.Xor(t, a, b)
	e.Xor(u, a, d)
	e.And(t, t, u)
	e.clampOverflow(d, a, t, u)
}

// clampOverflow saturates the lanes of d in which over is negative: to the largest number, or to the smallest if a is
// negative.
func (e *Emit) clampOverflow(d, a, over, temp Val) {
	e.shift(vpsrad, temp, a, 31)
	e.XorConst(temp, temp, 1<<31-1)
	l, _ := e.shape(32)
	e.v4(vblendvps, l, d.Lo, d.Lo, temp.Lo, over.Lo)
}

// AddHalves is the sum in each half of a word; the other operations on halves work the same way.
func (e *Emit) AddHalves(d, a, b Val) { e.op3(vpaddw, d, a, b) }

// SubHalves is a - b in each half.
func (e *Emit) SubHalves(d, a, b Val) { e.op3(vpsubw, d, a, b) }

// MulHalves is the low half of a * b, in each half.
func (e *Emit) MulHalves(d, a, b Val) { e.op3(vpmullw, d, a, b) }

// MulHighHalves is the high half of a * b, in each half.
func (e *Emit) MulHighHalves(d, a, b Val, signed bool) {
	if signed {
		e.op3(vpmulhw, d, a, b)
		return
	}
	e.op3(vpmulhuw, d, a, b)
}

// AbsHalves is the magnitude in each half.
func (e *Emit) AbsHalves(d, a Val) { e.op2(vpabsw, d, a) }

// MinHalves is the smaller in each half.
func (e *Emit) MinHalves(d, a, b Val, signed bool) {
	if signed {
		e.op3(vpminsw, d, a, b)
		return
	}
	e.op3(vpminuw, d, a, b)
}

// MaxHalves is the larger in each half.
func (e *Emit) MaxHalves(d, a, b Val, signed bool) {
	if signed {
		e.op3(vpmaxsw, d, a, b)
		return
	}
	e.op3(vpmaxuw, d, a, b)
}

// MulWideHalves is the sum of the signed products of both halves: that of the low ones for values of 16 bits.
func (e *Emit) MulWideHalves(d, a, b Val) { e.op3(vpmaddwd, d, a, b) }

// DotBytes is c plus the sum of the products of the four bytes of a and b.
func (e *Emit) DotBytes(d, a, b, c Val, signedA, signedB bool) {
	t, u := e.Temp(32), e.Temp(32)
	e.bytesOfHalves(d, a, false, signedA)
	e.bytesOfHalves(t, b, false, signedB)
	e.op3(vpmaddwd, d, d, t)
	e.Add(d, d, c)
	e.bytesOfHalves(t, a, true, signedA)
	e.bytesOfHalves(u, b, true, signedB)
	e.op3(vpmaddwd, t, t, u)
	e.Add(d, d, t)
}

// bytesOfHalves is the low or the upper byte of each half, extended.
func (e *Emit) bytesOfHalves(d, a Val, upper, signed bool) {
	right := vpsrlw
	if signed {
		right = vpsraw
	}
	if upper {
		e.shift(right, d, a, 8)
		return
	}
	e.shift(vpsllw, d, a, 8)
	e.shift(right, d, d, 8)
}

// DotHalves is c plus the sum of the products of the halves of a with two bytes of b, from a bit on.
func (e *Emit) DotHalves(d, a, b, c Val, bit uint8, signedA, signedB bool) {
	t := e.Temp(32)
	e.Field(d, a, 0, 16, signedA)
	e.Field(t, b, bit, 8, signedB)
	e.Mul(d, d, t)
	e.Add(d, d, c)
	u := e.Temp(32)
	e.Field(t, a, 16, 16, signedA)
	e.Field(u, b, bit+8, 8, signedB)
	e.Mul(t, t, u)
	e.Add(d, d, t)
}
