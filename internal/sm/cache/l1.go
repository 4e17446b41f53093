package cache

import (
	"math"
	"math/bits"

	"github.com/simtrun/simtrun/internal/splitmix"
)

// L1 is the first level cache of one SM: sets of 16 lines of 128 bytes, with valid bits for sectors. The victim is a
// random line among those not used since all other lines of the set were. Stores go through it to L2. A pending
// sector is not requested again: a load that needs it waits for the same reply. A line with pending sectors is not
// evicted.
//
// Chains that are a little larger than the L1 of an H100 (internal/gpu/testdata: latency, carveout) have some hits,
// about as many as with this policy; with LRU replacement they would have hardly any.
type L1 struct {
	index index
	sets  []l1Set
	// arrivals has an entry for each pending sector: when it arrives or, if negative, the complement of the request that
	// brings it.
	arrivals [][ways][lineSectors]int64
	evicted  uint64 // lines evicted so far
}

// l1Set is a set. Its pending sectors are on the way, or have arrived since settle was last called.
type l1Set struct {
	set
	valid, pending masks
	local          masks  // all sectors of lines that Write has allocated
	used           uint16 // ways used since all others were
	last           uint8  // way used last
	_              [20]byte
}

func (s *l1Set) touch(way int) {
	s.last = uint8(way)
	if s.used |= 1 << way; s.used == 1<<ways-1 {
		s.used = 1 << way
	}
}

// Way is the place of a line in an L1.
type Way int32

// None means that there is no place for a line: all ways of its set wait for sectors.
const None Way = -1

// unasked is the arrival of a sector before Asked is called.
const unasked = math.MinInt32

// Lookup is the state in L1 of the sectors that a load needs. Each of them is in one of Hit, Pending and Miss.
type Lookup struct {
	Hit     uint8
	Pending uint8 // on the way
	Miss    uint8 // to be requested: pending from now on, unless Way is None
	Way     Way   // of the line
	// Unknown are the pending sectors with replies that are not known yet. Ready is when all others arrive.
	Unknown uint8
	Ready   int64
}

// NewL1 returns an empty L1 of this size in bytes.
func NewL1(bytes int64) *L1 {
	c := new(L1)
	c.reset(bytes)
	return c
}

// reset empties the cache, and sets its size in bytes.
func (c *L1) reset(bytes int64) {
	n := int(max(1, bytes/(LineBytes*ways)))
	c.index, c.evicted = newIndex(int64(n)), 0
	if n > cap(c.sets) { // the host allocates the pages of new arrivals only when a line is loaded
		c.sets, c.arrivals = make([]l1Set, n), make([][ways][lineSectors]int64, n)
	}
	c.sets, c.arrivals = c.sets[:n], c.arrivals[:n]
	clear(c.sets) // also new ones: first reading a page and then writing it takes two page faults
}

// Load looks up sectors of a line in cycle now, which is not before that of the previous call.
func (c *L1) Load(line uint64, sectors uint8, now int64) Lookup {
	line = number(line)
	i := c.index.of(line)
	s := &c.sets[i]
	way := s.find(line, int(s.last))
	if way < 0 {
		if way = c.victim(i, now); way < 0 {
			return Lookup{Miss: sectors, Way: None}
		}
		s.put(way, line)
		s.valid.remove(way, allSectors)
		s.local.remove(way, allSectors)
	}
	s.touch(way)
	pending := s.pending.of(way)
	if pending != 0 {
		pending = c.settle(i, way, now)
	}
	l := Lookup{Hit: sectors & s.valid.of(way), Pending: sectors & pending, Way: Way(i*ways) + Way(way)}
	if l.Miss = sectors &^ (l.Hit | l.Pending); l.Miss != 0 {
		s.pending.add(way, l.Miss)
		for m := l.Miss; m != 0; m &= m - 1 {
			c.arrivals[i][way][bits.TrailingZeros8(m)] = unasked
		}
	}
	if l.Pending != 0 {
		l.Ready, l.Unknown = c.Ready(l.Way, l.Pending)
	}
	return l
}

// settle makes sectors of a way valid that have arrived by now, and returns those still pending.
func (c *L1) settle(i uint64, way int, now int64) (pending uint8) {
	s := &c.sets[i]
	pending = s.pending.of(way)
	for m := pending; m != 0; m &= m - 1 {
		if at := c.arrivals[i][way][bits.TrailingZeros8(m)]; at >= 0 && at <= now {
			pending &^= m & -m
		}
	}
	come := s.pending.of(way) &^ pending
	s.valid.add(way, come)
	s.pending.remove(way, come)
	return pending
}

// victim returns the way of a set that a new line gets, or -1: one that was not recently used, if there is one
// without pending sectors.
func (c *L1) victim(i uint64, now int64) int {
	s := &c.sets[i]
	c.evicted++
	first := int(splitmix.Mix(c.evicted) % ways)
	for _, ways := range [...]uint16{^s.used, s.used} {
		for order := bits.RotateLeft16(ways, -first); order != 0; order &= order - 1 {
			way := (bits.TrailingZeros16(order) + first) % 16
			if s.pending.of(way) == 0 || c.settle(i, way, now) == 0 {
				return way
			}
		}
	}
	return -1
}

// Asked sets the request that brings sectors returned as Miss. The caller numbers requests from 0; numbers must be
// unique among pending requests.
func (c *L1) Asked(w Way, sectors uint8, request int32) {
	for m := sectors; m != 0; m &= m - 1 {
		c.arrivals[w/ways][w%ways][bits.TrailingZeros8(m)] = ^int64(request)
	}
}

// Fill sets when the sectors that a request brings to a line arrive. The cycle may be in the future.
func (c *L1) Fill(w Way, request int32, ready int64) {
	for sector, at := range c.arrivals[w/ways][w%ways] {
		if at == ^int64(request) {
			c.arrivals[w/ways][w%ways][sector] = ready
		}
	}
}

// Ready returns when these pending sectors of a line arrive, without those in unknown, which have no known reply yet.
func (c *L1) Ready(w Way, sectors uint8) (ready int64, unknown uint8) {
	for m := sectors; m != 0; m &= m - 1 {
		if at := c.arrivals[w/ways][w%ways][bits.TrailingZeros8(m)]; at < 0 {
			unknown |= m & -m
		} else {
			ready = max(ready, at)
		}
	}
	return ready, unknown
}

// Store looks up sectors of a store, which goes on to L2. It returns those in the cache: they have the new data and
// stay. It allocates no line.
func (c *L1) Store(line uint64, sectors uint8) (hit uint8) {
	line = number(line)
	s := &c.sets[c.index.of(line)]
	if way := s.find(line, int(s.last)); way >= 0 {
		return sectors & s.valid.of(way)
	}
	return 0
}

// Invalidate drops all valid sectors in cycle now, for an acquire, because later loads must see what other SMs have
// written. Lines of local memory stay, and pending sectors still arrive.
func (c *L1) Invalidate(now int64) {
	for i := range c.sets {
		s := &c.sets[i]
		for pending := s.pending; pending != 0; {
			way := bits.TrailingZeros64(uint64(pending)) / lineSectors
			c.settle(uint64(i), way, now)
			pending.remove(way, allSectors)
		}
		if s.valid &= s.local; s.local == 0 {
			s.used = 0
		}
	}
}

// Drop evicts a line in cycle now, for loads that L1 must not answer: .cg, .volatile and ordered ones (PTX ISA, cache
// operators). Pending sectors still arrive.
func (c *L1) Drop(line uint64, now int64) {
	line = number(line)
	i := c.index.of(line)
	s := &c.sets[i]
	way := s.find(line, int(s.last))
	if way < 0 {
		return
	}
	if s.pending.of(way) == 0 || c.settle(i, way, now) == 0 {
		s.used &^= 1 << way
	}
	s.valid.remove(way, allSectors)
}
