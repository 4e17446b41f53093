package memory

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// View returns the access from which a load by the lanes of m reads: a, unless the SM has stored there. It returns
// false if the values depend on operations at the exchange: the load must then be executed there, too. With ahead it
// sees memory as it was before these operations. The access is valid until the next call.
func (j *Journal) View(a *lanes.Access, m lanes.Mask, ahead bool) (*lanes.Access, bool) {
	j.changed.extend(j)
	v := view{lines: &j.changed, mem: a.Mem, base: a.Base}
	seen := &j.seen
	seen.Mem, seen.Size = j.buffer[:lanes.Width*a.Size], a.Size
	side(seen)
	size := int(a.Size)
	if start, ok := contiguous(a, m, size); ok {
		v.look(seen.Mem[firstLane(m)*size:][:m.Count()*size], start)
	} else if isOnePlace(a) {
		seen.Stride, seen.Off[half] = [2]uint64{}, 0
		v.look(seen.Mem[:size], a.Off[0])
	} else {
		for ; m != 0; m &= m - 1 {
			lane := firstLane(m)
			v.look(seen.Mem[lane*size:][:size], a.At(lane))
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

// isOnePlace reports whether all lanes of an access, including inactive ones, are at the same place.
func isOnePlace(a *lanes.Access) bool {
	return a.Strided && a.Stride == [2]uint64{} && a.Off[half] == a.Off[0]
}

// lastLane returns the highest lane of m, which must not be empty.
func lastLane(m lanes.Mask) int { return bits.Len32(uint32(m)) - 1 }

// view is one call of View.
type view struct {
	lines   *changedLines
	mem     []byte
	base    uint64 // address of mem[0]
	changed bool   // by a store
	later   bool   // an operation at the exchange changes it
}

// look copies to to the contents of a place in memory as the SM sees them.
func (v *view) look(to []byte, at uint64) {
	copy(to, v.mem[at:])
	for addr := v.base + at; len(to) > 0; {
		n := min(len(to), LineBytes-int(addr%LineBytes))
		if i := v.lines.find(lineOf(addr)); i != 0 {
			v.overlay(to[:n], &v.lines.lines[i], int(addr%LineBytes))
		}
		addr, to = addr+uint64(n), to[n:]
	}
}

// overlay copies the bytes that stores have left to to, which represents the bytes of a line from a place on.
func (v *view) overlay(to []byte, l *changedLine, from int) {
	in := bytesFrom(from, len(to))
	v.later = v.later || l.later.and(in) != byteSet{}
	switch stored := l.stored.and(in); stored {
	case byteSet{}:
	case in:
		v.changed = true
		copy(to, l.bytes[from:])
	default:
		v.changed = true
		for k := range to {
			if stored.has(from + k) {
				to[k] = l.bytes[from+k]
			}
		}
	}
}

// changedLines are the lines that the entries of a journal change, and the bytes that its stores leave in them.
type changedLines struct {
	entries int // entries of the journal that are in the lines
	lines   []changedLine
	slots   *[lineSlots]int32 // by slot of the line: index of its first line; nil before the first entry
}

// changedLine is a line that entries of a journal change. Line 0 of changedLines means none.
type changedLine struct {
	line   uint64
	next   int32   // line with the same slot
	stored byteSet // bytes that stores change
	later  byteSet // bytes that operations at the exchange change
	bytes  [LineBytes]byte
}

// byteSet is a set of bytes of a line.
type byteSet [LineBytes / 64]uint64

// bytesFrom returns the n bytes of a line, at least one, from a place on.
func bytesFrom(from, n int) (s byteSet) {
	for i := range s {
		if low, high := max(from-64*i, 0), min(from+n-64*i, 64); low < high {
			s[i] = ^uint64(0) >> (64 - (high - low)) << low
		}
	}
	return s
}

func (s byteSet) and(other byteSet) byteSet { return byteSet{s[0] & other[0], s[1] & other[1]} }
func (s byteSet) or(other byteSet) byteSet  { return byteSet{s[0] | other[0], s[1] | other[1]} }
func (s byteSet) has(i int) bool            { return s[i/64]>>(i%64)&1 != 0 }

// find returns the index of a line; 0 if no entry changes it.
func (x *changedLines) find(line uint64) int32 {
	i := x.slots[lineSlot(line)]
	for i != 0 && x.lines[i].line != line {
		i = x.lines[i].next
	}
	return i
}

// of returns a line, which it adds if necessary. The line is valid until the next call.
func (x *changedLines) of(line uint64) *changedLine {
	if i := x.find(line); i != 0 {
		return &x.lines[i]
	}
	n, slot := len(x.lines), lineSlot(line)
	if n == cap(x.lines) {
		x.lines = append(x.lines, changedLine{})
	}
	x.lines = x.lines[:n+1]
	l := &x.lines[n]
	l.line, l.next, l.stored, l.later = line, x.slots[slot], byteSet{}, byteSet{}
	x.slots[slot] = int32(n)
	return l
}

func (x *changedLines) empty() {
	if x.entries == 0 {
		return
	}
	for i := range x.lines[1:] {
		x.slots[lineSlot(x.lines[i+1].line)] = 0
	}
	x.entries, x.lines = 0, x.lines[:1]
}

// extend adds the new entries of the journal to the lines.
func (x *changedLines) extend(j *Journal) {
	if x.slots == nil {
		x.slots, x.lines = new([lineSlots]int32), make([]changedLine, 1)
	}
	for ; x.entries < len(j.entries); x.entries++ {
		switch e := &j.entries[x.entries]; {
		case e.mem == nil:
		case e.row:
			x.change(j, e, e.at, e.bytes)
		default:
			offsets := (*[lanes.Width]uint64)(j.offsets[e.offsets:])
			for m := e.mask; m != 0; m &= m - 1 {
				lane := firstLane(m)
				x.change(j, e, offsets[lane], e.bytes+lane*int(e.size))
			}
		}
	}
}

// change adds the part of an entry at a place in memory. The bytes of a store begin at an index in j.bytes.
func (x *changedLines) change(j *Journal, e *entry, at uint64, bytes int) {
	addr := e.base + at
	for left := int(e.size); left > 0; {
		from := int(addr % LineBytes)
		n := min(left, LineBytes-from)
		l, in := x.of(lineOf(addr)), bytesFrom(from, n)
		if e.deferred != notDeferred {
			l.later = l.later.or(in)
		} else {
			l.stored = l.stored.or(in)
			copy(l.bytes[from:from+n], j.bytes[bytes:])
		}
		addr, bytes, left = addr+uint64(n), bytes+n, left-n
	}
}
