package memory_test

import (
	"testing"

	"github.com/simtrun/simtrun/memory"
)

// canonical is a layout of PTX ISA 9.7.15 (canonical layouts), in the form of its table: the extents of one of M and
// N, and of K, with their strides in elements, those of the first column, and the number of bits of the swizzle.
type canonical struct {
	mn, k         [3]int // extents, from the inside
	mnBy, kBy     [3]int // strides
	bits          int    // of Swizzle<bits, 4, 3>
	elementBytes  int
	leading, step int // LBO and SBO, in elements
	kMajor        bool
}

// at returns the byte offset of an element.
func (c *canonical) at(i, k int) int {
	offset := 0
	add := func(n int, extents, strides [3]int) {
		for d := range extents {
			offset += n % extents[d] * strides[d]
			n /= extents[d]
		}
	}
	add(i, c.mn, c.mnBy)
	add(k, c.k, c.kBy)
	byte := offset * c.elementBytes
	yyy := byte >> 7 & (1<<c.bits - 1) // the bits from 4 on are xored with as many three above
	return byte ^ yyy<<4
}

// TestSharedMatrixMatchesISA compares places with the layouts of PTX and its worked examples.
func TestSharedMatrixMatchesISA(t *testing.T) {
	const m = 4 // repeats
	var all []canonical
	for _, size := range []int{1, 2, 4} {
		T := 16 / size
		for bits := range 4 {
			w := 1 << bits // units in a row
			lbo, sbo := 8*w*m*T, 8*w*T
			c := canonical{mn: [3]int{8, m, 1}, k: [3]int{T, 2, 1}, mnBy: [3]int{w * T, sbo, 0}, kBy: [3]int{1, T, 0}, bits: bits, elementBytes: size, leading: lbo, step: sbo, kMajor: true}
			if bits == 0 {
				c.kBy[1] = lbo
			}
			all = append(all, c)
			if size != 2 {
				continue
			}
			c = canonical{mn: [3]int{T, w, m}, k: [3]int{8, 2, 1}, mnBy: [3]int{1, T, lbo}, kBy: [3]int{w * T, 8 * w * T * m, 0}, bits: bits, elementBytes: size}
			c.mnBy[2], c.leading, c.step = 8*w*T, 8*w*T, 8*w*T*m
			if bits == 0 {
				c.mn, c.mnBy = [3]int{T, m, 1}, [3]int{1, 8 * T, 0}
				c.kBy[1] = 8 * T * m
				c.leading, c.step = 8*T*m, 8*T
			}
			all = append(all, c)
		}
	}
	// Figures 166 to 170: tf32 K-major, not swizzled and with 32 bytes; bf16 MN-major, not swizzled, with 32 and 64 bytes.
	all = append(all,
		canonical{mn: [3]int{8, 2, 1}, mnBy: [3]int{4, 32, 0}, k: [3]int{4, 4, 1}, kBy: [3]int{1, 64, 0}, elementBytes: 4, leading: 64, step: 32, kMajor: true},
		canonical{mn: [3]int{8, 2, 1}, mnBy: [3]int{8, 64, 0}, k: [3]int{4, 2, 1}, kBy: [3]int{1, 4, 0}, bits: 1, elementBytes: 4, leading: 1, step: 64, kMajor: true},
		canonical{mn: [3]int{8, 1, 2}, mnBy: [3]int{1, 8, 64}, k: [3]int{8, 2, 1}, kBy: [3]int{8, 128, 0}, elementBytes: 2, leading: 128, step: 64},
		canonical{mn: [3]int{8, 2, 2}, mnBy: [3]int{1, 8, 128}, k: [3]int{8, 2, 1}, kBy: [3]int{16, 256, 0}, bits: 1, elementBytes: 2, leading: 128, step: 256},
		canonical{mn: [3]int{8, 4, 2}, mnBy: [3]int{1, 8, 256}, k: [3]int{8, 2, 1}, kBy: [3]int{32, 512, 0}, bits: 2, elementBytes: 2, leading: 256, step: 512})
	for n, c := range all {
		mode := [...]uint64{0, 3, 2, 1}[c.bits] // of the swizzle
		d := memory.WarpgroupMatrix(mode<<62 | uint64(c.step*c.elementBytes>>4)<<32 | uint64(c.leading*c.elementBytes>>4)<<16)
		for i := range c.mn[0] * c.mn[1] * c.mn[2] {
			for k := range c.k[0] * c.k[1] * c.k[2] {
				T := 16 / c.elementBytes
				got := int(d.AlongMN(i/T, k)) + i%T*c.elementBytes
				if c.kMajor {
					got = int(d.AlongK(i, k/T)) + k%T*c.elementBytes
				}
				if want := c.at(i, k); got != want {
					t.Fatalf("layout %d %+v: element %d, %d is at %#x, want %#x", n, c, i, k, got, want)
				}
			}
		}
	}
}

// TestSharedMatrixMayStartAnywhere: K is advanced within a pattern, which need not begin at a multiple of its size.
func TestSharedMatrixMayStartAnywhere(t *testing.T) {
	const stride = uint64(1024) >> 4 << 32
	for _, c := range []struct {
		descriptor uint64
		row, unit  int
		want       uint32
	}{
		{1<<62 | stride | 0x2000>>4, 3, 1, 0x2000 + 3*128 + (1^3)*16},
		{1<<62 | stride | 0x2040>>4, 3, 1, 0x2000 + 3*128 + (5^3)*16}, // 32 elements of .f16 further along K
		{1<<62 | stride | 0x2040>>4, 13, 0, 0x2400 + 5*128 + (4^5)*16},
		{1<<62 | stride | 0x2100>>4 | 2<<49, 3, 1, 0x2100 + 3*128 + (1^3)*16}, // the pattern begins 256 bytes further on
		{3<<62 | stride | 0x1180>>4 | 3<<49, 4, 1, 0x1180 + 4*32 + 0*16},
		{2<<62 | stride | 0x1000>>4, 6, 3, 0x1000 + 6*64 + 0*16},
		{stride | 0x1000>>4 | 7<<49 | 0x80>>4<<16, 9, 1, 0x1000 + 1024 + 16 + 128}, // without a swizzle no base offset counts
	} {
		m := memory.WarpgroupMatrix(c.descriptor)
		if got := m.AlongK(c.row, c.unit); got != c.want {
			t.Errorf("%#x, row %d, unit %d: %#x, want %#x", c.descriptor, c.row, c.unit, got, c.want)
		}
	}
}

// TestTensorDescriptorsHaveOwnModes: descriptors of tcgen05 have other modes, and bits that identify them.
func TestTensorDescriptorsHaveOwnModes(t *testing.T) {
	const is = uint64(1) << 46
	fields := uint64(0x4000>>4) | 0x80>>4<<16 | 0x400>>4<<32 | is
	for mode, want := range map[uint64]memory.SharedMatrix{
		0: {Start: 0x4000, Leading: 0x80, Stride: 0x400},
		1: {Start: 0x4000, Leading: 0x80, Stride: 0x400, Swizzle: 128, Pairs: true},
		2: {Start: 0x4000, Leading: 0x80, Stride: 0x400, Swizzle: 128},
		4: {Start: 0x4000, Leading: 0x80, Stride: 0x400, Swizzle: 64},
		6: {Start: 0x4000, Leading: 0x80, Stride: 0x400, Swizzle: 32},
	} {
		if got, wrong := memory.TensorMatrix(fields | mode<<61); got != want || wrong != "" {
			t.Errorf("mode %d: %+v, %q; want %+v", mode, got, wrong, want)
		}
	}
	for d, want := range map[uint64]string{
		fields &^ is:   "bits 46 to 48 are not 0b001",
		fields | 1<<47: "bits 46 to 48 are not 0b001",
		fields | 1<<14: "reserved bits are not 0",
		fields | 1<<31: "reserved bits are not 0",
		fields | 1<<60: "reserved bits are not 0",
		fields | 1<<52: "bit 52 says that the leading dimension has an address, which sm_103a alone has",
		fields | 3<<61: "there is no swizzling mode 3",
		fields | 5<<61: "there is no swizzling mode 5",
		fields | 7<<61: "there is no swizzling mode 7",
	} {
		if _, wrong := memory.TensorMatrix(d); wrong != want {
			t.Errorf("%#x: %q, want %q", d, wrong, want)
		}
	}
}

// TestPairSwizzleMatchesISA: for 128-byte swizzling with 32-byte atomicity PTX shows rows of 8 units, in which row c
// exchanges pairs 0 1 2 3 with pairs c^0 c^1 c^2 c^3, repeated every 4 rows.
func TestPairSwizzleMatchesISA(t *testing.T) {
	m := memory.SharedMatrix{Start: 0x2000, Leading: 0x1000, Stride: 0x200, Swizzle: 128, Pairs: true}
	for k := range 8 {
		for unit, want := range [4][8]int{
			{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}, {4, 5, 6, 7, 0, 1, 2, 3}, {6, 7, 4, 5, 2, 3, 0, 1},
		}[k%4] {
			if got := int(m.AlongMN(unit, k)); got != 0x2000+k/4*0x200+k%4*128+want*16 {
				t.Errorf("unit %d of column %d: %#x", unit, k, got)
			}
			if got, first := m.AlongMN(unit+8, k), m.AlongMN(unit, k); got != first+0x1000 {
				t.Errorf("unit %d of column %d: %#x, want %#x and 0x1000", unit+8, k, got, first)
			}
		}
	}
}
