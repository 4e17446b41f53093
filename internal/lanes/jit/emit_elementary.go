package jit

import (
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
