package lanes

import (
	"math/bits"
	"unsafe"
)

// Int is the type in which an integer instruction computes.
type Int interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64
}

// Bits is the element type of a slot: 32 bits per lane for values of up to that width, else 64.
type Bits interface{ uint32 | uint64 }

// fit is v in the format of a slot: zero-extended from its own width.
func fit[S Bits, V Int](v V) S {
	return S(v) & (^S(0) >> (8 * (unsafe.Sizeof(S(0)) - unsafe.Sizeof(v))))
}

// unary, binary and ternary return the result and the sources of a lane function, all in slots of one width.
func unary[S Bits](f *File, in *Op, m Mask) (d, a *[Width]S) {
	return Out[S](f, in.D, m), Reg[S](f, in.A)
}

func binary[S Bits](f *File, in *Op, m Mask) (d, a, b *[Width]S) {
	return Out[S](f, in.D, m), Reg[S](f, in.A), Reg[S](f, in.B)
}

func ternary[S Bits](f *File, in *Op, m Mask) (d, a, b, c *[Width]S) {
	return Out[S](f, in.D, m), Reg[S](f, in.A), Reg[S](f, in.B), Reg[S](f, in.C)
}

// Mov copies a.
func Mov[S Bits](f *File, in *Op, m Mask) {
	d, a := Reg[S](f, in.D), Reg[S](f, in.A)
	if m == AllLanes {
		*d = *a
		return
	}
	Select(d, a, m)
}

// Add is a + b, wrapping.
func Add[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](V(a) + V(b)) })
	Merge[S](f, in.D, m)
}

// Sub is a - b, wrapping.
func Sub[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](V(a) - V(b)) })
	Merge[S](f, in.D, m)
}

// AddSat is a + b clamped to the range of int32.
func AddSat(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return clampS32(int64(int32(a)) + int64(int32(b))) })
	Merge[uint32](f, in.D, m)
}

// SubSat is a - b clamped to the range of int32.
func SubSat(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return clampS32(int64(int32(a)) - int64(int32(b))) })
	Merge[uint32](f, in.D, m)
}

func clampS32(v int64) uint32 {
	return uint32(int32(min(max(v, -1<<31), 1<<31-1)))
}

// AddC is a + b + carry. The carry comes from the predicate E and goes to D2.
func AddC[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	addCarry(f, in, m, Predicate(f, in.E), d, a, b)
}

func addCarry[S Bits](f *File, in *Op, m, carry Mask, d, a, b *[Width]S) {
	var out Mask
	for i := range d {
		x, y := a[i], b[i]
		sum := x + y + S(carry>>i&1)
		out |= Mask((x&y|(x|y)&^sum)>>(8*unsafe.Sizeof(sum)-1)) << i
		d[i] = sum
	}
	setPred(f, in.D2, m, out)
	Merge[S](f, in.D, m)
}

// SubC is a + ^b + carry, which is a - b - borrow if the carry is the complement of the borrow. The hardware
// subtracts this way, and has one carry flag for sums and differences.
func SubC[S Bits](f *File, in *Op, m Mask) {
	subCarry[S](f, in, m, Predicate(f, in.E))
}

// SubCC is SubC without an incoming borrow.
func SubCC[S Bits](f *File, in *Op, m Mask) { subCarry[S](f, in, m, AllLanes) }

func subCarry[S Bits](f *File, in *Op, m, carry Mask) {
	d, a, b := binary[S](f, in, m)
	var complement [Width]S
	for i := range complement {
		complement[i] = ^b[i]
	}
	addCarry(f, in, m, carry, d, a, &complement)
}

// MadLoC is the low half of a * b, plus c and carry; MadHiC the high half. Only the carry of that addition comes from
// E and goes to D2.
func MadLoC[V Int, S Bits](f *File, in *Op, m Mask) {
	_, a, b, c := ternary[S](f, in, m)
	var p [Width]S
	map2(&p, a, b, func(a, b S) S { return a * b })
	addCarry(f, in, m, Predicate(f, in.E), Out[S](f, in.D, m), &p, c)
}

// MadHiC is MadLoC for the high half.
func MadHiC[V Int, S Bits](f *File, in *Op, m Mask) {
	_, a, b, c := ternary[S](f, in, m)
	var p [Width]S
	map2(&p, a, b, func(a, b S) S { return fit[S](mulHi(V(a), V(b))) })
	addCarry(f, in, m, Predicate(f, in.E), Out[S](f, in.D, m), &p, c)
}

// MulLo is the low half of a * b.
func MulLo[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](V(a) * V(b)) })
	Merge[S](f, in.D, m)
}

// MulHi is the high half of a * b.
func MulHi[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](mulHi(V(a), V(b))) })
	Merge[S](f, in.D, m)
}

// mulHi is the upper half of the double-width product.
func mulHi[V Int](a, b V) V {
	n := 8 * unsafe.Sizeof(a)
	if n < 64 {
		return V(int64(a) * int64(b) >> n)
	}
	hi, _ := bits.Mul64(uint64(a), uint64(b))
	if ^V(0) < 0 { // signed: a negative factor counts 2^64 too much
		hi -= uint64(int64(a)>>63)&uint64(b) + uint64(int64(b)>>63)&uint64(a)
	}
	return V(hi)
}

// MulWide is the full product a * b, in V's double width: W in slots D.
func MulWide[V, W Int, D Bits](f *File, in *Op, m Mask) {
	map2(Out[D](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B),
		func(a, b uint32) D { return fit[D](W(V(a)) * W(V(b))) })
	Merge[D](f, in.D, m)
}

// MadLo is the low half of a * b, plus c.
func MadLo[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[S](f, in, m)
	map3(d, a, b, c, func(a, b, c S) S { return fit[S](V(a)*V(b) + V(c)) })
	Merge[S](f, in.D, m)
}

// MadHi is the high half of a * b, plus c.
func MadHi[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[S](f, in, m)
	map3(d, a, b, c, func(a, b, c S) S { return fit[S](mulHi(V(a), V(b)) + V(c)) })
	Merge[S](f, in.D, m)
}

// MadHiSat is MadHi for int32 with the sum clamped.
func MadHiSat(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		return clampS32(int64(mulHi(int32(a), int32(b))) + int64(int32(c)))
	})
	Merge[uint32](f, in.D, m)
}

// MadWide is the full product a * b, plus c of that width.
func MadWide[V, W Int, D Bits](f *File, in *Op, m Mask) {
	map3(Out[D](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[D](f, in.C),
		func(a, b uint32, c D) D { return fit[D](W(V(a))*W(V(b)) + W(c)) })
	Merge[D](f, in.D, m)
}

// mul24 is the 48-bit product of the low 24 bits of a and b, which are signed
// if V is.
func mul24[V uint32 | int32](a, b uint32) int64 {
	return int64(V(a<<8)>>8) * int64(V(b<<8)>>8)
}

// Mul24Lo is the low 32 of the 48 bits of a 24-bit product.
func Mul24Lo[V uint32 | int32](f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return uint32(mul24[V](a, b)) })
	Merge[uint32](f, in.D, m)
}

// Mul24Hi is the high 32 of the 48 bits of a 24-bit product.
func Mul24Hi[V uint32 | int32](f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return uint32(mul24[V](a, b) >> 16) })
	Merge[uint32](f, in.D, m)
}

// Mad24Lo is Mul24Lo plus c.
func Mad24Lo[V uint32 | int32](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return uint32(mul24[V](a, b)) + c })
	Merge[uint32](f, in.D, m)
}

// Mad24Hi is Mul24Hi plus c.
func Mad24Hi[V uint32 | int32](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return uint32(mul24[V](a, b)>>16) + c })
	Merge[uint32](f, in.D, m)
}

// Mad24HiSat is Mad24Hi for int32 with the sum clamped.
func Mad24HiSat(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		return clampS32(int64(int32(mul24[int32](a, b)>>16)) + int64(int32(c)))
	})
	Merge[uint32](f, in.D, m)
}

// Sad is c + |a - b|.
func Sad[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[S](f, in, m)
	map3(d, a, b, c, func(a, b, c S) S {
		x, y := V(a), V(b)
		if x < y {
			x, y = y, x
		}
		return fit[S](V(c) + (x - y))
	})
	Merge[S](f, in.D, m)
}

// Div is a / b towards zero. PTX does not specify division by zero: all bits of the result are set, as on NVIDIA's
// GPUs. The most negative value divided by -1 is itself.
func Div[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S {
		if V(b) == 0 {
			return fit[S](^V(0))
		}
		return fit[S](V(a) / V(b))
	})
	Merge[S](f, in.D, m)
}

// Rem is the remainder of Div, with the sign of a; all bits for division by zero.
func Rem[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S {
		if V(b) == 0 {
			return fit[S](^V(0))
		}
		return fit[S](V(a) % V(b))
	})
	Merge[S](f, in.D, m)
}

// Min is the smaller of a and b.
func Min[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](min(V(a), V(b))) })
	Merge[S](f, in.D, m)
}

// Max is the larger of a and b.
func Max[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return fit[S](max(V(a), V(b))) })
	Merge[S](f, in.D, m)
}

// MinRelu is the smaller of two int32, or 0 if that is negative.
func MinRelu(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return uint32(max(0, min(int32(a), int32(b)))) })
	Merge[uint32](f, in.D, m)
}

// MaxRelu is the larger of two int32, or 0 if that is negative.
func MaxRelu(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return uint32(max(0, int32(a), int32(b))) })
	Merge[uint32](f, in.D, m)
}

// Add16x2 is a + b in each half of a word.
func Add16x2(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 { return (a+b)&0xffff | (a>>16+b>>16)<<16 })
	Merge[uint32](f, in.D, m)
}

// Min16x2 is the smaller of a and b in each half of a word.
func Min16x2[V uint16 | int16](f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 {
		return fit[uint32](min(V(a), V(b))) | fit[uint32](min(V(a>>16), V(b>>16)))<<16
	})
	Merge[uint32](f, in.D, m)
}

// MinRelu16x2 is the smaller of two int16 in each half of a word, or 0 if that is negative.
func MinRelu16x2(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 {
		return uint32(max(0, min(int16(a), int16(b)))) | uint32(max(0, min(int16(a>>16), int16(b>>16))))<<16
	})
	Merge[uint32](f, in.D, m)
}

// MaxRelu16x2 is the larger of two int16 in each half of a word, or 0 if that is negative.
func MaxRelu16x2(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 {
		return uint32(max(0, int16(a), int16(b))) | uint32(max(0, int16(a>>16), int16(b>>16)))<<16
	})
	Merge[uint32](f, in.D, m)
}

// Max16x2 is the larger of a and b in each half of a word.
func Max16x2[V uint16 | int16](f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	map2(d, a, b, func(a, b uint32) uint32 {
		return fit[uint32](max(V(a), V(b))) | fit[uint32](max(V(a>>16), V(b>>16)))<<16
	})
	Merge[uint32](f, in.D, m)
}

// Neg is -a, wrapping.
func Neg[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	map1(d, a, func(a S) S { return fit[S](-V(a)) })
	Merge[S](f, in.D, m)
}

// Abs is the magnitude of a; that of the most negative value is the value itself.
func Abs[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	map1(d, a, func(a S) S { return fit[S](max(V(a), -V(a))) })
	Merge[S](f, in.D, m)
}

// Dp4a is c plus the sum of four products of bytes: A elements of a and B elements of b.
func Dp4a[A, B Int](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		for k := 0; k < 32; k += 8 {
			c += uint32(int32(A(a>>k)) * int32(B(b>>k)))
		}
		return c
	})
	Merge[uint32](f, in.D, m)
}

// Dp2a is c plus two products of the 16-bit halves of a with bytes of b: bytes
// 0 and 1, or 2 and 3 if in.Imm is 16.
func Dp2a[A, B Int](f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	shift := in.Imm
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		b >>= shift
		return c + uint32(int32(A(a))*int32(B(b))) + uint32(int32(A(a>>16))*int32(B(b>>8)))
	})
	Merge[uint32](f, in.D, m)
}

// Zero64 is 0.
func Zero64(f *File, in *Op, m Mask) {
	Select(Reg[uint64](f, in.D), &[Width]uint64{}, m)
}

// MovVec copies n registers of in.Vec to the n before them.
func MovVec[S Bits](n int) Func {
	return func(f *File, in *Op, m Mask) {
		var v [MaxVec][Width]S // a result may be another element's source
		for k := range n {
			v[k] = *Reg[S](f, in.Vec[n+k])
		}
		for k := range n {
			Select(Reg[S](f, in.Vec[k]), &v[k], m)
		}
	}
}

// Within sets predicate D to whether a is one of the n addresses from the low half of in.Imm on, with n in the high
// half.
func Within[S Bits](f *File, in *Op, m Mask) { setPred(f, in.D, m, within[S](f, in)) }

// Constant memory begins at address constants, and ends at twice that.
const constants = 1 << 27

// WithinGlobal is true if a is neither in the range of Within nor in constant memory.
func WithinGlobal[S Bits](f *File, in *Op, m Mask) {
	a := Reg[S](f, in.A)
	outside := where(a, a, func(a, _ S) bool { return a-constants >= constants })
	setPred(f, in.D, m, outside&^within[S](f, in))
}

func within[S Bits](f *File, in *Op) Mask {
	a, first, count := Reg[S](f, in.A), S(uint32(in.Imm)), S(in.Imm>>32)
	return where(a, a, func(a, _ S) bool { return a-first < count })
}

// AddImm is a + in.Imm.
func AddImm[S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	imm := S(in.Imm)
	map1(d, a, func(a S) S { return a + imm })
	Merge[S](f, in.D, m)
}
