package lanes

// part is an integer that is a part of a word.
type part interface {
	uint8 | int8 | uint16 | int16
}

// byParts stores op of each part of bits bits of two words, cut to the part.
func byParts[V part](f *File, in *Op, m Mask, bits int, op func(a, b int32) int32) {
	d, a, b := binary[uint32](f, in, m)
	for i := range d {
		x, y, word := a[i], b[i], uint32(0)
		for at := 0; at < 32; at += bits {
			word |= uint32(op(int32(V(x>>at)), int32(V(y>>at)))) & (1<<bits - 1) << at
		}
		d[i] = word
	}
	Merge[uint32](f, in.D, m)
}

// Add8x4 is a + b in each byte of a word.
func Add8x4(f *File, in *Op, m Mask) {
	byParts[uint8](f, in, m, 8, func(a, b int32) int32 { return a + b })
}

// Sub8x4 is a - b in each byte of a word.
func Sub8x4(f *File, in *Op, m Mask) {
	byParts[uint8](f, in, m, 8, func(a, b int32) int32 { return a - b })
}

// Neg8x4 is -a in each byte of a word.
func Neg8x4(f *File, in *Op, m Mask) {
	map1(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), func(a uint32) uint32 {
		return uint32(uint8(-int8(a))) | uint32(uint8(-int8(a>>8)))<<8 | uint32(uint8(-int8(a>>16)))<<16 | uint32(uint8(-int8(a>>24)))<<24
	})
	Merge[uint32](f, in.D, m)
}

// Min8x4 is the smaller of a and b in each byte of a word.
func Min8x4[V uint8 | int8](f *File, in *Op, m Mask) {
	byParts[V](f, in, m, 8, func(a, b int32) int32 { return min(a, b) })
}

// Max8x4 is the larger of a and b in each byte of a word.
func Max8x4[V uint8 | int8](f *File, in *Op, m Mask) {
	byParts[V](f, in, m, 8, func(a, b int32) int32 { return max(a, b) })
}

// AddSatU8x4 is a + b clamped to the range of uint8, in each byte of a word.
func AddSatU8x4(f *File, in *Op, m Mask) {
	byParts[uint8](f, in, m, 8, func(a, b int32) int32 { return min(a+b, 1<<8-1) })
}

// AddSatS8x4 is a + b clamped to the range of int8, in each byte of a word.
func AddSatS8x4(f *File, in *Op, m Mask) {
	byParts[int8](f, in, m, 8, func(a, b int32) int32 { return min(max(a+b, -1<<7), 1<<7-1) })
}

// SubSatU8x4 is a - b clamped to the range of uint8, in each byte of a word.
func SubSatU8x4(f *File, in *Op, m Mask) {
	byParts[uint8](f, in, m, 8, func(a, b int32) int32 { return max(a-b, 0) })
}

// SubSatS8x4 is a - b clamped to the range of int8, in each byte of a word.
func SubSatS8x4(f *File, in *Op, m Mask) {
	byParts[int8](f, in, m, 8, func(a, b int32) int32 { return min(max(a-b, -1<<7), 1<<7-1) })
}

// AddSatU16x2 is a + b clamped to the range of uint16, in each half of a word.
func AddSatU16x2(f *File, in *Op, m Mask) {
	byParts[uint16](f, in, m, 16, func(a, b int32) int32 { return min(a+b, 1<<16-1) })
}

// AddSatS16x2 is a + b clamped to the range of int16, in each half of a word.
func AddSatS16x2(f *File, in *Op, m Mask) {
	byParts[int16](f, in, m, 16, func(a, b int32) int32 { return min(max(a+b, -1<<15), 1<<15-1) })
}

// holds reports whether a comparison of integers holds.
func (c Comparison) holds(a, b int32) bool {
	switch c {
	case Eq:
		return a == b
	case Ne:
		return a != b
	case Lt, Lo:
		return a < b
	case Le, Ls:
		return a <= b
	case Gt, Hi:
		return a > b
	}
	return a >= b
}

// setParts writes all ones to parts of a word for which the comparison in the low byte of in.Imm holds, and 0 to the
// others.
func setParts[V part](f *File, in *Op, m Mask, bits int) {
	c := Comparison(in.Imm & 0xff)
	byParts[V](f, in, m, bits, func(a, b int32) int32 {
		if c.holds(a, b) {
			return -1
		}
		return 0
	})
}

// SetParts8 compares each byte of a word.
func SetParts8[V uint8 | int8](f *File, in *Op, m Mask) { setParts[V](f, in, m, 8) }

// SetParts16 compares each half of a word.
func SetParts16[V uint16 | int16](f *File, in *Op, m Mask) { setParts[V](f, in, m, 16) }
