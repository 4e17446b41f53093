package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// lengthen applies an operation that makes 64-bit elements of 32-bit ones.
func (e *Emit) lengthen(op vOp, d, a Val) {
	l, n := e.shape(64)
	if n == 2 {
		e.upper(d.Hi, a.Lo)
		e.v2(op, l, d.Hi, d.Hi)
	}
	e.v2(op, l, d.Lo, a.Lo)
}

// shorten applies an operation that makes 32-bit elements of 64-bit ones.
func (e *Emit) shorten(op vOp, d, a Val) {
	l, n := e.shape(64)
	e.v2(op, l, d.Lo, a.Lo)
	if n == 2 {
		t := e.Temp(32)
		e.v2(op, l, t.Lo, a.Hi)
		e.join(d.Lo, d.Lo, t.Lo)
	}
}

// FloatWidth converts a 32-bit float to 64 bits, or the reverse.
func (e *Emit) FloatWidth(d, a Val) {
	if d.Bits == 64 {
		e.lengthen(vcvtps2PD, d, a)
	} else {
		e.shorten(vcvtpd2PS, d, a)
	}
}

// Integral is a rounded to an integral value.
func (e *Emit) Integral(d, a Val, mode lanes.Mode) {
	e.op2i(byWidth(d.Bits, vroundps, vroundpd), d, a, roundImmediates[mode&3])
}

// FloatOfInt is the integer a, of 32 or 64 bits, as a float of 32 or 64. down says that the Control rounds down, so
// that the difference of equal numbers is -0.
func (e *Emit) FloatOfInt(d, a Val, signed, down bool) {
	if e.Level == AVX512 {
		e.floatOfInt512(d, a, signed)
		return
	}
	switch {
	case a.Bits == 64 && d.Bits == 64:
		e.doubleOfLong(d, a, signed, down)
	case a.Bits == 64:
		x, t := e.Temp(64), e.Temp(64)
		e.stickyLong(x, t, a, signed)
		e.doubleOfLong(t, x, signed, down)
		e.shorten(vcvtpd2PS, d, t)
	case d.Bits == 64 && signed:
		e.lengthen(vcvtdq2PD, d, a)
	case d.Bits == 64:
		e.Widen(d, a, false)
		e.op3m(vpor, d, d, e.double(intoLowBits))
		e.op3m(vsubpd, d, d, e.double(intoLowBits))
	case signed:
		e.op2(vcvtdq2PS, d, a)
	default: // the halves are exact, and the sum is rounded once
		t := e.Temp(32)
		e.shift(vpsrld, t, a, 16)
		e.op2(vcvtdq2PS, t, t)
		e.AndConst(d, a, 1<<16-1)
		e.op2(vcvtdq2PS, d, d)
		e.op3m(vfmadd231PS, d, t, e.constant(uint64(math.Float32bits(1<<16)), 32))
	}
}

// floatOfInt512 is FloatOfInt by the AVX-512 instructions for all widths.
func (e *Emit) floatOfInt512(d, a Val, signed bool) {
	choose := func(u, s vOp) vOp {
		if signed {
			return s
		}
		return u
	}
	switch {
	case a.Bits == 64 && d.Bits == 64:
		e.op2(choose(vcvtuqq2PD, vcvtqq2PD), d, a)
	case a.Bits == 64:
		e.shorten(choose(vcvtuqq2PS, vcvtqq2PS), d, a)
	case d.Bits == 64:
		e.lengthen(choose(vcvtudq2PD, vcvtdq2PD), d, a)
	default:
		e.op2(choose(vcvtudq2PS, vcvtdq2PS), d, a)
	}
}

// doubleOfLong is the 64-bit integer a as .f64: its halves are put below the bits of 2^52 and 2^84; the differences
// are exact, and their sum is rounded once.
func (e *Emit) doubleOfLong(d, a Val, signed, down bool) {
	const low, high = 0x43300000_00000000, 0x45300000_00000000
	flip := uint64(0) // makes a signed half unsigned
	if signed {
		flip = 1 << 31
	}
	t := e.Temp(64)
	e.AndConst(t, a, 1<<32-1)
	e.op3m(vpor, t, t, e.constant(low, 64))
	e.shift(vpsrlq, d, a, 32)
	e.XorConst(d, d, high|flip)
	e.op3m(vsubpd, d, d, e.constant(high|flip|1<<20, 64))
	e.AddFloat(d, d, t)
	if down { // zero has the sign of the integer
		e.AndConst(d, d, 1<<63-1)
		if signed {
			e.AndConst(t, a, 1<<63)
			e.Or(d, d, t)
		}
	}
}

// stickyLong is the 64-bit integer a reduced to at most 53 significant bits: the last one is set if any bit dropped
// was, so that rounding to 24 bits later gives the same as rounding a.
func (e *Emit) stickyLong(d, t, a Val, signed bool) {
	const lost = 1<<11 - 1
	e.AndConst(d, a, lost)
	e.AddConst(d, d, lost)
	e.Or(d, d, a)
	e.AndConst(d, d, ^uint64(lost))
	if signed {
		e.AddConst(t, a, 1<<53)
		e.shift(vpsrlq, t, t, 54)
	} else {
		e.shift(vpsrlq, t, a, 53)
	}
	zero := e.Temp(64)
	e.Const(zero, 0)
	e.op3(vpcmpeqq, t, t, zero)
	e.choose(d, d, a, t)
}

// IntOfFloat is the float a as an integer, rounded by the mode and clamped to its type. The result for NaN depends on
// the widths: see lanes.Cvt.
func (e *Emit) IntOfFloat(d, a Val, signed bool, mode lanes.Mode) {
	if d.Bits == 64 && a.Bits == 32 {
		t := e.Temp(64)
		e.lengthen(vcvtps2PD, t, a)
		a = t
	}
	x := e.Temp(a.Bits)
	e.Integral(x, a, mode)
	switch {
	case d.Bits == 64:
		e.longOfDouble(d, x, signed)
	case a.Bits == 64 && signed:
		t := e.Temp(64)
		e.Const(t, math.Float64bits(math.MaxInt32))
		e.op3(vminpd, x, t, x) // NaN, the second source, is kept, and so are too small values
		e.shorten(vcvttpd2DQ, d, x)
	case a.Bits == 64:
		e.wordOfDouble(d, x)
	case signed:
		m := e.Temp(32)
		e.op2(vcvttps2DQ, d, x) // too large values and NaN become 1<<31
		e.comparedTo(m, x, uint64(math.Float32bits(1<<31)), lanes.Ge)
		e.Xor(d, d, m)
		e.compared(m, x, x, lanes.Num)
		e.And(d, d, m)
	default:
		e.wordOfFloat(d, x)
	}
}

// ShortOfDouble is the .f64 number a as an integer of less than 32 bits, rounded by the mode and clamped to its type.
// NaN becomes its top bit.
func (e *Emit) ShortOfDouble(d, a Val, signed bool, bits uint8, mode lanes.Mode) {
	least, greatest := 0.0, float64(uint64(1)<<bits-1)
	if signed {
		least, greatest = -float64(uint64(1)<<(bits-1)), float64(uint64(1)<<(bits-1)-1)
	}
	x, t := e.Temp(64), e.Temp(64)
	e.Integral(x, a, mode)
	e.Const(t, math.Float64bits(greatest))
	e.op3(vminpd, x, t, x) // the second source for NaN
	e.Const(t, math.Float64bits(least))
	if signed {
		e.op3(vmaxpd, x, x, t)
		e.shorten(vcvttpd2DQ, d, x)
		return
	}
	e.op3(vmaxpd, x, t, x)
	e.shorten(vcvttpd2DQ, d, x) // NaN becomes 1<<31
	s := e.Temp(32)
	e.shift(vpsrld, s, d, 32-bits)
	e.Or(d, d, s)
	e.AndConst(d, d, 1<<bits-1)
}

// wordOfFloat is the integral x as an unsigned word.
func (e *Emit) wordOfFloat(d, x Val) {
	m, t := e.Temp(32), e.Temp(32)
	e.Const(t, 0)
	e.op3(vmaxps, x, x, t) // 0 for NaN
	if e.Level == AVX512 {
		e.op2(vcvttps2UDQ, d, x) // too large values become all ones
		return
	}
	e.comparedTo(m, x, uint64(math.Float32bits(1<<31)), lanes.Ge)
	e.AndConst(t, m, uint64(math.Float32bits(1<<31)))
	e.SubFloat(t, x, t)
	e.op2(vcvttps2DQ, d, t)
	e.shift(vpslld, m, m, 31)
	e.Xor(d, d, m)
	e.comparedTo(m, x, uint64(math.Float32bits(1<<32)), lanes.Ge)
	e.Or(d, d, m)
}

// wordOfDouble is the integral x as an unsigned word; NaN is 1<<31.
func (e *Emit) wordOfDouble(d, x Val) {
	m, t := e.Temp(64), e.Temp(64)
	e.unordered(m, x, x)
	e.Const(t, 0)
	e.op3(vmaxpd, x, t, x)
	e.Const(t, math.Float64bits(math.MaxUint32))
	e.op3(vminpd, x, t, x)
	e.Const(t, math.Float64bits(1<<31))
	e.choose(x, x, t, m)
	e.op3m(vaddpd, x, x, e.double(intoLowBits))
	e.Narrow(d, x)
}

// longOfDouble is the integral x as a 64-bit integer, from its halves, both exact. NaN is 1<<63.
func (e *Emit) longOfDouble(d, x Val, signed bool) {
	over, t := e.Temp(64), e.Temp(64)
	greatest := uint64(math.MaxUint64)
	if signed {
		greatest = math.MaxInt64
		e.comparedTo(over, x, math.Float64bits(1<<63), lanes.Ge)
		if e.Level == AVX512 {
			e.op2(vcvttpd2QQ, d, x) // too large values and NaN become 1<<63
			e.Xor(d, d, over)
			return
		}
		e.Const(t, math.Float64bits(-1<<63))
		e.op3(vmaxpd, x, x, t) // the second source for NaN
	} else {
		e.unordered(over, x, x)
		e.Const(t, 0)
		e.op3(vmaxpd, x, x, t)
		e.Const(t, math.Float64bits(1<<63))
		e.choose(x, x, t, over)
		if e.Level == AVX512 {
			e.op2(vcvttpd2UQQ, d, x) // too large values become all ones
			return
		}
		e.comparedTo(over, x, math.Float64bits(1<<64), lanes.Ge)
	}
	e.op3m(vmulpd, t, x, e.double(0x1p-32))
	e.Integral(t, t, lanes.RoundDown)
	e.op3m(vfnmadd231PD, x, t, e.double(1<<32))
	e.op3m(vaddpd, t, t, e.double(intoLowBits+intoLowBits/2)) // also of a negative half
	e.shift(vpsllq, t, t, 32)
	e.op3m(vaddpd, x, x, e.double(intoLowBits))
	e.AndConst(x, x, 1<<32-1)
	e.Or(d, x, t)
	e.Const(t, greatest)
	e.choose(d, d, t, over)
}

// nanHalf is the NaN that halves have.
const nanHalf = 0x7fff

// HalfOfFloat is a, of 32 bits, as a half, rounded by the mode.
func (e *Emit) HalfOfFloat(d, a Val, mode lanes.Mode) {
	l, _ := e.shape(32)
	e.v2I(vcvtps2PH, l, d.Lo, a.Lo, roundImmediates[mode&3]&3)
	e.v2(vpmovzxwd, l, d.Lo, d.Lo)
	e.halfNaN(d, a)
}

// halfNaN sets d to the NaN of halves if a, of 32 bits, is NaN.
func (e *Emit) halfNaN(d, a Val) {
	m, t := e.Temp(32), e.Temp(32)
	e.unordered(m, a, a)
	e.Const(t, nanHalf)
	e.choose(d, d, t, m)
}

// FloatOfHalf is the half a, with zeros above, as a 32-bit float.
func (e *Emit) FloatOfHalf(d, a Val) {
	l, _ := e.shape(32)
	if l == l512 {
		e.v2(vpmovdw, l, d.Lo, a.Lo)
		e.v2(vcvtph2PS, l, d.Lo, d.Lo)
		return
	}
	high := a.Lo
	if l == l256 {
		high = d.Lo
		e.v2I(vextracti128, l256, high, a.Lo, 1)
	}
	e.v3(vpackusdw, l128, d.Lo, a.Lo, high)
	e.v2(vcvtph2PS, l, d.Lo, d.Lo)
}

// BrainOfFloat is a, of 32 bits, rounded to the nearest bfloat16 number.
func (e *Emit) BrainOfFloat(d, a Val) {
	e.nearestBrain(d, a)
	e.halfNaN(d, a)
}

// nearestBrain is BrainOfFloat for values that are not NaN.
func (e *Emit) nearestBrain(d, a Val) {
	e.shift(vpsrld, d, a, 16)
	e.AndConst(d, d, 1)
	e.AddConst(d, d, 1<<15-1)
	e.Add(d, d, a)
	e.shift(vpsrld, d, d, 16)
}

// NearestTF32 is a, of 32 bits, rounded to the nearest number of tf32: to the even one of two, or to the one farther
// from zero.
func (e *Emit) NearestTF32(d, a Val, away bool) {
	const tail = 13
	if away {
		e.AddConst(d, a, 1<<(tail-1))
	} else {
		e.shift(vpsrld, d, a, tail)
		e.AndConst(d, d, 1)
		e.AddConst(d, d, 1<<(tail-1)-1)
		e.Add(d, d, a)
	}
	e.CutTF32(d, d, a)
}

// CutTF32 is a without the bits that tf32 does not have; the canonical NaN of .f32 where from is NaN.
func (e *Emit) CutTF32(d, a, from Val) {
	e.AndConst(d, a, 0xffffe000)
	m, t := e.Temp(32), e.Temp(32)
	e.unordered(m, from, from)
	e.Const(t, nanF32)
	e.choose(d, d, t, m)
}

// FloatOfBrain is the bfloat16 number a, with zeros above, as a 32-bit float.
func (e *Emit) FloatOfBrain(d, a Val) { e.shift(vpslld, d, a, 16) }
