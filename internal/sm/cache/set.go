package cache

import "math/bits"

// ways is the number of lines in a set.
const ways = 16

// set is the lines in the ways of a set, by a number of 40 bits: tags have the low 32, and short has the others,
// mixed with a hash of these. So a search compares 8 bits that differ, in 16 ways with two comparisons. The tags take
// one cache line of the host; with the sectors' masks the set takes another.
//
// A way without sectors is free, even if it has a line.
type set struct {
	tags  [ways]uint32
	short [2]uint64 // a byte for each way
}

const (
	bytesOfOne = 0x0101010101010101
	nibbles    = 0x1111111111111111
)

// number returns the 40 bits that distinguish lines.
func number(line uint64) uint64 {
	return line&(1<<32-1) | (line>>32+line>>40)&0xff<<32
}

// shortOf returns the byte in short for a line's number. It is its own inverse: from the low 32 bits and the byte in
// short it returns the upper bits.
func shortOf(line uint64) uint64 {
	return (line>>32 ^ uint64(uint32(line)*0x9e3779b1>>24)) & 0xff
}

// line returns the number of the line in a way.
func (s *set) line(way int) uint64 {
	short := s.short[way/8] >> (way % 8 * 8) & 0xff
	return uint64(s.tags[way]) | shortOf(short<<32|uint64(s.tags[way]))<<32
}

// find returns the way with a line, or -1. It tries way first before the others.
func (s *set) find(line uint64, first int) int {
	short := shortOf(line)
	if way := first % ways; s.tags[way] == uint32(line) && s.short[way/8]>>(way%8*8)&0xff == short {
		return way
	}
	for half, bytes := range s.short {
		x := bytes ^ short*bytesOfOne
		for found := (x - bytesOfOne) &^ x & (bytesOfOne << 7); found != 0; found &= found - 1 {
			// After an equal byte, the comparison also finds a byte that differs by 1.
			way := half*8 + bits.TrailingZeros64(found)/8
			if s.tags[way] == uint32(line) && x>>(way%8*8)&0xff == 0 {
				return way
			}
		}
	}
	return -1
}

// put puts a line into a way.
func (s *set) put(way int, line uint64) {
	s.tags[way] = uint32(line)
	half, shift := way/8, way%8*8
	s.short[half] = s.short[half]&^(0xff<<shift) | shortOf(line)<<shift
}

// firstOrder is an order of ways: the most recently used is in the lowest 4 bits.
const firstOrder = 0xfedcba9876543210

// front returns an order with one of its ways moved to the front.
func front(order uint64, way int) uint64 {
	shift := place(order, way) * 4
	below := uint64(1)<<shift - 1
	return order&^(below<<4|15) | order&below<<4 | uint64(way)
}

// place returns the position of a way in an order. In an order of 8 ways, which has zeros above them, the position is
// at least 8 if the way is not in the order.
func place(order uint64, way int) int {
	x := order ^ uint64(way)*nibbles
	return bits.TrailingZeros64((x-nibbles)&^x&(nibbles<<3)) / 4
}

// back returns an order of many ways with one of them moved to the end.
func back(order uint64, way, many int) uint64 {
	below := uint64(1)<<(place(order, way)*4) - 1
	last := uint64(many-1) * 4
	return order&below | order>>4&^below&(1<<last-1) | uint64(way)<<last
}

// masks are sector masks of the ways of a set, 4 bits for each.
type masks uint64

func (m masks) of(way int) uint8 { return uint8(m>>(way*lineSectors)) & allSectors }

func (m *masks) add(way int, sectors uint8) { *m |= masks(sectors) << (way * lineSectors) }

func (m *masks) remove(way int, sectors uint8) { *m &^= masks(sectors) << (way * lineSectors) }
