package lanes

import (
	"math/bits"
	"unsafe"
)

// And is the bitwise a & b.
func And[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return a & b })
	Merge[S](f, in.D, m)
}

// Or is the bitwise a | b.
func Or[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return a | b })
	Merge[S](f, in.D, m)
}

// Xor is the bitwise a ^ b.
func Xor[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	map2(d, a, b, func(a, b S) S { return a ^ b })
	Merge[S](f, in.D, m)
}

// Not is the bitwise complement of a.
func Not[V Int, S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	map1(d, a, func(a S) S { return fit[S](^V(a)) })
	Merge[S](f, in.D, m)
}

// Cnot is 1 if a is 0, else 0.
func Cnot[S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	map1(d, a, func(a S) S {
		if a == 0 {
			return 1
		}
		return 0
	})
	Merge[S](f, in.D, m)
}

// Shl is a << b. Counts past the width give 0, as Go's shifts do.
func Shl[V Int, S Bits](f *File, in *Op, m Mask) {
	map2(Out[S](f, in.D, m), Reg[S](f, in.A), Reg[uint32](f, in.B),
		func(a S, b uint32) S { return fit[S](V(a) << b) })
	Merge[S](f, in.D, m)
}

// Shr is a >> b, filling with the sign if V has one. Counts past the width
// give 0 or all signs, as Go's shifts do.
func Shr[V Int, S Bits](f *File, in *Op, m Mask) {
	map2(Out[S](f, in.D, m), Reg[S](f, in.A), Reg[uint32](f, in.B),
		func(a S, b uint32) S { return fit[S](V(a) >> b) })
	Merge[S](f, in.D, m)
}

// ShfL is the high word of b:a << min(c, 32).
func ShfL(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return funnelLeft(a, b, min(c, 32)) })
	Merge[uint32](f, in.D, m)
}

// ShfR is the low word of b:a >> min(c, 32).
func ShfR(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return funnelRight(a, b, min(c, 32)) })
	Merge[uint32](f, in.D, m)
}

// ShfLWrap is ShfL with the count taken modulo 32.
func ShfLWrap(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return funnelLeft(a, b, c&31) })
	Merge[uint32](f, in.D, m)
}

// ShfRWrap is ShfR with the count taken modulo 32.
func ShfRWrap(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return funnelRight(a, b, c&31) })
	Merge[uint32](f, in.D, m)
}

func funnelLeft(a, b, n uint32) uint32  { return uint32((uint64(b)<<32 | uint64(a)) << n >> 32) }
func funnelRight(a, b, n uint32) uint32 { return uint32((uint64(b)<<32 | uint64(a)) >> n) }

// Popc counts the bits that are set.
func Popc[S Bits](f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[S](f, in.A), func(a S) uint32 { return uint32(bits.OnesCount64(uint64(a))) })
	Merge[uint32](f, in.D, m)
}

// Clz counts the zeros above the highest bit that is set.
func Clz[S Bits](f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[S](f, in.A), func(a S) uint32 {
		return uint32(bits.LeadingZeros64(uint64(a))) - uint32(64-8*unsafe.Sizeof(a))
	})
	Merge[uint32](f, in.D, m)
}

// Brev reverses the order of bits.
func Brev[S Bits](f *File, in *Op, m Mask) {
	d, a := unary[S](f, in, m)
	map1(d, a, func(a S) S { return S(bits.Reverse64(uint64(a)) >> (64 - 8*unsafe.Sizeof(a))) })
	Merge[S](f, in.D, m)
}

// Bfind is the position of the highest bit of a that differs from its sign, or 0xffffffff.
func Bfind[V Int, S Bits](f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[S](f, in.A), func(a S) uint32 { return bfind[V](a) })
	Merge[uint32](f, in.D, m)
}

// BfindShift is the left shift that brings that bit to the top.
func BfindShift[V Int, S Bits](f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[S](f, in.A), func(a S) uint32 {
		pos := bfind[V](a)
		if pos == ^uint32(0) {
			return pos
		}
		return uint32(8*unsafe.Sizeof(a)) - 1 - pos
	})
	Merge[uint32](f, in.D, m)
}

func bfind[V Int, S Bits](a S) uint32 {
	if V(a) < 0 {
		a = ^a
	}
	return uint32(bits.Len64(uint64(a))) - 1
}

// Bfe is the field of length c at bit b of a, extended with its sign if V has one. Only the low 8 bits of b and c
// count. Bits beyond the top of a repeat the sign, or are 0.
func Bfe[V Int, S Bits](f *File, in *Op, m Mask) {
	map3(Out[S](f, in.D, m), Reg[S](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C),
		func(a S, b, c uint32) S {
			pos, n := b&0xff, c&0xff
			width := uint32(8 * unsafe.Sizeof(a))
			if n == 0 {
				return 0
			}
			if n >= width {
				return S(V(a) >> pos)
			}
			field := a >> pos & (1<<n - 1)
			if ^V(0) < 0 && a>>min(pos+n-1, width-1)&1 != 0 {
				field |= ^S(0) << n
				if pos < width {
					field |= ^S(0) << (width - pos)
				} else {
					field = ^S(0)
				}
			}
			return field
		})
	Merge[S](f, in.D, m)
}

// Bfi is b with the low e bits of a inserted at bit c. Only the low 8 bits of c and e count; bits beyond the top are
// lost.
func Bfi[S Bits](f *File, in *Op, m Mask) {
	d, a, b := binary[S](f, in, m)
	pos, n := Reg[uint32](f, in.C), Reg[uint32](f, in.E)
	for i := range d {
		field := (S(1)<<(n[i]&0xff) - 1) << (pos[i] & 0xff)
		d[i] = b[i]&^field | a[i]<<(pos[i]&0xff)&field
	}
	Merge[S](f, in.D, m)
}

// Lop3 applies the truth table in.Imm to the bits of a, b and c: bit 4a+2b+c
// of it is the result.
func Lop3(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	var t [8]uint32
	for i := range t {
		t[i] = -uint32(in.Imm >> i & 1)
	}
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		// Choose by c, then b, then a, between words with all bits equal.
		n := ^c
		b0 := t[0]&n | t[1]&c
		b1 := t[2]&n | t[3]&c
		b2 := t[4]&n | t[5]&c
		b3 := t[6]&n | t[7]&c
		n = ^b
		return (b0&n|b1&b)&^a | (b2&n|b3&b)&a
	})
	Merge[uint32](f, in.D, m)
}

// Lop3And is Lop3, and sets D2 to whether its result is not 0 and the predicate E holds.
func Lop3And(f *File, in *Op, m Mask) {
	e := Predicate(f, in.E)
	setPred(f, in.D2, m, lop3NotZero(f, in, m)&e)
}

// Lop3Or is Lop3, and sets D2 to whether its result is not 0 or the predicate E holds.
func Lop3Or(f *File, in *Op, m Mask) {
	e := Predicate(f, in.E)
	setPred(f, in.D2, m, lop3NotZero(f, in, m)|e)
}

// lop3NotZero executes Lop3 and returns the set of lanes of m with a result that is not 0.
func lop3NotZero(f *File, in *Op, m Mask) Mask {
	Lop3(f, in, m)
	return ^equalTo(Reg[uint32](f, in.D), 0)
}

// Permute modes of Prmt, in in.Imm.
const (
	prmtIndex = iota // each nibble of c chooses a byte, or its sign
	prmtF4E
	prmtB4E
	prmtRC8
	prmtECL
	prmtECR
	prmtRC16
)

// Prmt picks four of the eight bytes b:a by c.
func Prmt(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	mode := in.Imm
	map3(d, a, b, c, func(a, b, c uint32) uint32 {
		if mode != prmtIndex {
			c = prmtSelector(mode, c&3)
		}
		bytes, r := uint64(b)<<32|uint64(a), uint32(0)
		for k := 0; k < 32; k += 8 {
			v := uint32(bytes >> (8 * (c & 7)) & 0xff)
			if c&8 != 0 {
				v = uint32(int8(v)>>7) & 0xff
			}
			r |= v << k
			c >>= 4
		}
		return r
	})
	Merge[uint32](f, in.D, m)
}

// prmtSelector is the default-mode selector that a special mode stands for
// (PTX ISA 9.7.9.7), as rows by the low two bits of c.
func prmtSelector(mode uint64, c uint32) uint32 {
	return [...][4]uint32{
		prmtF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
		prmtB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
		prmtRC8:  {0x0000, 0x1111, 0x2222, 0x3333},
		prmtECL:  {0x3210, 0x3211, 0x3222, 0x3333},
		prmtECR:  {0x0000, 0x1110, 0x2210, 0x3210},
		prmtRC16: {0x1010, 0x3232, 0x1010, 0x3232},
	}[mode][c]
}

// SlctInt is a if c is not negative, else b.
func SlctInt[S Bits](f *File, in *Op, m Mask) {
	map3(Out[S](f, in.D, m), Reg[S](f, in.A), Reg[S](f, in.B), Reg[uint32](f, in.C),
		func(a, b S, c uint32) S {
			if int32(c) >= 0 {
				return a
			}
			return b
		})
	Merge[S](f, in.D, m)
}

// Fns is the position of the c-th set bit of a counted from bit b: upwards for
// c > 0, downwards for c < 0, bit b itself for c = 0; 0xffffffff if none.
func Fns(f *File, in *Op, m Mask) {
	d, a, b, c := ternary[uint32](f, in, m)
	map3(d, a, b, c, func(a, b, c uint32) uint32 { return fns(a, b, int32(c)) })
	Merge[uint32](f, in.D, m)
}

func fns(mask, base uint32, offset int32) uint32 {
	count, step := offset-1, int32(1)
	switch {
	case offset == 0:
		count = 0
		mask &= 1 << base
	case offset < 0:
		count, step = -offset-1, -1
	}
	for pos := int32(base); pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count == 0 {
			return uint32(pos)
		}
		count--
	}
	return ^uint32(0)
}

// Bmsk is a mask of b bits from bit a up, both clamped to 32, or taken modulo
// 32 if in.Imm is 31.
func Bmsk(f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	wrap := uint32(in.Imm)
	map2(d, a, b, func(a, b uint32) uint32 {
		if wrap != 0 {
			a, b = a&wrap, b&wrap
		}
		return uint32((uint64(1)<<min(b, 32) - 1) << min(a, 32))
	})
	Merge[uint32](f, in.D, m)
}

// Szext is the low b bits of a extended to 32, by their sign if V has one. If b is above 31, the result is a, or b is
// taken modulo 32 if in.Imm is 31.
func Szext[V uint32 | int32](f *File, in *Op, m Mask) {
	d, a, b := binary[uint32](f, in, m)
	wrap := uint32(in.Imm)
	map2(d, a, b, func(a, b uint32) uint32 {
		if wrap != 0 {
			b &= wrap
		}
		spare := 32 - min(b, 32)
		return uint32(V(a<<spare) >> spare)
	})
	Merge[uint32](f, in.D, m)
}

// Pack concatenates the registers of in.Vec into one, the first lowest. The low byte of in.Imm is the width of each,
// the next byte their number.
func Pack[S, H Bits](f *File, in *Op, m Mask) {
	var packed [Width]S
	width := uint(in.Imm & 0xff)
	for k := range uint(in.Imm >> 8) {
		h := Reg[H](f, in.Vec[k])
		for i := range packed {
			packed[i] |= S(h[i]) << (k * width)
		}
	}
	Select(Reg[S](f, in.D), &packed, m)
}

// Unpack is the reverse of Pack.
func Unpack[S, H Bits](f *File, in *Op, m Mask) {
	a := *Reg[S](f, in.A) // a copy: a may be among the results
	width := uint(in.Imm & 0xff)
	for k := range uint(in.Imm >> 8) {
		d := Out[H](f, in.Vec[k], m)
		for i := range d {
			d[i] = H(a[i]>>(k*width)) & (1<<width - 1)
		}
		Merge[H](f, in.Vec[k], m)
	}
}
