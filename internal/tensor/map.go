// Package tensor defines tensor maps: descriptions, in 128 bytes of memory, of a tensor and of the boxes of it that
// cp.async.bulk.tensor copies; which elements those are, and their places in shared memory. It does not know
// instructions.
package tensor

import "fmt"

// MaxRank is the largest number of dimensions of a tensor. Dimension 0 is the innermost: its elements are adjacent.
const MaxRank = 5

// Type is the type of an element, by its number in tensormap.replace.elemtype.
type Type uint8

const (
	U8 Type = iota
	U16
	U32
	S32
	U64
	S64
	F16
	F32
	F32FTZ // as F32, with subnormal numbers flushed in reductions
	F64
	BF16
	TF32
	TF32FTZ
	NumTypes
)

var types = [NumTypes]struct {
	name  string
	bytes int
	float bool
}{
	U8: {"u8", 1, false}, U16: {"u16", 2, false}, U32: {"u32", 4, false}, S32: {"s32", 4, false}, U64: {"u64", 8, false}, S64: {"s64", 8, false},
	F16: {"f16", 2, true}, F32: {"f32", 4, true}, F32FTZ: {"f32.ftz", 4, true}, F64: {"f64", 8, true}, BF16: {"bf16", 2, true},
	TF32: {"tf32", 4, true}, TF32FTZ: {"tf32.ftz", 4, true},
}

// bytes is the size of an element.
func (t Type) bytes() int { return types[t].bytes }

// isFloat reports whether elements are floating-point numbers.
func (t Type) isFloat() bool { return types[t].float }

// rounds reports whether elements are rounded when they are copied to shared memory.
func (t Type) rounds() bool { return t == TF32 || t == TF32FTZ }

// String returns the type's name in descriptions.
func (t Type) String() string { return types[t].name }

// Interleave says whether channels are stored in slices of a number of bytes: NC/8HWC8 and NC/16HWC16.
type Interleave uint8

const (
	NoInterleave Interleave = iota
	Interleave16
	Interleave32
)

// bytes is the size of a slice; 0 without slices.
func (i Interleave) bytes() int { return [...]int{0, 16, 32}[i] }

// Swizzle is the span in which copied data is distributed over the banks of shared memory.
type Swizzle uint8

const (
	NoSwizzle Swizzle = iota
	Swizzle32
	Swizzle64
	Swizzle128
)

// bytes is the span; 0 for none.
func (s Swizzle) bytes() int { return [...]int{0, 32, 64, 128}[s] }

// Atom is the unit that a swizzle keeps together.
type Atom uint8

const (
	Atom16 Atom = iota
	Atom32
	Atom32Flip // 32 bytes, with the halves of 16 bytes exchanged in every other 128 bytes
	Atom64
)

// bytes is the size of an atom.
func (a Atom) bytes() int { return [...]int{16, 32, 32, 64}[a] }

// Fill is the value of elements outside the tensor.
type Fill uint8

const (
	FillZero Fill = iota
	FillNaN
)

// Map is a decoded tensor map.
type Map struct {
	Type    Type
	Rank    int
	Address uint64 // of the element with all coordinates 0
	// Sizes are the numbers of elements by dimension, and Strides the distances in bytes in dimensions 1 and up. With an
	// Interleave an element of dimension 0 is a slice.
	Sizes   [MaxRank]uint64
	Strides [MaxRank - 1]uint64
	// Box is the number of elements that a box spans by dimension, and Steps the distance between elements that are
	// copied.
	Box        [MaxRank]int
	Steps      [MaxRank]int
	Interleave Interleave
	Swizzle    Swizzle
	Atom       Atom
	Fill       Fill
	Promotion  uint8 // of fetches to L2: a hint

	// Im2col says that Pixels pixels are copied, of Channels elements of dimension 0 each, instead of a box. They lie
	// between corners of a box in the dimensions W, H and D, which are dimensions 1 to Rank-2: Lower is added to the
	// first coordinates, Upper to the last ones.
	Im2col           bool
	Channels, Pixels int
	Lower, Upper     [MaxRank - 2]int
}

// unit returns the size in bytes of an element of dimension 0.
func (m *Map) unit() int {
	if n := m.Interleave.bytes(); n > 0 {
		return n
	}
	return m.Type.bytes()
}

// Limits of the driver (CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col).
const (
	maxSize   = 1 << 32
	maxStride = 1 << 40
	maxBox    = 256
	maxStep   = 8
	maxPixels = 1024
	unitBytes = 16 // of addresses, strides and rows
)

// Check returns the reason why the driver would not make such a map, or nil.
func (m *Map) Check() error {
	if m.Rank < 1 || m.Rank > MaxRank {
		return fmt.Errorf("%d dimensions; a tensor has 1 to %d", m.Rank, MaxRank)
	}
	if m.Rank < 3 && m.Interleave != NoInterleave {
		return fmt.Errorf("interleave of a tensor of %d dimensions; expected 3 to %d", m.Rank, MaxRank)
	}
	if err := m.checkPlaces(); err != nil {
		return err
	}
	if m.Im2col {
		if err := m.checkPixels(); err != nil {
			return err
		}
	} else if err := m.checkBox(); err != nil {
		return err
	}
	for d := range m.Rank {
		if n := m.Steps[d]; (n < 1 || n > maxStep) && (d > 0 || m.Interleave != NoInterleave) {
			return fmt.Errorf("a step of %d in dimension %d; expected 1 to %d", n, d, maxStep)
		}
	}
	return m.checkLayout()
}

// AddressUnit returns the unit in bytes of the address and the strides.
func (m *Map) AddressUnit() uint64 { return uint64(max(m.Interleave.bytes(), unitBytes)) }

// checkPlaces checks the places of elements in global memory.
func (m *Map) checkPlaces() error {
	unit := m.AddressUnit()
	if m.Address%unit != 0 {
		return fmt.Errorf("the address 0x%x of the tensor is not a multiple of %d", m.Address, unit)
	}
	for d := range m.Rank {
		if n := m.Sizes[d]; n < 1 || n > maxSize {
			return fmt.Errorf("a size of %d in dimension %d; expected 1 to %d", n, d, uint64(maxSize))
		}
	}
	for d := 1; d < m.Rank; d++ {
		switch n := m.Strides[d-1]; {
		case n%unit != 0:
			return fmt.Errorf("a stride of %d bytes in dimension %d, which is not a multiple of %d", n, d, unit)
		case n >= maxStride:
			return fmt.Errorf("a stride of %d bytes in dimension %d; it is less than 2^40", n, d)
		}
	}
	return nil
}

// checkBox checks the box.
func (m *Map) checkBox() error {
	for d := range m.Rank {
		if n := m.Box[d]; n < 1 || n > maxBox {
			return fmt.Errorf("a box of %d in dimension %d; expected 1 to %d", n, d, maxBox)
		}
	}
	if m.Interleave != NoInterleave && m.Box[m.Rank-2] != 1 {
		return fmt.Errorf("a box of %d slices of channels, in dimension %d, is not supported yet; it is 1", m.Box[m.Rank-2], m.Rank-2)
	}
	return nil
}

// checkPixels checks the pixels that are copied instead of a box.
func (m *Map) checkPixels() error {
	switch {
	case m.Rank < 3:
		return fmt.Errorf("im2col of a tensor of %d dimensions; expected 3 to %d", m.Rank, MaxRank)
	case m.Channels < 1 || m.Channels > maxBox:
		return fmt.Errorf("%d channels of a pixel; expected 1 to %d", m.Channels, maxBox)
	case m.Pixels < 1 || m.Pixels > maxPixels:
		return fmt.Errorf("%d pixels; expected 1 to %d", m.Pixels, maxPixels)
	case m.Interleave != NoInterleave:
		return fmt.Errorf("im2col with interleave is not supported yet")
	}
	most := m.cornerLimit()
	for d := range m.Rank - 2 {
		for _, n := range []int{m.Lower[d], m.Upper[d]} {
			if n < -most || n >= most {
				return fmt.Errorf("a corner of %d; of a tensor of %d dimensions it is %d to %d", n, m.Rank, -most, most-1)
			}
		}
		if low, high := m.corners(d); low > high {
			return fmt.Errorf("the box of dimension %d is empty: from %d to %d", d+1, low, high)
		}
	}
	return nil
}

// cornerLimit is above the largest corner: 2^15, 2^7 and 2^4 for 1, 2 and 3 of them.
func (m *Map) cornerLimit() int { return 1 << [...]int{15, 7, 4}[m.Rank-3] }

// OffsetLimit is above the largest offset of an im2col copy: twice a corner's.
func (m *Map) OffsetLimit() int { return 2 * m.cornerLimit() }

// corners returns the first and the last coordinate of pixels in dimension d+1.
func (m *Map) corners(d int) (low, high int64) {
	return int64(m.Lower[d]), int64(m.Sizes[d+1]) - 1 + int64(m.Upper[d])
}

// checkLayout checks the layout of elements in shared memory.
func (m *Map) checkLayout() error {
	inner := m.Box[0] * m.unit()
	if m.Im2col {
		inner = m.Channels * m.unit()
	}
	switch {
	case inner%unitBytes != 0:
		return fmt.Errorf("%d bytes in dimension 0 of the box, which is not a multiple of %d", inner, unitBytes)
	case m.Interleave == NoInterleave && m.Swizzle != NoSwizzle && inner > m.Swizzle.bytes():
		return fmt.Errorf("%d bytes in dimension 0 of the box; a swizzle of %d bytes takes no more than those", inner, m.Swizzle.bytes())
	case m.Interleave == Interleave32 && m.Swizzle != Swizzle32:
		return fmt.Errorf("an interleave of 32 bytes needs a swizzle of 32 bytes")
	case m.Interleave == Interleave16 && m.Swizzle != NoSwizzle:
		return fmt.Errorf("an interleave of 16 bytes with a swizzle is not supported yet")
	case m.Atom != Atom16 && m.Swizzle != Swizzle128:
		return fmt.Errorf("an atom of %d bytes needs a swizzle of 128 bytes", m.Atom.bytes())
	case m.Fill == FillNaN && !m.Type.isFloat():
		return fmt.Errorf("NaN as the fill of .%s; it takes a floating-point type", m.Type)
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
