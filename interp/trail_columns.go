package interp

import (
	"math/bits"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
)

// trailColumns are the columns of an access in an entry of a trail (see native.TrailSite).
type trailColumns struct {
	guard  *[lanes.Width]uint32 // nil without a guard
	values unsafe.Pointer       // of each element what memory held before, and what it holds afterwards
	site   *native.TrailSite
	bytes  int // of a column
}

// columnsOf returns the columns of an access, given where its entry is.
func columnsOf(t *trail, at int, s *native.TrailSite) trailColumns {
	c := trailColumns{site: s, bytes: s.Column()}
	at += s.Columns
	if s.Guarded {
		c.guard = (*[lanes.Width]uint32)(t.at(at))
		at += int(jit.TrailColumn(32))
	}
	c.values = t.at(at)
	return c
}

// executing returns the lanes of m that execute the access.
func (c *trailColumns) executing(m lanes.Mask) lanes.Mask {
	if c.guard == nil {
		return m
	}
	executing := lanes.Mask(0)
	for i, word := range c.guard {
		executing |= lanes.Mask(word&1) << i
	}
	return m & executing
}

// before and after number the columns of an element.
const (
	before = iota
	after
)

// column returns a column of an element.
func (c *trailColumns) column(elem, which int) unsafe.Pointer {
	return unsafe.Add(c.values, (2*elem+which)*c.bytes)
}

// undo sets the memory of the lanes of m to what it held before the access: the highest lane first, because it may have
// accessed the place of a lower one after that.
func (c *trailColumns) undo(a *lanes.Access, m lanes.Mask) {
	if c.whole(a, m) {
		*(*[lanes.Width]uint32)(unsafe.Pointer(&a.Mem[a.Off[0]])) = *(*[lanes.Width]uint32)(c.column(0, before))
		return
	}
	for m != 0 {
		lane := bits.Len32(uint32(m)) - 1
		m &^= 1 << lane
		c.set(a, lane, before)
	}
}

// redo sets the memory of the lanes of m to what it held after the access.
func (c *trailColumns) redo(a *lanes.Access, m lanes.Mask) {
	if c.whole(a, m) {
		*(*[lanes.Width]uint32)(unsafe.Pointer(&a.Mem[a.Off[0]])) = *(*[lanes.Width]uint32)(c.column(0, after))
		return
	}
	for ; m != 0; m &= m - 1 {
		c.set(a, m.First(), after)
	}
}

// whole reports whether all lanes access contiguous words.
func (c *trailColumns) whole(a *lanes.Access, m lanes.Mask) bool {
	return c.site.Elems == 1 && a.Size == 4 && m == lanes.AllLanes && a.Strided && a.Contiguous()
}

// set sets the memory of a lane to a value in columns.
func (c *trailColumns) set(a *lanes.Access, lane, which int) {
	to := a.Mem[a.At(lane):]
	if c.site.Elems == 1 && a.Size == 4 {
		*(*uint32)(unsafe.Pointer(&to[0])) = (*[lanes.Width]uint32)(c.column(0, which))[lane]
		return
	}
	size, width := c.site.Element(), c.bytes/lanes.Width
	for k := range c.site.Elems {
		copy(to[k*size:], unsafe.Slice((*byte)(unsafe.Add(c.column(k, which), lane*width)), size))
	}
}

// byLane returns the contents of memory before the access, or the values that the lanes of a store have stored, in the
// layout of Access.Stored.
func (c *trailColumns) byLane(which int, to []byte) []byte {
	size, width := c.site.Element(), c.bytes/lanes.Width
	if c.site.Elems == 1 && size == width {
		return unsafe.Slice((*byte)(c.column(0, which)), c.bytes)
	}
	for k := range c.site.Elems {
		from := c.column(k, which)
		for lane := range lanes.Width {
			copy(to[lane*c.site.Size+k*size:], unsafe.Slice((*byte)(unsafe.Add(from, lane*width)), size))
		}
	}
	return to
}
