package jit

import (
	"encoding/binary"
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// The functions of libdevice for single precision, in the steps of package fn: in float64, on four or eight numbers at
// a time, so that the bits are the same.

// series is fn.series64: a polynomial of x with these coefficients, the lowest one first.
func (e *Emit) series(d, x Vec, coefficients []float64) {
	last := len(coefficients) - 1
	e.setF64(d, coefficients[last])
	for i := last - 1; i >= 0; i-- {
		e.v3M(vfmadd213PD, e.length64(), d, x, e.double(coefficients[i]))
	}
}

// exp64 is fn.exp64: e^x. It changes k and p.
func (e *Emit) exp64(x, k, p Vec) {
	e.f64c(vmulpd, k, x, fn.Log2E)
	e.roundF64(k, k, lanes.RoundNearest)
	e.v3M(vfnmadd231PD, e.length64(), x, k, e.double(fn.Ln2Hi))
	e.v3M(vfnmadd231PD, e.length64(), x, k, e.double(fn.Ln2Lo))
	e.scaledExp(x, k, p)
}

// scaledExp makes x e^x times 2 to the power of k, a whole number that is changed. It changes p.
func (e *Emit) scaledExp(x, k, p Vec) {
	e.series(p, x, fn.ExpSeries())
	e.f64c(vaddpd, k, k, intoLowBits+1023) // 2 to the power of k, as a float64
	e.vShiftImm(vpsllq, e.length64(), k, k, 52)
	e.f64(vmulpd, x, p, k)
}

// within is a, limited to a bound in both directions. NaN, the second source of these instructions, is kept.
func (e *Emit) within(d, a Val, bound float32) {
	t := e.Temp(32)
	e.Const(t, uint64(math.Float32bits(bound)))
	e.op3(vminps, d, t, a)
	e.Const(t, uint64(math.Float32bits(-bound)))
	e.op3(vmaxps, d, t, d)
}

// ExpSingle is fn.ExpSingle.
func (e *Emit) ExpSingle(d, a Val) {
	x, w, t := e.Temp(32), e.Temp(32).Lo, e.temps(2)
	e.within(x, a, 200)
	e.wide(d, x, w, func() { e.exp64(w, t[0], t[1]) })
}

// Exp10Single is fn.Exp10Single.
func (e *Emit) Exp10Single(d, a Val) {
	x, w, t := e.Temp(32), e.Temp(32).Lo, e.temps(2)
	e.within(x, a, 100)
	e.wide(d, x, w, func() {
		e.f64c(vmulpd, w, w, fn.Ln10)
		e.exp64(w, t[0], t[1])
	})
}

// Expm1Single is fn.Expm1Single.
func (e *Emit) Expm1Single(d, a Val) {
	x, w, t := e.Temp(32), e.Temp(32).Lo, e.temps(4)
	e.within(x, a, 200)
	e.wide(d, x, w, func() { e.expm1(w, t) })
}

// expm1 is fn.Expm1Single of x, which is at most 200 in magnitude.
func (e *Emit) expm1(x Vec, t []Vec) {
	small, near := t[2], t[3]
	e.bits64(vpand, small, x, 1<<63-1)
	e.isF64(small, small, lanes.Lt, 0.25)
	e.series(near, x, fn.ExpSeries()[1:])
	e.f64(vmulpd, near, x, near)
	e.exp64(x, t[0], t[1])
	e.f64c(vsubpd, x, x, 1)
	e.pick(e.length64(), x, x, near, small)
}

// TanhSingle is fn.TanhSingle.
func (e *Emit) TanhSingle(d, a Val) {
	x, w, t := e.Temp(32), e.Temp(32).Lo, e.temps(4)
	e.within(x, a, 20)
	e.wide(d, x, w, func() {
		e.f64(vaddpd, w, w, w)
		e.expm1(w, t)
		e.f64c(vaddpd, t[0], w, 2)
		e.f64(vdivpd, w, w, t[0])
	})
}

// logTable is fn.LogTable, as far as vectors of eight reach.
func logTable() []float64 {
	t := fn.LogTable()
	return append(t, make([]float64, -len(t)&15)...)
}

// floats writes a table.
func (e *Emit) floats(table []float64) {
	for _, v := range table {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		e.literal(b[:])
	}
}

// log64 is fn.log64: the logarithm of x, which is positive and not subnormal. For others it is any value.
func (e *Emit) log64(x Vec, t []Vec) {
	k, s, i := t[0], t[1], t[2]
	l := e.length64()
	e.vShiftImm(vpsrlq, l, k, x, 52)
	e.bits64(vpor, k, k, math.Float64bits(intoLowBits))
	e.f64c(vsubpd, k, k, intoLowBits+1022)
	e.bits64(vpand, x, x, 1<<52-1)
	e.bits64(vpor, x, x, math.Float64bits(0.5))
	e.isF64(s, x, lanes.Lt, fn.RootHalf)
	e.bits64(vpand, s, s, oneF64)
	e.f64(vsubpd, k, k, s)
	e.f64c(vaddpd, s, s, 1)
	e.f64(vmulpd, x, x, s)
	e.f64c(vmulpd, i, x, 64)
	e.f64c(vaddpd, i, i, 0.5)
	e.roundF64(i, i, lanes.RoundZero)
	e.cf64(vdivpd, s, 64, i)
	e.f64c(vaddpd, i, i, intoLowBits-fn.FirstReciprocal)
	e.bits64(vpand, i, i, 63)
	// log1p64 of the remainder
	e.v3M(vfmsub213PD, l, x, s, e.double(1))
	e.f64c(vaddpd, s, x, 2)
	e.f64(vdivpd, x, x, s)
	e.f64(vmulpd, s, x, x)
	e.f64(vaddpd, x, x, x)
	p := t[3]
	e.series(p, s, fn.AtanhSeries())
	e.f64(vmulpd, x, x, p)
	e.lookUp(p, i, s, t[4])
	e.f64(vaddpd, x, p, x)
	e.v3M(vfmadd231PD, l, x, k, e.double(fn.Ln2Hi))
}

// lookUp sets d to the elements of the table of logarithms at the indices i. It changes t and u. With 512-bit vectors,
// each third of the table is looked up by a permutation, and each lane keeps the result of the third that has its
// index: that is faster than a gather.
func (e *Emit) lookUp(d, i, t, u Vec) {
	l := e.length64()
	table := e.pooled(poolConstant{kind: poolLog})
	if l == l512 {
		for part := range int32(3) {
			into := u
			if part == 0 {
				into = d
			}
			e.v2(vmovdqa, l, into, i)
			e.v2M(vmovdqu, l, t, table.plus(128*part))
			e.v3M(vpermi2Q, l, into, t, table.plus(128*part+64))
			if part > 0 {
				e.vTestKM(vptestmq, l, maskScratch, i, e.constant(uint64(16*part), 64))
				e.v2K(vmovdqa64, l, d, u, maskScratch, false)
			}
		}
		return
	}
	e.lea(RAX, table)
	if e.Level == AVX512 {
		e.kXnor(W16, maskScratch, maskScratch, maskScratch)
		e.v3(vpxor, l, d, d, d)
		e.vGatherK(vpgatherqq, l, d, RAX, i, 8, 0, maskScratch)
		return
	}
	e.v3(vpcmpeqd, l, t, t, t)
	e.v3(vpxor, l, d, d, d)
	e.vGather(vpgatherqq, l, d, RAX, i, 8, 0, t)
}

// logarithm is the logarithm of a, times a factor.
func (e *Emit) logarithm(d, a Val, factor float64) {
	x, w, t := e.Temp(32), e.Temp(32), e.temps(5)
	e.Move(x, a)
	e.wide(d, x, w.Lo, func() {
		e.log64(w.Lo, t)
		if factor != 1 {
			e.f64c(vmulpd, w.Lo, w.Lo, factor)
		}
	})
	m := Val{Lo: t[0], Bits: 32}
	e.specialLogs(d, x, w, m)
}

// specialLogs replaces the logarithms of infinity, zero, negative numbers and NaN in d. It changes w and m.
func (e *Emit) specialLogs(d, x, w, m Val) {
	e.comparedTo(m, x, infinityF32, lanes.Eq)
	e.choose(d, d, x, m)
	e.comparedTo(m, x, 0, lanes.Eq)
	e.Const(w, 1<<31|infinityF32)
	e.choose(d, d, w, m)
	e.comparedTo(m, x, 0, lanes.Ltu)
	e.Or(d, d, m) // all ones are a NaN
}

// LogSingle, Log2Single and Log10Single are those of package fn.
func (e *Emit) LogSingle(d, a Val)   { e.logarithm(d, a, 1) }
func (e *Emit) Log2Single(d, a Val)  { e.logarithm(d, a, fn.Log2E) }
func (e *Emit) Log10Single(d, a Val) { e.logarithm(d, a, fn.Log10E) }

// PowSingle is fn.PowSingle.
func (e *Emit) PowSingle(d, a, b Val) {
	x, y, w, t := e.Temp(32), e.Temp(32), e.Temp(32), e.temps(5)
	e.Abs(x, a)
	l, n := e.shape(64)
	power := func() {
		e.log64(w.Lo, t)
		e.f64(vmulpd, w.Lo, y.Lo, w.Lo)
		e.setF64(t[0], 200)
		e.f64(vminpd, w.Lo, t[0], w.Lo)
		e.setF64(t[0], -200)
		e.f64(vmaxpd, w.Lo, t[0], w.Lo)
		e.exp64(w.Lo, t[0], t[1])
	}
	e.v2(vcvtps2PD, l, w.Lo, x.Lo)
	e.v2(vcvtps2PD, l, y.Lo, b.Lo)
	power()
	e.v2(vcvtpd2PS, l, d.Lo, w.Lo)
	if n == 2 {
		e.upper(w.Lo, x.Lo)
		e.upper(y.Lo, b.Lo)
		e.v2(vcvtps2PD, l, w.Lo, w.Lo)
		e.v2(vcvtps2PD, l, y.Lo, y.Lo)
		power()
		e.v2(vcvtpd2PS, l, w.Lo, w.Lo)
		e.join(d.Lo, d.Lo, w.Lo)
	}
	e.specialPowers(d, a, b, x, [4]Val{y, w, {Lo: t[0], Bits: 32}, {Lo: t[1], Bits: 32}})
}

// specialPowers replaces results that fn.Pow does not get from a logarithm, given the magnitude x of a, and gives
// powers of negative numbers their signs.
func (e *Emit) specialPowers(d, a, b, x Val, t [4]Val) {
	m, u, whole, odd := t[0], t[1], t[2], t[3]
	e.comparedTo(m, x, 0, lanes.Eq) // of zero and infinity
	e.comparedTo(u, b, 0, lanes.Gt)
	e.Xor(u, u, m)
	e.AndConst(u, u, infinityF32)
	e.comparedTo(whole, x, infinityF32, lanes.Eq)
	e.Or(m, m, whole)
	e.choose(d, d, u, m)
	e.comparedTo(m, x, oneF32, lanes.Eq) // also to an infinite power
	e.Const(u, oneF32)
	e.choose(d, d, u, m)
	e.Integral(whole, b, lanes.RoundZero)
	e.compared(whole, whole, b, lanes.Eq)
	e.op3m(vmulps, u, b, e.constant(uint64(math.Float32bits(0.5)), 32))
	e.Integral(odd, u, lanes.RoundZero)
	e.compared(odd, odd, u, lanes.Ne)
	e.And(odd, odd, whole)
	e.And(odd, odd, a)
	e.AndConst(odd, odd, 1<<31)
	e.Or(d, d, odd)
	e.comparedTo(m, a, 0, lanes.Lt) // a finite negative number: whole powers only
	e.comparedTo(u, x, infinityF32, lanes.Lt)
	e.And(m, m, u)
	e.AndNot(m, whole, m)
	e.Or(d, d, m) // all ones are a NaN
	e.unordered(m, a, b)
	e.Or(d, d, m)
	e.comparedTo(m, b, 0, lanes.Eq)
	e.comparedTo(u, a, oneF32, lanes.Eq)
	e.Or(m, m, u)
	e.Const(u, oneF32)
	e.choose(d, d, u, m)
}
