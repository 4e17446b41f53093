package memory

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Journal holds an SM's accesses to global memory from one exchange to the next. Stores wait in it and are not in
// memory yet. Atomics and similar operations are executed by the engine at the exchange; the journal keeps their
// order. Loads of the SM see its stores through View. Logged accesses must have been checked for bounds and
// alignment. The zero Journal is empty.
type Journal struct {
	// Position orders the accesses that are logged from now on among those of all journals: their cycle. It does not
	// decrease before the exchange.
	Position int64

	entries []entry
	bytes   []byte       // data of stores
	offsets []uint64     // of scattered entries, one for each lane
	filter  filter       // of entries that change memory
	defers  bool         // there are entries of operations at the exchange that change memory
	changed changedLines // by entries up to the latest load that needed it

	capture lanes.Access // destination of a store's bytes
	seen    lanes.Access // the contents that a load sees, if they differ from memory
	buffer  [lanes.Width * maxSize]byte
}

// maxSize is the largest number of bytes that one lane moves.
const maxSize = 32

// entry is a store, or the position in the order of an operation at the exchange.
type entry struct {
	cycle    int64
	mem      []byte // of the region; nil if the operation changes no memory
	base     uint64 // address of mem[0]
	at       uint64 // of a row: its offset in mem
	bytes    int    // of a store: index of its bytes in Journal.bytes
	offsets  int32  // of an entry that is not a row: index of its lanes' offsets in Journal.offsets
	deferred int32  // number of the operation at the exchange, or notDeferred for a store
	mask     lanes.Mask
	size     uint16 // bytes of a row, or of each lane
	row      bool   // contiguous bytes
}

const notDeferred = -1

// Len is the number of entries.
func (j *Journal) Len() int { return len(j.entries) }

// HasRegion reports whether entries may change a region, given its number.
func (j *Journal) HasRegion(n int32) bool { return j.filter.hasRegion(n) }

// Defers reports whether an operation at the exchange changes memory.
func (j *Journal) Defers() bool { return j.defers }

// Empty forgets all entries.
func (j *Journal) Empty() {
	if len(j.entries) == 0 {
		return
	}
	j.entries, j.bytes, j.offsets = j.entries[:0], j.bytes[:0], j.offsets[:0]
	j.filter, j.defers = filter{}, false
	j.changed.empty()
}

// Store logs a store by the lanes of m to the places of a, and returns an access to which the store must write at
// once instead. The next call of Store reuses it.
func (j *Journal) Store(a *lanes.Access, m lanes.Mask) *lanes.Access {
	at, n := len(j.bytes), lanes.Width*int(a.Size)
	j.bytes = slices.Grow(j.bytes, n)[:at+n]
	e := j.add(a, m)
	e.deferred, e.bytes = notDeferred, at
	if e.row {
		e.bytes += firstLane(e.mask) * int(a.Size)
	}
	c := &j.capture
	c.Mem, c.Size = j.bytes[at:at+n], a.Size
	side(c)
	return c
}

// side makes the places of an access contiguous from the start of its memory.
func side(a *lanes.Access) {
	a.Strided, a.Stride = true, [2]uint64{a.Size, a.Size}
	a.Off[0], a.Off[half] = 0, half*a.Size
}

// Defer logs that the operation with a number is executed at the exchange.
func (j *Journal) Defer(number int) {
	j.entries = append(j.entries, entry{cycle: j.Position, deferred: int32(number)})
}

// DeferChange is Defer for an operation that changes memory at the places of the lanes of m in a.
func (j *Journal) DeferChange(number int, a *lanes.Access, m lanes.Mask) {
	j.add(a, m).deferred = int32(number)
	j.defers = true
}

// add adds an entry that changes memory.
func (j *Journal) add(a *lanes.Access, m lanes.Mask) *entry {
	if isOnePlace(a) { // the store of its last lane remains
		m = 1 << lastLane(m)
	}
	n := len(j.entries)
	j.entries = slices.Grow(j.entries, 1)[:n+1]
	e := &j.entries[n]
	e.cycle, e.mem, e.base, e.mask, e.size = j.Position, a.Mem, a.Base, m, uint16(a.Size)
	j.filter.addRegion(a.Region)
	if e.at, e.row = contiguous(a, m, int(a.Size)); !e.row && m&(m-1) == 0 {
		e.at, e.row = a.At(firstLane(m)), true
	}
	if e.row {
		e.size *= uint16(m.Count())
		first, last := e.rowLines()
		j.filter.add(first)
		for line := first + 1; line <= last; line++ {
			j.filter.add(line)
		}
		return e
	}
	e.offsets = int32(len(j.offsets))
	for lane := range lanes.Width {
		off := a.At(lane)
		j.offsets = append(j.offsets, off)
		if m>>lane&1 != 0 {
			j.filter.add(lineOf(a.Base + off))
		}
	}
	return e
}

// rowLines returns the first and the last line of a row.
func (e *entry) rowLines() (first, last uint64) {
	start := e.base + e.at
	return lineOf(start), lineOf(start + uint64(e.size) - 1)
}

// lineOf returns the number of the line that contains an address.
func lineOf(addr uint64) uint64 { return addr / LineBytes }

// Take applies entry i if it is a store. Otherwise it returns the number of the operation to execute now.
func (j *Journal) Take(i int) (deferred int, ok bool) {
	e := &j.entries[i]
	switch {
	case e.deferred != notDeferred:
		return int(e.deferred), true
	case e.row:
		copy(e.mem[e.at:][:e.size], j.bytes[e.bytes:])
		return 0, false
	}
	to, offsets := e.mem, (*[lanes.Width]uint64)(j.offsets[e.offsets:])
	switch from := j.bytes[e.bytes:]; e.size {
	case 4:
		for m := e.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			binary.LittleEndian.PutUint32(to[offsets[lane]:], binary.LittleEndian.Uint32(from[lane*4:]))
		}
	case 8:
		for m := e.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			binary.LittleEndian.PutUint64(to[offsets[lane]:], binary.LittleEndian.Uint64(from[lane*8:]))
		}
	default:
		for m := e.mask; m != 0; m &= m - 1 {
			lane := firstLane(m)
			copy(to[offsets[lane]:][:e.size], from[lane*int(e.size):])
		}
	}
	return 0, false
}

// Changes reports whether an entry may change memory that a load by the lanes of m reads. It has few false positives.
func (j *Journal) Changes(a *lanes.Access, m lanes.Mask) bool {
	return j.filter.hasRegion(a.Region) && j.changesLine(a, m)
}

func (j *Journal) changesLine(a *lanes.Access, m lanes.Mask) bool {
	if a.Strided { // includes inactive lanes
		for h := range a.Stride {
			start := a.Base + a.Off[h*half]
			last := lineOf(start + (half-1)*a.Stride[h] + a.Size - 1)
			for line := lineOf(start); line <= last; line++ {
				if j.filter.has(line) {
					return true
				}
			}
		}
		return false
	}
	for ; m != 0; m &= m - 1 {
		if j.filter.has(lineOf(a.Base + a.Off[firstLane(m)])) {
			return true
		}
	}
	return false
}

const (
	lineBits  = 10
	lineSlots = 1 << lineBits
)

// lineSlot is the slot of a line in a hash table.
func lineSlot(line uint64) uint {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: spreads consecutive keys
	return uint(line * golden >> (64 - lineBits))
}

// filter is a Bloom filter of lines, and one of regions, with one hash function.
type filter struct {
	regions uint64 // bit n%64 represents region number n
	lines   [lineSlots / 64]uint64
}

func (f *filter) addRegion(n int32)      { f.regions |= 1 << (uint32(n) % 64) }
func (f *filter) hasRegion(n int32) bool { return f.regions>>(uint32(n)%64)&1 != 0 }

func (f *filter) add(line uint64) {
	slot := lineSlot(line)
	f.lines[slot/64] |= 1 << (slot % 64)
}

func (f *filter) has(line uint64) bool {
	slot := lineSlot(line)
	return f.lines[slot/64]>>(slot%64)&1 != 0
}

// Ref is an entry of one of several journals.
type Ref struct {
	Cycle int64
	SM    int32 // index of the journal
	Entry int32
}

// Merger puts the entries of journals in order.
type Merger struct {
	refs []Ref
	next []int32 // by cycle since the first: index in refs
}

// Merge lists the entries of the journals of all SMs in the order of cycle, SM and sequence. Its time and memory grow
// with the cycles from the first to the last entry. The list is valid until the next call.
func (g *Merger) Merge(journals []*Journal) []Ref {
	n, first, last := 0, int64(math.MaxInt64), int64(0)
	for _, j := range journals {
		if k := len(j.entries); k > 0 {
			n += k
			first, last = min(first, j.entries[0].cycle), max(last, j.entries[k-1].cycle)
		}
	}
	g.refs = slices.Grow(g.refs[:0], n)[:n]
	if n == 0 {
		return g.refs
	}
	if int64(n) < (last-first)/8 { // counting by cycle would take longer
		g.insert(journals)
		return g.refs
	}
	// A counting sort, in which next counts the entries of the cycle before first.
	g.next = slices.Grow(g.next[:0], int(last-first)+2)[:last-first+2]
	clear(g.next)
	for _, j := range journals {
		for i := range j.entries {
			g.next[j.entries[i].cycle-first+1]++
		}
	}
	for c := range g.next[1:] {
		g.next[c+1] += g.next[c]
	}
	for sm, j := range journals {
		for i := range j.entries {
			cycle := j.entries[i].cycle
			to := &g.next[cycle-first]
			g.refs[*to] = Ref{Cycle: cycle, SM: int32(sm), Entry: int32(i)}
			*to++
		}
	}
	return g.refs
}

// insert is Merge for few entries: an insertion sort.
func (g *Merger) insert(journals []*Journal) {
	n := 0
	for sm, j := range journals {
		for i := range j.entries {
			cycle, at := j.entries[i].cycle, n
			for ; at > 0 && g.refs[at-1].Cycle > cycle; at-- {
				g.refs[at] = g.refs[at-1]
			}
			g.refs[at] = Ref{Cycle: cycle, SM: int32(sm), Entry: int32(i)}
			n++
		}
	}
}
