package isa

import "github.com/simtrun/simtrun/internal/lanes/jit"

// convertInts returns the template of a conversion between integers, from registers of the types' widths or wider
// ones.
func convertInts(v *Variant) *jit.Template {
	c := intConversion{to: v.Types[0], from: v.Types[1], register: v.DstBits, clamps: v.Mods[Sat] != 0}
	plain := v.DstBits == c.to.Bits() && v.SrcBits == c.from.Bits() && c.to.Bits() >= 32 && c.from.Bits() >= 32
	switch {
	case !v.only(Sat):
		return nil
	case c.clamps || !plain:
		return &jit.Template{Body: c.body}
	case c.to.Bits() == c.from.Bits():
		return &jit.Move
	case c.to.Bits() < c.from.Bits():
		return &narrowCode
	case c.from.Class() == Signed:
		return &widenSigned
	}
	return &widenUnsigned
}

var (
	narrowCode    = jit.Template{Affine: jit.AffineCopy, Body: func(e *jit.Emit, o *jit.Operands) { e.Narrow(o.D, o.A) }}
	widenSigned   = jit.Template{Affine: jit.AffineWidenSigned, Body: func(e *jit.Emit, o *jit.Operands) { e.Widen(o.D, o.A, true) }}
	widenUnsigned = jit.Template{Affine: jit.AffineWidenUnsigned, Body: func(e *jit.Emit, o *jit.Operands) { e.Widen(o.D, o.A, false) }}
)

// intConversion is a conversion between integers into a register of a given width.
type intConversion struct {
	to, from Type
	register int
	clamps   bool
}

func (c intConversion) body(e *jit.Emit, o *jit.Operands) {
	x := c.source(e, o.A)
	if c.clamps {
		x = c.clamped(e, x)
	}
	c.result(e, o.D, x)
}

// source returns a, extended from its type: as a word, or in 64 bits if the type has 64 and the result depends on all
// of them.
func (c intConversion) source(e *jit.Emit, a jit.Val) jit.Val {
	signed := c.from.Class() == Signed
	if c.from.Bits() == 64 && (c.clamps || c.to.Bits() == 64) {
		return a
	}
	if a.Bits == 64 {
		t := e.Temp(32)
		e.Narrow(t, a)
		a = t
	}
	if c.from.Bits() < 32 {
		t := e.Temp(32)
		e.Field(t, a, 0, uint8(c.from.Bits()), signed)
		a = t
	}
	return a
}

// clamped returns x clamped to the range of the result.
func (c intConversion) clamped(e *jit.Emit, x jit.Val) jit.Val {
	bound := e.Temp(x.Bits)
	signed := c.from.Class() == Signed
	greatest, least := ^uint64(0)>>(64-c.to.Bits()), uint64(0)
	if c.to.Class() == Signed {
		greatest >>= 1
		least = ^greatest
	}
	if signed {
		d := e.Temp(x.Bits)
		e.Const(bound, least)
		e.Max(d, x, bound, true)
		x = d
	}
	largest := ^uint64(0) >> (64 - c.from.Bits()) // maximum of x
	if signed {
		largest >>= 1
	}
	if greatest < largest {
		d := e.Temp(x.Bits)
		e.Const(bound, greatest)
		e.Min(d, x, bound, signed)
		x = d
	}
	return x
}

// result returns x truncated to the type, and extended to the register.
func (c intConversion) result(e *jit.Emit, d, x jit.Val) {
	signed := c.to.Class() == Signed
	switch bits := c.to.Bits(); {
	case bits == 64 && x.Bits == 64:
		e.Move(d, x)
		return
	case bits == 64: // it has the sign of the source
		e.Widen(d, x, c.from.Class() == Signed)
		return
	case x.Bits == 64:
		t := e.Temp(32)
		e.Narrow(t, x)
		x = t
		fallthrough
	default:
		if bits < 32 && !c.clamps {
			t := e.Temp(32)
			e.Field(t, x, 0, uint8(bits), signed)
			x = t
		}
	}
	switch {
	case d.Bits == 64:
		e.Widen(d, x, signed)
	case c.register == 8 || c.register == 16: // zeros above
		e.AndConst(d, x, 1<<c.register-1)
	default:
		e.Move(d, x)
	}
}

// cvtPackCode combines two clamped words.
func cvtPackCode(v *Variant) *jit.Template {
	c := intConversion{to: v.Type(), from: S32, clamps: true}
	bits := uint8(v.Type().Bits())
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		t := c.clamped(e, o.A)
		e.Field(o.D, t, 0, bits, false)
		e.ShiftLeftBy(o.D, o.D, bits)
		t = c.clamped(e, o.B)
		e.Field(t, t, 0, bits, false)
		e.Or(o.D, o.D, t)
		if bits == 8 {
			e.ShiftLeftBy(t, o.C, 2*bits)
			e.Or(o.D, o.D, t)
		}
	}}
}
