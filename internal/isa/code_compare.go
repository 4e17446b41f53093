package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// comparer returns the lanes in which a comparison of integers of the type holds.
func comparer(t Type) func(e *jit.Emit, d jit.Val, o *jit.Operands) {
	signed := t.Class() == Signed
	if t.Bits() == 16 && signed {
		return func(e *jit.Emit, d jit.Val, o *jit.Operands) {
			a, b := e.Temp(32), e.Temp(32)
			e.SignExtend(a, o.A, 16)
			e.SignExtend(b, o.B, 16)
			e.Compare(d, a, b, comparisonOf(o), true)
		}
	}
	return func(e *jit.Emit, d jit.Val, o *jit.Operands) { e.Compare(d, o.A, o.B, comparisonOf(o), signed) }
}

// combine returns the lanes d of a comparison combined with the predicate C.
func combine(e *jit.Emit, d jit.Val, o *jit.Operands) {
	switch lanes.Boolean(o.Op.Imm >> 8) {
	case lanes.BoolAnd:
		e.And(d, d, o.C)
	case lanes.BoolOr:
		e.Or(d, d, o.C)
	case lanes.BoolXor:
		e.Xor(d, d, o.C)
	}
}

// floatsCompared compares floats: of a pair the lower or the upper halves.
type floatsCompared func(e *jit.Emit, d jit.Val, o *jit.Operands, upper bool)

// floatComparer returns how floats of a type are compared, with or without .ftz; nil if there is no code for it.
func floatComparer(t Type, flush bool) floatsCompared {
	f, pair, half := halfFormat(t)
	switch {
	case t == F32 || t == F64:
		return func(e *jit.Emit, d jit.Val, o *jit.Operands, _ bool) { e.CompareFloat(d, o.A, o.B, comparisonOf(o)) }
	case !half || flush:
		return nil
	}
	return func(e *jit.Emit, d jit.Val, o *jit.Operands, upper bool) {
		a, b := e.Temp(32), e.Temp(32)
		switch {
		case !pair:
			e.ExpandHalf(f, a, o.A)
			e.ExpandHalf(f, b, o.B)
		case upper:
			e.ExpandUpper(f, a, o.A)
			e.ExpandUpper(f, b, o.B)
		default:
			e.ExpandLower(f, a, o.A)
			e.ExpandLower(f, b, o.B)
		}
		e.CompareFloat(d, a, b, comparisonOf(o))
	}
}

// compareFloatCode is setp of floats.
func compareFloatCode(v *Variant) *jit.Template {
	compare := floatComparer(v.Type(), v.Mods[Ftz] != 0)
	if compare == nil {
		return nil
	}
	t := &jit.Template{Blind: true, Control: jit.SourcesOf(v.Mods.Mode())}
	t.Body = func(e *jit.Emit, o *jit.Operands) {
		comparing2(e, o, func(d jit.Val) { compare(e, d, o, false) })
	}
	if v.Type().inHalves() {
		t.Body = func(e *jit.Emit, o *jit.Operands) {
			compare(e, o.D, o, false)
			combine(e, o.D, o)
			if o.D2.Bits != 0 {
				compare(e, o.D2, o, true)
				combine(e, o.D2, o)
			}
		}
	}
	return t
}

// setFloatCode is set by a comparison of floats.
func setFloatCode(v *Variant) *jit.Template {
	compare := floatComparer(v.Types[1], v.Mods[Ftz] != 0)
	if compare == nil {
		return nil
	}
	pair := v.Types[1].inHalves()
	return &jit.Template{Blind: true, Control: jit.SourcesOf(v.Mods.Mode() & lanes.FTZ), Body: func(e *jit.Emit, o *jit.Operands) {
		p, yes := e.Temp(1), o.Op.Imm>>32
		compare(e, p, o, false)
		combine(e, p, o)
		e.AndConst(o.D, p, yes)
		if pair {
			compare(e, p, o, true)
			combine(e, p, o)
			q := e.Temp(32)
			e.AndConst(q, p, yes<<16)
			e.Or(o.D, o.D, q)
		}
	}}
}

// setCode is set: the upper half of the Op's constant is the result for true.
func setCode(v *Variant) *jit.Template {
	if v.Types[1].Class() == Float {
		return setFloatCode(v)
	}
	compare := comparer(v.Types[1])
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		compare(e, o.D, o)
		combine(e, o.D, o)
		if yes := o.Op.Imm >> 32; yes != 1<<32-1 {
			e.AndConst(o.D, o.D, yes)
		}
	}}
}

// slctCode is slct.
func slctCode(v *Variant) *jit.Template {
	if v.Types[1] == F32 {
		return &jit.Template{Blind: true, Control: jit.SourcesOf(v.Mods.Mode()), Body: func(e *jit.Emit, o *jit.Operands) {
			p := e.Temp(1)
			zero := e.Temp(32)
			e.Const(zero, 0)
			e.CompareFloat(p, o.C, zero, lanes.Ge)
			e.Select(o.D, p, o.A, o.B)
		}}
	}
	if v.Types[1] != S32 || !v.only() {
		return nil
	}
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		p := e.Temp(1)
		e.Negative(p, o.C)
		e.Select(o.D, p, o.B, o.A)
	}}
}
