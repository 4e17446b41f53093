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
	// Now is the cycle of the accesses that are logged. It does not decrease before the exchange.
	Now int64

	entries []entry
	bytes   []byte   // data of stores
	offsets []uint64 // of scattered entries, one for each lane
	filter  filter   // of entries that change memory
	defers  bool     // there are entries of operations at the exchange that change memory
	index   index    // of entries that change memory, up to the latest load that needed it

	capture lanes.Access // destination of a store's bytes
	seen    lanes.Access // what a load sees, if it differs from memory
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

// Defers reports whether an operation at the exchange changes memory.
func (j *Journal) Defers() bool { return j.defers }

// Empty forgets all entries.
func (j *Journal) Empty() {
	if len(j.entries) == 0 {
		return
	}
	j.entries, j.bytes, j.offsets = j.entries[:0], j.bytes[:0], j.offsets[:0]
	j.filter, j.defers = filter{}, false
	j.index.empty()
}

// Store logs a store by the lanes of m to the places of a, and returns an access to which the store must write at
// once instead. The next call of Store reuses it.
func (j *Journal) Store(a *lanes.Access, m lanes.Mask) *lanes.Access {
	at, n := len(j.bytes), lanes.Width*int(a.Size)
	j.bytes = slices.Grow(j.bytes, n)[:at+n]
	e := j.add(a, m)
	e.deferred, e.bytes = notDeferred, at
	if e.row {
		e.bytes += firstLane(m) * int(a.Size)
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
	j.entries = append(j.entries, entry{cycle: j.Now, deferred: int32(number)})
}

// DeferChange is Defer for an operation that changes memory at the places of the lanes of m in a.
func (j *Journal) DeferChange(number int, a *lanes.Access, m lanes.Mask) {
	j.add(a, m).deferred = int32(number)
	j.defers = true
}

// add adds an entry that changes memory.
func (j *Journal) add(a *lanes.Access, m lanes.Mask) *entry {
	n := len(j.entries)
	j.entries = slices.Grow(j.entries, 1)[:n+1]
	e := &j.entries[n]
	e.cycle, e.mem, e.base, e.mask, e.size = j.Now, a.Mem, a.Base, m, uint16(a.Size)
	j.filter.addRegion(a.Region)
	if e.at, e.row = contiguous(a, m, int(a.Size)); e.row {
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

// Changes reports whether an entry may change what a load by the lanes of m reads. It has few false positives.
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

// View returns the access from which a load by the lanes of m reads: a, unless the SM has stored there. It returns
// false if the values depend on operations at the exchange: the load must then be executed there, too. With ahead it
// sees memory as it was before these operations. The access is valid until the next call.
func (j *Journal) View(a *lanes.Access, m lanes.Mask, ahead bool) (*lanes.Access, bool) {
	j.index.extend(j)
	v := view{j: j, mem: a.Mem, base: a.Base}
	seen := &j.seen
	seen.Mem, seen.Size = j.buffer[:lanes.Width*a.Size], a.Size
	side(seen)
	if start, ok := contiguous(a, m, int(a.Size)); ok {
		v.look(seen.Mem[firstLane(m)*int(a.Size):][:m.Count()*int(a.Size)], start)
	} else {
		for ; m != 0; m &= m - 1 {
			lane := firstLane(m)
			v.look(seen.Mem[lane*int(a.Size):][:a.Size], a.At(lane))
		}
	}
	switch {
	case v.later && !ahead:
		return nil, false
	case !v.changed:
		return a, true
	}
	return seen, true
}

// view is one call of View.
type view struct {
	j       *Journal
	mem     []byte
	base    uint64 // address of mem[0]
	changed bool   // by a store
	later   bool   // an operation at the exchange changes it
}

// look copies to to what the SM sees at a place in memory.
func (v *view) look(to []byte, at uint64) {
	copy(to, v.mem[at:])
	start := v.base + at
	end := start + uint64(len(to))
	for line := lineOf(start); line*LineBytes < end; line++ {
		from := max(start, line*LineBytes)
		part := to[from-start : min(end, (line+1)*LineBytes)-start]
		for n := v.j.index.first(line); n != 0; {
			node := &v.j.index.nodes[n]
			if node.line == line {
				v.overlay(&v.j.entries[node.entry], node.lanes, part, from)
			}
			n = node.next
		}
	}
}

// overlay copies to to, which represents memory at an address, what an entry writes there; for an entry that is not a
// row, only some of its lanes.
func (v *view) overlay(e *entry, of lanes.Mask, to []byte, addr uint64) {
	if e.row {
		v.overlayPiece(e, to, addr, e.base+e.at, e.bytes)
		return
	}
	offsets := (*[lanes.Width]uint64)(v.j.offsets[e.offsets:])
	for m := of; m != 0; m &= m - 1 {
		lane := firstLane(m)
		v.overlayPiece(e, to, addr, e.base+offsets[lane], e.bytes+lane*int(e.size))
	}
}

// overlayPiece is overlay for the bytes of an entry at one address.
func (v *view) overlayPiece(e *entry, to []byte, addr, piece uint64, bytes int) {
	from, until := max(addr, piece), min(addr+uint64(len(to)), piece+uint64(e.size))
	switch {
	case from >= until:
	case e.deferred != notDeferred:
		v.later = true
	default:
		v.changed = true
		copy(to[from-addr:until-addr], v.j.bytes[bytes+int(from-piece):])
	}
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

// index finds the entries that change a line, in their order.
type index struct {
	entries int // entries of the journal that are in the index
	nodes   []node
	slots   *nodesOfLines // nil before the first entry
}

// nodesOfLines has by slot of the line the first and the last node; 0 for none.
type nodesOfLines struct{ head, tail [lineSlots]int32 }

// node says that an entry changes a line. Node 0 means none.
type node struct {
	line  uint64
	entry int32
	next  int32      // node of the slot
	lanes lanes.Mask // of the entry: those that change the line, unless it is a row
}

func (x *index) first(line uint64) int32 { return x.slots.head[lineSlot(line)] }

func (x *index) empty() {
	if x.entries > 0 {
		x.entries, x.nodes, x.slots.head = 0, x.nodes[:0], [lineSlots]int32{}
	}
}

// extend adds the new entries of the journal to the index.
func (x *index) extend(j *Journal) {
	if x.slots == nil {
		x.slots = new(nodesOfLines)
	}
	if len(x.nodes) == 0 {
		x.nodes = append(x.nodes, node{})
	}
	for ; x.entries < len(j.entries); x.entries++ {
		switch e := &j.entries[x.entries]; {
		case e.mem == nil:
		case e.row:
			first, last := e.rowLines()
			for line := first; line <= last; line++ {
				x.add(line, 0)
			}
		default:
			for m := e.mask; m != 0; {
				line, of := lineOf(e.base+j.offsets[int(e.offsets)+firstLane(m)]), lanes.Mask(0)
				for m != 0 && line == lineOf(e.base+j.offsets[int(e.offsets)+firstLane(m)]) {
					of |= m & -m
					m &= m - 1
				}
				x.add(line, of)
			}
		}
	}
}

// add records that lanes of the next entry change a line. Further lanes of the entry may follow.
func (x *index) add(line uint64, of lanes.Mask) {
	n, slot := int32(len(x.nodes)), lineSlot(line)
	x.nodes = append(x.nodes, node{line: line, entry: int32(x.entries), lanes: of})
	if x.slots.head[slot] == 0 {
		x.slots.head[slot] = n
	} else {
		x.nodes[x.slots.tail[slot]].next = n
	}
	x.slots.tail[slot] = n
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
