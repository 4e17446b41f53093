package memory

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// LineSectors is the part of a request in one line.
type LineSectors struct {
	Line    uint64 // address / LineBytes
	Sectors uint8  // a bit for each
	Lanes   uint8  // lanes that access it
	Words   uint8  // distinct places that they access; set by AppendAtomicLines
}

// AppendLines appends to to the lines of a request, each once, in the order in which its lanes first access them.
// Places are as for Sectors.
func AppendLines(to []LineSectors, a *lanes.Access, m lanes.Mask, size int) []LineSectors {
	if start, ok := contiguous(a, m, size); ok {
		return appendSpan(to, a.Base+start, m.Count(), size)
	}
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	first := len(to)
	for ; m != 0; m &= m - 1 {
		addr := a.Base + off[firstLane(m)]
		var at int
		to, at = findLine(to, first, addr/LineBytes)
		to[at].Sectors |= 1 << (addr >> sectorShift % lineSectors)
		to[at].Lanes++
	}
	return to
}

// appendSpan appends the lines of n lanes with contiguous places of size bytes.
func appendSpan(to []LineSectors, start uint64, n, size int) []LineSectors {
	end := start + uint64(n*size)
	for start < end {
		line := start / LineBytes
		stop := min(end, (line+1)*LineBytes)
		first, last := start>>sectorShift%lineSectors, (stop-1)>>sectorShift%lineSectors
		to = append(to, LineSectors{Line: line, Sectors: uint8(1<<(last+1) - 1<<first), Lanes: uint8(int(stop-start) / size)})
		start = stop
	}
	return to
}

// findLine returns the index of a line in to[first:], to which it appends new ones.
func findLine(to []LineSectors, first int, line uint64) ([]LineSectors, int) {
	for i := len(to) - 1; i >= first; i-- {
		if to[i].Line == line {
			return to, i
		}
	}
	return append(to, LineSectors{Line: line}), len(to)
}

// AppendAtomicLines is AppendLines for an atomic, with Words.
func AppendAtomicLines(to []LineSectors, a *lanes.Access, m lanes.Mask, size int) []LineSectors {
	first := len(to)
	to = AppendLines(to, a, m, size)
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	var seen laneSet
	for ; m != 0; m &= m - 1 {
		addr := a.Base + off[firstLane(m)]
		if _, isNew := seen.add(addr); isNew {
			_, at := findLine(to, first, addr/LineBytes)
			to[at].Words++
		}
	}
	return to
}

// AppendLocalLines is AppendLines for local memory, in the layout of LocalSectors. The first word of all lanes is
// line base.
func AppendLocalLines(to []LineSectors, a *lanes.Access, m lanes.Mask, size int, base uint64) []LineSectors {
	const lanesPerSector = SectorBytes / 4
	perLane := uint64(len(a.Mem)) / lanes.Width
	words := uint64(max(size/4, 1))
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	first := len(to)
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		word := (off[lane] - uint64(lane)*perLane) / 4
		for w := range words {
			var at int
			to, at = findLine(to, first, base+word+w)
			to[at].Sectors |= 1 << (lane / lanesPerSector)
			to[at].Lanes++
		}
	}
	return to
}

// TagWavefronts returns how many cycles the tag lookups of lines take, if each set looks up one tag per cycle. Bit i
// of a line's set is the parity of its number and masks[i].
func TagWavefronts(lines []LineSectors, masks []int64) int {
	if len(lines) < 2 {
		return len(lines)
	}
	var count [1 << maxTagBits]uint8
	most := uint8(0)
	for i := range lines {
		set := 0
		for bit, mask := range masks {
			set |= bits.OnesCount64(lines[i].Line&uint64(mask)) & 1 << bit
		}
		count[set]++
		most = max(most, count[set])
	}
	return int(most)
}

// maxTagBits is the largest number of masks for TagWavefronts (as gpu.MaxTagMasks).
const maxTagBits = 4
