package lanes

import "math/bits"

// A VideoOp is the operation of a video instruction on two numbers.
type VideoOp uint8

const (
	VAdd VideoOp = iota
	VSub
	VAbsDiff
	VMin
	VMax
	VAvrg
	VShlClamp // counts above 32 are 32
	VShlWrap  // counts are modulo 32
	VShrClamp
	VShrWrap
	VSetEq // 1 if the comparison holds, else 0
	VSetNe
	VSetLt
	VSetLe
	VSetGt
	VSetGe
)

var videoOps = [...]func(a, b int64) int64{
	VAdd:      func(a, b int64) int64 { return a + b },
	VSub:      func(a, b int64) int64 { return a - b },
	VAbsDiff:  func(a, b int64) int64 { return max(a, b) - min(a, b) },
	VMin:      func(a, b int64) int64 { return min(a, b) },
	VMax:      func(a, b int64) int64 { return max(a, b) },
	VAvrg:     average,
	VShlClamp: func(a, b int64) int64 { return shiftLeft(a, min(b, 32)) },
	VShlWrap:  func(a, b int64) int64 { return shiftLeft(a, b%32) },
	VShrClamp: func(a, b int64) int64 { return a >> min(b, 32) },
	VShrWrap:  func(a, b int64) int64 { return a >> (b % 32) },
	VSetEq:    func(a, b int64) int64 { return oneIf(a == b) },
	VSetNe:    func(a, b int64) int64 { return oneIf(a != b) },
	VSetLt:    func(a, b int64) int64 { return oneIf(a < b) },
	VSetLe:    func(a, b int64) int64 { return oneIf(a <= b) },
	VSetGt:    func(a, b int64) int64 { return oneIf(a > b) },
	VSetGe:    func(a, b int64) int64 { return oneIf(a >= b) },
}

func oneIf(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// average rounds halves away from zero.
func average(a, b int64) int64 {
	sum := a + b
	if sum >= 0 {
		sum++
	}
	return sum >> 1
}

// shiftLeft is a, a 33-bit number, shifted left by n, at most 32. A result that exceeds 64 bits becomes a smaller one
// that is still out of every range, and has the same 32 low zeros.
func shiftLeft(a, n int64) int64 {
	if n == 32 {
		a = min(a, 1<<30)
	}
	return a << n
}

// A Part is the part of a source that a video instruction reads, or of the result that it writes: a byte, a half or a
// word.
type Part struct {
	At, Bits int  // the lowest bit; 8, 16 or 32
	Signed   bool // how the part is extended, or to which range it is clamped
}

// of is the part of x, extended to a number.
func (p Part) of(x uint64) int64 {
	x = x >> p.At << (64 - p.Bits)
	if p.Signed {
		return int64(x) >> (64 - p.Bits)
	}
	return int64(x >> (64 - p.Bits))
}

// into is d with the part replaced by x.
func (p Part) into(d uint32, x int64) uint32 {
	place := uint32(1<<p.Bits-1) << p.At
	return d&^place | uint32(x)<<p.At&place
}

// clamp is x clamped to the range of the part.
func (p Part) clamp(x int64) int64 {
	low, high := int64(0), int64(1)<<p.Bits-1
	if p.Signed {
		high >>= 1
		low = ^high
	}
	return max(low, min(x, high))
}

// SecondOp combines the result of a scalar video instruction with the third source.
type SecondOp uint8

const (
	NoSecond  SecondOp = iota
	SecondAdd          // adds them
	SecondMin          // keeps the smaller
	SecondMax          // keeps the larger
	Insert             // puts the result into the third source
)

// ScalarVideo describes a scalar video instruction (PTX ISA, scalar video instructions). An Op has it in Imm.
type ScalarVideo struct {
	Op      VideoOp
	A, B, D Part
	Sat     bool // the result is clamped to the range of D
	Second  SecondOp
	// For vmad only: negate the product or c, add 1, and shift the sum right.
	NegProduct, NegC, PlusOne bool
	Shift                     int
}

// Imm is v for Op.Imm.
func (v ScalarVideo) Imm() uint64 {
	return v.A.imm() | v.B.imm()<<12 | v.D.imm()<<24 | uint64(v.Second)<<36 | uint64(v.Shift)<<40 | uint64(v.Op)<<48 |
		bitsOf(v.Sat, v.NegProduct, v.NegC, v.PlusOne)<<56
}

func scalarVideo(imm uint64) ScalarVideo {
	return ScalarVideo{A: partOf(imm), B: partOf(imm >> 12), D: partOf(imm >> 24),
		Second: SecondOp(imm >> 36 & 15), Shift: int(imm >> 40 & 15), Op: VideoOp(imm >> 48 & 0xff),
		Sat: imm>>56&1 != 0, NegProduct: imm>>57&1 != 0, NegC: imm>>58&1 != 0, PlusOne: imm>>59&1 != 0}
}

func (p Part) imm() uint64 { return uint64(p.At) | uint64(p.Bits)<<5 | bitsOf(p.Signed)<<11 }

func partOf(imm uint64) Part {
	return Part{At: int(imm & 31), Bits: int(imm >> 5 & 63), Signed: imm>>11&1 != 0}
}

// bitsOf packs flags into bits, the first lowest.
func bitsOf(flags ...bool) (imm uint64) {
	for i, set := range flags {
		if set {
			imm |= 1 << i
		}
	}
	return imm
}

// VideoScalar is a scalar video instruction other than vmad.
func VideoScalar(f *File, in *Op, m Mask) {
	v := scalarVideo(in.Imm)
	op := videoOps[v.Op]
	some3(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C), m, func(a, b, c uint32) uint32 {
		return v.finish(op(v.A.of(uint64(a)), v.B.of(uint64(b))), c)
	})
	Merge[uint32](f, in.D, m)
}

// finish computes the result of an instruction from that of its operation. If it is not clamped, it is truncated to
// 32 bits, which the second operation reads as signed if D is.
func (v *ScalarVideo) finish(x int64, c uint32) uint32 {
	if v.Sat {
		x = v.D.clamp(x)
	}
	whole := Part{Bits: 32, Signed: v.D.Signed}
	switch v.Second {
	case SecondAdd:
		return uint32(x) + c
	case SecondMin:
		return uint32(min(whole.of(uint64(x)), whole.of(uint64(c))))
	case SecondMax:
		return uint32(max(whole.of(uint64(x)), whole.of(uint64(c))))
	case Insert:
		return v.D.into(c, x)
	}
	return uint32(x)
}

// VideoMad is vmad. D.Signed says that its result is signed.
func VideoMad(f *File, in *Op, m Mask) {
	v := scalarVideo(in.Imm)
	some3(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C), m, func(a, b, c uint32) uint32 {
		return v.mad(v.A.of(uint64(a)), v.B.of(uint64(b)), c)
	})
	Merge[uint32](f, in.D, m)
}

// mad computes in 128 bits, two words, because the product of two 33-bit numbers does not always fit 64. A number is
// negated by its complement and adding 1.
func (v *ScalarVideo) mad(a, b int64, c uint32) uint32 {
	high, low := multiply(a, b)
	one := uint64(0)
	switch {
	case v.PlusOne:
		one = 1
	case v.NegProduct:
		high, low, one = ^high, ^low, 1
	case v.NegC:
		c, one = ^c, 1
	}
	addend := v.D.of(uint64(c))
	low, carry := bits.Add64(low, uint64(addend), 0)
	high += uint64(addend>>63) + carry
	low, carry = bits.Add64(low, one, 0)
	high += carry
	if v.Shift > 0 {
		low = low>>v.Shift | high<<(64-v.Shift)
		high = uint64(int64(high) >> v.Shift)
	}
	if !v.Sat {
		return uint32(low)
	}
	switch top := int64(high); { // numbers beyond 64 bits are out of range
	case top < 0 && (top < -1 || int64(low) >= 0):
		low = 1 << 63
	case top > 0 || top == 0 && int64(low) < 0:
		low = 1<<63 - 1
	}
	return uint32(v.D.clamp(int64(low)))
}

// multiply is the product of two signed numbers in 128 bits.
func multiply(a, b int64) (high, low uint64) {
	high, low = bits.Mul64(uint64(a), uint64(b))
	return high - uint64(a>>63)&uint64(b) - uint64(b>>63)&uint64(a), low
}

// SIMDVideo describes a SIMD video instruction on halves or bytes (PTX ISA, SIMD video instructions). An Op has it in
// Imm.
type SIMDVideo struct {
	Op VideoOp
	// A and B are numbers of elements, four bits each from the lowest: of the elements of a and, after them, of b.
	A, B                      uint16
	SignedA, SignedB, SignedD bool
	// Mask selects the results that count, the lowest first.
	Mask uint8
	Sat  bool // results are clamped to the range of an element
	Add  bool // results are added to c, not inserted into it
}

// Imm is v for Op.Imm.
func (v SIMDVideo) Imm() uint64 {
	return uint64(v.A) | uint64(v.B)<<16 | uint64(v.Mask)<<32 | uint64(v.Op)<<48 | bitsOf(v.SignedA, v.SignedB, v.SignedD, v.Sat, v.Add)<<56
}

func simdVideo(imm uint64) SIMDVideo {
	return SIMDVideo{A: uint16(imm), B: uint16(imm >> 16), Mask: uint8(imm >> 32), Op: VideoOp(imm >> 48 & 0xff),
		SignedA: imm>>56&1 != 0, SignedB: imm>>57&1 != 0, SignedD: imm>>58&1 != 0, Sat: imm>>59&1 != 0, Add: imm>>60&1 != 0}
}

// VideoHalves is a SIMD video instruction on two halves.
func VideoHalves(f *File, in *Op, m Mask) { videoSIMD(f, in, m, 16) }

// VideoBytes is a SIMD video instruction on four bytes.
func VideoBytes(f *File, in *Op, m Mask) { videoSIMD(f, in, m, 8) }
