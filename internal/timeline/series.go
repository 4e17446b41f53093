package timeline

// maxBins is the most bins of a series.
const maxBins = 512

// series is a counter over time in bins of equal width. The width doubles when there are too many. Its content does
// not depend on the order of the calls.
type series struct {
	shift uint // a bin is 1<<shift cycles
	bins  []uint64
}

// add counts n at a cycle.
func (s *series) add(cycle int64, n uint64) { s.bins[s.bin(cycle)] += n }

// addSpan counts 1 in each cycle from first to end-1.
func (s *series) addSpan(first, end int64) {
	if first >= end {
		return
	}
	s.bin(end - 1)
	for first < end {
		next := min(end, (first>>s.shift+1)<<s.shift)
		s.bins[first>>s.shift] += uint64(next - first)
		first = next
	}
}

// bin returns the index of a cycle's bin, and makes sure that the bin exists.
func (s *series) bin(cycle int64) int {
	for cycle>>s.shift >= maxBins {
		s.widen()
	}
	n := int(cycle >> s.shift)
	for len(s.bins) <= n {
		s.bins = append(s.bins, 0)
	}
	return n
}

func (s *series) widen() {
	s.shift++
	for i, n := range s.bins {
		if i%2 == 0 {
			s.bins[i/2] = n
		} else {
			s.bins[i/2] += n
		}
	}
	s.bins = s.bins[:(len(s.bins)+1)/2]
}

// Counted returns the counters of all SMs in bins of binCycles cycles: cycles of resident warps, and machine
// instructions, by SM and bin. For failed launches they include cycles after the failure.
func (r *Recorder) Counted() (binCycles int64, warps, issued [][]uint64) {
	shift := uint(0)
	for i := range r.sms {
		shift = max(shift, r.sms[i].active.shift, r.sms[i].issued.shift)
	}
	binsOf := func(s *series) []uint64 {
		for s.shift < shift {
			s.widen()
		}
		return append([]uint64{}, s.bins...)
	}
	for i := range r.sms {
		warps, issued = append(warps, binsOf(&r.sms[i].active)), append(issued, binsOf(&r.sms[i].issued))
	}
	return 1 << shift, warps, issued
}

// merge adds another series. Afterwards both have the same bin width.
func (s *series) merge(other *series) {
	for other.shift < s.shift {
		other.widen()
	}
	for s.shift < other.shift {
		s.widen()
	}
	for len(s.bins) < len(other.bins) {
		s.bins = append(s.bins, 0)
	}
	for i, n := range other.bins {
		s.bins[i] += n
	}
}
