package lanes

import "math"

// A tinyFormat is a floating-point format of 4 or 6 bits, which has neither infinity nor NaN.
type tinyFormat struct {
	byteFormat
	bits int // of a number
	step int // from one number of a pair to the next: 4 or 8 bits
}

var (
	e2m1 = tinyFormat{byteFormat{fraction: 1, bias: 1, greatest: 0x7, limit: 6, leastNormal: 1, leastOf: 0x1p51, scale: 0x1p14}, 4, 4}
	e2m3 = tinyFormat{byteFormat{fraction: 3, bias: 1, greatest: 0x1f, limit: 7.5, leastNormal: 1, leastOf: 0x1p49, scale: 0x1p14}, 6, 8}
	e3m2 = tinyFormat{byteFormat{fraction: 2, bias: 3, greatest: 0x1f, limit: 28, leastNormal: 0x1p-2, leastOf: 0x1p48, scale: 0x1p12}, 6, 8}
)

// tiny is x rounded to the nearest number of t; beyond the largest number it is that one, with the sign of x. NaN is
// the largest.
func (t tinyFormat) tiny(x float32, mode Mode) uint32 {
	switch {
	case x != x:
		return t.greatest
	case math.Signbit(float64(x)) && mode&RELU != 0:
		return 0
	}
	sign := math.Float32bits(x) >> 31 << (t.bits - 1)
	return sign | t.round(math.Abs(float64(x)), mode)
}

// half returns the number that x encodes in a 16-bit format that holds all numbers of t. round rounds to that format.
func (t tinyFormat) half(x uint32, mode Mode, to format, round func(float64) uint32) uint32 {
	sign := x >> (t.bits - 1) & 1
	h := round(float64(t.value(x&(1<<(t.bits-1)-1)))) | sign<<15
	return uint32(mode.saturated(to, uint64(h)))
}

// ofF32 converts the .f32 values a, for the upper place, and b, for the lower one.
func (t tinyFormat) ofF32(f *File, in *Op, m Mask) {
	map2(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), func(a, b float32) uint32 {
		return t.tiny(a, in.Mode)<<t.step | t.tiny(b, in.Mode)
	})
	Merge[uint32](f, in.D, m)
}

// of converts the two halves of a, which expand converts to .f32.
func (t tinyFormat) of(f *File, in *Op, m Mask, expand func(uint32) float32) {
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return t.tiny(expand(a>>16), in.Mode)<<t.step | t.tiny(expand(a&lowHalf), in.Mode)
	})
	Merge[uint32](f, in.D, m)
}

// halvesOf converts the two numbers of a to a format of 16 bits.
func (t tinyFormat) halvesOf(f *File, in *Op, m Mask, to format, round func(float64) uint32) {
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return t.half(a>>t.step, in.Mode, to, round)<<16 | t.half(a, in.Mode, to, round)
	})
	Merge[uint32](f, in.D, m)
}

// CvtE2M1x2F32 is the .f32 values a, in the upper four bits, and b, in the lower ones, rounded to the nearest number
// of e2m1, and clamped to the largest. It honours RELU.
func CvtE2M1x2F32(f *File, in *Op, m Mask) { e2m1.ofF32(f, in, m) }

// CvtE2M3x2F32 is CvtE2M1x2F32 for e2m3, with its numbers in the low six bits of bytes.
func CvtE2M3x2F32(f *File, in *Op, m Mask) { e2m3.ofF32(f, in, m) }

// CvtE3M2x2F32 is CvtE2M3x2F32 for e3m2.
func CvtE3M2x2F32(f *File, in *Op, m Mask) { e3m2.ofF32(f, in, m) }

// CvtF16x2E2M1x2 is two numbers of e2m1 as halves. It honours RELU.
func CvtF16x2E2M1x2(f *File, in *Op, m Mask) { e2m1.halvesOf(f, in, m, binary16, roundF16) }

// CvtF16x2E2M3x2 is CvtF16x2E2M1x2 for e2m3.
func CvtF16x2E2M3x2(f *File, in *Op, m Mask) { e2m3.halvesOf(f, in, m, binary16, roundF16) }

// CvtF16x2E3M2x2 is CvtF16x2E2M1x2 for e3m2.
func CvtF16x2E3M2x2(f *File, in *Op, m Mask) { e3m2.halvesOf(f, in, m, binary16, roundF16) }

// CvtE2M1x2F16x2 is CvtE2M1x2F32 of the halves of a.
func CvtE2M1x2F16x2(f *File, in *Op, m Mask) { e2m1.of(f, in, m, expandF16) }

// CvtE2M1x2BF16x2 is CvtE2M1x2F32 of two bfloat16 numbers.
func CvtE2M1x2BF16x2(f *File, in *Op, m Mask) { e2m1.of(f, in, m, expandBF16) }

// CvtBF16x2E2M1x2 converts two numbers of e2m1 to bfloat16. It honours RELU.
func CvtBF16x2E2M1x2(f *File, in *Op, m Mask) { e2m1.halvesOf(f, in, m, bfloat16, roundBF16) }

// CvtE2M3x2F16x2 is CvtE2M3x2F32 of the halves of a.
func CvtE2M3x2F16x2(f *File, in *Op, m Mask) { e2m3.of(f, in, m, expandF16) }

// CvtE2M3x2BF16x2 is CvtE2M3x2F32 of two bfloat16 numbers.
func CvtE2M3x2BF16x2(f *File, in *Op, m Mask) { e2m3.of(f, in, m, expandBF16) }

// CvtBF16x2E2M3x2 converts two numbers of e2m3 to bfloat16. It honours RELU.
func CvtBF16x2E2M3x2(f *File, in *Op, m Mask) { e2m3.halvesOf(f, in, m, bfloat16, roundBF16) }

// CvtE3M2x2F16x2 is CvtE3M2x2F32 of the halves of a.
func CvtE3M2x2F16x2(f *File, in *Op, m Mask) { e3m2.of(f, in, m, expandF16) }

// CvtE3M2x2BF16x2 is CvtE3M2x2F32 of two bfloat16 numbers.
func CvtE3M2x2BF16x2(f *File, in *Op, m Mask) { e3m2.of(f, in, m, expandBF16) }

// CvtBF16x2E3M2x2 converts two numbers of e3m2 to bfloat16. It honours RELU.
func CvtBF16x2E3M2x2(f *File, in *Op, m Mask) { e3m2.halvesOf(f, in, m, bfloat16, roundBF16) }

// CvtBF16x2UE8M0x2 is two powers of two as bfloat16 numbers; the bytes of a are the exponents plus 127, and 255 is
// NaN.
func CvtBF16x2UE8M0x2(f *File, in *Op, m Mask) {
	power := func(e uint32) uint32 {
		switch e &= 0xff; e {
		case 0:
			return 0x40 // 2 to the power of -127 is subnormal
		case 0xff:
			return 0x7fff
		}
		return e << 7
	}
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 { return power(a>>8)<<16 | power(a) })
	Merge[uint32](f, in.D, m)
}

// exponentOf returns the .f32 number x as ue8m0: its power of two, with its sign dropped, the next higher one with
// RoundUp; powers that are too small become the smallest. NaN is 255, and so is what is too large, without SATFINITE.
func (mode Mode) exponentOf(x float32) uint32 {
	bits := math.Float32bits(x) &^ signF32
	exponent, below := bits>>23, bits&(1<<23-1)
	const half = 1 << 22 // 2 to the power of -127, which is subnormal
	switch {
	case bits > exponentF32:
		return 0xff
	case bits == exponentF32: // infinity
	case mode&roundMask == RoundUp && (below != 0 && exponent > 0 || below > half):
		exponent++
	}
	if exponent == 0xff && mode&SATFINITE != 0 {
		return 0xfe
	}
	return exponent
}

// CvtUE8M0x2F32 is the powers of two of the .f32 values a, in the high byte, and b, in the low one.
func CvtUE8M0x2F32(f *File, in *Op, m Mask) {
	mode := in.Mode
	map2(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), func(a, b float32) uint32 { return mode.exponentOf(a)<<8 | mode.exponentOf(b) })
	Merge[uint32](f, in.D, m)
}

// CvtUE8M0x2BF16x2 is CvtUE8M0x2F32 of two bfloat16 numbers.
func CvtUE8M0x2BF16x2(f *File, in *Op, m Mask) {
	mode := in.Mode
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return mode.exponentOf(expandBF16(a>>16))<<8 | mode.exponentOf(expandBF16(a&lowHalf))
	})
	Merge[uint32](f, in.D, m)
}

// fixed returns x as s2f6, a signed byte of which 1 is a 64th, rounded to the nearest and clamped; NaN becomes the
// largest number (PTX ISA, cvt with .satfinite).
func (mode Mode) fixed(x float64) uint32 {
	switch {
	case x != x:
		return 127
	case mode&RELU != 0 && x < 0:
		return 0
	}
	return uint32(int32(min(max(math.RoundToEven(x*64), -128), 127))) & 0xff
}

// CvtS2F6x2F32 is the .f32 values a, in the high byte, and b, in the low one, as s2f6. It honours RELU.
func CvtS2F6x2F32(f *File, in *Op, m Mask) {
	mode := in.Mode
	map2(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), func(a, b float32) uint32 { return mode.fixed(float64(a))<<8 | mode.fixed(float64(b)) })
	Merge[uint32](f, in.D, m)
}

// CvtS2F6x2BF16x2 is CvtS2F6x2F32 of two bfloat16 numbers.
func CvtS2F6x2BF16x2(f *File, in *Op, m Mask) {
	mode := in.Mode
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return mode.fixed(float64(expandBF16(a>>16)))<<8 | mode.fixed(float64(expandBF16(a&lowHalf)))
	})
	Merge[uint32](f, in.D, m)
}

// CvtBF16x2S2F6x2 converts two numbers of s2f6 to bfloat16, which holds them all. It honours RELU.
func CvtBF16x2S2F6x2(f *File, in *Op, m Mask) {
	brain := func(x uint32) uint32 {
		return uint32(in.Mode.saturated(bfloat16, uint64(roundBF16(float64(int8(x))/64))))
	}
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 { return brain(a>>8)<<16 | brain(a) })
	Merge[uint32](f, in.D, m)
}

// powerOf returns the number of a .ue8m0.
func powerOf(x uint32) float64 {
	if x == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(x)-127)
}

// CvtScaledS2F6x2F32 is CvtS2F6x2F32 of values divided by the two .ue8m0 in C.
func CvtScaledS2F6x2F32(f *File, in *Op, m Mask) {
	mode := in.Mode
	some3(Out[uint32](f, in.D, m), Reg[float32](f, in.A), Reg[float32](f, in.B), Reg[uint32](f, in.C), m, func(a, b float32, c uint32) uint32 {
		return mode.fixed(float64(a)/powerOf(c>>8&0xff))<<8 | mode.fixed(float64(b)/powerOf(c&0xff))
	})
	Merge[uint32](f, in.D, m)
}

// CvtScaledS2F6x2BF16x2 is CvtScaledS2F6x2F32 of two bfloat16 numbers.
func CvtScaledS2F6x2BF16x2(f *File, in *Op, m Mask) {
	mode := in.Mode
	map2(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.C), func(a, c uint32) uint32 {
		return mode.fixed(float64(expandBF16(a>>16))/powerOf(c>>8&0xff))<<8 | mode.fixed(float64(expandBF16(a&lowHalf))/powerOf(c&0xff))
	})
	Merge[uint32](f, in.D, m)
}

// CvtScaledBF16x2S2F6x2 is CvtBF16x2S2F6x2 of values that are then multiplied by the two .ue8m0 in C. It honours RELU
// and SATFINITE.
func CvtScaledBF16x2S2F6x2(f *File, in *Op, m Mask) {
	brain := func(x, c uint32) uint32 {
		return uint32(in.Mode.saturated(bfloat16, uint64(roundBF16(float64(int8(x))/64*powerOf(c&0xff)))))
	}
	map2(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.C), func(a, c uint32) uint32 { return brain(a>>8, c>>8)<<16 | brain(a, c) })
	Merge[uint32](f, in.D, m)
}
