package memory

import "fmt"

// Swizzle says how the units of a matrix in shared memory are permuted, so that rows and columns of 8 units of 16
// bytes are in different banks: the number of bytes of a row within which units are permuted, 32, 64 or 128; 0 for
// none.
type Swizzle uint8

// UnitBytes is the number of bytes that a swizzle keeps together.
const UnitBytes = 16

// of returns the swizzled address of a byte: bits 4 to 6, for narrower rows fewer, are xored with bits 7 to 9,
// relative to a place at which the pattern begins.
func (s Swizzle) of(addr, begin uint32) uint32 {
	return addr ^ (addr-begin)>>3&uint32(max(s, UnitBytes)-UnitBytes)
}

// SharedMatrix is the layout of a matrix in shared memory, as in descriptors of wgmma and tcgen05 (PTX ISA 9.7.15,
// shared memory matrix layout), in units of 16 bytes, which are adjacent elements along K, or along M or N.
type SharedMatrix struct {
	Start uint32 // its address
	// Leading and Stride are the two byte offsets between groups of units.
	Leading, Stride uint32
	// Begin is a place at which the swizzle's pattern begins, modulo 1024.
	Begin   uint32
	Swizzle Swizzle
	// Pairs says that the swizzle, of 128 bytes, keeps two units together: PTX's 128-byte swizzling with 32-byte
	// atomicity, for M-major or N-major matrices. Its pattern has 4 rows.
	Pairs bool
}

// swizzleModes are the swizzles of wgmma by their mode in a descriptor.
var swizzleModes = [4]Swizzle{0, 128, 64, 32}

// WarpgroupMatrix returns the matrix of a descriptor of wgmma.
func WarpgroupMatrix(descriptor uint64) SharedMatrix {
	field := func(bit int) uint32 { return uint32(descriptor>>bit) & 0x3fff << 4 }
	m := SharedMatrix{Start: field(0), Leading: field(16), Stride: field(32), Swizzle: swizzleModes[descriptor>>62]}
	if m.Swizzle != 0 {
		m.Begin = uint32(descriptor>>49) & 7 << 7
	}
	return m
}

// TensorMatrix returns the matrix of a descriptor of tcgen05, or an error text (PTX ISA 9.7.16, shared memory
// descriptor).
func TensorMatrix(descriptor uint64) (m SharedMatrix, wrong string) {
	const reserved = 3<<14 | 3<<30 | 0xff<<53
	switch mode := descriptor >> 61; {
	case descriptor>>46&7 != 1:
		return m, "bits 46 to 48 are not 0b001"
	case descriptor&reserved != 0:
		return m, "reserved bits are not 0"
	case descriptor>>52&1 != 0:
		return m, "bit 52 says that the leading dimension has an address, which sm_103a alone has"
	case mode == 1:
		m = WarpgroupMatrix(descriptor&^(7<<61) | 1<<62)
		m.Pairs = true
	case mode%2 != 0:
		return m, fmt.Sprintf("there is no swizzling mode %d", mode)
	default: // the same as those of wgmma
		m = WarpgroupMatrix(descriptor)
	}
	return m, ""
}

// AlongK returns the address of unit number unit along K of a row, which is one of M or N, in a K-major matrix.
func (m *SharedMatrix) AlongK(row, unit int) uint32 {
	r, u := uint32(row), uint32(unit)
	if m.Swizzle == 0 {
		return m.Start + r%8*UnitBytes + r/8*m.Stride + u*m.Leading
	}
	return m.Swizzle.of(m.Start+r%8*uint32(m.Swizzle)+r/8*m.Stride+u*UnitBytes, m.Begin)
}

// AlongMN returns the address of unit number unit along M or N of column k, in an M-major or N-major matrix.
func (m *SharedMatrix) AlongMN(unit, k int) uint32 {
	u, c := uint32(unit), uint32(k)
	if m.Swizzle == 0 {
		return m.Start + u*m.Stride + c%8*UnitBytes + c/8*m.Leading
	}
	row := uint32(m.Swizzle)
	wide := row / UnitBytes // units in a row
	if m.Pairs {
		addr := m.Start + u%wide*UnitBytes + u/wide*m.Leading + c%4*row + c/4*m.Stride
		return addr ^ (addr-m.Begin)>>2&0x60
	}
	return m.Swizzle.of(m.Start+u%wide*UnitBytes+u/wide*m.Leading+c%8*row+c/8*m.Stride, m.Begin)
}
