package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// NarrowFormat is a floating-point format of at most 8 bits: a sign, an exponent and a fraction.
type NarrowFormat struct {
	Bits, Fraction uint8  // of a number, and of its fraction
	Bias           int    // of the exponent
	Greatest       uint64 // the encoding of the largest number
	Limit          float32
	// NaN is the smallest encoding of a NaN without its sign; 0 if the format has none, so that NaN becomes the largest
	// number.
	NaN  uint64
	Step uint8 // from one number of a pair to the next, in bits
}

// The formats of pairs. Those without NaN have no infinities either.
var (
	E4M3 = NarrowFormat{Bits: 8, Fraction: 3, Bias: 7, Greatest: 0x7e, Limit: 448, NaN: 0x7f, Step: 8}
	E5M2 = NarrowFormat{Bits: 8, Fraction: 2, Bias: 15, Greatest: 0x7b, Limit: 57344, NaN: 0x7d, Step: 8}
	E2M1 = NarrowFormat{Bits: 4, Fraction: 1, Bias: 1, Greatest: 0x7, Limit: 6, Step: 4}
	E2M3 = NarrowFormat{Bits: 6, Fraction: 3, Bias: 1, Greatest: 0x1f, Limit: 7.5, Step: 8}
	E3M2 = NarrowFormat{Bits: 6, Fraction: 2, Bias: 3, Greatest: 0x1f, Limit: 28, Step: 8}
)

// narrowNaN is the NaN of formats that have one.
const narrowNaN = 0x7f

// magnitude is the bits of a number other than its sign.
func (f *NarrowFormat) magnitude() uint64 { return 1<<(f.Bits-1) - 1 }

// NarrowPair is the 32-bit floats a, above, and b, rounded to nearest and clamped to the largest number. It rounds sums
// to nearest. With relu negative numbers become 0.
func (e *Emit) NarrowPair(f *NarrowFormat, d, a, b Val, relu bool) {
	low, t, u, v := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32)
	e.narrow(f, low, b, t, u, v, relu)
	e.narrow(f, d, a, t, u, v, relu)
	e.shift(vpslld, d, d, f.Step)
	e.Or(d, d, low)
}

// NarrowHalves is NarrowPair of the upper and the lower half of a, which are of another format.
func (e *Emit) NarrowHalves(f *NarrowFormat, from HalfFormat, d, a Val, relu bool) {
	x, y := e.Temp(32), e.Temp(32)
	e.ExpandUpper(from, x, a)
	e.ExpandLower(from, y, a)
	e.NarrowPair(f, d, x, y, relu)
}

// narrow is one number of NarrowPair. It changes t, u and v.
func (e *Emit) narrow(f *NarrowFormat, d, a, t, u, v Val, relu bool) {
	drop := 23 - f.Fraction
	unit := math.Ldexp(1, 1-f.Bias-int(f.Fraction))
	into := math.Float32bits(float32(unit * (1 << 23))) // a float with the unit as the value of its last bit
	leastNormal := math.Float32bits(float32(math.Ldexp(1, 1-f.Bias)))
	e.AndConst(t, a, 1<<31-1)
	e.Const(u, uint64(math.Float32bits(f.Limit)))
	e.Min(t, t, u, true)
	// A normal number: ties to even.
	e.shift(vpsrld, d, t, drop)
	e.AndConst(d, d, 1)
	e.Add(d, d, t)
	e.AddConst(d, d, uint64(1<<(drop-1)-1-uint32(127-f.Bias)<<23))
	e.shift(vpsrld, d, d, drop)
	// A subnormal one: the sum has no bits below the unit.
	e.op3m(vaddps, u, t, e.constant(uint64(into), 32))
	e.AddConst(u, u, uint64(-into))
	e.comparedTo(v, t, uint64(leastNormal), lanes.Lt)
	e.choose(d, d, u, v)
	if relu {
		e.shift(vpsrad, t, a, 31)
		e.AndNot(d, t, d)
	} else {
		e.shift(vpsrld, t, a, 31)
		e.shift(vpslld, t, t, f.Bits-1)
		e.Or(d, d, t)
	}
	e.unordered(v, a, a)
	nan := uint64(narrowNaN)
	if f.NaN == 0 {
		nan = f.Greatest
	}
	e.Const(u, nan)
	e.choose(d, d, u, v)
}

// WidenPair is the pair of numbers in a as a pair of halves, which hold all numbers of the format.
func (e *Emit) WidenPair(f *NarrowFormat, to HalfFormat, d, a Val, relu bool) {
	low, x, t, u := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32)
	e.widen(f, to, low, a, t, u, relu)
	e.shift(vpsrld, x, a, f.Step)
	e.widen(f, to, d, x, t, u, relu)
	e.shift(vpslld, d, d, 16)
	e.Or(d, d, low)
}

// widen is the number in the low bits of a as a half. It changes t and u.
func (e *Emit) widen(f *NarrowFormat, to HalfFormat, d, a, t, u Val, relu bool) {
	e.AndConst(t, a, f.magnitude())
	e.shift(vpslld, t, t, 10-f.Fraction)
	e.FloatOfHalf(u, t)
	if scale := math.Ldexp(1, 15-f.Bias); scale != 1 {
		e.op3m(vmulps, u, u, e.constant(uint64(math.Float32bits(float32(scale))), 32))
	}
	if to == Binary16 {
		l, _ := e.shape(32)
		e.v2I(vcvtps2PH, l, d.Lo, u.Lo, 0)
		e.v2(vpmovzxwd, l, d.Lo, d.Lo)
	} else {
		e.shift(vpsrld, d, u, 16)
	}
	e.shift(vpsrld, u, a, f.Bits-1)
	e.shift(vpslld, u, u, 31)
	e.shift(vpsrld, u, u, 16)
	e.Or(d, d, u)
	if relu {
		e.positiveHalf(d, u)
	}
	if f.NaN != 0 {
		e.Const(u, (f.NaN-1)<<(10-f.Fraction))
		e.op3(vpcmpgtd, u, t, u)
		e.AndConst(t, u, nanHalf)
		e.AndNot(d, u, d)
		e.Or(d, d, t)
	}
}

// PowersOfTwo are the bytes of a as exponents of two with a bias of 127, in .bf16; 255 is NaN.
func (e *Emit) PowersOfTwo(d, a Val) {
	low, t, u := e.Temp(32), e.Temp(32), e.Temp(32)
	power := func(d, x Val) {
		e.shift(vpslld, d, x, 7)
		e.Const(u, 0)
		e.op3(vpcmpeqd, u, u, x)
		e.AndConst(u, u, 0x40) // 2 to the power of -127 is subnormal
		e.Or(d, d, u)
		e.Const(u, 0xff)
		e.op3(vpcmpeqd, u, u, x)
		e.AndConst(u, u, nanHalf)
		e.Or(d, d, u)
	}
	e.AndConst(t, a, 0xff)
	power(low, t)
	e.Field(t, a, 8, 8, false)
	power(d, t)
	e.shift(vpslld, d, d, 16)
	e.Or(d, d, low)
}

// RoundedHalf is the 32-bit float a as a number of 16 bits, rounded by a mode; with RELU negative numbers become 0, and
// with SATFINITE infinities the largest numbers.
func (e *Emit) RoundedHalf(f HalfFormat, d, a Val, mode lanes.Mode) {
	t := e.Temp(32)
	if f == Binary16 {
		e.HalfOfFloat(d, a, mode)
	} else {
		e.brain(d, a, t, mode)
		e.halfNaN(d, a)
	}
	if mode&lanes.RELU != 0 {
		e.positiveHalf(d, t)
	}
	if mode&lanes.SATFINITE == 0 {
		return
	}
	infinity := uint64(0x7c00)
	if f == Brain16 {
		infinity = infinityF32 >> 16
	}
	u := e.Temp(32)
	e.AndConst(t, d, 1<<15-1)
	e.Const(u, infinity)
	e.op3(vpcmpeqd, t, t, u)
	e.Add(d, d, t)
}

// brain is a number of .bf16 that is rounded by a mode. It changes t.
func (e *Emit) brain(d, a, t Val, mode lanes.Mode) {
	switch mode & (lanes.RoundZero | lanes.RoundDown | lanes.RoundUp) {
	case lanes.RoundNearest:
		e.nearestBrain(d, a)
		return
	case lanes.RoundZero:
		e.shift(vpsrld, d, a, 16)
		return
	case lanes.RoundDown: // away from zero if a is negative
		e.shift(vpsrad, t, a, 31)
	default:
		e.shift(vpsrad, t, a, 31)
		e.Not(t, t)
	}
	e.AndConst(t, t, 1<<16-1)
	e.Add(d, a, t)
	e.shift(vpsrld, d, d, 16)
}

// FiniteTF32 is a number of tf32 with the largest one in place of infinity; with relu 0 in place of a negative one.
func (e *Emit) FiniteTF32(d Val, finite, relu bool) {
	t, u := e.Temp(32), e.Temp(32)
	if relu {
		e.shift(vpsrad, t, d, 31)
		e.AndNot(d, t, d)
	}
	if finite {
		e.AndConst(t, d, 1<<31-1)
		e.Const(u, infinityF32)
		e.op3(vpcmpeqd, t, t, u)
		e.AndConst(t, t, 1<<13)
		e.Sub(d, d, t)
	}
}
