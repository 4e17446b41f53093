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

// setCode is set: the upper half of the Op's constant is the result for true.
func setCode(v *Variant) *jit.Template {
	if v.Types[1].Class() == Float {
		return nil
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

// slctCode is slct by an integer.
func slctCode(v *Variant) *jit.Template {
	if v.Types[1] != S32 || !v.only() {
		return nil
	}
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		p := e.Temp(1)
		e.Negative(p, o.C)
		e.Select(o.D, p, o.B, o.A)
	}}
}
