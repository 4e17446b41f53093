package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/libdevice/fn"
)

// CheckMagnitude jumps to fail if a, of .f32, is greater than a bound in magnitude in lanes of p, or in any lane if p
// is nil. NaN is not.
func (e *Emit) CheckMagnitude(a Val, bound float32, p *Val, fail Label) {
	t := e.Temp(32)
	e.Abs(t, a)
	e.comparedTo(t, t, uint64(math.Float32bits(bound)), lanes.Gt)
	e.failWhere(t, p, fail)
}

// SinSingle is fn.SinSingle of a, which is at most fn.MostReduced in magnitude.
func (e *Emit) SinSingle(d, a Val) {
	w, t := e.Temp(32).Lo, e.temps(5)
	e.wide(d, a, w, func() {
		e.quadrant(w, t)
		e.sineOf(w, t, 0)
	})
	e.zeroOf(d, a, Val{Lo: t[0], Bits: 32})
}

// CosSingle is fn.CosSingle of a, which is at most fn.MostReduced in magnitude.
func (e *Emit) CosSingle(d, a Val) {
	w, t := e.Temp(32).Lo, e.temps(5)
	e.wide(d, a, w, func() {
		e.quadrant(w, t)
		e.sineOf(w, t, 1)
	})
}

// TanSingle is fn.TanSingle of a, which is at most fn.MostReduced in magnitude.
func (e *Emit) TanSingle(d, a Val) {
	w, t := e.Temp(32).Lo, e.temps(6)
	e.wide(d, a, w, func() {
		e.quadrant(w, t)
		e.v2(vmovdqa, e.length64(), t[5], w)
		n := t[0]
		e.sineOf(w, t, 0)
		sine := t[5]
		e.v2(vmovdqa, e.length64(), t[4], sine)
		e.v2(vmovdqa, e.length64(), sine, w)
		e.v2(vmovdqa, e.length64(), w, t[4])
		e.bits64(vpaddq, n, n, 1)
		e.sineOf(w, t, 0)
		e.f64(vdivpd, w, sine, w)
	})
	e.zeroOf(d, a, Val{Lo: t[0], Bits: 32})
}

// zeroOf makes d a where a is zero, which has a sign.
func (e *Emit) zeroOf(d, a, t Val) {
	e.comparedTo(t, a, 0, lanes.Eq)
	e.choose(d, d, a, t)
}

// quadrant is fn.quadrant64: it subtracts from x the nearest multiple of a right angle. The low bits of t[0] become the
// number of right angles, an integer.
func (e *Emit) quadrant(x Vec, t []Vec) {
	n, l := t[0], e.length64()
	e.f64c(vmulpd, n, x, fn.TwoOverPi)
	e.roundF64(n, n, lanes.RoundNearest)
	e.v3M(vfnmadd231PD, l, x, n, e.double(fn.HalfPiHi))
	e.v3M(vfnmadd231PD, l, x, n, e.double(fn.HalfPiLo))
	e.f64c(vaddpd, n, n, intoLowBits+intoLowBits/2) // also if it is negative
}

// sineOf is fn.sin64: the sine of r and as many right angles as t[0] and more are. It keeps t[0].
func (e *Emit) sineOf(r Vec, t []Vec, more uint64) {
	n, u, s, c, l := t[1], t[2], t[3], t[4], e.length64()
	e.f64(vmulpd, u, r, r)
	e.series(s, u, fn.SinSeries())
	e.f64(vmulpd, s, r, s)
	e.series(c, u, fn.CosSeries())
	e.bits64(vpaddq, n, t[0], more)
	e.bits64(vpand, u, n, 1)
	e.v3M(vpcmpeqq, l, u, u, e.constant(0, 64))
	e.pick(l, r, c, s, u)
	e.bits64(vpand, n, n, 2)
	e.vShiftImm(vpsllq, l, n, n, 62)
	e.f64(vpxor, r, r, n)
}
