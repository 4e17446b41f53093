package conformance

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// shape is the grid of a structured program. Threads have numbers, by block.
type shape struct {
	grid, block isa.Dim
	cluster     isa.Dim // zero if there are no clusters
}

// shapes of blocks with full warps, and without.
var (
	fullBlocks = []isa.Dim{dim(32, 1), dim(32, 1), dim(64, 1), dim(96, 1), dim(8, 8), dim(16, 2), dim(1, 64), {X: 4, Y: 4, Z: 4}, {X: 1, Y: 1, Z: 32}}
	oddBlocks  = []isa.Dim{dim(32, 1), dim(45, 1), dim(1, 1), dim(7, 1), dim(33, 1), dim(5, 7), dim(24, 3), dim(1, 33), dim(31, 3), {X: 3, Y: 3, Z: 5}, {X: 1, Y: 1, Z: 17}}
	largeBlock = dim(1023, 1)
)

// randomShape returns a shape, with full warps if full is set.
func randomShape(full bool, r *rand.Rand) shape {
	s := shape{grid: dim(1, 1)}
	switch {
	case full || r.IntN(3) == 0:
		s.block = fullBlocks[r.IntN(len(fullBlocks))]
	case r.IntN(100) == 0:
		s.block = largeBlock
		return s
	default:
		s.block = oddBlocks[r.IntN(len(oddBlocks))]
	}
	if r.IntN(4) == 0 {
		s.grid = []isa.Dim{dim(2, 1), dim(3, 1), dim(2, 2), {X: 1, Y: 2, Z: 2}}[r.IntN(4)]
		if s.grid.X != 3 && r.IntN(3) == 0 {
			s.cluster = []isa.Dim{{X: s.grid.X, Y: s.grid.Y, Z: s.grid.Z}, {X: s.grid.X, Y: 1, Z: 1}}[r.IntN(2)]
		}
	}
	return s
}

func size(d isa.Dim) int { return int(d.X * d.Y * d.Z) }

// threads returns the number of threads of a block.
func (s *shape) threads() int { return size(s.block) }

// coordinates returns those of number n in an array.
func coordinates(n int, d isa.Dim) isa.Dim {
	i := uint32(n)
	return isa.Dim{X: i % d.X, Y: i / d.X % d.Y, Z: i / (d.X * d.Y)}
}

// Special registers, those that are the same in all lanes of a block first.
var (
	blockSpecials = strings.Fields("%ctaid.x %ctaid.y %ctaid.z %nctaid.x %nctaid.y %nctaid.z %ntid.x %ntid.y %ntid.z %clusterid.x %nclusterid.x %cluster_ctaid.x %cluster_nctaid.y %cluster_ctarank %cluster_nctarank")
	laneSpecials  = strings.Fields("%tid.x %tid.y %tid.z %laneid %lanemask_eq %lanemask_lt %lanemask_le %lanemask_gt %lanemask_ge")
)

// special returns the value of a special register in a thread.
func (s *shape) special(name string, thread int) uint32 {
	cta, t := coordinates(thread/s.threads(), s.grid), thread%s.threads()
	cluster, lane := s.cluster, uint32(t%32)
	if cluster == (isa.Dim{}) {
		cluster = dim(1, 1)
	}
	in := isa.Dim{X: cta.X % cluster.X, Y: cta.Y % cluster.Y, Z: cta.Z % cluster.Z}
	name, axis, _ := strings.Cut(name, ".")
	of := func(d isa.Dim) uint32 { return map[string]uint32{"x": d.X, "y": d.Y, "z": d.Z}[axis] }
	switch name {
	case "%ctaid":
		return of(cta)
	case "%nctaid":
		return of(s.grid)
	case "%ntid":
		return of(s.block)
	case "%tid":
		return of(coordinates(t, s.block))
	case "%clusterid":
		return of(isa.Dim{X: cta.X / cluster.X, Y: cta.Y / cluster.Y, Z: cta.Z / cluster.Z})
	case "%nclusterid":
		return of(isa.Dim{X: s.grid.X / cluster.X, Y: s.grid.Y / cluster.Y, Z: s.grid.Z / cluster.Z})
	case "%cluster_ctaid":
		return of(in)
	case "%cluster_nctaid":
		return of(cluster)
	case "%cluster_ctarank":
		return (in.Z*cluster.Y+in.Y)*cluster.X + in.X
	case "%cluster_nctarank":
		return uint32(size(cluster))
	case "%laneid":
		return lane
	case "%lanemask_eq":
		return 1 << lane
	case "%lanemask_lt":
		return 1<<lane - 1
	case "%lanemask_le":
		return 1<<lane | (1<<lane - 1)
	case "%lanemask_gt":
		return ^(1<<lane | (1<<lane - 1))
	case "%lanemask_ge":
		return bits.Reverse32(1<<(32-lane) - 1)
	}
	panic("no value of " + name)
}

// number sets %t to the number of the thread in its block.
func (w *kernelText) number(block isa.Dim) {
	if block.Y == 1 && block.Z == 1 {
		w.line("mov.u32 %%t, %%tid.x;")
		return
	}
	w.line("mov.u32 %%t, %%tid.z;")
	w.line("mad.lo.u32 %%t, %%t, %d, %%tid.y;", block.Y)
	w.line("mad.lo.u32 %%t, %%t, %d, %%tid.x;", block.X)
}

// numberInGrid returns the register with the number of the thread in the grid, after %t is set.
func (w *kernelText) numberInGrid(s *shape) string {
	if size(s.grid) == 1 {
		return "%t"
	}
	w.line("mov.u32 %%v, %%ctaid.z;")
	w.line("mad.lo.u32 %%v, %%v, %d, %%ctaid.y;", s.grid.Y)
	w.line("mad.lo.u32 %%v, %%v, %d, %%ctaid.x;", s.grid.X)
	w.line("mad.lo.u32 %%v, %%v, %d, %%t;", s.threads())
	return "%v"
}

// directive is the directive of kernels with clusters.
func (s *shape) directive() string {
	if s.cluster == (isa.Dim{}) {
		return ""
	}
	return fmt.Sprintf(" .reqnctapercluster %d, %d, %d", s.cluster.X, s.cluster.Y, s.cluster.Z)
}
