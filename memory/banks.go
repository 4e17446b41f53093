package memory

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Shared memory has 32 banks, each of which delivers one 32-bit word in a wavefront
// (CUDA C++ Programming Guide, shared memory).
const (
	bankBytes      = 4
	numBanks       = 32
	wavefrontBytes = bankBytes * numBanks
)

// BankUse is how a request uses the banks of shared memory.
type BankUse struct {
	Wavefronts int // wavefronts that the request takes
	Ideal      int // wavefronts without bank conflicts
	Degree     int // bank conflict: the largest number of words of one bank that a phase needs; 1 without conflict
}

// Banks returns how the lanes of m, which is not empty, use the banks when each moves size bytes: a power of two up
// to 32, to which the places are aligned. A request takes one phase for each 128 bytes that its lanes could fill: all
// lanes up to 4 bytes each, half of the warp for 8, a quarter for 16. The wavefronts of a phase are the largest
// number of distinct words that it needs of one bank. This holds for stores; for loads see LoadBanks.
func Banks(a *lanes.Access, m lanes.Mask, size int) BankUse {
	word := uint64(max(size, bankBytes)) // bytes of the banks that a lane uses
	perPhase := wavefrontBytes / int(word)
	ideal := phases(m, perPhase)
	if a.Strided && m == lanes.AllLanes {
		if perPhase <= half || !halvesClash(a, size) {
			return BankUse{ideal, ideal, 1}
		}
		return BankUse{2, ideal, 2}
	}
	if _, ok := contiguous(a, m, size); ok {
		return BankUse{ideal, ideal, 1}
	}
	var buf [lanes.Width]uint64
	return bankUse(offsets(a, &buf), m, size)
}

// LoadBanks is Banks for a load. Two phases of lanes with more than 4 bytes become one if each lane n has the place
// of lane n xor 1, or each that of lane n xor 2, as far as both are active. Measured on an H100 and an H200 with all
// lanes active (docs/hardware-measured.md).
func LoadBanks(a *lanes.Access, m lanes.Mask, size int) BankUse {
	if size <= bankBytes {
		return Banks(a, m, size)
	}
	if a.Strided && m == lanes.AllLanes {
		switch perPhase := wavefrontBytes / size; {
		case a.Stride[0] != 0 && a.Stride[1] != 0: // no two lanes of a half have the same place
			return Banks(a, m, size)
		case a.Stride[0]|a.Stride[1] == 0 && perPhase < half: // each phase of pairs has lanes of one half, at one place
			n := half / perPhase
			return BankUse{n, n, 1}
		}
	}
	return loadBanksOf(a, m, size)
}

// loadBanksOf is LoadBanks for more than 4 bytes, at any places.
func loadBanksOf(a *lanes.Access, m lanes.Mask, size int) BankUse {
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	for _, apart := range []int{1, 2} {
		if alikeInPairs(off, m, apart) {
			return bankUse(packPairs(off, &m, apart), m, size)
		}
	}
	return Banks(a, m, size)
}

// alikeInPairs reports whether active lanes that form a pair at a distance always have the same address.
func alikeInPairs(off *[lanes.Width]uint64, m lanes.Mask, apart int) bool {
	for both := m & (m >> apart) & lowerOfPairs(apart); both != 0; both &= both - 1 {
		if lane := firstLane(both); off[lane] != off[lane+apart] {
			return false
		}
	}
	return true
}

// lowerOfPairs returns the lower lanes of the pairs at a distance.
func lowerOfPairs(apart int) lanes.Mask {
	if apart == 1 {
		return 0x55555555
	}
	return 0x33333333
}

// packPairs returns the places of 16 lanes, one for each pair of m's lanes at a distance; m becomes their mask.
func packPairs(off *[lanes.Width]uint64, m *lanes.Mask, apart int) *[lanes.Width]uint64 {
	var packed [lanes.Width]uint64
	active := lanes.Mask(0)
	for lower, i := lowerOfPairs(apart), 0; lower != 0; lower, i = lower&(lower-1), i+1 {
		lane := firstLane(lower)
		if *m>>lane&1 == 0 {
			lane += apart
		}
		packed[i] = off[lane]
		active |= *m >> lane & 1 << i
	}
	*m = active
	return &packed
}

// bankUse is Banks for lanes at any places.
func bankUse(off *[lanes.Width]uint64, m lanes.Mask, size int) BankUse {
	use, _ := bankWords(off, m, size)
	return use
}

// bankWords is Banks for lanes at any places. It also returns the largest number of lanes that need one word in a
// phase.
func bankWords(off *[lanes.Width]uint64, m lanes.Mask, size int) (use BankUse, together int) {
	word := max(size, bankBytes)
	shift, perPhase := bits.TrailingZeros(uint(word)), wavefrontBytes/word
	// By bank group: the latest lane, plus 1, with a word that no lane before needs; 0 for none. By such a lane: the one
	// before it, and how many lanes need the word.
	var latest, before, count [lanes.Width]uint8
	var words [lanes.Width]uint8 // by bank group
	phaseEnd, most := 0, uint8(0)
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		if lane >= phaseEnd { // a new phase
			use.Wavefronts += int(most)
			use.Ideal++
			phaseEnd, most = (lane/perPhase+1)*perPhase, 0
		}
		word := off[lane] >> shift
		group := bankGroup(lane, word, perPhase) & (lanes.Width - 1)
		i := latest[group]
		for i != 0 && off[(i-1)&(lanes.Width-1)]>>shift != word {
			i = before[(i-1)&(lanes.Width-1)]
		}
		if i == 0 {
			i = uint8(lane + 1)
			before[lane], latest[group] = latest[group], i
			words[group]++
			most = max(most, words[group])
			use.Degree = max(use.Degree, int(most))
		}
		n := &count[(i-1)&(lanes.Width-1)]
		*n++
		together = max(together, int(*n))
	}
	use.Wavefronts += int(most)
	return use, together
}

// phases returns how many groups of n consecutive lanes have a lane of m.
func phases(m lanes.Mask, n int) int {
	count := 0
	for group := lanes.AllLanes >> (lanes.Width - n); group != 0; group <<= n {
		if m&group != 0 {
			count++
		}
	}
	return count
}

// halvesClash reports whether the strided halves of a warp, of up to 4 bytes a lane, need different words of one
// bank.
func halvesClash(a *lanes.Access, size int) bool {
	low, high := halves(a, size)
	const shift = 2 // to words
	start, start2 := low.start>>shift, high.start>>shift
	end, end2 := (low.end-1)>>shift+1, (high.end-1)>>shift+1
	if max(end, end2)-min(start, start2) <= numBanks {
		return false
	}
	apart := (start2 - start) % numBanks
	return apart < end-start || (numBanks-apart)%numBanks < end2-start2
}

// Wide words take several adjacent banks, so that a phase has as many groups of banks as lanes. bankGroup numbers
// those of all phases.
func bankGroup(lane int, word uint64, perPhase int) int {
	return lane&^(perPhase-1) | int(word)&(perPhase-1)
}

// AtomicWavefronts returns how many wavefronts an atomic on shared memory takes for the lanes of m, which is not
// empty, each of which changes size bytes, 4 or 8. Lanes that access one bank are served one after the other, even at
// the same place.
func AtomicWavefronts(a *lanes.Access, m lanes.Mask, size int) int {
	var buf [lanes.Width]uint64
	off := offsets(a, &buf)
	var depth [lanes.Width]uint8
	word := uint64(max(size, bankBytes))
	shift, perPhase := bits.TrailingZeros64(word), wavefrontBytes/int(word)
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		depth[bankGroup(lane, off[lane]>>shift, perPhase)&(lanes.Width-1)]++
	}
	n := 0
	for first := 0; first < lanes.Width; first += perPhase {
		most := 0
		for _, d := range depth[first : first+perPhase] {
			most = max(most, int(d))
		}
		n += most
	}
	return n
}
