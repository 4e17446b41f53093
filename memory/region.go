// Package memory holds the state spaces: allocations with names and guard
// gaps, the check of every access against bounds and alignment, and the errors
// that say what an access missed.
package memory

import (
	"fmt"
	"slices"
	"sort"

	"github.com/simtrun/simtrun/isa"
)

// Region is a piece of memory with a name: a buffer, a module variable, the
// shared memory of a CTA, the parameters of a kernel.
type Region struct {
	Name     string
	Space    isa.Space
	Base     uint64 // address of the first byte in the space
	Number   int32  // unique in the machine; see Global.NewNumber
	Data     []byte // little-endian
	ReadOnly bool
}

// End is the address after the last byte.
func (r *Region) End() uint64 { return r.Base + uint64(len(r.Data)) }

// Global is global memory, and constant memory beside it: regions in the order
// of their addresses. An address between them belongs to nothing.
type Global struct {
	regions     []*Region
	numbered    int32 // numbers that have been given out
	global      area
	constant    area
	budget      *Budget
	addressBits int
}

// area is a range of addresses, given out upwards.
type area struct {
	next, end uint64
	gap       uint64 // bytes left free after each region
}

const (
	// regionAlign is what CUDA's allocator promises at the least (CUDA C++
	// Programming Guide, device memory accesses).
	regionAlign = 256
	// guardGap lies after every region, so that running past its end is
	// noticed and does not hit the next.
	guardGap = 1 << 20
	// constGap is the same for constants, of which modules have thousands.
	constGap = 4 << 10
	// regionCost is what the host keeps for a region beside its bytes, about.
	regionCost = 256
)

// NewGlobal is empty global memory whose addresses have 32 or 64 bits. Its
// regions are counted in b.
func NewGlobal(addressBits int, b *Budget) *Global {
	g := &Global{addressBits: addressBits, budget: b,
		global:   area{isa.GlobalBase, 1 << 48, guardGap},
		constant: area{isa.ConstBase, isa.GlobalBase32, constGap}}
	if addressBits == 32 {
		g.global.next, g.global.end = isa.GlobalBase32, 1<<32
	}
	return g
}

// Alloc adds a zeroed region of size bytes in the space Global or Const. Its
// base is aligned to 256 bytes. The name is for messages and need not be
// unique. What the budget does not have left is a *BudgetError.
func (g *Global) Alloc(name string, space isa.Space, size int64) (*Region, error) {
	if size < 0 {
		return nil, fmt.Errorf("%s: %d bytes cannot be allocated", name, size)
	}
	a := &g.global
	if space == isa.Const {
		a = &g.constant
	}
	if a.next >= a.end || uint64(size) > a.end-a.next {
		return nil, fmt.Errorf("%s: %d bytes cannot be allocated; .%s memory with addresses of %d bits ends at 0x%x", name, size, space, g.addressBits, a.end)
	}
	if err := g.budget.Take(name, size+regionCost); err != nil {
		return nil, err
	}
	r := &Region{Name: name, Space: space, Base: a.next, Number: g.NewNumber(), Data: make([]byte, size), ReadOnly: space == isa.Const}
	g.regions = slices.Insert(g.regions, g.above(r.Base), r)
	a.next = (r.End() + a.gap + regionAlign - 1) &^ (regionAlign - 1)
	return r, nil
}

// NewNumber is the number of one more region. Numbers count up from 0, so that state
// of regions can be kept in a slice by number. That of a freed region is not given
// out again.
func (g *Global) NewNumber() int32 {
	g.numbered++
	return g.numbered - 1
}

// above is the index of the first region that starts above addr.
func (g *Global) above(addr uint64) int {
	return sort.Search(len(g.regions), func(i int) bool { return g.regions[i].Base > addr })
}

// At is the region that addr is in, or nil.
func (g *Global) At(addr uint64) *Region {
	if i := g.above(addr); i > 0 && addr < g.regions[i-1].End() {
		return g.regions[i-1]
	}
	return nil
}

// Free removes a region. Its addresses are not given out again.
func (g *Global) Free(r *Region) {
	g.budget.Give(int64(len(r.Data)) + regionCost)
	i := g.above(r.Base)
	g.regions = slices.Delete(g.regions, i-1, i)
}

// Truncated is the region one of whose addresses has addr as its lower 32 bits,
// or nil; addr is below 4 GiB.
func (g *Global) Truncated(addr uint64) *Region {
	for high := uint64(1) << 32; addr < 1<<32 && high < g.global.next; high += 1 << 32 {
		if r := g.At(high | addr); r != nil {
			return r
		}
	}
	return nil
}

// Nearest is the region that holds addr, or else the one at whose end or start
// it is nearest; nil if it is further away than a guard gap.
func (g *Global) Nearest(addr uint64) *Region {
	above := g.above(addr)
	var nearest *Region
	distance := uint64(guardGap)
	if above > 0 {
		r := g.regions[above-1]
		if addr < r.End() {
			return r
		}
		if d := addr - r.End(); d < distance {
			nearest, distance = r, d
		}
	}
	if above < len(g.regions) && g.regions[above].Base-addr < distance {
		nearest = g.regions[above]
	}
	return nearest
}

// Snapshot is a copy of what Global memory holds, to be put back.
type Snapshot struct {
	regions          []*Region
	data             [][]byte // of regions
	global, constant area
}

// Save makes to what g holds.
func (g *Global) Save(to *Snapshot) {
	to.global, to.constant = g.global, g.constant
	to.regions = append(to.regions[:0], g.regions...)
	for len(to.data) < len(to.regions) {
		to.data = append(to.data, nil)
	}
	for i, r := range to.regions {
		to.data[i] = append(to.data[i][:0], r.Data...)
	}
}

// Restore makes g hold what it held when s was saved. Regions that were allocated
// since are gone, those that were freed are there again. Numbers that were given
// out since are not given out again.
func (g *Global) Restore(s *Snapshot) {
	var before, after int64 // bytes of the budget
	for _, r := range g.regions {
		before += int64(len(r.Data)) + regionCost
	}
	for i, r := range s.regions {
		after += int64(len(r.Data)) + regionCost
		copy(r.Data, s.data[i])
	}
	g.budget.Give(before - after)
	g.global, g.constant = s.global, s.constant
	g.regions = append(g.regions[:0], s.regions...)
}
