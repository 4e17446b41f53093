package tensor

// Way says which elements an instruction copies.
type Way uint8

const (
	Tile     Way = iota
	Im2col       // pixels, with offsets added to their coordinates
	FourRows     // of a two-dimensional tensor: tile::gather4 and tile::scatter4
)

// Shape is the data that one instruction copies: rows of elements that are contiguous in both memories.
type Shape struct {
	Rows  int
	Row   int // bytes of a row
	Pitch int // bytes between rows in shared memory
	way   Way
}

// Shape returns that of a copy by the map.
func (m *Map) Shape(way Way) Shape {
	s := Shape{Rows: 1, Row: m.unit() * m.Box[0], way: way}
	switch {
	case way == Im2col:
		s.Rows, s.Row = m.Pixels, m.unit()*m.Channels
	case way == FourRows:
		s.Rows = 4
	default:
		if m.slices() {
			s.Row = m.unit()
		}
		for d := m.firstOuter(); d < m.Rank; d++ {
			s.Rows *= m.count(d)
		}
	}
	s.Pitch = s.Row
	if m.Interleave == NoInterleave {
		// Rows take the whole span of the swizzle even if they do not fill it (CUDA C++ Programming Guide, TMA swizzle).
		s.Pitch = max(s.Row, m.Swizzle.bytes())
	}
	return s
}

// Bytes returns the size of the copy, which is also its effect on an mbarrier's tx-count. It includes elements
// outside the tensor.
func (s *Shape) Bytes() int { return s.Rows * s.Row }

// Extent returns how many bytes of shared memory the rows span: a swizzle may move the bytes of a row anywhere in its
// span.
func (s *Shape) Extent() int { return s.Rows * s.Pitch }

// slices reports whether a row is one slice, because not all adjacent ones are copied.
func (m *Map) slices() bool { return m.Interleave != NoInterleave && m.Steps[0] > 1 }

// firstOuter is the first dimension in which rows are numbered.
func (m *Map) firstOuter() int { return b2i(!m.slices()) }

// count returns how many elements of a box are copied in dimension d.
func (m *Map) count(d int) int { return (m.Box[d] + m.Steps[d] - 1) / m.Steps[d] }

// Place is the start of a copy.
type Place struct {
	Coords  [MaxRank]int64
	Offsets [MaxRank - 2]int64 // of Im2col
}

// Row is a row of a copy: the bytes From to To, relative to the start of the row, are those of the tensor from
// Address on. The others are outside the tensor.
type Row struct {
	Address  uint64
	From, To int
}

// Row returns row i of a copy.
func (m *Map) Row(s *Shape, p *Place, i int) Row {
	c := p.Coords
	switch s.way {
	case FourRows:
		c[1] = p.Coords[1+i]
	case Im2col:
		m.pixel(&c, &p.Offsets, i)
	default:
		for d := m.firstOuter(); d < m.Rank; d++ {
			n := m.count(d)
			c[d] += int64(i % n * m.Steps[d])
			i /= n
		}
	}
	return m.row(&c, s.Row)
}

// row returns the row of a number of bytes that begins at the coordinates.
func (m *Map) row(c *[MaxRank]int64, bytes int) Row {
	at := m.Address
	for d := 1; d < m.Rank; d++ {
		if c[d] < 0 || c[d] >= int64(m.Sizes[d]) {
			return Row{}
		}
		at += uint64(c[d]) * m.Strides[d-1]
	}
	unit := int64(m.unit())
	from, to := max(-c[0], 0)*unit, min(int64(m.Sizes[0])-c[0], int64(bytes)/unit)*unit
	if from >= to {
		return Row{}
	}
	return Row{at + uint64((c[0]+from/unit)*unit), int(from), int(to)}
}

// pixel moves the coordinates of the first pixel of an im2col copy to those of pixel i: by a step in W, then in H,
// then in D, each from corner to corner of the box, and then to the next image. The offsets apply to the box and the
// pixel.
func (m *Map) pixel(c *[MaxRank]int64, offsets *[MaxRank - 2]int64, i int) {
	carry := int64(i)
	for d := range m.Rank - 2 {
		low, high := m.corners(d)
		step := int64(m.Steps[d+1])
		left := (high-c[d+1])/step + 1 // pixels from the first one to the corner in this dimension
		if c[d+1] > high {
			left = 1
		}
		if carry < left {
			c[d+1] += carry*step + offsets[d]
			carry = 0
			continue
		}
		n := (high-low)/step + 1
		carry -= left
		c[d+1] = low + carry%n*step + offsets[d]
		carry = carry/n + 1
	}
	c[m.Rank-1] += carry
}

// Swizzled returns the swizzled address in shared memory of the byte at an unswizzled address. Bits of the number of
// its 128 bytes are xored with those of its atom (PTX ISA, swizzling modes).
func (m *Map) Swizzled(address uint64) uint64 {
	if m.Swizzle == NoSwizzle {
		return address
	}
	atom := uint64(m.Atom.bytes())
	atoms := uint64(m.Swizzle.bytes()) / atom
	line := address >> 7
	if m.Atom == Atom32Flip {
		address ^= line & 1 << 3
	}
	return address ^ line&(atoms-1)*atom
}

// oobNaN is 16 bits of the NaN that fills elements outside a tensor, for all types: 0x7ff7. PTX does not specify the
// NaN; this is the one reported for GPUs from sm_90 on.
var oobNaN = [2]byte{0xf7, 0x7f}

// FillRow fills bytes of a row that are outside the tensor.
func (m *Map) FillRow(row []byte) {
	if m.Fill == FillZero {
		clear(row)
		return
	}
	for i := range row {
		row[i] = oobNaN[i&1]
	}
}

// Round rounds elements that are copied to shared memory: .tf32 to nearest, ties away from zero, as cvt.rna does.
// Their NaN is that of sm_90.
func (m *Map) Round(elements []byte) {
	if !m.Type.rounds() {
		return
	}
	for ; len(elements) >= 4; elements = elements[4:] {
		bits := le.Uint32(elements)
		switch {
		case bits&0x7fffffff > 0x7f800000:
			bits = 0x7fffe000
		case bits&0x7f800000 != 0x7f800000:
			bits = (bits + 1<<12) &^ (1<<13 - 1)
		}
		le.PutUint32(elements, bits)
	}
}
