package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// halfOp is an operation on numbers of 16 bits, computed in .f32.
type halfOp = func(e *jit.Emit, f jit.HalfFormat) jit.HalfOp

var (
	addHalf halfOp = func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp {
		return func(d, a, b, _ jit.Val) { e.AddFloat(d, a, b) }
	}
	subHalf halfOp = func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp {
		return func(d, a, b, _ jit.Val) { e.SubFloat(d, a, b) }
	}
	mulHalf halfOp = func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp {
		return func(d, a, b, _ jit.Val) { e.MulFloat(d, a, b) }
	}
	negHalf halfOp = func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp { return func(d, a, _, _ jit.Val) { e.Neg(d, a) } }
	absHalf halfOp = func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp { return func(d, a, _, _ jit.Val) { e.Abs(d, a) } }
	fmaHalf halfOp = func(e *jit.Emit, f jit.HalfFormat) jit.HalfOp {
		if f == jit.Brain16 {
			var t [7]jit.Val
			for i := range t {
				t[i] = e.Temp(32)
			}
			return func(d, a, b, c jit.Val) { e.FmaForBrain(d, a, b, c, &t) }
		}
		s, t := e.Temp(32), e.Temp(32)
		return func(d, a, b, c jit.Val) { e.FmaForHalf(d, a, b, c, s, t) }
	}
)

// extremumHalf is min or max.
func extremumHalf(v *Variant, larger bool) halfOp {
	variant := extremumVariant(v, larger)
	return func(e *jit.Emit, _ jit.HalfFormat) jit.HalfOp {
		extremum := e.Extremum(variant)
		if variant&lanes.ExtremumNaN == 0 {
			return func(d, a, b, _ jit.Val) { extremum(d, a, b) }
		}
		t := e.Temp(32)
		return func(d, a, b, _ jit.Val) {
			extremum(t, a, b)
			e.Move(d, t)
		}
	}
}

// halfFormat returns the format of .f16, .bf16, and pairs of them.
func halfFormat(t Type) (f jit.HalfFormat, pair, ok bool) {
	switch t {
	case F16, F16x2:
		return jit.Binary16, t == F16x2, true
	case BF16, BF16x2:
		return jit.Brain16, t == BF16x2, true
	}
	return 0, false, false
}

// arithHalf is the template of an operation on numbers of 16 bits or pairs of them, without .ftz and .sat. It may have
// modifiers that the operation takes account of.
func arithHalf(v *Variant, op halfOp, also ...Group) *jit.Template {
	mode := v.Mods.Mode()
	f, pair, ok := halfFormat(v.Type())
	if !ok || !v.only(append(also, Rnd, Relu)...) || mode&^lanes.RELU != lanes.RoundNearest {
		return nil
	}
	apply := (*jit.Emit).Half
	if pair {
		apply = (*jit.Emit).Halves
	}
	control := jit.RoundingOf(lanes.RoundNearest)
	if f == jit.Brain16 { // numbers of .bf16 may be subnormal in .f32
		control = jit.ControlOf(lanes.RoundNearest)
	}
	return &jit.Template{Control: control, Body: func(e *jit.Emit, o *jit.Operands) {
		apply(e, f, o.D, o.A, o.B, o.C, mode&lanes.RELU != 0, op(e, f))
	}}
}

// mixedCode is the template of an operation of .f32 whose first source, or also the second, is of 16 bits.
func mixedCode(v *Variant, b body, both bool) *jit.Template {
	f := jit.Binary16
	if v.Mods[HalfG] == HalfBF16 {
		f = jit.Brain16
	}
	if !v.only(Rnd, Sat, HalfG) {
		return nil
	}
	return resultF32(v.Mods.Mode(), func(e *jit.Emit, o *jit.Operands) {
		expanded := *o
		expanded.A = e.Temp(32)
		e.ExpandHalf(f, expanded.A, o.A)
		if both {
			expanded.B = e.Temp(32)
			e.ExpandHalf(f, expanded.B, o.B)
		}
		b(e, &expanded)
	})
}

// pairOfFloats is the template of cvt of two .f32 to a pair.
func pairOfFloats(v *Variant) *jit.Template {
	mode := v.Mods.Mode()
	f, _, ok := halfFormat(v.Types[0])
	if !ok || !v.only(Rnd, Relu, SatFinite) {
		return nil
	}
	if mode&lanes.SATFINITE != 0 || f == jit.Brain16 && mode&roundings != lanes.RoundNearest {
		return &jit.Template{Blind: true, Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) {
			low := e.Temp(32)
			e.RoundedHalf(f, low, o.B, mode)
			e.RoundedHalf(f, o.D, o.A, mode)
			e.ShiftLeftBy(o.D, o.D, 16)
			e.Or(o.D, o.D, low)
		}}
	}
	return &jit.Template{Blind: true, Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) {
		e.PairOfFloats(f, o.D, o.A, o.B, mode, mode&lanes.RELU != 0)
	}}
}

// tf32Code is the template of cvt of .f32 to tf32.
func tf32Code(v *Variant) *jit.Template {
	away, mode := v.Mods[Away] != 0, v.Mods.Mode()
	return &jit.Template{Blind: true, Body: func(e *jit.Emit, o *jit.Operands) {
		if !away && mode&roundings == lanes.RoundZero {
			e.CutTF32(o.D, o.A, o.A)
		} else {
			e.NearestTF32(o.D, o.A, away)
		}
		e.FiniteTF32(o.D, mode&lanes.SATFINITE != 0, mode&lanes.RELU != 0)
	}}
}
