package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// codes gives a template by instruction type, as Exec gives a lane function.
type codes = [NumTypes]*jit.Template

// wordTypes are the types of 32 and 64 bits without fractions.
var wordTypes = []Type{B32, U32, S32, B64, U64, S64}

// forTypes returns codes with one template for several types. Like the other functions that build rows, it is not
// inlined: the copies would make the command 78 kB larger.
//
//go:noinline
func forTypes(t *jit.Template, types ...Type) (c codes) {
	for _, typ := range types {
		c[typ] = t
	}
	return c
}

// plainly returns the template of a variant without modifiers.
func plainly(c *codes) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		if !v.only() {
			return nil
		}
		return c[v.Type()]
	}
}

// The templates of integers of 32 and 64 bits. A template has the operation in terms of jit.Emit, and how the stride
// of an affine result follows from those of the sources.
var (
	addWords = forTypes(&jit.Template{Affine: jit.AffineAdd, Body: func(e *jit.Emit, o *jit.Operands) { e.Add(o.D, o.A, o.B) }}, wordTypes...)
	subWords = forTypes(&jit.Template{Affine: jit.AffineSub, Body: func(e *jit.Emit, o *jit.Operands) { e.Sub(o.D, o.A, o.B) }}, wordTypes...)
	mulWords = forTypes(&jit.Template{Affine: jit.AffineMul, Body: func(e *jit.Emit, o *jit.Operands) { e.Mul(o.D, o.A, o.B) }}, wordTypes...)
	madWords = forTypes(&jit.Template{Affine: jit.AffineMad, Body: func(e *jit.Emit, o *jit.Operands) {
		t := e.Temp(o.D.Bits)
		e.Mul(t, o.A, o.B)
		e.Add(o.D, t, o.C)
	}}, wordTypes...)
	mulWideWords = codes{U32: mulWide(jit.AffineMulWideUnsigned, false), S32: mulWide(jit.AffineMulWideSigned, true)}
	madWideWords = codes{U32: madWide(jit.AffineMadWideUnsigned, false), S32: madWide(jit.AffineMadWideSigned, true)}

	andWords = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.And(o.D, o.A, o.B) }}, Pred, B16, B32, B64)
	orWords  = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Or(o.D, o.A, o.B) }}, Pred, B16, B32, B64)
	xorWords = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Xor(o.D, o.A, o.B) }}, Pred, B16, B32, B64)
	notWords = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Not(o.D, o.A) }}, Pred, B32, B64)
	selWords = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Select(o.D, o.C, o.A, o.B) }}, B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64)
	movWords = forTypes(&jit.Move, Pred, B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64)
)

var (
	shlWords = forTypes(&jit.Template{
		Affine: jit.AffineShift,
		Body:   func(e *jit.Emit, o *jit.Operands) { e.ShiftLeft(o.D, o.A, o.B) },
		Known:  func(e *jit.Emit, o *jit.Operands, n uint64) { e.ShiftLeftBy(o.D, o.A, shiftCount(n)) },
	}, B32, B64)
	shrWords = shifts()
)

func shifts() codes {
	c := forTypes(shiftRight(false), B32, B64, U32, U64)
	c[S32] = shiftRight(true)
	return c
}

func shiftRight(signed bool) *jit.Template {
	return &jit.Template{
		Body:  func(e *jit.Emit, o *jit.Operands) { e.ShiftRight(o.D, o.A, o.B, signed) },
		Known: func(e *jit.Emit, o *jit.Operands, n uint64) { e.ShiftRightBy(o.D, o.A, shiftCount(n), signed) },
	}
}

// shiftCount is a count for which the host shifts by as many bits as PTX does for n: all for the width or more.
func shiftCount(n uint64) uint8 { return uint8(min(uint32(n), 64)) }

func mulWide(affine jit.Affine, signed bool) *jit.Template {
	return &jit.Template{
		Affine: affine,
		Body:   func(e *jit.Emit, o *jit.Operands) { e.MulWide(o.D, o.A, o.B, signed) },
		Known:  func(e *jit.Emit, o *jit.Operands, n uint64) { e.MulWideBy(o.D, o.A, uint32(n), signed) },
	}
}

func madWide(affine jit.Affine, signed bool) *jit.Template {
	return &jit.Template{Affine: affine, Body: func(e *jit.Emit, o *jit.Operands) {
		t := e.Temp(64)
		e.MulWide(t, o.A, o.B, signed)
		e.Add(o.D, t, o.C)
	}}
}

// productCode chooses a template by the part of the product that v asks for.
func productCode(v *Variant, lo, hi, wide codes) *jit.Template {
	if !v.only(Part) {
		return nil
	}
	switch v.Mods[Part] {
	case Lo:
		return lo[v.Type()]
	case Hi:
		return hi[v.Type()]
	case WidePart:
		return wide[v.Type()]
	}
	return nil
}

// compareCode is the template of setp.
func compareCode(v *Variant) *jit.Template {
	if v.Type().Class() == Float {
		return compareFloatCode(v)
	}
	compare := comparer(v.Type())
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		comparing2(e, o, func(d jit.Val) { compare(e, d, o) })
	}}
}

// comparisonOf returns the comparison that setp makes.
func comparisonOf(o *jit.Operands) lanes.Comparison { return lanes.Comparison(o.Op.Imm & 0xff) }

// comparing2 sets D to the lanes in which a comparison holds, and D2, if there is one, to the others, each combined
// with C.
func comparing2(e *jit.Emit, o *jit.Operands, compare func(d jit.Val)) {
	compare(o.D)
	if o.D2.Bits != 0 {
		e.Not(o.D2, o.D)
		combine(e, o.D2, o)
	}
	combine(e, o.D, o)
}

// arithCode returns the template of an operation on integers or on floats.
func arithCode(ints codes, f32, f64 body, half halfOp) func(v *Variant) *jit.Template {
	return func(v *Variant) *jit.Template {
		switch {
		case v.Mods[HalvesG] != 0:
			return nil
		case v.Mods[HalfG] != 0:
			return mixedCode(v, f32, false)
		case v.Type().Class() == Float:
			return arithFloat(v, f32, f64, half)
		case !v.only():
			return nil
		}
		return ints[v.Type()]
	}
}

// addImmCode adds the Op's constant.
var addImmCode = jit.Template{Affine: jit.AffineCopy, Body: func(e *jit.Emit, o *jit.Operands) { e.AddConst(o.D, o.A, o.Op.Imm) }}

// convertCode is the template of a conversion.
func convertCode(v *Variant) *jit.Template {
	to, from := narrowFormats[v.Types[0]], narrowFormats[v.Types[1]]
	switch {
	case to != nil:
		return narrowPair(v, to)
	case from != nil:
		return widenPair(v, from)
	case v.Types[0] == UE8M0x2, v.Types[0] == S2F6x2, v.Types[1] == S2F6x2:
		return nil
	case v.Types[1] == UE8M0x2:
		return &powersOfTwo
	case v.Types[0].IsInt() && v.Types[1].IsInt():
		return convertInts(v)
	case v.Types[0].inHalves() && v.Types[1] == F32:
		return pairOfFloats(v)
	case v.Types[0] == TF32:
		return tf32Code(v)
	}
	if t := convertFloats(v); t != nil {
		return t
	}
	return roundedHalf(v)
}
