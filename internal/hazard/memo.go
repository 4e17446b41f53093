package hazard

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
)

// memo has values of registers at blocks, or at instructions. It is an open-addressed table with linear probing,
// because most of the work on a long function is to look values up.
type memo struct {
	keys   []uint64 // of placeOf; 0 is free
	values []*affine
	n      int
}

// placeOf is the key of a register at a block or a PC.
func placeOf(at int, r isa.RegID) uint64 { return uint64(at+1)<<32 | uint64(uint32(r)) }

// slot returns the index of a key in the table, or of the free place where it belongs.
func (m *memo) slot(key uint64) int {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: spreads consecutive keys
	last := len(m.keys) - 1
	i := int(key * golden >> (64 - bits.Len(uint(last))))
	for m.keys[i] != 0 && m.keys[i] != key {
		i = (i + 1) & last
	}
	return i
}

// at returns the value of a register at a block or a PC; nil if it is not known.
func (m *memo) at(at int, r isa.RegID) *affine {
	if m.n == 0 {
		return nil
	}
	return m.values[m.slot(placeOf(at, r))]
}

func (m *memo) set(at int, r isa.RegID, value *affine) {
	if 2*m.n >= len(m.keys) {
		m.grow()
	}
	i := m.slot(placeOf(at, r))
	if m.values[i] == nil {
		m.keys[i] = placeOf(at, r)
		m.n++
	}
	m.values[i] = value
}

func (m *memo) grow() {
	old := *m
	places := max(64, 2*len(old.keys))
	m.keys, m.values = make([]uint64, places), make([]*affine, places)
	for i, key := range old.keys {
		if key != 0 {
			at := m.slot(key)
			m.keys[at], m.values[at] = key, old.values[i]
		}
	}
}
