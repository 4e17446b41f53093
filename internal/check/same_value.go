package check

import (
	"bytes"
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/lanes"
)

// sameInstruction returns the lanes with accesses to a location by the present warp instruction that are part of r.
func (v *visit) sameInstruction(r *record, at uint64) lanes.Mask {
	if r.cta != v.now.cta || r.warp != v.now.warp || r.sites != v.now.sites || r.epoch != v.now.epoch || r.iteration != v.now.iteration {
		return 0
	}
	return v.doneAt(at)
}

// doneAt returns the lanes already checked that access the byte at an offset.
func (v *visit) doneAt(at uint64) (m lanes.Mask) {
	for left := v.done; left != 0; left &= left - 1 {
		if off := v.acc.At(firstLane(left)); off <= at && at < off+v.size {
			m |= left & -left
		}
	}
	return m
}

// sameValue reports whether the bytes of a conflict are overwritten with their old values.
func (v *visit) sameValue(c *conflict) bool {
	switch {
	case v.stored == nil:
		return false
	case !c.sameInstr:
		return c.earlier.marks&mixed == 0 && c.earlier.extra == v.now.extra
	}
	own := v.storedBy(firstLane(v.now.lanes), c.from, c.to)
	for left := c.earlier.lanes; left != 0; left &= left - 1 {
		if !bytes.Equal(own, v.storedBy(firstLane(left), c.from, c.to)) {
			return false
		}
	}
	return true
}

// leaves reports whether the present access is a store that does not change the size bytes at an offset: in memory,
// or as stored by an earlier lane of the same instruction.
func (v *visit) leaves(at, size uint64) bool {
	if v.stored == nil {
		return false
	}
	var is []byte
	if m := v.doneAt(at); m != 0 {
		is = v.storedBy(lastLane(m), at, at+size)
	} else if v.held != nil {
		is = v.ofLane(v.held, firstLane(v.now.lanes), at, at+size)
	} else {
		is = v.memory()[at : at+size]
	}
	return bytes.Equal(is, v.storedBy(firstLane(v.now.lanes), at, at+size))
}

// storedBy returns the values that a lane of a store writes to the bytes from from to to.
func (v *visit) storedBy(lane int, from, to uint64) []byte { return v.ofLane(v.stored, lane, from, to) }

// ofLane returns the part of bytes, which has the data of all lanes, that a lane accesses at the addresses from from to
// to.
func (v *visit) ofLane(bytes []byte, lane int, from, to uint64) []byte {
	base := uint64(lane)*v.size - v.acc.At(lane)
	return bytes[base+from : base+to]
}

// written returns the value that the current store writes to the size bytes, at most 4, at an offset; 0 for an atomic.
func (v *visit) written(at, size uint64) (value uint32) {
	if v.stored == nil || v.site.class&reads != 0 {
		return 0
	}
	stored := v.storedBy(firstLane(v.now.lanes), at, at+size)
	if len(stored) == wordBytes {
		return binary.LittleEndian.Uint32(stored)
	}
	for i, b := range stored {
		value |= uint32(b) << (8 * i)
	}
	return value
}
