package jit

import "github.com/simtrun/simtrun/internal/lanes"

// Control is the mode that a template needs of the host's vector unit: rounding, and whether subnormal numbers are
// flushed. The zero value is for templates that depend on neither.
type Control uint8

// The lower four bits are the mode, and the upper ones say on which of them the template depends.
const (
	AnyControl Control = 0

	rounding    Control = 3      // a lanes.Mode
	zeroSources Control = 1 << 2 // subnormal sources are flushed to zero
	zeroResults Control = 1 << 3 // results that are tiny when rounded with unbounded exponents are flushed to zero

	values Control = 1<<4 - 1
	needs          = 4 // shift of the bits for the need

	// Nearest is Go's mode: rounding to nearest, subnormal numbers kept.
	Nearest = values << needs
)

// ControlOf needs the rounding of a mode, and flushing with FTZ.
func ControlOf(mode lanes.Mode) Control {
	c := Nearest | Control(mode)&rounding
	if mode&lanes.FTZ != 0 {
		c |= zeroSources | zeroResults
	}
	return c
}

// FlushSources is ControlOf without flushing of tiny results.
func FlushSources(mode lanes.Mode) Control { return ControlOf(mode) &^ zeroResults }

// SourcesOf needs only the flushing of sources of ControlOf.
func SourcesOf(mode lanes.Mode) Control {
	return ControlOf(mode) & (zeroSources | zeroSources<<needs)
}

// RoundingOf needs only the rounding of ControlOf.
func RoundingOf(mode lanes.Mode) Control { return ControlOf(mode) & (rounding | rounding<<needs) }

// And combines the needs of c and o; false if they conflict.
func (c Control) And(o Control) (both Control, ok bool) {
	return c | o, (c^o)&((c&o)>>needs) == 0
}

// After is the mode for a template that needs c, when the present mode is now, which must be complete.
func (c Control) After(now Control) Control {
	m := c >> needs
	next := Nearest | now&values&^m | c&m
	if m&(zeroSources|zeroResults) == zeroSources { // set together, because most templates need both
		next = next&^zeroResults | next&zeroSources<<1
	}
	return next
}

// register is c as a value of the host's MXCSR, with all exceptions masked.
func (c Control) register() uint32 {
	r := uint32(0x1f80)
	switch lanes.Mode(c & rounding) {
	case lanes.RoundDown:
		r |= 1 << 13
	case lanes.RoundUp:
		r |= 2 << 13
	case lanes.RoundZero:
		r |= 3 << 13
	}
	if c&zeroSources != 0 {
		r |= 1 << 6
	}
	if c&zeroResults != 0 {
		r |= 1 << 15
	}
	return r
}

// SetControl sets the mode of the vector unit to c. Code is entered and exits with Nearest.
func (e *Emit) SetControl(c Control) { e.ldmxcsr(e.constant(uint64(c.register()), 32)) }

const (
	oneF32         = 0x3f800000
	leastNormalF32 = 0x00800000
	infinityF32    = 0x7f800000
	oneF64         = 0x3ff0000000000000
	quietF64       = 1 << 51
)

// signOf is the sign bit of a float of a width.
func signOf(bits uint8) uint64 { return 1 << (bits - 1) }

// one is 1.0 in a float of a width.
func one(bits uint8) uint64 {
	if bits == 64 {
		return oneF64
	}
	return oneF32
}

// Neg is -a, also of NaN.
func (e *Emit) Neg(d, a Val) { e.XorConst(d, a, signOf(d.Bits)) }

// Abs is a without its sign, also of NaN.
func (e *Emit) Abs(d, a Val) { e.AndConst(d, a, signOf(d.Bits)-1) }

// Copysign is b with the sign of a.
func (e *Emit) Copysign(d, a, b Val) {
	t := e.Temp(d.Bits)
	e.AndConst(t, a, signOf(d.Bits))
	e.AndConst(d, b, signOf(d.Bits)-1)
	e.Or(d, d, t)
}

// TimesOne is a, with every NaN made quiet, and with subnormal numbers flushed if the Control says so.
func (e *Emit) TimesOne(d, a Val) {
	e.op3m(byWidth(d.Bits, vmulps, vmulpd), d, a, e.constant(one(d.Bits), d.Bits))
}

// Reciprocal is 1 / a.
func (e *Emit) Reciprocal(d, a Val) {
	t := e.Temp(d.Bits)
	e.Const(t, one(d.Bits))
	e.DivFloat(d, t, a)
}

// Saturate clamps d, of 32 bits, to [+0, 1]; NaN becomes +0.
func (e *Emit) Saturate(d Val) {
	t := e.Temp(32)
	e.Const(t, 0)
	e.op3(vmaxps, d, d, t) // the second source if one is NaN, or both are zeros
	e.op3m(vminps, d, d, e.constant(oneF32, 32))
}

// unordered is the set of lanes in which a or b is NaN, as a mask of the width of the values.
func (e *Emit) unordered(d, a, b Val) {
	e.op3i(byWidth(d.Bits, vcmpps, vcmppd), d, a, b, floatPredicates[lanes.Nan])
}

// compared is a comparison as a mask of the width of the values.
func (e *Emit) compared(d, a, b Val, c lanes.Comparison) {
	e.op3i(byWidth(d.Bits, vcmpps, vcmppd), d, a, b, floatPredicates[c])
}

// comparedTo is compared with a constant.
func (e *Emit) comparedTo(d, a Val, bits uint64, c lanes.Comparison) {
	l, n := e.shape(d.Bits)
	m, op := e.constant(bits, d.Bits), byWidth(d.Bits, vcmpps, vcmppd)
	e.v3MI(op, l, d.Lo, a.Lo, m, floatPredicates[c])
	if n == 2 {
		e.v3MI(op, l, d.Hi, a.Hi, m, floatPredicates[c])
	}
}

// choose is b where mask, of the width of the values, has ones, else a.
func (e *Emit) choose(d, a, b, mask Val) {
	l, n := e.shape(d.Bits)
	e.pick(l, d.Lo, a.Lo, b.Lo, mask.Lo)
	if n == 2 {
		e.pick(l, d.Hi, a.Hi, b.Hi, mask.Hi)
	}
}

// Extremum returns an operation that is lanes.ExtremumF32 of a variant, with any NaN for NaN. It may be used several
// times. It changes a and b if it compares magnitudes. Without NaN, d may be a.
func (e *Emit) Extremum(variant uint64) func(d, a, b Val) {
	x, m, t := e.Temp(32), e.Temp(32), Val{}
	if variant&lanes.ExtremumXorSign != 0 {
		t = e.Temp(32)
	}
	return func(d, a, b Val) {
		if variant&lanes.ExtremumXorSign != 0 {
			e.Xor(t, a, b)
			e.AndConst(t, t, 1<<31)
		}
		if ComparesMagnitudes(variant) {
			e.Abs(a, a)
			e.Abs(b, b)
		}
		e.extremum(d, a, b, x, m, variant&lanes.ExtremumMax != 0)
		if variant&lanes.ExtremumXorSign != 0 {
			e.Or(d, d, t)
		}
		if variant&lanes.ExtremumNaN != 0 {
			e.unordered(m, a, b)
			e.Or(d, d, m)
		}
	}
}

// ComparesMagnitudes reports whether a variant of an extremum compares magnitudes.
func ComparesMagnitudes(variant uint64) bool {
	return variant&(lanes.ExtremumXorSign|lanes.ExtremumAbs) != 0
}

// ExtremumFloat is the smaller or larger of a and b, with -0 below +0. If one is NaN it is the other; if both are, it
// is b.
func (e *Emit) ExtremumFloat(d, a, b Val, larger bool) {
	e.extremum(d, a, b, e.Temp(d.Bits), e.Temp(d.Bits), larger)
}

// extremum is ExtremumFloat. It changes x and m.
func (e *Emit) extremum(d, a, b, x, m Val, larger bool) {
	// The host returns its second source if one is NaN, or both are zeros.
	e.unordered(m, a, a)
	e.choose(x, a, b, m)
	e.compared(m, b, x, lanes.Eq)
	if larger {
		e.op3(byWidth(d.Bits, vmaxps, vmaxpd), d, b, x)
		e.AndNot(m, b, m)
		e.AndNot(d, m, d)
	} else {
		e.op3(byWidth(d.Bits, vminps, vminpd), d, b, x)
		e.And(m, b, m)
		e.Or(d, d, m)
	}
}

// ifNaN emits a branch around the code that then emits, so that it is executed only if d, a 64-bit value, is NaN in
// some lane, which is rare. then must not allocate registers.
func (e *Emit) ifNaN(d Val, then func()) {
	t, skip := e.Temp(32), e.NewLabel()
	high := d.Lo
	if e.Two(64) {
		high = d.Hi
	}
	l, _ := e.shape(64)
	if e.Level == AVX512 {
		e.vCmpK(vcmppd, l, maskScratch, d.Lo, high, floatPredicates[lanes.Nan])
		e.kortest(W16, maskScratch, maskScratch)
	} else {
		e.v3I(vcmppd, l, t.Lo, d.Lo, high, floatPredicates[lanes.Nan])
		e.vToReg(vmovmskpd, l, RAX, t.Lo)
		e.test(W32, RAX, RAX)
	}
	e.jcc(condE, skip)
	then()
	e.Bind(skip)
}

// SubF64 is a - b in .f64. If both are NaN it is b.
func (e *Emit) SubF64(d, a, b Val) {
	m, q := e.Temp(64), e.Temp(64)
	e.SubFloat(d, a, b)
	e.ifNaN(d, func() { e.preferNaN(d, b, m, q) })
}

// FmaF64 is a * b + c in .f64. If several are NaN, b has priority, then c.
func (e *Emit) FmaF64(d, a, b, c Val) {
	m, q := e.Temp(64), e.Temp(64)
	e.Fma(d, a, b, c)
	e.ifNaN(d, func() {
		e.preferNaN(d, c, m, q)
		e.preferNaN(d, b, m, q)
	})
}

// preferNaN replaces d by x, made quiet, where x is NaN.
func (e *Emit) preferNaN(d, x, m, q Val) {
	e.unordered(m, x, x)
	e.op3m(vpor, q, x, e.constant(quietF64, 64))
	e.choose(d, d, q, m)
}

// NegF64 is -a; NaN keeps its sign, and becomes quiet.
func (e *Emit) NegF64(d, a Val) { e.changeSign(d, a, e.Xor) }

// AbsF64 is a without its sign; NaN keeps it, and becomes quiet.
func (e *Emit) AbsF64(d, a Val) {
	e.changeSign(d, a, func(d, a, sign Val) { e.AndNot(d, sign, a) })
}

// changeSign applies an operation to a and the sign bit; for NaN the sign bit is replaced by 0.
func (e *Emit) changeSign(d, a Val, op func(d, a, sign Val)) {
	s := e.Temp(64)
	e.compared(s, a, a, lanes.Num)
	e.op3m(vpand, s, s, e.constant(1<<63, 64))
	e.TimesOne(d, a)
	op(d, d, s)
}

// Class is the set of lanes in which a is in a class of lanes.TestpF32.
func (e *Emit) Class(d, a Val, class uint64) {
	least, infinity := uint64(leastNormalF32), uint64(infinityF32)
	if a.Bits == 64 {
		least, infinity = 1<<52, 0x7ff<<52
	}
	x, r := e.Temp(a.Bits), e.Temp(a.Bits)
	e.Abs(x, a)
	switch class {
	case lanes.TestpFinite:
		e.comparedTo(r, x, infinity, lanes.Lt)
	case lanes.TestpInfinite:
		e.comparedTo(r, x, infinity, lanes.Eq)
	case lanes.TestpNumber:
		e.compared(r, x, x, lanes.Num)
	case lanes.TestpNotANumber:
		e.compared(r, x, x, lanes.Nan)
	default: // subnormal numbers, or the other finite numbers
		t := e.Temp(a.Bits)
		e.comparedTo(r, x, least, lanes.Lt)
		e.comparedTo(t, x, 0, lanes.Ne)
		e.And(r, r, t)
		if class == lanes.TestpNormal {
			e.comparedTo(t, x, infinity, lanes.Lt)
			e.AndNot(r, r, t)
		}
	}
	if a.Bits == 64 {
		e.Narrow(d, r)
	} else {
		e.Move(d, r)
	}
}
