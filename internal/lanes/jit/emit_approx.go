package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// The approximations of PTX are computed as in package lanes: by functions of package math in float64, rounded to
// .f32. This file has the operations of those functions for amd64, in their order, on four or eight numbers at a
// time. It uses fused multiply-adds only where they do.

// temps allocates n vector registers until the body ends.
func (e *Emit) temps(n int) []Vec {
	all := make([]Vec, n)
	for i := range all {
		all[i] = e.Temp(32).Lo
	}
	return all
}

// wide applies fn to the lanes of a as .f64, a vector of them at a time, and rounds to .f32.
func (e *Emit) wide(d, a Val, x Vec, fn func()) {
	l, n := e.shape(64)
	e.v2(vcvtps2PD, l, x, a.Lo)
	fn()
	e.v2(vcvtpd2PS, l, d.Lo, x)
	if n == 1 {
		return
	}
	e.upper(x, a.Lo)
	e.v2(vcvtps2PD, l, x, x)
	fn()
	e.v2(vcvtpd2PS, l, x, x)
	e.join(d.Lo, d.Lo, x)
}

// tailF64 masks the bits of an f64 that .f32 does not have. A tie between two .f32 numbers has the highest of these
// bits set, and no other. A result of a fast function within nearTie of a tie may round to the wrong number.
const (
	tailF64 = 1<<29 - 1
	nearTie = 1 << 13
)

// wideFast is wide with a fast function that has a relative error below 2^-40. If the number that fn computes may round
// to another .f32, fn computes all lanes. It changes t.
func (e *Emit) wideFast(d, a Val, x, t Vec, fast, fn func()) {
	l, n := e.shape(64)
	slow, done := e.NewLabel(), e.NewLabel()
	part := func() {
		fast()
		e.bits64(vpand, t, x, tailF64)
		e.v3M(vpaddq, l, t, t, e.constant(^uint64(1<<28-nearTie)+1, 64)) // from the lowest that is near
		e.bits64(vpand, t, t, ^uint64(2*nearTie-1))
		e.v3M(vpcmpeqq, l, t, t, e.constant(0, 64))
		e.vToReg(vmovmskpd, l, RAX, t)
		e.test(W32, RAX, RAX)
		e.jcc(condNE, slow)
	}
	e.v2(vcvtps2PD, l, x, a.Lo)
	part()
	e.v2(vcvtpd2PS, l, d.Lo, x)
	if n == 2 {
		e.upper(x, a.Lo)
		e.v2(vcvtps2PD, l, x, x)
		part()
		e.v2(vcvtpd2PS, l, x, x)
		e.join(d.Lo, d.Lo, x)
	}
	e.Jmp(done)
	e.Bind(slow)
	e.wide(d, a, x, fn)
	e.Bind(done)
}

// exp2Fast is 2 to the power of x, which is between -200 and 200 or NaN, with a relative error of less than 2 to the
// power of -42. It changes k and p.
func (e *Emit) exp2Fast(x, k, p Vec) {
	e.roundF64(k, x, lanes.RoundNearest)
	e.f64(vsubpd, x, x, k)
	c := 1.0 // of the series of exp(x * ln 2)
	var series [11]float64
	for i := range series {
		series[i] = c
		c *= math.Ln2 / float64(i+1)
	}
	e.setF64(p, series[10])
	for i := 9; i >= 0; i-- {
		e.v3M(vfmadd213PD, e.length64(), p, x, e.double(series[i]))
	}
	e.f64c(vaddpd, k, k, intoLowBits+1023) // 2 to the power of k, as a float64
	e.vShiftImm(vpsllq, e.length64(), k, k, 52)
	e.f64(vmulpd, x, p, k)
}

// Operations on vectors of .f64: with registers, and with a constant as the second or the first operand.
func (e *Emit) f64(op vOp, d, a, b Vec)              { e.v3(op, e.length64(), d, a, b) }
func (e *Emit) f64c(op vOp, d, a Vec, c float64)     { e.v3M(op, e.length64(), d, a, e.double(c)) }
func (e *Emit) cf64(op vOp, d Vec, c float64, b Vec) { e.setF64(d, c); e.f64(op, d, d, b) }
func (e *Emit) bits64(op vOp, d, a Vec, bits uint64) {
	e.v3M(op, e.length64(), d, a, e.constant(bits, 64))
}
func (e *Emit) setF64(d Vec, c float64) { e.v2M(vmovdqu, e.length64(), d, e.double(c)) }
func (e *Emit) double(c float64) Mem    { return e.constant(math.Float64bits(c), 64) }
func (e *Emit) roundF64(d, a Vec, mode lanes.Mode) {
	e.v2I(vroundpd, e.length64(), d, a, roundImmediates[mode&3])
}
func (e *Emit) isF64(d, a Vec, c lanes.Comparison, k float64) {
	e.v3MI(vcmppd, e.length64(), d, a, e.double(k), floatPredicates[c])
}

func (e *Emit) length64() length {
	l, _ := e.shape(64)
	return l
}

// roundImmediates are the immediates of vroundps, by mode, with the precision exception suppressed.
var roundImmediates = [...]uint8{lanes.RoundNearest: 8, lanes.RoundDown: 9, lanes.RoundUp: 10, lanes.RoundZero: 11}

// horner makes d a polynomial of x: c[0]*x + c[1], times x, plus c[2], and so on.
func (e *Emit) horner(d, x Vec, c ...float64) {
	e.f64c(vmulpd, d, x, c[0])
	e.f64c(vaddpd, d, d, c[1])
	for _, k := range c[2:] {
		e.f64(vmulpd, d, d, x)
		e.f64c(vaddpd, d, d, k)
	}
}

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	// A float64 that is a whole number of less than 52 bits has the number in its low bits after this is added.
	intoLowBits = 1 << 52
)

// exp2 is math.Exp2 of x, which is between -200 and 200 or NaN.
func (e *Emit) exp2(x Vec, t []Vec) {
	k, hi, r, u, p := t[0], t[1], t[2], t[3], t[4]
	e.bits64(vpand, k, x, 1<<63)
	e.bits64(vpor, k, k, math.Float64bits(0.5))
	e.f64(vaddpd, k, x, k)
	e.roundF64(k, k, lanes.RoundZero)
	e.f64(vsubpd, x, x, k)
	e.f64c(vmulpd, hi, x, ln2Hi)
	e.f64c(vmulpd, x, x, -ln2Lo)
	lo := x
	e.f64(vsubpd, r, hi, lo)
	e.f64(vmulpd, u, r, r)
	e.horner(p, u, 4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
		-2.77777777770155933842e-03, 1.66666666666666657415e-01)
	e.f64(vmulpd, p, u, p)
	e.f64(vsubpd, p, r, p)
	e.f64(vmulpd, r, r, p)
	e.cf64(vsubpd, u, 2, p)
	e.f64(vdivpd, r, r, u)
	e.f64(vsubpd, r, lo, r)
	e.f64(vsubpd, r, r, hi)
	e.cf64(vsubpd, u, 1, r)
	e.f64c(vaddpd, k, k, intoLowBits+1023) // 2 to the power of k, as a float64
	e.vShiftImm(vpsllq, e.length64(), k, k, 52)
	e.f64(vmulpd, x, u, k)
}

// log is math.Log of x, which is positive, finite and not subnormal.
func (e *Emit) log(x Vec, t []Vec) {
	k, s, s2, s4, p, h := t[0], t[1], t[2], t[3], t[4], t[5]
	e.vShiftImm(vpsrlq, e.length64(), k, x, 52)
	e.bits64(vpor, k, k, math.Float64bits(intoLowBits))
	e.f64c(vsubpd, k, k, intoLowBits+1022)
	e.bits64(vpand, x, x, 1<<52-1)
	e.bits64(vpor, x, x, math.Float64bits(0.5))
	e.isF64(s, x, lanes.Le, 7.07106781186547524401e-01)
	e.bits64(vpand, s, s, oneF64)
	e.f64(vsubpd, k, k, s)
	e.f64c(vaddpd, s, s, 1)
	e.f64(vmulpd, x, x, s)
	e.f64c(vsubpd, x, x, 1)
	f := x
	e.f64c(vaddpd, s, f, 2)
	e.f64(vdivpd, s, f, s)
	e.f64(vmulpd, s2, s, s)
	e.f64(vmulpd, s4, s2, s2)
	e.horner(p, s4, 1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01, 6.666666666666735130e-01)
	e.f64(vmulpd, s2, s2, p)
	e.horner(p, s4, 1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01)
	e.f64(vmulpd, s4, s4, p)
	e.f64(vaddpd, s2, s2, s4)
	e.f64c(vmulpd, h, f, 0.5)
	e.f64(vmulpd, h, h, f)
	e.f64(vaddpd, s2, h, s2)
	e.f64(vmulpd, s, s, s2)
	e.f64c(vmulpd, s2, k, ln2Lo)
	e.f64(vaddpd, s, s, s2)
	e.f64(vsubpd, h, h, s)
	e.f64(vsubpd, h, h, f)
	e.f64c(vmulpd, k, k, ln2Hi)
	e.f64(vsubpd, x, k, h)
}

// sine is math.Sin of x, at most a right angle in magnitude.
func (e *Emit) sine(x Vec, t []Vec) {
	sign, m, z, zz, p, q := t[0], t[1], t[2], t[3], t[4], t[5]
	e.bits64(vpand, sign, x, 1<<63)
	e.bits64(vpand, x, x, 1<<63-1)
	// Beyond half a right angle: the cosine of the difference from the right angle.
	e.f64c(vmulpd, m, x, 4/math.Pi)
	e.isF64(m, m, lanes.Ge, 1)
	e.bits64(vpand, q, m, math.Float64bits(2))
	for i, part := range []float64{7.85398125648498535156e-1, 3.77489470793079817668e-8, 2.69515142907905952645e-15} {
		e.f64c(vmulpd, p, q, part)
		if i == 0 {
			e.f64(vsubpd, z, x, p)
		} else {
			e.f64(vsubpd, z, z, p)
		}
	}
	e.f64(vmulpd, zz, z, z)
	e.horner(p, zz, 1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1)
	e.f64(vmulpd, q, z, zz)
	e.f64(vmulpd, p, q, p)
	e.f64(vaddpd, p, z, p)
	e.horner(q, zz, -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2)
	e.f64(vmulpd, x, zz, zz)
	e.f64(vmulpd, q, x, q)
	e.f64c(vmulpd, zz, zz, 0.5)
	e.cf64(vsubpd, z, 1, zz)
	e.f64(vaddpd, q, z, q)
	e.pick(e.length64(), x, p, q, m)
	e.f64(vxorpd, x, x, sign)
}

// Ex2Approx is lanes.Ex2F32. With flush its Control flushes subnormal numbers.
func (e *Emit) Ex2Approx(d, a Val, flush bool) {
	x, half, t := e.Temp(32), e.Temp(32), e.temps(6)
	below := Val{Lo: t[5], Bits: 32}
	e.Move(x, a)
	if !flush {
		e.comparedTo(below, a, uint64(math.Float32bits(-126)), lanes.Lt)
		e.op3m(vmulps, half, a, e.constant(uint64(math.Float32bits(0.5)), 32))
		e.choose(x, a, half, below)
	}
	// NaN, the second source, is kept.
	e.Const(half, uint64(math.Float32bits(200)))
	e.op3(vminps, x, half, x)
	e.Const(half, uint64(math.Float32bits(-200)))
	e.op3(vmaxps, x, half, x)
	e.wideFast(d, x, half.Lo, t[0], func() { e.exp2Fast(half.Lo, t[0], t[1]) }, func() { e.exp2(half.Lo, t[:5]) })
	if flush {
		return
	}
	e.op3(vmulps, x, d, d)
	e.choose(d, d, x, below)
}

// Lg2Approx is lanes.Lg2F32. With flush its Control flushes subnormal numbers.
func (e *Emit) Lg2Approx(d, a Val, flush bool) {
	x, w, t := e.Temp(32), e.Temp(32), e.temps(7)
	small := Val{Lo: t[6], Bits: 32}
	if flush {
		e.TimesOne(x, a)
	} else { // subnormal numbers are scaled
		e.Abs(x, a)
		e.comparedTo(small, x, leastNormalF32, lanes.Lt)
		e.op3m(vmulps, x, a, e.constant(uint64(math.Float32bits(0x1p24)), 32))
		e.choose(x, a, x, small)
	}
	e.wide(d, x, w.Lo, func() {
		e.log(w.Lo, t[:6])
		e.f64c(vmulpd, w.Lo, w.Lo, 1/math.Ln2)
	})
	m := Val{Lo: t[0], Bits: 32}
	e.specialLogs(d, x, w, m)
	if !flush {
		e.AndConst(m, small, uint64(math.Float32bits(24)))
		e.SubFloat(d, d, m)
	}
}

// SinApprox is lanes.SinF32, or with cosine CosF32.
func (e *Emit) SinApprox(d, a Val, cosine bool) {
	x, t := e.Temp(32).Lo, e.temps(8)
	e.wide(d, a, x, func() {
		e.f64c(vmulpd, x, x, 0x1.45f306p-3)
		e.bits64(vpand, x, x, ^uint64(1<<29-1)) // truncates to a float32; below its normal numbers the result is 0 turns
		sign := t[6]
		e.bits64(vpand, sign, x, 1<<63)
		e.bits64(vpand, x, x, 1<<63-1)
		e.roundF64(t[0], x, lanes.RoundDown)
		e.f64(vsubpd, x, x, t[0])
		e.f64c(vmulpd, x, x, 1<<25)
		e.roundF64(x, x, lanes.RoundZero)
		e.f64c(vmulpd, x, x, 0x1p-25)
		if cosine {
			e.f64c(vaddpd, x, x, 0.25)
		}
		e.isF64(t[0], x, lanes.Gt, 0.25)
		e.isF64(t[1], x, lanes.Gt, 0.75)
		e.cf64(vsubpd, t[2], 0.5, x)
		e.f64c(vsubpd, t[3], x, 1)
		e.pick(e.length64(), x, x, t[2], t[0])
		e.pick(e.length64(), x, x, t[3], t[1])
		e.f64c(vmulpd, x, x, 2*math.Pi)
		e.sine(x, t[:6])
		if !cosine {
			e.f64(vxorpd, x, x, sign)
		}
	})
}

// RsqrtApprox is lanes.RsqrtApproxF32. With flush its Control flushes subnormal numbers.
func (e *Emit) RsqrtApprox(d, a Val, flush bool) {
	if flush {
		t := e.Temp(32)
		e.TimesOne(t, a)
		a = t
	}
	x, t := e.Temp(32).Lo, e.Temp(32).Lo
	e.wide(d, a, x, func() {
		e.v2(vsqrtpd, e.length64(), x, x)
		e.cf64(vdivpd, t, 1, x)
		e.v2(vmovdqa, e.length64(), x, t)
	})
}

// RcpApprox is lanes.RcpApproxF32. With flush its Control flushes subnormal numbers.
func (e *Emit) RcpApprox(d, a Val, flush bool) {
	if flush {
		e.Reciprocal(d, a)
		return
	}
	// Huge values are rounded before their reciprocal becomes subnormal.
	f, x := e.Temp(32), e.Temp(32)
	e.scaleOf(f, x, a, false)
	e.MulFloat(x, a, f)
	e.Reciprocal(d, x)
	e.MulFloat(d, d, f)
}

const hugeF32 = 0x7e800000 // 2 to the power of 126

// scaleOf is the factor that scales a into the range of the approximation unit: 1/4 if it is huge, with small also
// 2^24 if it is subnormal, and else 1.
func (e *Emit) scaleOf(d, t, a Val, small bool) {
	m, k := e.Temp(32), e.Temp(32)
	e.Abs(t, a)
	e.Const(d, oneF32)
	e.comparedTo(m, t, hugeF32, lanes.Gt)
	e.Const(k, uint64(math.Float32bits(0.25)))
	e.choose(d, d, k, m)
	if small {
		e.comparedTo(m, t, leastNormalF32, lanes.Lt)
		e.Const(k, uint64(math.Float32bits(0x1p24)))
		e.choose(d, d, k, m)
	}
}

// DivApprox is lanes.DivApproxF32, or with full DivFullF32. With flush its Control flushes subnormal numbers.
func (e *Emit) DivApprox(d, a, b Val, full, flush bool) {
	if flush && !full {
		t := e.Temp(32)
		e.Reciprocal(t, b) // a subnormal reciprocal counts as zero in the product
		e.MulFloat(d, a, t)
		return
	}
	f, x, y := e.Temp(32), e.Temp(32), e.Temp(32)
	if full {
		e.scaleOf(f, x, b, !flush)
	} else {
		e.Abs(x, b)
		e.comparedTo(x, x, leastNormalF32, lanes.Lt)
		e.Const(f, oneF32)
		e.Const(y, uint64(math.Float32bits(0x1p24)))
		e.choose(f, f, y, x)
	}
	e.MulFloat(x, a, f)
	e.MulFloat(y, b, f)
	e.Reciprocal(d, y)
	if !full { // the reciprocal of a huge number is zero
		e.Abs(y, d)
		e.comparedTo(y, y, leastNormalF32, lanes.Lt)
		e.AndConst(y, y, 1<<31-1)
		e.AndNot(d, y, d)
	}
	e.MulFloat(d, x, d)
}
