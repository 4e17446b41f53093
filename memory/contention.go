package memory

import "github.com/simtrun/simtrun/internal/lanes"

// DistinctWords returns how many 32-bit words the lanes of m, which is not empty, access. Constant memory serves one
// word at a time, to any number of lanes; for wider accesses the first word counts.
func DistinctWords(a *lanes.Access, m lanes.Mask) int {
	if a.Strided && m == lanes.AllLanes && a.Stride == [2]uint64{} {
		if a.Off[0]/bankBytes == a.Off[half]/bankBytes {
			return 1
		}
		return 2
	}
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	var seen laneSet
	n, last := 0, ^uint64(0)
	for ; m != 0; m &= m - 1 {
		word := off[firstLane(m)] / bankBytes
		if word == last {
			continue
		}
		if _, isNew := seen.add(word); isNew {
			n++
		}
		last = word
	}
	return n
}

// lanesCounted is how many lanes at the place of the first one an instruction that counts lanes takes in a cycle (H100:
// internal/gpu/testdata, shared_atomics, atom.inc1: 1 cycle for a lane, 1.9 for 8, 4.9 for 32).
const lanesCounted = 8

// CountWavefronts returns how many cycles shared memory takes to add 1 to a word of 4 bytes for each lane of m, which
// is not empty, if no instruction reads the old values. Words in one bank are changed one after the other, and lanes at
// one word are counted.
func CountWavefronts(a *lanes.Access, m lanes.Mask) int {
	var banks, most int
	if a.Strided {
		banks, most = Banks(a, m, bankBytes).Wavefronts, Contention(a, m, bankBytes)
	} else {
		var use BankUse
		use, most = bankWords(&a.Off, m, bankBytes)
		banks = use.Wavefronts
	}
	return max(banks, 1+(most-1+lanesCounted/2)/lanesCounted)
}

// Contention returns the largest number of lanes of m, which is not empty, that access one place. Their atomics are
// executed one after the other.
func Contention(a *lanes.Access, m lanes.Mask, size int) int {
	if _, ok := contiguous(a, m, size); ok {
		return 1
	}
	if a.Strided && m == lanes.AllLanes && a.Stride == [2]uint64{} {
		if a.Off[0] == a.Off[half] {
			return lanes.Width
		}
		return half
	}
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	var seen laneSet
	var count [setSlots]uint8
	most := uint8(0)
	last, slot := ^uint64(0), uint(0)
	for ; m != 0; m &= m - 1 {
		if at := off[firstLane(m)]; at != last {
			slot, _ = seen.add(at)
			last = at
		}
		count[slot%setSlots]++
		most = max(most, count[slot%setSlots])
	}
	return int(most)
}
