package lanes

import (
	"math"
	"slices"
)

const (
	signF16     = 1 << 15
	exponentF16 = 0x1f << 10
	nanF16      = 0x7fff // the NaN that every .f16 instruction returns
	oneF16      = 0x3c00

	leastNormalF16 = 0x1p-14
	far16          = 0x1p10 // outside the exponent range
	beyondF16      = 0x1p16
)

// expandF16 is the half-precision number h as a float32, exactly.
func expandF16(h uint32) float32 {
	sign, magnitude := h&signF16<<16, h&^signF16
	switch {
	case magnitude >= exponentF16: // infinity or NaN
		return math.Float32frombits(sign | exponentF32 | magnitude&(1<<10-1)<<13)
	case magnitude < 1<<10: // subnormal: a multiple of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(magnitude)*0x1p-24))
	}
	return math.Float32frombits(sign | (magnitude<<13 + (127-15)<<23))
}

// ExpandF16 is the half-precision number with the bits h.
func ExpandF16(h uint16) float32 { return expandF16(uint32(h)) }

// RoundF16 is the bits of the half-precision number nearest to x, ties to even.
func RoundF16(x float64) uint16 { return uint16(roundF16(x)) }

// roundF16 is x rounded to the nearest half-precision number.
func roundF16(x float64) uint32 {
	const drop = 52 - 10
	b := math.Float64bits(x)
	sign, magnitude := uint32(b>>48)&signF16, b&^signF64
	switch {
	case x != x:
		return nanF16
	case math.Abs(x) < leastNormalF16:
		// Adding 2^28 leaves no bits below 2^-24, the unit of subnormals.
		return sign | uint32(math.Float64bits(math.Abs(x)+0x1p28))&(1<<11-1)
	}
	magnitude += 1<<(drop-1) - 1 + magnitude>>drop&1 // ties to even
	return sign | uint32(min(magnitude>>drop-(1023-15)<<10, exponentF16))
}

// flushF16 is h, or under FTZ zero of its sign if h is subnormal.
func (mode Mode) flushF16(h uint32) uint32 {
	if mode&FTZ != 0 && h&exponentF16 == 0 {
		return h & signF16
	}
	return h
}

// operandF16 is a source, flushed if the mode requires it.
func (mode Mode) operandF16(h uint32) float64 { return float64(expandF16(mode.flushF16(h))) }

// resultF16 is the result of an instruction that computed x. A float64 holds every sum and product of halves exactly,
// and every x * y + z that is near the midpoint of two halves, so that rounding again is harmless.
func (mode Mode) resultF16(x float64) uint32 {
	if mode&FTZ != 0 && math.Abs(x) < leastNormalF16 && expandF16(roundF16(math.Abs(x)*far16)) < leastNormalF16*far16 {
		x = math.Copysign(0, x) // see tinyF32
	}
	h := roundF16(x)
	switch {
	case mode&SAT != 0:
		return saturateF16(h)
	case mode&RELU != 0 && h&signF16 != 0: // the canonical NaN has no sign
		return 0
	}
	return h
}

// saturateF16 is h clamped to [+0, 1], and +0 for NaN.
func saturateF16(h uint32) uint32 {
	if h > exponentF16 {
		return 0
	}
	return min(h, oneF16)
}

func addF16(x, y uint32, mode Mode) uint32 {
	return mode.resultF16(mode.operandF16(x) + mode.operandF16(y))
}

func subF16(x, y uint32, mode Mode) uint32 {
	return mode.resultF16(mode.operandF16(x) - mode.operandF16(y))
}

func mulF16(x, y uint32, mode Mode) uint32 {
	return mode.resultF16(mode.operandF16(x) * mode.operandF16(y))
}

func fmaF16(x, y, z uint32, mode Mode) uint32 {
	p := mode.operandF16(x) * mode.operandF16(y)
	return mode.resultF16(p + mode.operandF16(z))
}

func negF16(x uint32, mode Mode) uint32 { return canonicalF16(mode.flushF16(x) ^ signF16) }

func absF16(x uint32, mode Mode) uint32 { return canonicalF16(mode.flushF16(x) &^ signF16) }

// canonicalF16 is h, or the canonical NaN.
func canonicalF16(h uint32) uint32 {
	if h&^signF16 > exponentF16 {
		return nanF16
	}
	return h
}

// ex2F16 is the result of an H100 for each of the 65,536 values: the power in single precision, truncated to half
// precision.
func ex2F16(x uint32, _ Mode) uint32 {
	if x == signF16|1 { // the unit ignores -2^-24
		return oneF16
	}
	return cutF16(float64(float32(math.Exp2(float64(expandF16(x))))))
}

// tanhF16 is the result of an H100 for each of the 65,536 values: small values unchanged, 1 from 8 on, between them
// the tangent truncated to half precision, with a few exceptions.
func tanhF16(x uint32, _ Mode) uint32 {
	sign, magnitude := x&signF16, x&^signF16
	switch {
	case magnitude > exponentF16:
		return nanF16
	case magnitude < leastTanhF16:
		return x
	case magnitude >= mostTanhF16:
		return sign | oneF16
	}
	r := cutF16(math.Tanh(float64(expandF16(magnitude))))
	switch {
	case slices.Contains(tanhAboveF16, magnitude):
		r++
	case slices.Contains(tanhBelowF16, magnitude):
		r--
	}
	return sign | r
}

const (
	leastTanhF16 = 0x1c08
	mostTanhF16  = 0x4800
)

// tanhAboveF16 and tanhBelowF16 are the values for which an H100's hyperbolic tangent is above and below the true one
// truncated to half precision.
var (
	tanhAboveF16 = []uint32{0x29c6, 0x2c95, 0x2c96, 0x2e39, 0x2e9d, 0x3064, 0x323f, 0x32ff, 0x355b, 0x372d, 0x3824, 0x399a, 0x3cc9, 0x3de3, 0x3ed6, 0x4080}
	tanhBelowF16 = []uint32{0x2d3f, 0x39f8, 0x3c8e, 0x3c9d, 0x3db8, 0x3e23, 0x3eab, 0x4429}
)

// cutF16 is x, which is not negative, as a half, rounded towards zero; above the range of halves it is infinite.
func cutF16(x float64) uint32 {
	if h := roundF16(x); h > 0 && h <= exponentF16 && x < beyondF16 && float64(expandF16(h)) > x {
		return h - 1
	}
	return roundF16(x)
}

func minF16(x, y uint32, mode Mode) uint32 {
	return roundF16(float64(minF32(expandF16(mode.flushF16(x)), expandF16(mode.flushF16(y)))))
}

func maxF16(x, y uint32, mode Mode) uint32 {
	return roundF16(float64(maxF32(expandF16(mode.flushF16(x)), expandF16(mode.flushF16(y)))))
}

// half1, half2 and half3 apply op to .f16 registers; packed1, packed2 and packed3 to both halves of .f16x2 registers,
// the low one first.
func half1(f *File, in *Op, m Mask, op func(x uint32, mode Mode) uint32) {
	d, a := unary[uint32](f, in, m)
	for i := range d {
		d[i] = op(a[i], in.Mode)
	}
	Merge[uint32](f, in.D, m)
}

func half2(f *File, in *Op, m Mask, op func(x, y uint32, mode Mode) uint32) {
	d, a, b := binary[uint32](f, in, m)
	for i := range d {
		d[i] = op(a[i], b[i], in.Mode)
	}
	Merge[uint32](f, in.D, m)
}

func half3(f *File, in *Op, m Mask, op func(x, y, z uint32, mode Mode) uint32) {
	d, a, b, c := ternary[uint32](f, in, m)
	for i := range d {
		d[i] = op(a[i], b[i], c[i], in.Mode)
	}
	Merge[uint32](f, in.D, m)
}

const lowHalf = 1<<16 - 1

func packed1(f *File, in *Op, m Mask, op func(x uint32, mode Mode) uint32) {
	d, a := unary[uint32](f, in, m)
	for i := range d {
		x := a[i]
		d[i] = op(x&lowHalf, in.Mode) | op(x>>16, in.Mode)<<16
	}
	Merge[uint32](f, in.D, m)
}

func packed2(f *File, in *Op, m Mask, op func(x, y uint32, mode Mode) uint32) {
	d, a, b := binary[uint32](f, in, m)
	for i := range d {
		x, y := a[i], b[i]
		d[i] = op(x&lowHalf, y&lowHalf, in.Mode) | op(x>>16, y>>16, in.Mode)<<16
	}
	Merge[uint32](f, in.D, m)
}

func packed3(f *File, in *Op, m Mask, op func(x, y, z uint32, mode Mode) uint32) {
	d, a, b, c := ternary[uint32](f, in, m)
	for i := range d {
		x, y, z := a[i], b[i], c[i]
		d[i] = op(x&lowHalf, y&lowHalf, z&lowHalf, in.Mode) | op(x>>16, y>>16, z>>16, in.Mode)<<16
	}
	Merge[uint32](f, in.D, m)
}

// AddF16 is a + b in half precision, rounded to nearest. It honours FTZ, SAT
// and RELU, as do SubF16, MulF16 and FmaF16.
func AddF16(f *File, in *Op, m Mask) { half2(f, in, m, addF16) }

// SubF16 is a - b in half precision.
func SubF16(f *File, in *Op, m Mask) { half2(f, in, m, subF16) }

// MulF16 is a * b in half precision.
func MulF16(f *File, in *Op, m Mask) { half2(f, in, m, mulF16) }

// FmaF16 is a * b + c in half precision, rounded once.
func FmaF16(f *File, in *Op, m Mask) { half3(f, in, m, fmaF16) }

// NegF16 is -a in half precision. It honours FTZ.
func NegF16(f *File, in *Op, m Mask) { half1(f, in, m, negF16) }

// AbsF16 is a in half precision without its sign. It honours FTZ.
func AbsF16(f *File, in *Op, m Mask) { half1(f, in, m, absF16) }

// MinF16 is the smaller of a and b, -0 being smaller than +0; the other if one
// is NaN. It honours FTZ.
func MinF16(f *File, in *Op, m Mask) { half2(f, in, m, minF16) }

// MaxF16 is MinF16 for the larger.
func MaxF16(f *File, in *Op, m Mask) { half2(f, in, m, maxF16) }

// ExtremumF16 is ExtremumF32 in half precision.
func ExtremumF16(f *File, in *Op, m Mask) {
	half2(f, in, m, func(x, y uint32, _ Mode) uint32 { return in.extremumF16(x, y) })
}

// Ex2F16 is 2 to the power of a in half precision.
func Ex2F16(f *File, in *Op, m Mask) { half1(f, in, m, ex2F16) }

// TanhF16 is the hyperbolic tangent of a in half precision.
func TanhF16(f *File, in *Op, m Mask) { half1(f, in, m, tanhF16) }

// AddF16x2 is AddF16 for each half of a register.
func AddF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, addF16) }

// SubF16x2 is SubF16 for each half.
func SubF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, subF16) }

// MulF16x2 is MulF16 for each half.
func MulF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, mulF16) }

// FmaF16x2 is FmaF16 for each half.
func FmaF16x2(f *File, in *Op, m Mask) { packed3(f, in, m, fmaF16) }

// NegF16x2 is NegF16 for each half.
func NegF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, negF16) }

// AbsF16x2 is AbsF16 for each half.
func AbsF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, absF16) }

// MinF16x2 is MinF16 for each half.
func MinF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, minF16) }

// MaxF16x2 is MaxF16 for each half.
func MaxF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, maxF16) }

// ExtremumF16x2 is ExtremumF16 for each half.
func ExtremumF16x2(f *File, in *Op, m Mask) {
	packed2(f, in, m, func(x, y uint32, _ Mode) uint32 { return in.extremumF16(x, y) })
}

// Ex2F16x2 is Ex2F16 for each half.
func Ex2F16x2(f *File, in *Op, m Mask) { packed1(f, in, m, ex2F16) }

// TanhF16x2 is TanhF16 for each half.
func TanhF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, tanhF16) }
