package native

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Shape says by how much the coordinates of a thread's index in its CTA differ between adjacent lanes of a subvector: 0
// or 1, or that they are not affine. Code is correct for CTAs of any shape, but can only be entered if its Shape
// matches.
type Shape [3]int8

const notAffine int8 = -1

// ShapeOf returns the shape of CTAs with the given threads.
func ShapeOf(block isa.Dim) (s Shape) {
	threads := uint32(block.Count())
	at := func(n uint32) [3]uint32 { return [3]uint32{n % block.X, n / block.X % block.Y, n / block.X / block.Y} }
	for k := range s {
		if threads > 1 {
			s[k] = int8(at(1)[k] - at(0)[k])
		}
	}
	for first := uint32(0); first < threads; first += jit.SubvectorLanes {
		for n := first; n+1 < min(first+jit.SubvectorLanes, threads); n++ {
			for k := range s {
				if s[k] != notAffine && at(n + 1)[k]-at(n)[k] != uint32(s[k]) {
					s[k] = notAffine
				}
			}
		}
	}
	return s
}
