package isa

import "github.com/simtrun/simtrun/internal/lanes/jit"

// movCode is mov, of one value, of several into one or of one into several.
func movCode(v *Variant) *jit.Template {
	n := v.Pack + v.Unpack
	switch {
	case !v.only() || n > jit.MaxElems || v.Type().Bits() > 64:
		return nil
	case v.Pack > 0:
		return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Pack(o.D, o.Elems[:n]) }}
	case v.Unpack > 0:
		return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Unpack(o.Elems[:n], o.A) }}
	}
	return movWords[v.Type()]
}
