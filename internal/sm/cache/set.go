package cache

import "math/bits"

// ways is how many lines a set holds.
const ways = 16

// set is which lines are in the ways of a set, by a number of 40 bits: tags have the low
// 32, short the others mixed with a hash of these, so that 16 ways are searched for 8 bits
// that differ, in two comparisons. It has one line of the host's cache for tags, and with
// what is said of sectors another.
//
// A way that has no sectors is free, whatever line it has.
type set struct {
	tags  [ways]uint32
	short [2]uint64 // a byte for each way
}

const (
	bytesOfOne = 0x0101010101010101
	nibbles    = 0x1111111111111111
)

// number is what a line is told apart by.
func number(line uint64) uint64 {
	return line&(1<<32-1) | (line>>32+line>>40)&0xff<<32
}

// shortOf is the byte of short for a line by number. It is its own inverse: of the same low
// 32 bits and short it gives the others.
func shortOf(line uint64) uint64 {
	return (line>>32 ^ uint64(uint32(line)*0x9e3779b1>>24)) & 0xff
}

// line is the number of the line in a way.
func (s *set) line(way int) uint64 {
	short := s.short[way/8] >> (way % 8 * 8) & 0xff
	return uint64(s.tags[way]) | shortOf(short<<32|uint64(s.tags[way]))<<32
}

// find is the way that has a line, or -1. It looks at one way first.
func (s *set) find(line uint64, first int) int {
	short := shortOf(line)
	if way := first % ways; s.tags[way] == uint32(line) && s.short[way/8]>>(way%8*8)&0xff == short {
		return way
	}
	for half, bytes := range s.short {
		x := bytes ^ short*bytesOfOne
		for found := (x - bytesOfOne) &^ x & (bytesOfOne << 7); found != 0; found &= found - 1 {
			// Behind a byte that is equal, one that differs by 1 is found too.
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

// firstOrder is an order of ways from the most recently used, in the lowest 4 bits, to the
// least.
const firstOrder = 0xfedcba9876543210

// front is an order with one of its ways put in front.
func front(order uint64, way int) uint64 {
	shift := place(order, way) * 4
	below := uint64(1)<<shift - 1
	return order&^(below<<4|15) | order&below<<4 | uint64(way)
}

// place is where a way stands in an order. Of an order of 8, which has zeros above them, it
// is at least 8 if the way is not there.
func place(order uint64, way int) int {
	x := order ^ uint64(way)*nibbles
	return bits.TrailingZeros64((x-nibbles)&^x&(nibbles<<3)) / 4
}

// back is an order of so many ways with one of them put behind the others.
func back(order uint64, way, many int) uint64 {
	below := uint64(1)<<(place(order, way)*4) - 1
	last := uint64(many-1) * 4
	return order&below | order>>4&^below&(1<<last-1) | uint64(way)<<last
}

// masks are sectors of the ways of a set: 4 bits for each.
type masks uint64

func (m masks) of(way int) uint8 { return uint8(m>>(way*lineSectors)) & allSectors }

func (m *masks) add(way int, sectors uint8) { *m |= masks(sectors) << (way * lineSectors) }

func (m *masks) remove(way int, sectors uint8) { *m &^= masks(sectors) << (way * lineSectors) }
