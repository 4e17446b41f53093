package lanes

import "math"

// tailTF32 are the bits of a .f32 that tf32 does not have.
const tailTF32 = 1<<13 - 1

// CvtTF32F32 is the .f32 value a, rounded to tf32 by Mode, or to nearest with ties away from zero if in.Imm has
// CvtAway. NaN is the canonical one of .f32, which PTX does not specify. It honours RELU and SATFINITE.
func CvtTF32F32(f *File, in *Op, m Mask) {
	mode, away := in.Mode, in.Imm&CvtAway != 0
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 { return mode.tf32(a, away) })
	Merge[uint32](f, in.D, m)
}

// tf32 is the encoding x of a .f32 rounded to tf32. A carry out of the fraction increments the exponent, up to
// infinity.
func (mode Mode) tf32(x uint32, away bool) uint32 {
	magnitude := x &^ signF32
	switch {
	case magnitude > exponentF32:
		return nanF32
	case away:
		magnitude += tailTF32/2 + 1
	case mode&roundMask == RoundNearest:
		magnitude += tailTF32/2 + x>>13&1
	}
	return uint32(mode.saturated(tf32, uint64((x&signF32|magnitude)>>13))) << 13
}

// A byteFormat is a floating-point format of 8 bits. Its largest encoding is a NaN.
type byteFormat struct {
	fraction, bias       int
	greatest             uint32  // the encoding of the largest number
	limit                float64 // the largest number
	leastNormal, leastOf float64 // the smallest normal number; 2^52 times the unit of subnormal ones
	scale                float32 // difference of the exponent bias from .f16, as a factor
}

var (
	e4m3 = byteFormat{fraction: 3, bias: 7, greatest: 0x7e, limit: 448, leastNormal: 0x1p-6, leastOf: 0x1p43, scale: 0x1p8}
	e5m2 = byteFormat{fraction: 2, bias: 15, greatest: 0x7b, limit: 57344, leastNormal: 0x1p-14, leastOf: 0x1p36, scale: 1}
)

const (
	signByte = 0x80
	nanByte  = 0x7f
)

// value is the number that the byte x encodes. Infinity and the other NaNs of e5m2 are those of .f16.
func (t byteFormat) value(x uint32) float32 {
	magnitude := x &^ signByte
	if magnitude == nanByte {
		return math.Float32frombits(nanF32)
	}
	v := expandF16(magnitude<<(10-t.fraction)) * t.scale
	return math.Float32frombits(math.Float32bits(v) | x&signByte<<24)
}

// round is x rounded to the nearest number of t; beyond the largest number it is that one, with the sign of x.
func (t byteFormat) round(x float64, mode Mode) uint32 {
	sign, magnitude := uint32(math.Float64bits(x)>>56)&signByte, math.Abs(x)
	switch {
	case x != x:
		return nanByte
	case sign != 0 && mode&RELU != 0:
		return 0
	case magnitude >= t.limit:
		return sign | t.greatest
	case magnitude < t.leastNormal: // the sum has no bits below the unit
		return sign | uint32(math.Float64bits(magnitude+t.leastOf))&(2<<t.fraction-1)
	}
	b, drop := math.Float64bits(magnitude), 52-t.fraction
	b += 1<<(drop-1) - 1 + b>>drop&1 // ties to even
	return sign | (uint32(b>>drop) - uint32(1023-t.bias)<<t.fraction)
}

// bytesOfF32 are the .f32 values a, in the high byte, and b, in the low one.
func (t byteFormat) bytesOfF32(f *File, in *Op, m Mask) {
	map2(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), func(a, b float32) uint32 {
		return t.round(float64(a), in.Mode)<<8 | t.round(float64(b), in.Mode)
	})
	Merge[uint32](f, in.D, m)
}

// bytesOf converts the two halves of a, which expand converts to .f32.
func (t byteFormat) bytesOf(f *File, in *Op, m Mask, expand func(uint32) float32) {
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return t.round(float64(expand(a>>16)), in.Mode)<<8 | t.round(float64(expand(a&lowHalf)), in.Mode)
	})
	Merge[uint32](f, in.D, m)
}

// halvesOf converts the two bytes of a to halves, which hold all numbers of t.
func (t byteFormat) halvesOf(f *File, in *Op, m Mask) {
	half := func(x uint32) uint32 {
		return uint32(in.Mode.saturated(binary16, uint64(roundF16(float64(t.value(x))))))
	}
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return half(a>>8&0xff)<<16 | half(a&0xff)
	})
	Merge[uint32](f, in.D, m)
}

// brainsOf converts the two bytes of a to bfloat16, which holds all numbers of t.
func (t byteFormat) brainsOf(f *File, in *Op, m Mask) {
	brain := func(x uint32) uint32 {
		return uint32(in.Mode.saturated(bfloat16, uint64(roundBF16(float64(t.value(x))))))
	}
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return brain(a>>8&0xff)<<16 | brain(a&0xff)
	})
	Merge[uint32](f, in.D, m)
}

// CvtE4M3x2F32 is the .f32 values a, in the high byte, and b, in the low one, rounded to the nearest number of e4m3,
// and clamped to the largest. It honours RELU.
func CvtE4M3x2F32(f *File, in *Op, m Mask) { e4m3.bytesOfF32(f, in, m) }

// CvtE5M2x2F32 is CvtE4M3x2F32 for e5m2.
func CvtE5M2x2F32(f *File, in *Op, m Mask) { e5m2.bytesOfF32(f, in, m) }

// CvtE4M3x2F16x2 is CvtE4M3x2F32 of the halves of a.
func CvtE4M3x2F16x2(f *File, in *Op, m Mask) { e4m3.bytesOf(f, in, m, expandF16) }

// CvtE5M2x2F16x2 is CvtE4M3x2F16x2 for e5m2.
func CvtE5M2x2F16x2(f *File, in *Op, m Mask) { e5m2.bytesOf(f, in, m, expandF16) }

// CvtF16x2E4M3x2 is two numbers of e4m3 as halves. It honours RELU.
func CvtF16x2E4M3x2(f *File, in *Op, m Mask) { e4m3.halvesOf(f, in, m) }

// CvtF16x2E5M2x2 is CvtF16x2E4M3x2 for e5m2.
func CvtF16x2E5M2x2(f *File, in *Op, m Mask) { e5m2.halvesOf(f, in, m) }

// CvtE4M3x2BF16x2 is CvtE4M3x2F16x2 of two bfloat16 numbers.
func CvtE4M3x2BF16x2(f *File, in *Op, m Mask) { e4m3.bytesOf(f, in, m, expandBF16) }

// CvtE5M2x2BF16x2 is CvtE4M3x2BF16x2 for e5m2.
func CvtE5M2x2BF16x2(f *File, in *Op, m Mask) { e5m2.bytesOf(f, in, m, expandBF16) }

// CvtBF16x2E4M3x2 converts two numbers of e4m3 to bfloat16. It honours RELU.
func CvtBF16x2E4M3x2(f *File, in *Op, m Mask) { e4m3.brainsOf(f, in, m) }

// CvtBF16x2E5M2x2 is CvtBF16x2E4M3x2 for e5m2.
func CvtBF16x2E5M2x2(f *File, in *Op, m Mask) { e5m2.brainsOf(f, in, m) }
