package lanes

import "math"

const (
	exponentBF16 = 0xff << 7
	oneBF16      = 0x3f80
	// The sign bit and the canonical NaN are those of .f16.
)

// expandBF16 is the bfloat16 number h as a float32; h is its upper half.
func expandBF16(h uint32) float32 { return math.Float32frombits(h << 16) }

// valueBF16 is the bfloat16 number h.
func valueBF16(h uint32) float64 { return float64(expandBF16(h)) }

// roundBF16 is x rounded to the nearest bfloat16 number.
func roundBF16(x float64) uint32 {
	const drop = 52 - 7
	b := math.Float64bits(x)
	sign, magnitude := uint32(b>>48)&signF16, b&^signF64
	switch {
	case x != x:
		return nanF16
	case math.Abs(x) < leastNormalF32: // the exponent range ends where that of .f32 ends
		// Adding 2^-81 leaves no bits below 2^-133, the unit of subnormals.
		return sign | uint32(math.Float64bits(math.Abs(x)+0x1p-81))&(1<<8-1)
	}
	magnitude += 1<<(drop-1) - 1 + magnitude>>drop&1 // ties to even
	return sign | uint32(min(magnitude>>drop-(1023-127)<<7, exponentBF16))
}

// roundF32ToBF16 is x rounded to the nearest bfloat16 number.
func roundF32ToBF16(x float32) uint32 {
	if x != x {
		return nanF16
	}
	b := math.Float32bits(x)
	return (b + 1<<15 - 1 + b>>16&1) >> 16 // a carry out of the fraction increments the exponent
}

// A float64 holds every product of two bfloat16 numbers. A sum may lose bits, but only if the smaller number is too
// small to affect rounding: the larger one is not a midpoint. Both are rounded once.

func addBF16(x, y uint32, _ Mode) uint32 { return roundBF16(valueBF16(x) + valueBF16(y)) }

func subBF16(x, y uint32, _ Mode) uint32 { return roundBF16(valueBF16(x) - valueBF16(y)) }

func mulBF16(x, y uint32, _ Mode) uint32 { return roundBF16(valueBF16(x) * valueBF16(y)) }

// fmaBF16 is x * y + z. The product may be a midpoint, and z so small that only rounding to odd preserves on which
// side of it the sum is.
func fmaBF16(x, y, z uint32, mode Mode) uint32 {
	h := roundBF16(oddSum(valueBF16(x)*valueBF16(y), valueBF16(z)))
	if mode&RELU != 0 && h&signF16 != 0 { // the canonical NaN has no sign
		return 0
	}
	return h
}

func negBF16(x uint32, _ Mode) uint32 { return canonicalBF16(x ^ signF16) }

func absBF16(x uint32, _ Mode) uint32 { return canonicalBF16(x &^ signF16) }

// canonicalBF16 is h, or the canonical NaN.
func canonicalBF16(h uint32) uint32 {
	if h&^signF16 > exponentBF16 {
		return nanF16
	}
	return h
}

func minBF16(x, y uint32, _ Mode) uint32 { return upperHalf(minF32(expandBF16(x), expandBF16(y))) }

func maxBF16(x, y uint32, _ Mode) uint32 { return upperHalf(maxF32(expandBF16(x), expandBF16(y))) }

func (in *Op) extremumBF16(x, y uint32) uint32 {
	return upperHalf(in.extremumF32(expandBF16(x), expandBF16(y)))
}

// upperHalf is x, which has only zeros in its lower half, as a bfloat16 number. The canonical NaN of float32 becomes
// that of bfloat16.
func upperHalf(x float32) uint32 { return math.Float32bits(x) >> 16 }

// ex2BF16 is the power rounded to nearest. Subnormal numbers become zero: PTX has it only with .ftz.
func ex2BF16(x uint32, _ Mode) uint32 {
	h := roundBF16(math.Exp2(valueBF16(x)))
	if h < 1<<7 {
		return 0
	}
	return h
}

// tanhBF16 is the hyperbolic tangent rounded to nearest.
func tanhBF16(x uint32, _ Mode) uint32 { return roundBF16(math.Tanh(valueBF16(x))) }

// AddBF16 is a + b in bfloat16, rounded to nearest, as are SubBF16, MulBF16 and
// FmaBF16.
func AddBF16(f *File, in *Op, m Mask) { half2(f, in, m, addBF16) }

// SubBF16 is a - b in bfloat16.
func SubBF16(f *File, in *Op, m Mask) { half2(f, in, m, subBF16) }

// MulBF16 is a * b in bfloat16.
func MulBF16(f *File, in *Op, m Mask) { half2(f, in, m, mulBF16) }

// FmaBF16 is a * b + c in bfloat16, rounded once. It honours RELU.
func FmaBF16(f *File, in *Op, m Mask) { half3(f, in, m, fmaBF16) }

// NegBF16 is -a in bfloat16.
func NegBF16(f *File, in *Op, m Mask) { half1(f, in, m, negBF16) }

// AbsBF16 is a in bfloat16 without its sign.
func AbsBF16(f *File, in *Op, m Mask) { half1(f, in, m, absBF16) }

// MinBF16 is the smaller of a and b, -0 being smaller than +0; the other if one
// is NaN.
func MinBF16(f *File, in *Op, m Mask) { half2(f, in, m, minBF16) }

// MaxBF16 is MinBF16 for the larger.
func MaxBF16(f *File, in *Op, m Mask) { half2(f, in, m, maxBF16) }

// ExtremumBF16 is ExtremumF32 in bfloat16.
func ExtremumBF16(f *File, in *Op, m Mask) {
	half2(f, in, m, func(x, y uint32, _ Mode) uint32 { return in.extremumBF16(x, y) })
}

// Ex2BF16 is 2 to the power of a in bfloat16, with subnormal numbers flushed.
func Ex2BF16(f *File, in *Op, m Mask) { half1(f, in, m, ex2BF16) }

// TanhBF16 is the hyperbolic tangent of a in bfloat16.
func TanhBF16(f *File, in *Op, m Mask) { half1(f, in, m, tanhBF16) }

// AddBF16x2 is AddBF16 for each half of a register.
func AddBF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, addBF16) }

// SubBF16x2 is SubBF16 for each half.
func SubBF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, subBF16) }

// MulBF16x2 is MulBF16 for each half.
func MulBF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, mulBF16) }

// FmaBF16x2 is FmaBF16 for each half.
func FmaBF16x2(f *File, in *Op, m Mask) { packed3(f, in, m, fmaBF16) }

// NegBF16x2 is NegBF16 for each half.
func NegBF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, negBF16) }

// AbsBF16x2 is AbsBF16 for each half.
func AbsBF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, absBF16) }

// MinBF16x2 is MinBF16 for each half.
func MinBF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, minBF16) }

// MaxBF16x2 is MaxBF16 for each half.
func MaxBF16x2(f *File, in *Op, m Mask) { packed2(f, in, m, maxBF16) }

// ExtremumBF16x2 is ExtremumBF16 for each half.
func ExtremumBF16x2(f *File, in *Op, m Mask) {
	packed2(f, in, m, func(x, y uint32, _ Mode) uint32 { return in.extremumBF16(x, y) })
}

// Ex2BF16x2 is Ex2BF16 for each half.
func Ex2BF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, ex2BF16) }

// TanhBF16x2 is TanhBF16 for each half.
func TanhBF16x2(f *File, in *Op, m Mask) { packed1(f, in, m, tanhBF16) }

// compareBF16 is the set of lanes in which the comparison in the low byte of in.Imm holds for the bfloat16 numbers at
// bit shift of a and b.
func compareBF16(f *File, in *Op, shift uint) Mask {
	var x, y [Width]float32
	map1(&x, Reg[uint32](f, in.A), func(a uint32) float32 { return expandBF16(a >> shift) })
	map1(&y, Reg[uint32](f, in.B), func(b uint32) float32 { return expandBF16(b >> shift) })
	return compareFloat(Comparison(in.Imm), &x, &y)
}

// SetpBF16 is SetpF16 for .bf16.
func SetpBF16(f *File, in *Op, m Mask) { setp(f, in, m, compareBF16(f, in, 0)) }

// SetpBF16x2 compares the low halves into D and the high halves into D2.
func SetpBF16x2(f *File, in *Op, m Mask) {
	setpHalves(f, in, m, compareBF16(f, in, 0), compareBF16(f, in, 16))
}

// SetBF16 is SetInt for .bf16 values.
func SetBF16(f *File, in *Op, m Mask) { set(f, in, m, compareBF16(f, in, 0), in.yes()) }

// SetBF16x2 is SetF16x2 for .bf16x2.
func SetBF16x2(f *File, in *Op, m Mask) {
	setHalves(f, in, m, compareBF16(f, in, 0), compareBF16(f, in, 16))
}

// cvtF32BF16 is a as a .f32, with a as its upper half: NaN keeps its payload, which PTX does not specify. It honours
// FTZ.
func cvtF32BF16(f *File, in *Op, m Mask) {
	d, a := Out[float32](f, in.D, m), Reg[uint32](f, in.A)
	if in.Mode&FTZ != 0 {
		map1(d, a, func(a uint32) float32 { return flushF32(expandBF16(a)) })
	} else {
		map1(d, a, func(a uint32) float32 { return expandBF16(a) })
	}
	Merge[float32](f, in.D, m)
}

// cvtBF16F32 rounds a to the nearest bfloat16 number.
func cvtBF16F32(f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[float32](f, in.A), func(a float32) uint32 { return roundF32ToBF16(a) })
	Merge[uint32](f, in.D, m)
}
