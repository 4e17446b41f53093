package memory

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// The granularity of global and local memory (Nsight Compute, Memory Tables): caches have tags for lines of 128 bytes
// and move sectors of 32.
const (
	SectorBytes = 32
	LineBytes   = 128

	sectorShift = 5
	lineSectors = LineBytes / SectorBytes
)

// Sectors counts the distinct sectors and lines of a request in which each lane of m, which is not empty, moves size
// bytes. size is a power of two up to 32 to which the places are aligned, so that no lane straddles sectors.
func Sectors(a *lanes.Access, m lanes.Mask, size int) (sectors, lines int) {
	if a.Strided && m == lanes.AllLanes {
		low, high := halves(a, size)
		return low.cells(high, SectorBytes), low.cells(high, LineBytes)
	}
	if start, ok := contiguous(a, m, size); ok {
		all := span{start, start + uint64(m.Count()*size)}
		return all.cells(all, SectorBytes), all.cells(all, LineBytes)
	}
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	if sectors, lines, ok := ascendingSectors(off, m); ok {
		return sectors, lines
	}
	var seen laneSet
	var touched touchedSectors
	for ; m != 0; m &= m - 1 {
		sector := off[firstLane(m)] >> sectorShift
		slot, isNew := seen.add(sector / lineSectors)
		if isNew {
			lines++
		}
		sectors += touched.add(slot, uint(sector%lineSectors))
	}
	return sectors, lines
}

// touchedSectors is the set of sectors of each line of a laneSet, one bit each.
type touchedSectors [setSlots]uint8

// add adds a sector of the line in a slot, and returns 1 if it is new, else 0.
func (t *touchedSectors) add(slot, sector uint) int {
	old := t[slot%setSlots]
	t[slot%setSlots] |= 1 << sector
	return int(^old >> sector & 1)
}

// ascendingSectors is Sectors for lanes with ascending or equal offsets; ok is false for others.
func ascendingSectors(off *[lanes.Width]uint64, m lanes.Mask) (sectors, lines int, ok bool) {
	prev := off[firstLane(m)] >> sectorShift
	sectors, lines = 1, 1
	for m &= m - 1; m != 0; m &= m - 1 {
		sector := off[firstLane(m)] >> sectorShift
		switch {
		case sector == prev:
			continue
		case sector < prev:
			return 0, 0, false
		case sector/lineSectors != prev/lineSectors:
			lines++
		}
		sectors++
		prev = sector
	}
	return sectors, lines, true
}

// LocalSectors is Sectors for local memory: a.Mem has an equal part of it for each lane. The hardware interleaves the
// parts (CUDA C++ Programming Guide, local memory): a 32-bit word of all lanes is one line, lane by lane.
func LocalSectors(a *lanes.Access, m lanes.Mask, size int) (sectors, lines int) {
	const lanesPerSector = SectorBytes / 4
	unit := uint64(max(size, 4))
	perLane := uint64(len(a.Mem)) / lanes.Width
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	var seen laneSet
	var touched touchedSectors
	last, slot, isNew := ^uint64(0), uint(0), false
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		if at := (off[lane] - uint64(lane)*perLane) / unit; at != last {
			if slot, isNew = seen.add(at); isNew {
				lines++
			}
			last = at
		}
		sectors += touched.add(slot, uint(lane/lanesPerSector))
	}
	words := int(unit / 4) // each in its own line
	return sectors * words, lines * words
}

// IdealSectors returns the number of sectors of a request of n lanes with size bytes each if the lanes are contiguous
// from a sector's start.
func IdealSectors(n, size int) int { return (n*size + SectorBytes - 1) / SectorBytes }

// span is the bytes from start up to, but without, end.
type span struct{ start, end uint64 }

// halves returns the spans that the two halves of a full warp access in strided halves.
func halves(a *lanes.Access, size int) (low, high span) {
	return span{a.Off[0], a.Off[0] + (half-1)*a.Stride[0] + uint64(size)},
		span{a.Off[half], a.Off[half] + (half-1)*a.Stride[1] + uint64(size)}
}

// cells returns how many pieces of size bytes, a power of two, s and t cover together.
func (s span) cells(t span, size int) int {
	shift := bits.TrailingZeros(uint(size))
	first, last := int(s.start>>shift), int((s.end-1)>>shift)
	first2, last2 := int(t.start>>shift), int((t.end-1)>>shift)
	shared := min(last, last2) - max(first, first2) + 1
	return last - first + 1 + last2 - first2 + 1 - max(shared, 0)
}

// contiguous reports whether the lanes of m, with consecutive numbers, access contiguous places, and the first of
// these.
func contiguous(a *lanes.Access, m lanes.Mask, size int) (start uint64, ok bool) {
	stride := uint64(size)
	if !a.Strided || a.Stride[0] != stride || a.Stride[1] != stride || a.Off[half] != a.Off[0]+half*stride {
		return 0, false
	}
	first := firstLane(m)
	block := m >> first
	return a.Off[0] + uint64(first)*stride, block&(block+1) == 0
}

// offsets returns the offset of each lane, in buf if a does not list them.
func offsets(a *lanes.Access, buf *[lanes.Width]uint64) *[lanes.Width]uint64 {
	if !a.Strided {
		return &a.Off
	}
	for i := range buf {
		buf[i] = a.At(i)
	}
	return buf
}

// firstLane returns the lowest lane of m, which must not be empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) & (lanes.Width - 1) }

// laneSet is a hashed set of up to a warp's number of keys: a slot holds its key plus 1.
type laneSet [setSlots]uint64

const (
	setBits  = 7
	setSlots = 1 << setBits // four times the lanes, so that few keys collide
)

// add adds key, below 2^64-1, to the set and returns its slot, and whether it is new.
func (s *laneSet) add(key uint64) (slot uint, isNew bool) {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: spreads consecutive keys
	slot = uint(key * golden >> (64 - setBits))
	for s[slot] != key+1 {
		if s[slot] == 0 {
			s[slot] = key + 1
			return slot, true
		}
		slot = (slot + 1) % setSlots
	}
	return slot, false
}
