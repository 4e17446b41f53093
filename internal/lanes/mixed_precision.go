package lanes

import "math"

// mixedSum is a, a 16-bit number, plus or minus B, a .f32, rounded once: every a is exact in .f32. It honours
// rounding and SAT.
func mixedSum(f *File, in *Op, m Mask, expand func(h uint32) float32, sign float32) {
	mode := in.Mode
	map2(Out[float32](f, in.D, m), Reg[uint32](f, in.A), Reg[float32](f, in.B), func(a uint32, b float32) float32 {
		return mode.resultF32(mode.addF32(expand(a), sign*b))
	})
	Merge[float32](f, in.D, m)
}

// mixedFma is a * b + C, for 16-bit a and b, rounded once. It honours rounding and SAT.
func mixedFma(f *File, in *Op, m Mask, expand func(h uint32) float32) {
	mode := in.Mode
	some3(Out[float32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[float32](f, in.C), m, func(a, b uint32, c float32) float32 {
		return mode.resultF32(mode.fmaF32(expand(a), expand(b), c))
	})
	Merge[float32](f, in.D, m)
}

// AddF32F16 is a + b, of a half and a .f32.
func AddF32F16(f *File, in *Op, m Mask) { mixedSum(f, in, m, expandF16, 1) }

// AddF32BF16 is AddF32F16 of a bfloat16 number.
func AddF32BF16(f *File, in *Op, m Mask) { mixedSum(f, in, m, expandBF16, 1) }

// SubF32F16 is a - b, of a half and a .f32.
func SubF32F16(f *File, in *Op, m Mask) { mixedSum(f, in, m, expandF16, -1) }

// SubF32BF16 is SubF32F16 of a bfloat16 number.
func SubF32BF16(f *File, in *Op, m Mask) { mixedSum(f, in, m, expandBF16, -1) }

// FmaF32F16 is a * b + c, of halves and a .f32.
func FmaF32F16(f *File, in *Op, m Mask) { mixedFma(f, in, m, expandF16) }

// FmaF32BF16 is FmaF32F16 of bfloat16 numbers.
func FmaF32BF16(f *File, in *Op, m Mask) { mixedFma(f, in, m, expandBF16) }

// singles returns the two .f32 in a word.
func singles(x uint64) (low, high float32) {
	return math.Float32frombits(uint32(x)), math.Float32frombits(uint32(x >> 32))
}

func pairOf(low, high float32) uint64 {
	return uint64(math.Float32bits(low)) | uint64(math.Float32bits(high))<<32
}

// pairs2 applies op to both halves of A and B, with operands and results in the present mode.
func pairs2(f *File, in *Op, m Mask, op func(mode Mode, x, y float32) float32) {
	mode := in.Mode
	one := func(x, y float32) float32 { return mode.resultF32(op(mode, mode.operandF32(x), mode.operandF32(y))) }
	map2(Out[uint64](f, in.D, m), Reg[uint64](f, in.A), Reg[uint64](f, in.B), func(a, b uint64) uint64 {
		x, y := singles(a)
		z, w := singles(b)
		return pairOf(one(x, z), one(y, w))
	})
	Merge[uint64](f, in.D, m)
}

// AddF32x2 is the sums of two pairs of .f32. It honours rounding and FTZ.
func AddF32x2(f *File, in *Op, m Mask) { pairs2(f, in, m, Mode.addF32) }

// SubF32x2 is the differences of two pairs of .f32.
func SubF32x2(f *File, in *Op, m Mask) {
	pairs2(f, in, m, func(mode Mode, x, y float32) float32 { return mode.addF32(x, -y) })
}

// MulF32x2 is the products of two pairs of .f32.
func MulF32x2(f *File, in *Op, m Mask) { pairs2(f, in, m, Mode.mulF32) }

// mixedPairs is mixedSum of both halves of A and both .f32 of B.
func mixedPairs(f *File, in *Op, m Mask, expand func(h uint32) float32, sign float32) {
	mode := in.Mode
	map2(Out[uint64](f, in.D, m), Reg[uint32](f, in.A), Reg[uint64](f, in.B), func(a uint32, b uint64) uint64 {
		x, y := singles(b)
		return pairOf(mode.resultF32(mode.addF32(expand(a&lowHalf), sign*x)), mode.resultF32(mode.addF32(expand(a>>16), sign*y)))
	})
	Merge[uint64](f, in.D, m)
}

// AddF32x2F16x2 is the sums of two halves and two .f32.
func AddF32x2F16x2(f *File, in *Op, m Mask) { mixedPairs(f, in, m, expandF16, 1) }

// AddF32x2BF16x2 is AddF32x2F16x2 of bfloat16 numbers.
func AddF32x2BF16x2(f *File, in *Op, m Mask) { mixedPairs(f, in, m, expandBF16, 1) }

// SubF32x2F16x2 is the differences of two halves and two .f32.
func SubF32x2F16x2(f *File, in *Op, m Mask) { mixedPairs(f, in, m, expandF16, -1) }

// SubF32x2BF16x2 is SubF32x2F16x2 of bfloat16 numbers.
func SubF32x2BF16x2(f *File, in *Op, m Mask) { mixedPairs(f, in, m, expandBF16, -1) }

// FmaF32x2 is a * b + c of pairs of .f32, each rounded once.
func FmaF32x2(f *File, in *Op, m Mask) {
	mode := in.Mode
	one := func(x, y, z float32) float32 {
		return mode.resultF32(mode.fmaF32(mode.operandF32(x), mode.operandF32(y), mode.operandF32(z)))
	}
	some3(Out[uint64](f, in.D, m), Reg[uint64](f, in.A), Reg[uint64](f, in.B), Reg[uint64](f, in.C), m, func(a, b, c uint64) uint64 {
		x, y := singles(a)
		z, w := singles(b)
		u, v := singles(c)
		return pairOf(one(x, z, u), one(y, w, v))
	})
	Merge[uint64](f, in.D, m)
}
