package cache

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/splitmix"
)

// l2 is the contents of L2: sets of 16 lines with valid and dirty bits for sectors. The least recently used line is
// evicted; its dirty sectors are then written to device memory.
//
// L2 has one or two partitions. Each of two keeps the lines that its SMs used last, in half of the capacity: for
// these SMs they are near, and the rest of L2 is far. So a single active SM finds half of L2 near, and the other half
// far. If SMs of both partitions read the same lines, both find them near, because both partitions keep a copy; in
// this model a copy takes no capacity from other lines. A line is written where it is near, in the writing SM's
// partition if it is near in both, and is then no longer near for the other.
type l2 struct {
	index      index
	partitions int
	sets       []l2Set
	written    []bool                  // by page of sets: something was written there
	slices     []uint16                // of a partition, by set
	grains     [1 << lineSectors]uint8 // sectors that device memory sends if these are missing
}

// l2Set takes two cache lines of the host. With one partition, near and moved are not used. An empty set is all
// zeros, so that the host need not allocate pages of sets that have no line yet.
type l2Set struct {
	set
	shuffled     uint64 // order xor firstOrder
	valid, dirty masks
	near         [2]masks  // sectors that each partition keeps
	moved        [2]uint32 // recent xor firstRecent
}

const firstRecent = 0x76543210

// order returns the ways from the most to the least recently used.
func (s *l2Set) order() uint64 { return s.shuffled ^ firstOrder }

// recent returns the 8 ways with sectors that a partition may keep, the most recently used first.
func (s *l2Set) recent(partition int) uint32 { return s.moved[partition] ^ firstRecent }

// use makes a way the most recently used.
func (s *l2Set) use(way int) {
	if order := s.order(); order%ways != uint64(way) {
		s.shuffled = front(order, way) ^ firstOrder
	}
}

func newL2(bytes int64, partitions, slices, grain int) *l2 {
	n := max(1, bytes/(LineBytes*ways))
	c := &l2{index: newIndex(n), partitions: partitions, sets: make([]l2Set, n), written: make([]bool, n/setsOfPage+1), slices: make([]uint16, n)}
	for missing := range c.grains {
		for sector := range lineSectors {
			if size := grain / SectorBytes; missing>>(sector/size*size)&(1<<size-1) != 0 {
				c.grains[missing] |= 1 << sector
			}
		}
	}
	// Slices have the same number of sets, or one less. The assignment is random, so that consecutive lines are in
	// different slices.
	order := make([]uint32, n)
	for i := range order {
		j, _ := bits.Mul64(splitmix.Mix(uint64(i)), uint64(i+1))
		order[i] = order[j]
		order[j] = uint32(i)
	}
	slice := 0
	for _, set := range order {
		c.slices[set] = uint16(slice)
		if slice++; slice == slices/partitions {
			slice = 0
		}
	}
	return c
}

// setsOfPage is how many sets are in a page of the host's memory.
const setsOfPage = 32

// back writes to the page of a set if nothing has been written there yet. If the page were read first and written
// later, it would take two page faults, and for the second the kernel interrupts the other cores.
func (c *l2) back(set uint64) {
	if page := set / setsOfPage; !c.written[page] {
		c.written[page] = true
		c.sets[set].shuffled = 0
	}
}

// found is where L2 has found the sectors of a request, and what it did. Sectors that are neither near nor far were
// missing.
type found struct {
	near, far uint8
	slice     int   // of a partition
	partition int   // the one with the slice that answers
	fetched   uint8 // sectors from device memory
	evicted   uint64
	dirty     uint8 // sectors of the evicted line, which are written to device memory
}

// read looks up sectors of a line in set i, for an SM of a partition.
func (c *l2) read(i, line uint64, sectors uint8, partition int) (f found) {
	s := &c.sets[i]
	f.slice, f.partition = int(c.slices[i]), partition
	way := s.find(line, int(s.order()%ways))
	if way < 0 {
		way = c.allocate(s, line, &f)
	}
	s.use(way)
	valid := s.valid.of(way)
	if c.partitions == 1 {
		f.near = sectors & valid
	} else {
		s.keep(partition, way)
		f.near = sectors & s.near[partition].of(way)
		f.far = sectors & valid &^ f.near
	}
	if f.near == sectors {
		return f
	}
	f.fetched = c.grains[sectors&^valid]
	s.valid.add(way, f.fetched)
	s.near[partition].add(way, sectors|f.fetched&^valid)
	return f
}

// write looks up sectors of a line in set i that an SM of a partition writes. If change is true, an atomic changes
// them, so missing ones are fetched.
func (c *l2) write(i, line uint64, sectors uint8, partition int, change bool) (f found) {
	s := &c.sets[i]
	f.slice, f.partition = int(c.slices[i]), partition
	way := s.find(line, int(s.order()%ways))
	if way < 0 {
		way = c.allocate(s, line, &f)
	}
	s.use(way)
	valid := s.valid.of(way)
	if c.partitions == 1 {
		f.near = sectors & valid
	} else {
		f.near = sectors & s.near[partition].of(way)
		f.far = sectors & valid &^ f.near
		if s.near[partition].of(way) == 0 && s.near[partition^1].of(way) != 0 {
			f.partition = partition ^ 1
		}
		s.keep(f.partition, way)
		s.near[f.partition].add(way, sectors)
		s.near[f.partition^1].remove(way, sectors)
	}
	if change {
		f.fetched = c.grains[sectors&^valid]
		s.near[f.partition].add(way, f.fetched&^valid)
	}
	s.valid.add(way, sectors|f.fetched)
	s.dirty.add(way, sectors)
	return f
}

// allocate assigns the least recently used way of its set to a line, without sectors.
func (c *l2) allocate(s *l2Set, line uint64, f *found) (way int) {
	way = int(s.order() >> 60)
	f.evicted, f.dirty = s.line(way), s.dirty.of(way)
	s.put(way, line)
	s.valid.remove(way, allSectors)
	s.dirty.remove(way, allSectors)
	if c.partitions > 1 {
		for p := range s.near {
			s.near[p].remove(way, allSectors)
			if order := uint64(s.recent(p)); place(order, way) < ways/2 {
				s.moved[p] = uint32(back(order, way, ways/2)) ^ firstRecent
			}
		}
	}
	return way
}

// keep makes a way the most recently used of a partition. The least recently used of the partition's half of the ways
// is no longer near.
func (s *l2Set) keep(partition, way int) {
	order := uint64(s.recent(partition))
	if order%ways == uint64(way) {
		return
	}
	if place(order, way) < ways/2 {
		s.moved[partition] = uint32(front(order, way)) ^ firstRecent
		return
	}
	s.near[partition].remove(int(order>>28), allSectors)
	s.moved[partition] = (uint32(order<<4) | uint32(way)) ^ firstRecent
}
