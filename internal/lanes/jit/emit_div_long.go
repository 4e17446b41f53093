package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Quotients of 64-bit integers are estimated in .f64, twice. With K a little less than 1, the first estimate is the
// product of a and K/b without its fraction. It is too small by at most 2^17, in every rounding mode, and never too
// large. The second one, of what is left of a, leaves less than 2b, from which b is subtracted once more if it can be.

// below is K: 1 less four roundings of .f64 in any direction, and a margin.
const below = 1 - 0x1p-48

// LongQuotient is a / b towards zero, of 64 bits; all bits are set if b is 0.
func (e *Emit) LongQuotient(d, a, b Val, signed bool) { e.divideLong(d, a, b, signed, false) }

// LongRemainder is a - b * (a / b), of 64 bits; all bits are set if b is 0.
func (e *Emit) LongRemainder(d, a, b Val, signed bool) { e.divideLong(d, a, b, signed, true) }

// longDivision divides the 64-bit elements of one vector register by those of another.
type longDivision struct {
	e          *Emit
	l          length
	signed     bool
	remainder  bool
	divisor    Vec // its magnitude
	reciprocal Vec // K / divisor, in .f64
	rest       Vec // of the magnitude of the dividend
	t, u, w    Vec // w is for product
}

func (e *Emit) divideLong(d, a, b Val, signed, remainder bool) {
	l, n := e.shape(64)
	x := longDivision{e: e, l: l, signed: signed, remainder: remainder}
	for _, v := range []*Vec{&x.divisor, &x.reciprocal, &x.rest, &x.t, &x.u, &x.w} {
		*v = e.Temp(32).Lo
	}
	x.divide(d.Lo, a.Lo, b.Lo)
	if n == 2 {
		x.divide(d.Hi, a.Hi, b.Hi)
	}
}

func (x *longDivision) divide(d, a, b Vec) {
	e, l := x.e, x.l
	x.magnitude(x.rest, a)
	x.magnitude(x.divisor, b)
	x.double(x.reciprocal, x.divisor)
	e.v2M(vpbroadcastq, l, x.t, e.pooled(poolConstant{bits: math.Float64bits(below), wide: true, kind: poolElement}))
	e.v3(vdivpd, l, x.reciprocal, x.t, x.reciprocal)

	x.double(x.t, x.rest)
	e.v3(vmulpd, l, x.t, x.t, x.reciprocal)
	x.whole(d, x.t)
	x.product(x.u, d, x.divisor)
	e.v3(vpsubq, l, x.rest, x.rest, x.u)

	x.double(x.t, x.rest)
	e.v3(vmulpd, l, x.t, x.t, x.reciprocal)
	e.v2I(vroundpd, l, x.t, x.t, roundImmediates[lanes.RoundZero])
	e.v3M(vaddpd, l, x.t, x.t, e.double(intoLowBits))
	e.v3M(vpxor, l, x.t, x.t, e.double(intoLowBits))
	e.v3(vpaddq, l, d, d, x.t)
	x.product(x.u, x.t, x.divisor)
	e.v3(vpsubq, l, x.rest, x.rest, x.u)

	e.v3M(vpxor, l, x.t, x.divisor, e.constant(1<<63, 64))
	e.v3M(vpxor, l, x.u, x.rest, e.constant(1<<63, 64))
	e.v3(vpcmpgtq, l, x.t, x.t, x.u) // the rest is less than the divisor
	if x.remainder {
		e.v3(vpandn, l, x.t, x.t, x.divisor)
		e.v3(vpsubq, l, d, x.rest, x.t)
		x.withSign(d, a)
	} else {
		e.v3M(vpaddq, l, d, d, e.constant(1, 64))
		e.v3(vpaddq, l, d, d, x.t)
		if x.signed {
			e.v3(vpxor, l, x.rest, a, b)
		}
		x.withSign(d, x.rest)
	}
	e.v3(vpxor, l, x.t, x.t, x.t)
	e.v3(vpcmpeqq, l, x.t, x.t, b)
	e.v3(vpor, l, d, d, x.t)
}

// magnitude is a without its sign, as an unsigned number.
func (x *longDivision) magnitude(d, a Vec) {
	x.e.v2(vmovdqa, x.l, d, a)
	x.withSign(d, a)
}

// withSign negates d where a is negative, if the numbers are signed.
func (x *longDivision) withSign(d, a Vec) {
	if !x.signed {
		return
	}
	x.e.v3(vpxor, x.l, x.t, x.t, x.t)
	x.e.v3(vpcmpgtq, x.l, x.t, x.t, a)
	x.e.v3(vpxor, x.l, d, d, x.t)
	x.e.v3(vpsubq, x.l, d, d, x.t)
}

// double is the unsigned a as .f64, rounded once, as in Emit.doubleOfLong.
func (x *longDivision) double(d, a Vec) {
	e, l := x.e, x.l
	if e.Level == AVX512 {
		e.v2(vcvtuqq2PD, l, d, a)
		return
	}
	const low, high = 0x43300000_00000000, 0x45300000_00000000 // 2^52 and 2^84
	e.v3M(vpand, l, x.u, a, e.constant(1<<32-1, 64))
	e.v3M(vpor, l, x.u, x.u, e.constant(low, 64))
	e.vShiftImm(vpsrlq, l, d, a, 32)
	e.v3M(vpxor, l, d, d, e.constant(high, 64))
	e.v3M(vsubpd, l, d, d, e.constant(high|1<<20, 64))
	e.v3(vaddpd, l, d, d, x.u)
}

// whole is a, from 0 and less than 2^64, without its fraction, as an integer. It changes a.
func (x *longDivision) whole(d, a Vec) {
	e, l := x.e, x.l
	if e.Level == AVX512 {
		e.v2(vcvttpd2UQQ, l, d, a)
		return
	}
	e.v3M(vmulpd, l, d, a, e.double(0x1p-32))
	e.v2I(vroundpd, l, d, d, roundImmediates[lanes.RoundZero])
	e.v3M(vfnmadd231PD, l, a, d, e.double(1<<32))
	e.v2I(vroundpd, l, a, a, roundImmediates[lanes.RoundZero])
	e.v3M(vaddpd, l, d, d, e.double(intoLowBits))
	e.vShiftImm(vpsllq, l, d, d, 32)
	e.v3M(vaddpd, l, a, a, e.double(intoLowBits))
	e.v3M(vpxor, l, a, a, e.double(intoLowBits))
	e.v3(vpor, l, d, d, a)
}

// product is the low half of a * b.
func (x *longDivision) product(d, a, b Vec) {
	e, l := x.e, x.l
	if e.Level == AVX512 {
		e.v3(vpmullq, l, d, a, b)
		return
	}
	e.vShiftImm(vpsrlq, l, d, a, 32)
	e.v3(vpmuludq, l, d, d, b)
	e.vShiftImm(vpsrlq, l, x.w, b, 32)
	e.v3(vpmuludq, l, x.w, a, x.w)
	e.v3(vpaddq, l, d, d, x.w)
	e.vShiftImm(vpsllq, l, d, d, 32)
	e.v3(vpmuludq, l, x.w, a, b)
	e.v3(vpaddq, l, d, d, x.w)
}
