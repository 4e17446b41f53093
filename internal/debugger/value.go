package debugger

import (
	"math"
	"strconv"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// value is the value of an expression in each lane: the bits of a number, or 0 and 1 of a predicate.
type value struct {
	typ     isa.Type
	bits    [lanes.Width]uint64
	high    *[lanes.Width]uint64 // bits 64 to 127 of a 128-bit register; otherwise nil
	void    lanes.Mask           // lanes without a value: invalid address, or division by 0
	uniform bool                 // it does not depend on the lane
	literal bool                 // it is a number as typed, which takes the type of the other operand
	space   string               // the space in which it is an address, if known
	cxx     *debuginfo.Type      // its type in C++; nil for values of PTX
}

//go:noinline
func uniform(t isa.Type, bits uint64) value {
	v := value{typ: t, uniform: true}
	for lane := range v.bits {
		v.bits[lane] = bits
	}
	return v
}

// shownAs returns the type in which a register or variable of type t is shown: untyped bits are an unsigned number.
//
//go:noinline
func shownAs(t isa.Type) isa.Type {
	switch {
	case t == isa.F16x2 || t == isa.U16x2 || t == isa.S16x2:
		return isa.U32
	case t.Class() != isa.Untyped:
		return t
	}
	return map[int]isa.Type{8: isa.U8, 16: isa.U16, 32: isa.U32, 64: isa.U64, 128: isa.U64}[t.Bits()]
}

// width returns the bits of the value: a literal has 32, or 64 if it needs them.
func (v *value) width() int {
	if n := int64(v.bits[0]); v.literal && v.typ.IsInt() && (uint64(n) <= math.MaxUint32 || n < 0 && n >= math.MinInt32) {
		return 32
	}
	return v.typ.Bits()
}

// signed returns the integer in a lane, extended from its type to 64 bits.
//
//go:noinline
func (v *value) signed(lane int) int64 {
	bits := v.bits[lane]
	if v.typ.Class() == isa.Signed {
		spare := 64 - v.typ.Bits()
		return int64(bits<<spare) >> spare
	}
	return int64(bits)
}

// isFloat reports whether the value is a floating-point number.
func (v *value) isFloat() bool { return v.typ.Class() == isa.Float || v.cxx.IsNarrow() }

// float returns the number in a lane.
func (v *value) float(lane int) float64 {
	switch {
	case v.cxx.IsNarrow():
		return v.cxx.Bare().Format.Number(v.bits[lane])
	case v.typ.Class() == isa.Float:
		return floatOf(v.typ, v.bits[lane])
	case v.typ == isa.U64:
		return float64(v.bits[lane])
	}
	return float64(v.signed(lane))
}

// holds returns the lanes in which the value is not 0.
func (v *value) holds() lanes.Mask {
	m := lanes.Mask(0)
	for lane, bits := range v.bits {
		if bits != 0 && (!v.isFloat() || v.float(lane) != 0) {
			m |= 1 << lane
		}
	}
	return m &^ v.void
}

// floatOf converts the bits of a floating-point number of 16, 32 or 64 bits.
func floatOf(t isa.Type, bits uint64) float64 {
	switch {
	case t == isa.BF16:
		return float64(math.Float32frombits(uint32(bits) << 16))
	case t.Bits() == 16:
		return half(uint16(bits))
	case t.Bits() == 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// half converts an IEEE 754 binary16 number.
func half(bits uint16) float64 {
	fraction, exponent := float64(bits&0x3ff)/0x400, int(bits>>10&0x1f)
	x := math.Ldexp(1+fraction, exponent-15)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -14)
	case exponent == 0x1f && fraction == 0:
		x = math.Inf(1)
	case exponent == 0x1f:
		x = math.NaN()
	}
	return math.Copysign(x, 1-2*float64(bits>>15))
}

// halfBits converts x to IEEE 754 binary16, rounding to nearest even.
func halfBits(x float64) uint64 {
	sign := math.Float64bits(x) >> 63 << 15
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return sign | 0x7e00
	case a >= 65520: // halfway between the largest number and the next
		return sign | 0x7c00
	case a < 0x1p-14: // subnormal numbers are multiples of 2^-24
		return sign | uint64(math.RoundToEven(a*0x1p24))
	}
	_, exponent := math.Frexp(a) // a is 0.1… · 2^exponent
	digits := math.RoundToEven(math.Ldexp(a, 11-exponent))
	return sign | uint64(exponent+13)<<10 + uint64(digits)
}

// bfloatBits converts x to the upper half of a binary32, rounding to nearest even.
func bfloatBits(x float64) uint64 {
	bits := math.Float32bits(float32(x))
	if math.IsNaN(x) {
		return uint64(bits>>16 | 0x40) // quiet
	}
	return uint64((bits + 0x7fff + bits>>16&1) >> 16)
}

// floatBits converts x to a floating-point type of 32 or 64 bits.
func floatBits(t isa.Type, x float64) uint64 {
	if t == isa.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// floatText returns the shortest decimal number that parses to x.
func floatText(width int, x float64) string {
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return map[bool]string{true: "-inf", false: "inf"}[x < 0]
	case a != 0 && (a < 1e-5 || a >= 1e15):
		return strconv.FormatFloat(x, 'e', -1, max(width, 32))
	}
	return strconv.FormatFloat(x, 'f', -1, max(width, 32))
}
