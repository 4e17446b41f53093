package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// body is the Body of a template.
type body = func(e *jit.Emit, o *jit.Operands)

// The bodies of arithmetic. The Control has the rounding, and whether subnormal numbers are flushed to zero.
var (
	addFloat body = func(e *jit.Emit, o *jit.Operands) { e.AddFloat(o.D, o.A, o.B) }
	subFloat body = func(e *jit.Emit, o *jit.Operands) { e.SubFloat(o.D, o.A, o.B) }
	mulFloat body = func(e *jit.Emit, o *jit.Operands) { e.MulFloat(o.D, o.A, o.B) }
	divFloat body = func(e *jit.Emit, o *jit.Operands) { e.DivFloat(o.D, o.A, o.B) }
	fmaFloat body = func(e *jit.Emit, o *jit.Operands) { e.Fma(o.D, o.A, o.B, o.C) }
	rcpFloat body = func(e *jit.Emit, o *jit.Operands) { e.Reciprocal(o.D, o.A) }
	rootOf   body = func(e *jit.Emit, o *jit.Operands) { e.SqrtFloat(o.D, o.A) }

	// Of two NaNs, the result of .f64 is the second, but the host returns the first.
	addF64 body = func(e *jit.Emit, o *jit.Operands) { e.AddFloat(o.D, o.B, o.A) }
	mulF64 body = func(e *jit.Emit, o *jit.Operands) { e.MulFloat(o.D, o.B, o.A) }
	subF64 body = func(e *jit.Emit, o *jit.Operands) { e.SubF64(o.D, o.A, o.B) }
	fmaF64 body = func(e *jit.Emit, o *jit.Operands) { e.FmaF64(o.D, o.A, o.B, o.C) }
)

// arithFloat is the template of add, sub, mul, fma, and other operations that round once.
func arithFloat(v *Variant, f32, f64 body, half halfOp) *jit.Template {
	switch mode := v.Mods.Mode(); {
	case v.Type() == F32 && v.only(Rnd, Ftz, Sat, Prec) && v.Mods[Prec] == 0:
		return resultF32(mode, f32)
	case v.Type() == F64 && v.only(Rnd):
		return &jit.Template{Control: jit.ControlOf(mode), Body: f64}
	case v.Type() == F32x2 && v.only(Rnd, Ftz):
		return &jit.Template{Blind: true, Control: jit.ControlOf(mode), Body: func(e *jit.Emit, o *jit.Operands) {
			e.Pairs(func() { f32(e, o) })
			e.CanonicalPair(o.D)
		}}
	case half != nil:
		return arithHalf(v, half)
	}
	return nil
}

// resultF32 is the template of a body with a .f32 result.
func resultF32(mode lanes.Mode, b body) *jit.Template {
	t := &jit.Template{NaN: true, Control: jit.ControlOf(mode), Body: b}
	if mode&lanes.SAT != 0 {
		t.NaN, t.Blind = false, true
		t.Body = func(e *jit.Emit, o *jit.Operands) {
			b(e, o)
			e.Saturate(o.D)
		}
	}
	return t
}

// ieeeFloat is div, rcp or sqrt with a rounding. A result is tiny if it is subnormal after rounding, whereas the host
// decides before rounding. The two differ if a number just below the normal ones rounds up to the smallest of them:
// with rounding to nearest there are such quotients, but no such roots and reciprocals.
func ieeeFloat(v *Variant, b body, divides bool) *jit.Template {
	t := arithFloat(v, b, b, nil)
	if mode := v.Mods.Mode(); t != nil && mode&lanes.FTZ != 0 && (divides || mode&roundings != lanes.RoundNearest) {
		t.Control = jit.FlushSources(mode)
		t.Body = func(e *jit.Emit, o *jit.Operands) {
			b(e, o)
			e.TimesOne(o.D, o.D)
		}
	}
	return t
}

// signCode is neg or abs.
func signCode(v *Variant, ints codes, f32, f64 func(e *jit.Emit, d, a jit.Val), half halfOp) *jit.Template {
	switch {
	case v.Type().IsInt():
		return ints[v.Type()]
	case half != nil && v.Type().Bits() <= 32 && v.Type() != F32:
		return arithHalf(v, half)
	case v.Type() == F64 && v.only():
		return &jit.Template{Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) { f64(e, o.D, o.A) }}
	case v.Type() == F32 && v.only():
		return &jit.Template{NaN: true, Body: func(e *jit.Emit, o *jit.Operands) { f32(e, o.D, o.A) }}
	case v.Type() == F32 && v.only(Ftz):
		return &jit.Template{NaN: true, Control: jit.SourcesOf(lanes.FTZ), Body: func(e *jit.Emit, o *jit.Operands) {
			e.TimesOne(o.D, o.A)
			f32(e, o.D, o.D)
		}}
	}
	return nil
}

// extremumFloat is min or max. It does not matter which NaN the .f32 sources are, because a number wins over a NaN.
func extremumFloat(v *Variant, larger bool) *jit.Template {
	switch {
	case v.Type().Bits() <= 32 && v.Type() != F32:
		return arithHalf(v, extremumHalf(v, larger), NaN, XorSign, AbsG)
	case v.Type() == F64 && v.only():
		return &jit.Template{Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) {
			e.ExtremumFloat(o.D, o.A, o.B, larger)
			e.TimesOne(o.D, o.D)
		}}
	case v.Type() == F32 && v.only(Ftz, NaN, XorSign, AbsG):
		return extremumF32(v, larger)
	}
	return nil
}

// extremumVariant is that of Emit.Extremum.
func extremumVariant(v *Variant, larger bool) uint64 {
	imm := extremumImm(v)
	if larger {
		imm |= lanes.ExtremumMax
	}
	return imm
}

// extremumF32 is min or max of two or three .f32.
func extremumF32(v *Variant, larger bool) *jit.Template {
	variant, flush, three := extremumVariant(v, larger), v.Mods[Ftz] != 0, v.Third
	return &jit.Template{NaN: true, Control: jit.SourcesOf(v.Mods.Mode()), Body: func(e *jit.Emit, o *jit.Operands) {
		extremum := e.Extremum(variant)
		source := func(a jit.Val) jit.Val {
			if !flush && !jit.ComparesMagnitudes(variant) {
				return a
			}
			t := e.Temp(32)
			if flush {
				e.TimesOne(t, a)
			} else {
				e.Move(t, a)
			}
			return t
		}
		a, b := source(o.A), source(o.B)
		if !three {
			extremum(o.D, a, b)
			return
		}
		t := e.Temp(32)
		extremum(t, a, b)
		extremum(o.D, t, source(o.C))
	}}
}

var copysignFloats = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Copysign(o.D, o.A, o.B) }}, F32, F64)

var testFloats = forTypes(&jit.Template{Blind: true, Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) { e.Class(o.D, o.A, o.Op.Imm) }}, F32, F64)

func divCode(v *Variant) *jit.Template {
	full := v.Mods[Prec] == Full
	switch {
	case v.Type() == F32 && v.Mods[Prec] != 0:
		flush := v.Mods[Ftz] != 0
		return resultF32(v.Mods.Mode(), func(e *jit.Emit, o *jit.Operands) { e.DivApprox(o.D, o.A, o.B, full, flush) })
	case v.Type().Class() == Float:
		return ieeeFloat(v, divFloat, true)
	}
	return divCodes[v.Type()]
}

func rcpCode(v *Variant) *jit.Template {
	if v.Mods[Prec] != 0 {
		return approxFloat((*jit.Emit).RcpApprox)(v)
	}
	return ieeeFloat(v, rcpFloat, false)
}

func sqrtCode(v *Variant) *jit.Template {
	if v.Mods[Prec] != 0 { // the nearest number: no root is subnormal
		return approxFloat(func(e *jit.Emit, d, a jit.Val, flush bool) {
			if flush {
				e.TimesOne(d, a)
				a = d
			}
			e.SqrtFloat(d, a)
		})(v)
	}
	return ieeeFloat(v, rootOf, false)
}

// fuses reports whether Go's compiler fuses products with sums, as it does for GOAMD64=v3. If so, functions of
// package math that are written in Go differ in the last bits from the templates, which fuse nothing.
var fuses = func() bool {
	x, y := 1+0x1p-30, 1-0x1p-30
	return fusedProduct(x, y, -1) != 0
}()

//go:noinline
func fusedProduct(x, y, z float64) float64 { return x*y + z }

// ofGoMath is a Code that is correct only if the compiler does not fuse.
func ofGoMath(code func(v *Variant) *jit.Template) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		if fuses {
			return nil
		}
		return code(v)
	}
}

// approxFloat is the Lower.code of an approximation of .f32.
func approxFloat(b func(e *jit.Emit, d, a jit.Val, flush bool)) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		if v.Type() != F32 || !v.only(Prec, Ftz) {
			return nil
		}
		mode := v.Mods.Mode()
		return &jit.Template{NaN: true, Control: jit.ControlOf(mode), Body: func(e *jit.Emit, o *jit.Operands) {
			b(e, o.D, o.A, mode&lanes.FTZ != 0)
		}}
	}
}

// tanhSingle is lanes.TanhF32: the functions of jit.Emit.TanhSingle and of package math, rounded to .f32, are the same
// for all .f32. No form of the row flushes.
func tanhSingle(e *jit.Emit, d, a jit.Val, _ bool) { e.TanhSingle(d, a) }

// trigonometric is the Lower.code of sin or cos; .ftz makes no difference for them.
func trigonometric(cosine bool) func(v *Variant) *jit.Template {
	t := &jit.Template{NaN: true, Control: jit.RoundingOf(0), Body: func(e *jit.Emit, o *jit.Operands) { e.SinApprox(o.D, o.A, cosine) }}
	return func(v *Variant) *jit.Template { return t }
}
