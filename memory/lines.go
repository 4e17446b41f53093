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
	first := len(to)
	if a.Strided && isCell(a.Base+a.Off[0], size) && isCell(a.Base+a.Off[half], size) {
		for h, in := range [...]lanes.Mask{m & (1<<half - 1), m >> half << half} {
			if in != 0 {
				to = appendHalf(to, first, a, h, in, size)
			}
		}
		return to
	}
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	for ; m != 0; m &= m - 1 {
		addr := a.Base + off[firstLane(m)]
		var at int
		to, at = findLine(to, first, addr/LineBytes)
		to[at].Sectors |= 1 << (addr >> sectorShift % lineSectors)
		to[at].Lanes++
	}
	return to
}

// isCell reports whether an address is the start of an aligned piece of size bytes within a sector.
func isCell(addr uint64, size int) bool {
	return size <= SectorBytes && size&(size-1) == 0 && addr&uint64(size-1) == 0
}

// appendHalf appends the lines that the lanes of m, all in one half of the warp, access with a stride. It adds to those
// that to[first:] has already.
func appendHalf(to []LineSectors, first int, a *lanes.Access, h int, m lanes.Mask, size int) []LineSectors {
	stride, start := a.Stride[h], a.Base+a.Off[h*half]
	isRow := stride == uint64(size)
	if last := start + (half-1)*stride; m>>(h*half) == 1<<half-1 && (isRow || stride == 0) && last/LineBytes == start/LineBytes {
		return addPlaces(to, first, start, last, half) // most often
	}
	for m != 0 {
		lane := firstLane(m)
		addr := start + uint64(lane-h*half)*stride
		last, n := addr, 1 // lanes that are handled together
		switch {
		case stride == 0:
			n = m.Count()
			m = 0
		case isRow:
			n = min(bits.TrailingZeros32(^uint32(m>>lane)), int(LineBytes-addr%LineBytes)/size)
			last += uint64((n - 1) * size)
			m &^= (1<<n - 1) << lane
		default:
			m &= m - 1
		}
		to = addPlaces(to, first, addr, last, n)
	}
	return to
}

// addPlaces adds n lanes to the line that has their places: all sectors from that of address low to that of last.
func addPlaces(to []LineSectors, first int, low, last uint64, n int) []LineSectors {
	to, at := findLine(to, first, low/LineBytes)
	from, until := low>>sectorShift%lineSectors, last>>sectorShift%lineSectors
	to[at].Sectors |= uint8(1<<(until+1) - 1<<from)
	to[at].Lanes += uint8(n)
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
	switch _, row := contiguous(a, m, size); {
	case row:
		for i := range to[first:] {
			to[first+i].Words = to[first+i].Lanes
		}
		return to
	case isOnePlace(a):
		to[first].Words = 1
		return to
	}
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
