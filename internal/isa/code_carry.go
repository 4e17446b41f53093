package isa

import "github.com/simtrun/simtrun/internal/lanes/jit"

// The templates of sums with carries. D2 is the new carry flag, and E the old one.

var (
	addCarry = jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.AddCarry(o.D, o.D2, o.A, o.B, o.E) }}
	subCarry = jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.SubCarry(o.D, o.D2, o.A, o.B, o.E) }}
)

// carryCode is a template for integers that may write the carry flag.
func carryCode(t *jit.Template) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template { return t }
}

// withCarry adds a template for .cc.
func withCarry(carry *jit.Template, rest func(v *Variant) *jit.Template) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		if v.Mods[CC] != 0 {
			return carry
		}
		return rest(v)
	}
}

// madCarryCode is mad.cc or madc of words: longer types need more registers than the host has.
func madCarryCode(v *Variant) *jit.Template {
	product := mulCodes[v.Type()]
	if v.Mods[Part] == Hi {
		product = mulHighCodes[v.Type()]
	}
	if v.Type().Bits() > 32 || product == nil {
		return nil
	}
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		of := *o
		of.D = e.Temp(32)
		product.Body(e, &of)
		e.AddCarry(o.D, o.D2, of.D, o.C, o.E)
	}}
}
