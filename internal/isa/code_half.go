package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// halfOp is an operation on halves computed in .f32.
type halfOp = func(e *jit.Emit) jit.HalfOp

var (
	addHalf halfOp = func(e *jit.Emit) jit.HalfOp { return func(d, a, b, _ jit.Val) { e.AddFloat(d, a, b) } }
	subHalf halfOp = func(e *jit.Emit) jit.HalfOp { return func(d, a, b, _ jit.Val) { e.SubFloat(d, a, b) } }
	mulHalf halfOp = func(e *jit.Emit) jit.HalfOp { return func(d, a, b, _ jit.Val) { e.MulFloat(d, a, b) } }
	fmaHalf halfOp = func(e *jit.Emit) jit.HalfOp {
		s, t := e.Temp(32), e.Temp(32)
		return func(d, a, b, c jit.Val) { e.FmaForHalf(d, a, b, c, s, t) }
	}
)

// arithHalf is the template of an operation on .f16 or .f16x2, without .ftz, .sat and .relu.
func arithHalf(v *Variant, op halfOp) *jit.Template {
	if !v.only(Rnd) || v.Mods.Mode() != lanes.RoundNearest {
		return nil
	}
	switch v.Type() {
	case F16:
		return &jit.Template{Control: jit.RoundingOf(lanes.RoundNearest), Body: func(e *jit.Emit, o *jit.Operands) {
			e.Half(o.D, o.A, o.B, o.C, op(e))
		}}
	case F16x2:
		return &jit.Template{Control: jit.RoundingOf(lanes.RoundNearest), Body: func(e *jit.Emit, o *jit.Operands) {
			e.Halves(o.D, o.A, o.B, o.C, op(e))
		}}
	}
	return nil
}
