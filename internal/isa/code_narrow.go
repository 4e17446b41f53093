package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// narrowFormats are the formats of at most 8 bits, by the type of a pair.
var narrowFormats = map[Type]*jit.NarrowFormat{E4M3x2: &jit.E4M3, E5M2x2: &jit.E5M2, E2M1x2: &jit.E2M1, E2M3x2: &jit.E2M3, E3M2x2: &jit.E3M2}

// narrowPair is the template of a conversion to a pair of numbers of at most 8 bits, which always clamps.
func narrowPair(v *Variant, f *jit.NarrowFormat) *jit.Template {
	relu := v.Mods[Relu] != 0
	t := &jit.Template{Blind: true, Control: jit.RoundingOf(lanes.RoundNearest)}
	switch from, _, halves := halfFormat(v.Types[1]); {
	case v.Types[1] == F32:
		t.Body = func(e *jit.Emit, o *jit.Operands) { e.NarrowPair(f, o.D, o.A, o.B, relu) }
	case halves:
		t.Body = func(e *jit.Emit, o *jit.Operands) { e.NarrowHalves(f, from, o.D, o.A, relu) }
	default:
		return nil
	}
	return t
}

// widenPair is the template of a conversion of a pair of numbers of at most 8 bits to a pair of halves.
func widenPair(v *Variant, f *jit.NarrowFormat) *jit.Template {
	to, _, ok := halfFormat(v.Types[0])
	if !ok {
		return nil
	}
	relu := v.Mods[Relu] != 0
	return &jit.Template{Control: jit.AnyControl, Body: func(e *jit.Emit, o *jit.Operands) { e.WidenPair(f, to, o.D, o.A, relu) }}
}

// powersOfTwo is the template of a conversion from ue8m0x2.
var powersOfTwo = jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.PowersOfTwo(o.D, o.A) }}

// roundedHalf is the template of a conversion from .f32, or a number of at most 16 bits, to one of 16 bits, where
// convertFloats has none: with .relu and .satfinite, and to .bf16 with all roundings.
func roundedHalf(v *Variant) *jit.Template {
	to, from, mode := v.Types[0], v.Types[1], v.Mods.Mode()
	f, pair, ok := halfFormat(to)
	if !ok || pair || !v.only(Rnd, Relu, SatFinite) || v.DstBits != 16 || to == from {
		return nil
	}
	var source func(e *jit.Emit, a jit.Val) jit.Val
	switch g, pair, half := halfFormat(from); {
	case from == F32 && v.SrcBits == 32:
		source = func(_ *jit.Emit, a jit.Val) jit.Val { return a }
	case half && !pair && v.SrcBits == 16:
		source = func(e *jit.Emit, a jit.Val) jit.Val {
			t := e.Temp(32)
			e.ExpandHalf(g, t, a)
			return t
		}
	case to == BF16 && from.IsInt() && from.Bits() < 32 && v.SrcBits <= 32:
		source = func(e *jit.Emit, a jit.Val) jit.Val {
			t := e.Temp(32)
			e.FloatOfInt(t, widened(e, a, from), from.Class() == Signed, false)
			return t
		}
	default:
		return nil
	}
	return &jit.Template{Blind: true, Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) {
		e.RoundedHalf(f, o.D, source(e, o.A), mode)
	}}
}
