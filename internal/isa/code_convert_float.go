package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// convertFloats returns the template of a conversion from or to floats, between registers of the types' widths; those
// of integers of less than 32 bits may be wider.
func convertFloats(v *Variant) *jit.Template {
	to, from := v.Types[0], v.Types[1]
	switch {
	case !v.only(Rnd, IRnd, Ftz, Sat),
		v.DstBits != to.Bits() && !(to.IsInt() && to.Bits() < 32),
		v.SrcBits != from.Bits() && !(from.IsInt() && from.Bits() < 32 && v.SrcBits <= 32):
		return nil
	}
	mode := v.Mods.Mode()
	switch {
	case from.IsInt():
		return floatOfInt(to, from, mode)
	case to.IsInt() && to.Bits() < 32:
		return shortOfFloat(to, from, mode, v.DstBits)
	case to.IsInt():
		return intOfFloat(to, from, mode)
	case v.Mods[IRnd] != 0 && to == from:
		return integralFloat(to, mode)
	}
	return floatOfFloat(to, from, mode)
}

func floatOfInt(to, from Type, mode lanes.Mode) *jit.Template {
	if to != F32 && (to != F64 && to != F16 || mode&lanes.SAT != 0) {
		return nil
	}
	signed, down := from.Class() == Signed, mode&roundings == lanes.RoundDown
	switch {
	case to == F16: // an integer that .f32 cannot hold overflows
		return &jit.Template{Control: jit.RoundingOf(lanes.RoundNearest), Body: func(e *jit.Emit, o *jit.Operands) {
			t := e.Temp(32)
			e.FloatOfInt(t, widened(e, o.A, from), signed, false)
			e.HalfOfFloat(o.D, t, mode)
		}}
	case to == F64 && from.Bits() <= 32: // exact
		mode, down = lanes.RoundNearest, false
	}
	return &jit.Template{Control: jit.RoundingOf(mode), Body: func(e *jit.Emit, o *jit.Operands) {
		e.FloatOfInt(o.D, widened(e, o.A, from), signed, down)
		if mode&lanes.SAT != 0 {
			e.Saturate(o.D)
		}
	}}
}

// widened returns an integer as one of at least 32 bits.
func widened(e *jit.Emit, a jit.Val, from Type) jit.Val {
	if from.Bits() >= 32 {
		return a
	}
	t := e.Temp(32)
	e.Field(t, a, 0, uint8(from.Bits()), from.Class() == Signed)
	return t
}

// roundings are the bits of a mode for rounding.
const roundings = lanes.RoundZero | lanes.RoundDown | lanes.RoundUp

// intOfFloat needs no code for .sat, because conversions to integers always clamp.
func intOfFloat(to, from Type, mode lanes.Mode) *jit.Template {
	if from != F16 && from != BF16 && from != F32 && from != F64 {
		return nil
	}
	signed := to.Class() == Signed
	return &jit.Template{Blind: true, Control: wholeControl(mode), Body: func(e *jit.Emit, o *jit.Operands) {
		e.IntOfFloat(o.D, wholeSource(e, o.A, from, mode), signed, mode)
	}}
}

// shortOfFloat clamps a word, unless the source is .f64. NaN becomes 0, except from .f64: then it is the top bit.
func shortOfFloat(to, from Type, mode lanes.Mode, register int) *jit.Template {
	if from != F16 && from != BF16 && from != F32 && from != F64 {
		return nil
	}
	c := intConversion{to: to, from: S32, register: register, clamps: true}
	return &jit.Template{Blind: true, Control: wholeControl(mode), Body: func(e *jit.Emit, o *jit.Operands) {
		t := e.Temp(32)
		if from == F64 {
			e.ShortOfDouble(t, o.A, to.Class() == Signed, uint8(to.Bits()), mode)
			c.result(e, o.D, t)
			return
		}
		e.IntOfFloat(t, wholeSource(e, o.A, from, mode), true, mode)
		c.result(e, o.D, c.clamped(e, t))
	}}
}

// wholeSource returns the source of a rounding to a whole number, as a float of at least 32 bits.
func wholeSource(e *jit.Emit, a jit.Val, from Type, mode lanes.Mode) jit.Val {
	t := a
	switch {
	case from == F16:
		t = e.Temp(32)
		e.FloatOfHalf(t, a)
	case from == BF16:
		t = e.Temp(32)
		e.FloatOfBrain(t, a)
	case from == F32 && mode&lanes.FTZ != 0 && outward(mode):
		t = e.Temp(32)
		e.TimesOne(t, a)
	}
	return t
}

// outward reports whether a mode rounds up or down, so that subnormal numbers may round to whole numbers other than
// zero.
func outward(mode lanes.Mode) bool {
	return mode&roundings == lanes.RoundDown || mode&roundings == lanes.RoundUp
}

// wholeControl returns the Control of a rounding to whole numbers: it rounds as the instruction does, and computes
// exactly with whole numbers.
func wholeControl(mode lanes.Mode) jit.Control {
	if outward(mode) {
		return jit.SourcesOf(mode)
	}
	return jit.AnyControl
}

func integralFloat(typ Type, mode lanes.Mode) *jit.Template {
	switch {
	case typ == F64 && mode&lanes.SAT == 0:
		return &jit.Template{Control: wholeControl(mode), Body: func(e *jit.Emit, o *jit.Operands) { e.Integral(o.D, o.A, mode) }}
	case typ == F32:
		return flushedFirst(mode, func(e *jit.Emit, o *jit.Operands, a jit.Val) { e.Integral(o.D, a, mode) })
	case typ == BF16 && mode&lanes.SAT == 0:
		return &jit.Template{Blind: true, Control: wholeControl(mode), Body: func(e *jit.Emit, o *jit.Operands) {
			t := e.Temp(32)
			e.FloatOfBrain(t, o.A)
			e.Integral(t, t, mode)
			e.RoundedHalf(jit.Brain16, o.D, t, lanes.RoundNearest)
		}}
	}
	return nil
}

// flushedFirst returns the template of a body with a source and a result of .f32. With FTZ, subnormal sources are
// flushed to zero before the body.
func flushedFirst(mode lanes.Mode, b func(e *jit.Emit, o *jit.Operands, a jit.Val)) *jit.Template {
	t := resultF32(mode, func(e *jit.Emit, o *jit.Operands) {
		a := o.A
		if mode&lanes.FTZ != 0 {
			a = e.Temp(32)
			e.TimesOne(a, o.A)
		}
		b(e, o, a)
	})
	t.Control = jit.SourcesOf(mode)
	return t
}

// floatOfFloat is a conversion that rounds to a number of the type.
func floatOfFloat(to, from Type, mode lanes.Mode) *jit.Template {
	flush := mode&lanes.FTZ != 0
	switch [2]Type{to, from} {
	case [2]Type{F64, F64}, [2]Type{F32, F32}:
		switch {
		case mode == lanes.RoundNearest:
			return &jit.Move
		case to == F32:
			return flushedFirst(mode, func(e *jit.Emit, o *jit.Operands, a jit.Val) { e.Move(o.D, a) })
		}
	case [2]Type{F32, F64}: // the rounded result is flushed
		return &jit.Template{Control: jit.FlushSources(mode), Body: func(e *jit.Emit, o *jit.Operands) {
			e.FloatWidth(o.D, o.A)
			if flush {
				e.TimesOne(o.D, o.D)
			}
			if mode&lanes.SAT != 0 {
				e.Saturate(o.D)
			}
		}}
	case [2]Type{F64, F32}:
		if mode&lanes.SAT != 0 {
			return nil
		}
		return &jit.Template{Control: jit.SourcesOf(mode), Body: func(e *jit.Emit, o *jit.Operands) {
			a := o.A
			if flush {
				a = e.Temp(32)
				e.TimesOne(a, o.A)
				e.Canonical(a)
			}
			e.FloatWidth(o.D, a)
		}}
	case [2]Type{F16, F32}:
		if mode&lanes.SAT != 0 {
			return nil
		}
		return &jit.Template{Blind: true, Control: jit.SourcesOf(0), Body: func(e *jit.Emit, o *jit.Operands) { e.HalfOfFloat(o.D, o.A, mode) }}
	case [2]Type{F32, F16}:
		t := resultF32(mode, func(e *jit.Emit, o *jit.Operands) { e.FloatOfHalf(o.D, o.A) })
		t.Control = jit.AnyControl // halves are never subnormal as .f32
		return t
	case [2]Type{BF16, F32}:
		if mode == lanes.RoundNearest {
			return &jit.Template{Blind: true, Body: func(e *jit.Emit, o *jit.Operands) { e.BrainOfFloat(o.D, o.A) }}
		}
	case [2]Type{F32, BF16}:
		if mode == lanes.RoundNearest {
			return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.FloatOfBrain(o.D, o.A) }}
		}
	}
	return nil
}
