package cache

import "math/bits"

// ways is how many lines a set holds.
const ways = 16

// set is which lines are in the ways of a set, but for their numbers, so that it fits with
// their sectors into one line of the host's cache.
type set struct {
	short [2]uint64 // a byte of the hash of the line in each way
	order uint64    // ways from the most recently used, in the lowest 4 bits, to the least
}

const (
	bytesOfOne = 0x0101010101010101
	nibbles    = 0x1111111111111111
	noLine     = ^uint64(0)
	firstOrder = 0xfedcba9876543210
)

// shortOf is the byte of short for a line.
func shortOf(line uint64) uint64 { return line * 0x9e3779b97f4a7c15 >> 56 }

// find is the way of a line in the set whose lines are in tags, or -1.
func (s *set) find(tags *[ways]uint64, line uint64) int {
	if way := int(s.order % ways); tags[way] == line {
		return way
	}
	wanted := shortOf(line) * bytesOfOne
	for half, bytes := range s.short {
		// A byte that is not wanted may be found behind one that is.
		x := bytes ^ wanted
		for found := (x - bytesOfOne) &^ x & (bytesOfOne << 7); found != 0; found &= found - 1 {
			if way := half*8 + bits.TrailingZeros64(found)/8; tags[way] == line {
				return way
			}
		}
	}
	return -1
}

// put puts a line into a way.
func (s *set) put(tags *[ways]uint64, way int, line uint64) {
	tags[way] = line
	half, shift := way/8, way%8*8
	s.short[half] = s.short[half]&^(0xff<<shift) | shortOf(line)<<shift
}

// touch makes a way the most recently used.
func (s *set) touch(way int) {
	if s.order%ways != uint64(way) {
		s.order = front(s.order, way)
	}
}

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

// oldest is the least recently used way.
func (s *set) oldest() int { return int(s.order >> 60) }

// masks are sectors of the ways of a set: 4 bits for each.
type masks uint64

func (m masks) of(way int) uint8 { return uint8(m>>(way*lineSectors)) & allSectors }

func (m *masks) add(way int, sectors uint8) { *m |= masks(sectors) << (way * lineSectors) }

func (m *masks) remove(way int, sectors uint8) { *m &^= masks(sectors) << (way * lineSectors) }
