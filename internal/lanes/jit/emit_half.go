package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Arithmetic on halves is done in .f32, which has more than twice their bits, so that rounding sums, products and
// differences again is harmless. Products are exact.

// HalfOp is an operation on 32-bit floats; c is for operations with three sources.
type HalfOp func(d, a, b, c Val)

// HalfFormat is a floating-point format of 16 bits.
type HalfFormat uint8

// The formats: .f16 and .bf16.
const (
	Binary16 HalfFormat = iota
	Brain16
)

// Half applies op to numbers of 16 bits with zeros above; b and c may be missing. With relu negative results become 0.
func (e *Emit) Half(f HalfFormat, d, a, b, c Val, relu bool, op HalfOp) {
	x, y, z := e.Temp(32), e.Temp(32), e.Temp(32)
	for _, s := range []struct{ to, from Val }{{x, a}, {y, b}, {z, c}} {
		if s.from.Bits != 0 {
			e.ExpandHalf(f, s.to, s.from)
		}
	}
	op(x, x, y, z)
	e.roundHalf(f, d, x, y, relu)
}

// Halves applies op to the lower and to the upper halves of words.
func (e *Emit) Halves(f HalfFormat, d, a, b, c Val, relu bool, op HalfOp) {
	x, y, z, low := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32)
	for _, upper := range []bool{false, true} {
		for _, s := range []struct{ to, from Val }{{x, a}, {y, b}, {z, c}} {
			switch {
			case s.from.Bits == 0:
			case f == Brain16 && upper:
				e.AndConst(s.to, s.from, 0xffff0000)
			case f == Brain16:
				e.ExpandHalf(f, s.to, s.from)
			case upper:
				e.shift(vpsrld, d, s.from, 16)
				e.ExpandHalf(f, s.to, d)
			default:
				e.AndConst(d, s.from, 1<<16-1)
				e.ExpandHalf(f, s.to, d)
			}
		}
		op(x, x, y, z)
		e.roundHalf(f, d, x, y, relu)
		if !upper {
			e.Move(low, d)
		}
	}
	e.shift(vpslld, d, d, 16)
	e.Or(d, d, low)
}

// PairOfFloats is a, in the upper half, and b, rounded to a format by a mode: of .bf16 to nearest.
func (e *Emit) PairOfFloats(f HalfFormat, d, a, b Val, mode lanes.Mode, relu bool) {
	low, m := e.Temp(32), e.Temp(32)
	round := func(d, a Val) {
		if f == Binary16 {
			e.HalfOfFloat(d, a, mode)
			if relu {
				e.positiveHalf(d, m)
			}
			return
		}
		e.roundHalf(f, d, a, m, relu)
	}
	round(low, b)
	round(d, a)
	e.shift(vpslld, d, d, 16)
	e.Or(d, d, low)
}

// ExpandHalf is the number a of 16 bits as a 32-bit float. Of .bf16 the bits above do not matter.
func (e *Emit) ExpandHalf(f HalfFormat, d, a Val) {
	if f == Brain16 {
		e.FloatOfBrain(d, a)
		return
	}
	e.FloatOfHalf(d, a)
}

// ExpandLower and ExpandUpper are the lower and the upper half of a as 32-bit floats.
func (e *Emit) ExpandLower(f HalfFormat, d, a Val) {
	if f == Brain16 {
		e.FloatOfBrain(d, a)
		return
	}
	t := e.Temp(32)
	e.AndConst(t, a, 1<<16-1)
	e.FloatOfHalf(d, t)
}

// ExpandUpper is described with ExpandLower.
func (e *Emit) ExpandUpper(f HalfFormat, d, a Val) {
	if f == Brain16 {
		e.AndConst(d, a, 0xffff0000)
		return
	}
	t := e.Temp(32)
	e.shift(vpsrld, t, a, 16)
	e.FloatOfHalf(d, t)
}

// roundHalf is the 32-bit float a rounded to nearest. It changes t.
func (e *Emit) roundHalf(f HalfFormat, d, a, t Val, relu bool) {
	if f == Binary16 {
		e.HalfOfFloat(d, a, lanes.RoundNearest)
	} else {
		e.nearestBrain(d, a)
		e.unordered(t, a, a) // NaN becomes 0x7fff
		e.AndNot(d, t, d)
		e.shift(vpsrld, t, t, 32-15)
		e.Or(d, d, t)
	}
	if relu {
		e.positiveHalf(d, t)
	}
}

// positiveHalf replaces a negative number of 16 bits by 0. It changes t.
func (e *Emit) positiveHalf(d, t Val) {
	e.shift(vpslld, t, d, 16)
	e.shift(vpsrad, t, t, 31)
	e.AndNot(d, t, d)
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
	e.comparedTo(b, t, 0, lanes.Ne)
	e.towards(d, s, t, b)
}

// towards is s moved by one towards the exact value in the lanes of inexact, if its last bit is clear: in the direction
// of the sign of the error t relative to its own. It changes t and inexact.
func (e *Emit) towards(d, s, t, inexact Val) {
	b := inexact
	e.Xor(t, t, s)
	e.shift(vpsrad, t, t, 31)
	e.op3m(vpor, t, t, e.constant(1, 32))
	e.And(t, t, b)
	e.shift(vpslld, b, s, 31)
	e.shift(vpsrad, b, b, 31)
	e.AndNot(t, b, t)
	e.Add(d, s, t)
}

// FmaForBrain is FmaForHalf for .bf16, whose products may be out of the range of .f32; t has seven temporary values. It
// changes b and c.
func (e *Emit) FmaForBrain(d, a, b, c Val, t *[7]Val) {
	if e.two() {
		e.fmaToOdd(d, a, b, c, t[0].Lo, t[1].Lo)
	} else {
		e.fmaByDoubles(d, a, b, c, t)
	}
}

// fmaToOdd is a * b + c, rounded to odd: an inexact result differs between rounding down and up.
func (e *Emit) fmaToOdd(d, a, b, c Val, down, up Vec) {
	for _, r := range []struct {
		to   Vec
		mode uint8
	}{{down, roundDown}, {up, roundUp}, {c.Lo, roundZero}} {
		if r.to != c.Lo {
			e.v2(vmovdqa, l512, r.to, c.Lo)
		}
		e.v3R(vfmadd231PS, r.to, a.Lo, b.Lo, r.mode)
	}
	e.vCmpK(vcmpps, l512, maskScratch, down, up, floatPredicates[lanes.Ne])
	e.v3MK(vpor, l512, c.Lo, c.Lo, e.constant(1, 32), maskScratch, false)
	e.Move(d, c)
}

// fmaByDoubles is a * b + c, rounded to odd. Products and sums are those of 64-bit floats, in which products are exact.
// It changes b and c.
func (e *Emit) fmaByDoubles(d, a, b, c Val, t *[7]Val) {
	const l = l256
	parts := 2
	if e.Lanes == ScalarLanes {
		parts = 1
	}
	x, y, z, s, r := t[0].Lo, t[1].Lo, t[2].Lo, t[3].Lo, t[4].Lo
	for part := range parts {
		for _, w := range []struct{ to, from Vec }{{x, a.Lo}, {y, b.Lo}, {z, c.Lo}} {
			if part == 1 {
				e.upper(w.to, w.from)
				w.from = w.to
			}
			e.v2(vcvtps2PD, l, w.to, w.from)
		}
		e.v3(vmulpd, l, x, x, y)
		e.v3(vaddpd, l, s, x, z)
		// The rounding error of the sum, by Knuth's TwoSum.
		e.v3(vsubpd, l, r, s, x)
		e.v3(vsubpd, l, y, s, r)
		e.v3(vsubpd, l, y, x, y)
		e.v3(vsubpd, l, r, z, r)
		e.v3(vaddpd, l, r, y, r)
		// That of rounding the sum to 32 bits, which is larger unless it is 0; both together have its sign.
		e.v2(vcvtpd2PS, l, x, s)
		e.v2(vcvtps2PD, l, y, x)
		e.v3(vsubpd, l, y, s, y)
		e.v3(vaddpd, l, y, y, r)
		e.v3I(vcmppd, l, r, y, y, floatPredicates[lanes.Num])
		e.v3(vpand, l, y, y, r)
		e.upperWords(y, r)
		switch {
		case parts == 1:
			e.v2(vmovdqa, l128, d.Lo, x)
			e.v2(vmovdqa, l128, c.Lo, y)
		case part == 0:
			e.v2(vmovdqa, l256, t[5].Lo, x)
			e.v2(vmovdqa, l256, t[6].Lo, y)
		default:
			e.join(d.Lo, t[5].Lo, x)
			e.join(c.Lo, t[6].Lo, y)
		}
	}
	e.Const(b, 0)
	e.op3(vpcmpeqd, b, c, b)
	e.Not(b, b)
	e.towards(d, d, c, b)
}

// upperWords sets d to the upper halves of its four 64-bit elements. It changes t.
func (e *Emit) upperWords(d, t Vec) {
	e.vShiftImm(vpsrlq, l256, d, d, 32)
	const even = 0x88 // elements 0 and 2 of each source
	e.v2I(vextracti128, l256, t, d, 1)
	e.v3I(vshufps, l128, d, d, t, even)
}
