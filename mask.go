package simtrun

import (
	"iter"
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Width is the number of lanes of a warp.
const Width = lanes.Width

// Mask is a set of lanes of a warp: bit i is lane i.
type Mask uint32

// Count is the number of lanes in m.
func (m Mask) Count() int { return bits.OnesCount32(uint32(m)) }

// Has reports whether lane i is in m.
func (m Mask) Has(i int) bool { return m>>i&1 != 0 }

// Lanes are the lanes in m, from the lowest.
func (m Mask) Lanes() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; m != 0; m &= m - 1 {
			if !yield(bits.TrailingZeros32(uint32(m))) {
				return
			}
		}
	}
}

// String is the lanes as ranges, as in "0-15,20"; "none" when there are none.
func (m Mask) String() string { return lanes.Mask(m).Ranges() }
