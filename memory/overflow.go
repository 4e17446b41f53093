package memory

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

const (
	wrap = 1 << 32 // what an index of 32 bits is counted modulo
	// farBefore is how many elements before a region an access is, at the least, that counts as one by an index which has overflowed:
	// programs that mean elements before the start mean nearer ones.
	farBefore = 1 << 30
	// nearBefore is how many elements before the start an index that is negative may mean, where it was taken as unsigned.
	nearBefore = 1 << 20
	// firstPage is where no pointer but null and its neighbours is to.
	firstPage = 4096
	// mostNamed is how many regions a hint names.
	mostNamed = 2
)

// IndexHint says which elements of regions an access of size bytes, in no region, would be to if its index had not been computed in 32
// bits; "" if there are none. Elements are those of the access, or bytes.
func (g *Global) IndexHint(addr, size uint64) string {
	if g.addressBits == 32 || addr < firstPage {
		return ""
	}
	for _, element := range []uint64{size, 1} {
		var named []string
		advice := ""
		for _, r := range g.regions {
			index := int64(addr-r.Base) / int64(element)
			if r.Space != isa.Global || len(r.Data) == 0 || int64(addr-r.Base)%int64(element) != 0 {
				continue
			}
			meant, how := meantIndex(index, int64(uint64(len(r.Data))/element))
			if how == "" {
				continue
			}
			if advice = how; len(named) < mostNamed {
				named = append(named, fmt.Sprintf("element %d of %s, 2^32 from element %d", index, r.Name, meant))
			}
		}
		if named != nil {
			return fmt.Sprintf("%s, of %d bytes each: %s", strings.Join(named, ", or "), element, advice)
		}
	}
	return ""
}

// meantIndex is what an index of a region of n elements may have been before it was cut to 32 bits or extended from these, and what to do
// about it; "" if that is unlikely.
func meantIndex(index, n int64) (meant int64, advice string) {
	switch {
	case index < 0 && index+wrap >= 0 && (index+wrap < n || -wrap/2 <= index && index < -farBefore):
		return index + wrap, "an index of 32 bits has overflowed; compute it in 64 bits"
	case index >= n && index < wrap && index >= wrap-nearBefore:
		return index - wrap, "a negative index of 32 bits was taken as unsigned; compute it as signed"
	}
	return 0, ""
}
