package memory

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

const (
	wrap = 1 << 32 // modulus of 32-bit indices
	// farBefore is the least number of elements before a region at which an access counts as one with an overflowed
	// index. Accesses closer to the region more likely have a negative index on purpose.
	farBefore = 1 << 30
	// nearBefore is the largest number of elements before a region that a negative index treated as unsigned may have
	// meant.
	nearBefore = 1 << 20
	// firstPage is the end of the addresses that only null pointers lead to.
	firstPage = 4096
	// near is the distance in bytes from which on no region counts as the one that was meant.
	near = 1 << 30
	// mostNamed is the largest number of regions that a hint names.
	mostNamed = 2
)

// IndexHint explains an access of size bytes outside all regions by an index that was computed in 32 bits: it names the
// elements accessed and meant, and says what to do; "" if no such index explains it. Elements are as large as the
// access, or bytes. Without such an index it names the nearest region.
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
				named = append(named, fmt.Sprintf("element %d of %s, which is 2^32 %s element %d", index, r.Shown(), direction(index, meant), meant))
			}
		}
		if named != nil {
			return fmt.Sprintf("%s (%s each): %s", strings.Join(named, ", or "), Bytes(element), advice)
		}
	}
	return g.nearestHint(addr)
}

// nearestHint names the region nearest to an address outside all regions; "" if none is near.
func (g *Global) nearestHint(addr uint64) (hint string) {
	least := uint64(near)
	for _, r := range g.regions {
		if r.Space != isa.Global || len(r.Data) == 0 {
			continue
		}
		if past := addr - r.End(); past < least {
			least, hint = past, fmt.Sprintf("the nearest buffer is %s, which ends %s before the address", r.Shown(), Bytes(past))
		}
		if before := r.Base - addr; before < least {
			least, hint = before, fmt.Sprintf("the nearest buffer is %s, which starts %s after the address", r.Shown(), Bytes(before))
		}
	}
	return hint
}

// meantIndex returns the index, in a region of n elements, that was probably meant before it was truncated to 32 bits
// or extended from 32 bits, and advice; "" if that is unlikely.
func meantIndex(index, n int64) (meant int64, advice string) {
	switch {
	case index < 0 && index+wrap >= 0 && (index+wrap < n || -wrap/2 <= index && index < -farBefore):
		return index + wrap, "a 32-bit index has overflowed; compute it in 64 bits"
	case index >= n && index < wrap && index >= wrap-nearBefore:
		return index - wrap, "a negative 32-bit index was treated as unsigned; compute it as signed"
	}
	return 0, ""
}

// direction says whether an index is above or below the intended one.
func direction(index, meant int64) string {
	if index < meant {
		return "below"
	}
	return "above"
}

// Bytes returns a number of bytes in words: "1 byte", "4 bytes".
func Bytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
