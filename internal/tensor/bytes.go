package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var le = binary.LittleEndian

// Bytes is the size of a tensor map, and Align the alignment of its address.
const (
	Bytes = 128
	Align = 64
)

// The driver does not document the bytes of a map. These are simtrun's: docs/tensormaps.md.
const (
	markAt       = 0 // 4 bytes that mark a map
	typeAt       = 4
	rankAt       = 5 // less 1
	modeAt       = 6 // 1: im2col
	interleaveAt = 7
	swizzleAt    = 8
	atomAt       = 9
	fillAt       = 10
	promotionAt  = 11
	AddressAt    = 16 // 8 bytes
	sizesAt      = 24 // 4 bytes each; 0 is 2^32
	boxAt        = 44 // 2 bytes each; for im2col the channels and the pixels
	stepsAt      = 54 // 1 byte each
	stridesAt    = 64 // 8 bytes each
	lowerAt      = 96 // 2 bytes each
	upperAt      = 102
	endAt        = 108

	mark = 'T' | 'M'<<8 | 'A'<<16 | 'P'<<24
)

// Encode returns the map's bytes in memory.
func (m *Map) Encode() []byte {
	b := make([]byte, Bytes)
	le.PutUint32(b[markAt:], mark)
	b[typeAt], b[rankAt], b[modeAt] = byte(m.Type), byte(m.Rank-1), byte(b2i(m.Im2col))
	b[interleaveAt], b[swizzleAt], b[atomAt], b[fillAt], b[promotionAt] = byte(m.Interleave), byte(m.Swizzle), byte(m.Atom), byte(m.Fill), m.Promotion
	le.PutUint64(b[AddressAt:], m.Address)
	box := m.Box
	if m.Im2col {
		box = [MaxRank]int{m.Channels, m.Pixels}
	}
	for d := range MaxRank {
		le.PutUint32(b[sizesAt+4*d:], uint32(m.Sizes[d]))
		le.PutUint16(b[boxAt+2*d:], uint16(box[d]))
		b[stepsAt+d] = byte(m.Steps[d])
	}
	for d, n := range m.Strides {
		le.PutUint64(b[stridesAt+8*d:], n)
	}
	for d := range m.Lower {
		le.PutUint16(b[lowerAt+2*d:], uint16(m.Lower[d]))
		le.PutUint16(b[upperAt+2*d:], uint16(m.Upper[d]))
	}
	return b
}

// ErrNoMap says that bytes are not a tensor map.
var ErrNoMap = errors.New("no tensor map is there")

// Decode returns the map in 128 bytes of memory, or an error if there is none, or one that the driver would not make.
func Decode(b []byte) (*Map, error) {
	if le.Uint32(b[markAt:]) != mark {
		return nil, ErrNoMap
	}
	for _, f := range fields {
		if f.values > 0 && uint64(b[f.at]) >= f.values {
			return nil, fmt.Errorf("%d as its %s", b[f.at], f.name)
		}
	}
	m := &Map{Type: Type(b[typeAt]), Rank: int(b[rankAt]) + 1, Im2col: b[modeAt] != 0, Address: le.Uint64(b[AddressAt:]),
		Interleave: Interleave(b[interleaveAt]), Swizzle: Swizzle(b[swizzleAt]), Atom: Atom(b[atomAt]), Fill: Fill(b[fillAt]), Promotion: b[promotionAt]}
	for d := range MaxRank {
		if m.Sizes[d] = uint64(le.Uint32(b[sizesAt+4*d:])); m.Sizes[d] == 0 {
			m.Sizes[d] = maxSize
		}
		m.Box[d], m.Steps[d] = int(le.Uint16(b[boxAt+2*d:])), int(b[stepsAt+d])
	}
	for d := range m.Strides {
		m.Strides[d] = le.Uint64(b[stridesAt+8*d:])
	}
	if m.Im2col {
		m.Channels, m.Pixels, m.Box = m.Box[0], m.Box[1], [MaxRank]int{}
		for d := range m.Lower {
			m.Lower[d], m.Upper[d] = int(int16(le.Uint16(b[lowerAt+2*d:]))), int(int16(le.Uint16(b[upperAt+2*d:])))
		}
	}
	if m.Interleave == NoInterleave {
		m.Steps[0] = 1 // independent of its value
	}
	return m, m.Check()
}

// Field is a field that tensormap.replace replaces.
type Field uint8

const (
	GlobalAddress Field = iota
	Rank
	BoxDim
	GlobalDim
	GlobalStride
	ElementStride
	ElemType
	InterleaveLayout
	SwizzleMode
	SwizzleAtomicity
	FillMode
	numFields
)

// fields has the offset of each field, the size in bytes of a value, the number of values, and the end of the range
// of a value; 0 if the range is checked only when the map is used.
var fields = [numFields]struct {
	name          string
	at, bytes, of int
	values        uint64
}{
	GlobalAddress:    {"global_address", AddressAt, 8, 1, 0},
	Rank:             {"rank", rankAt, 1, 1, MaxRank},
	BoxDim:           {"box_dim", boxAt, 2, MaxRank, 0},
	GlobalDim:        {"global_dim", sizesAt, 4, MaxRank, 0},
	GlobalStride:     {"global_stride", stridesAt, 8, MaxRank - 1, 0},
	ElementStride:    {"element_stride", stepsAt, 1, MaxRank, 0},
	ElemType:         {"elemtype", typeAt, 1, 1, uint64(NumTypes)},
	InterleaveLayout: {"interleave_layout", interleaveAt, 1, 1, 3},
	SwizzleMode:      {"swizzle_mode", swizzleAt, 1, 1, 4},
	SwizzleAtomicity: {"swizzle_atomicity", atomAt, 1, 1, 4},
	FillMode:         {"fill_mode", fillAt, 1, 1, 2},
}

// Replace sets a value of a field, by its ordinal if it has several, and turns bytes that are not a map into one. It
// returns an error if the field cannot have the value.
func Replace(b []byte, f Field, ordinal int, value uint64) error {
	at := &fields[f]
	switch most := uint64(1)<<(8*at.bytes) - 1; {
	case ordinal >= at.of:
		return fmt.Errorf("%s %d; there are %d", at.name, ordinal, at.of)
	case at.values > 0 && value >= at.values:
		return fmt.Errorf("%d as the %s; expected 0 to %d", value, at.name, at.values-1)
	case at.bytes < 8 && value > most:
		return fmt.Errorf("%d as the %s; it is at most %d", value, at.name, most)
	}
	var word [8]byte
	le.PutUint64(word[:], value)
	copy(b[at.at+ordinal*at.bytes:][:at.bytes], word[:])
	le.PutUint32(b[markAt:], mark)
	return nil
}
