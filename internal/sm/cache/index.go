package cache

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/splitmix"
)

// index distributes lines over n places, such as sets of a cache; n need not be a power of two. Of n consecutive
// lines that begin at a multiple of n, each place gets one, so that a cache can hold a contiguous range of its size.
// The next n lines have the same places, rotated by a hash, so that strides are distributed, too.
type index struct {
	n     uint64
	magic uint64 // 2^64/n, rounded up: multiplying by it divides by n
}

func newIndex(n int64) index {
	x := index{n: uint64(n)}
	if n > 1 {
		x.magic = ^uint64(0)/x.n + 1
	}
	return x
}

// of returns the place of a line. The division is exact for lines below 2^44 and up to 2^20 places.
func (x *index) of(line uint64) uint64 {
	if x.n == 1 {
		return 0
	}
	block, _ := bits.Mul64(line, x.magic)
	rotation, _ := bits.Mul64(splitmix.Mix(block), x.n)
	place := line - block*x.n + rotation
	if place >= x.n {
		place -= x.n
	}
	return place
}
