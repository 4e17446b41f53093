// Package memory holds the state spaces: allocations with names and guard gaps, the check of every access for bounds
// and alignment, and the errors that describe invalid accesses.
package memory

import (
	"bytes"
	"fmt"
	"slices"
	"sort"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// Region is a piece of memory with a name: a buffer, a module variable, the shared memory of a CTA, the parameters of
// a kernel.
type Region struct {
	Name     string
	Space    isa.Space
	Base     uint64 // address of the first byte in the space
	Number   int32  // unique among the present regions; see Global.NewNumber
	Data     []byte // little-endian
	ReadOnly bool
	Hint     string // advice for accesses past its end; "" for none
	// Unwritten has a byte for each of Data, with the bits that are unwritten, or that depend on such bits. It is nil
	// if all are written, or not tracked.
	Unwritten []byte

	// Depends says that values were stored that depend on unwritten ones. Findings name those stores.
	Depends bool

	leaving []Leaving
	host    *hostWrites // nil unless the host may write to the region without a call

	adopted bool // Data belongs to the caller, and is not counted in the budget
	freed   bool
}

// Unwritten is the value of each unwritten byte of memory: of shared memory, and of allocations without contents. It
// makes the results of programs that read it look wrong, as on a GPU, where such memory holds old data.
const Unwritten = 0xab

// Shown returns the name of the region in messages: that of a variable as it is in the source.
func (r *Region) Shown() string { return cxx.Variable(r.Name) }

// SetUnwritten marks all bytes as unwritten, and from then on records writes.
func (r *Region) SetUnwritten() {
	shadow := newShadow(len(r.Data))
	for i := range shadow {
		shadow[i] = 0xff
	}
	r.TrackIn(shadow)
}

// TrackIn is SetUnwritten with the caller's bytes for Unwritten: 0xff for each byte of Data and ShadowPad more.
func (r *Region) TrackIn(shadow []byte) { r.Unwritten = shadow[:len(r.Data)] }

// ShadowPad is the number of bytes after a shadow that code may read, as in package jit.
const ShadowPad = 3

// newShadow allocates n bytes. Compiled code may read the next few.
func newShadow(n int) []byte { return make([]byte, n, n+ShadowPad) }

// SetWritten records that the n bytes from offset off on are written with the bytes of another region from an offset
// on, as far as those are written; from is nil for other bytes.
func (r *Region) SetWritten(off, n uint64, from *Region, fromOff uint64) {
	switch {
	case from != nil && from.Unwritten != nil:
		from.SeeHost(fromOff, n)
		r.Depends = r.Depends || from.Depends
		if r.Unwritten == nil {
			r.Unwritten = newShadow(len(r.Data))
		}
		copy(r.Unwritten[off:off+n], from.Unwritten[fromOff:])
		if !isZero(r.Unwritten[off : off+n]) {
			r.StoresUndefined(off, n)
			r.KeepStored()
		}
	case r.Unwritten != nil:
		clear(r.Unwritten[off : off+n])
	}
}

func isZero(b []byte) bool { return isAll(b, 0) }

// Leaving is a store of undefined values to the bytes from Off up to End, which is a use once the host reads them. Use
// describes it; several stores may have the same.
type Leaving struct {
	Off, End uint64
	Use      any
}

// mostLeaving is how many stores of undefined values a region remembers.
const mostLeaving = 4096

// Leave records a store of undefined values. The latest ones are remembered.
func (r *Region) Leave(l Leaving) {
	if len(r.leaving) == mostLeaving {
		r.leaving = slices.Delete(r.leaving, 0, mostLeaving/2)
	}
	r.leaving = append(r.leaving, l)
}

// HostRead returns the uses of undefined values by which the host's reading n bytes from offset off on is wrong, each
// at its first such read.
func (r *Region) HostRead(off, n uint64) (uses []any) {
	r.SeeHost(off, n)
	for _, l := range r.leaving {
		first, end := max(l.Off, off), min(l.End, off+n)
		if first < end && !isZero(r.Unwritten[first:end]) && !slices.Contains(uses, l.Use) {
			uses = append(uses, l.Use)
		}
	}
	if uses != nil {
		r.leaving = slices.DeleteFunc(r.leaving, func(l Leaving) bool { return slices.Contains(uses, l.Use) })
	}
	return uses
}

// IsUnwritten reports whether none of the n bytes from offset off on was ever written.
func (r *Region) IsUnwritten(off, n uint64) bool {
	r.SeeHost(off, n)
	return r.Unwritten != nil && !r.Depends && bytes.IndexByte(r.Unwritten[off:off+n], 0) < 0
}

// Freed reports whether the region was freed.
func (r *Region) Freed() bool { return r.freed }

// cost returns the part of the budget that the region takes.
func (r *Region) cost() int64 {
	if r.adopted {
		return regionCost
	}
	return int64(len(r.Data)) + regionCost
}

// End returns the address after the last byte.
func (r *Region) End() uint64 { return r.Base + uint64(len(r.Data)) }

// Global is global and constant memory: regions in the order of their addresses. An address between regions belongs
// to none.
type Global struct {
	regions     []*Region
	freed       []freed // the most recently freed regions, in the order of freeing
	numbered    int32   // numbers used so far
	spare, idle []int32 // numbers of freed regions: those that NewNumber reuses, and those that it will reuse after Reuse
	global      area
	constant    area
	budget      *Budget
	addressBits int
}

// area is a range of addresses, allocated in ascending order.
type area struct {
	first, end uint64
	next       uint64 // where the search for the next free place begins
	gap        uint64 // bytes left free after each region
}

const (
	// regionAlign is the minimum alignment of CUDA's allocator (CUDA C++ Programming Guide, device memory accesses).
	regionAlign = 256
	// guardGap follows every region, so that an overrun is detected and does not reach the next region.
	guardGap = 1 << 20
	// constGap is the guard gap of constants; modules may have thousands of them.
	constGap = 4 << 10
	// lowest is the lowest address that a caller can choose: addresses near 0 are null pointers, as for programs on
	// Linux.
	lowest = 64 << 10
	// regionCost is approximately the host memory for a region in addition to its bytes.
	regionCost = 256
)

// NewGlobal returns empty global memory with addresses of 32 or 64 bits. b counts its regions.
func NewGlobal(addressBits int, b *Budget) *Global {
	g := &Global{addressBits: addressBits, budget: b,
		global:   area{isa.GlobalBase, 1 << 48, isa.GlobalBase, guardGap},
		constant: area{isa.ConstBase, isa.GlobalBase32, isa.ConstBase, constGap}}
	if addressBits == 32 {
		g.global = area{isa.GlobalBase32, 1 << 32, isa.GlobalBase32, guardGap}
	}
	return g
}

// AddressBits is 32 or 64.
func (g *Global) AddressBits() int { return g.addressBits }

// Alloc adds a zeroed region of size bytes in the space Global or Const. Its base is aligned to 256 bytes. The name
// is for messages and need not be unique. It returns a *BudgetError if the budget does not suffice.
func (g *Global) Alloc(name string, space isa.Space, size int64) (*Region, error) {
	return g.AllocAligned(name, space, size, regionAlign)
}

// AllocAligned is Alloc with another alignment of the base, a power of two of at least 256.
func (g *Global) AllocAligned(name string, space isa.Space, size int64, align uint64) (*Region, error) {
	if size < 0 {
		return nil, fmt.Errorf("%s: %d bytes cannot be allocated", name, size)
	}
	return g.somewhere(name, space, size, align, nil)
}

// AllocOn is AllocAligned in the space Global for a region that uses the caller's bytes; they are counted in the
// budget.
func (g *Global) AllocOn(name string, data []byte, align uint64) (*Region, error) {
	return g.somewhere(name, isa.Global, int64(len(data)), align, data)
}

// somewhere adds a region at a free place, with new zeroed bytes if data is nil.
func (g *Global) somewhere(name string, space isa.Space, size int64, align uint64, data []byte) (*Region, error) {
	if align < regionAlign || align&(align-1) != 0 {
		return nil, fmt.Errorf("%s: memory cannot be aligned to %d bytes; it is a power of two from %d on", name, align, regionAlign)
	}
	a := &g.global
	if space == isa.Const {
		a = &g.constant
	}
	base, ok := g.place(a, a.next, uint64(size), align)
	if !ok && space == isa.Const { // use the addresses of modules that were unloaded
		base, ok = g.place(a, a.first, uint64(size), align)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %d bytes cannot be allocated; .%s memory with addresses of %d bits ends at 0x%x", name, size, space, g.addressBits, a.end)
	}
	r, err := g.alloc(name, space, base, size, data)
	if err == nil {
		a.next = a.after(r)
	}
	return r, err
}

// AllocAt is Alloc at an address that the caller chooses, a multiple of 16 in the space that overlaps no other
// region. There need be no gap after the region. Global memory is above the windows of other spaces, and here also
// below them from 64 KiB on, where programs at fixed addresses have their variables.
func (g *Global) AllocAt(name string, space isa.Space, base uint64, size int64) (*Region, error) {
	if size < 0 {
		return nil, fmt.Errorf("%s: %d bytes cannot be allocated", name, size)
	}
	if err := g.fits(name, space, base, uint64(size)); err != nil {
		return nil, err
	}
	return g.alloc(name, space, base, size, nil)
}

// Next returns the lowest address for the next region that Alloc places in global memory.
func (g *Global) Next() uint64 { return g.global.next }

// SetNext sets the value of Next. It does not go back.
func (g *Global) SetNext(addr uint64) {
	g.global.next = max(g.global.next, (addr+regionAlign-1)&^(regionAlign-1))
}

// alloc makes a region at a free place, with new zeroed bytes if data is nil.
func (g *Global) alloc(name string, space isa.Space, base uint64, size int64, data []byte) (*Region, error) {
	r := &Region{Name: name, Space: space, Base: base, ReadOnly: space == isa.Const}
	if err := g.budget.Take(name, size+r.cost()); err != nil {
		return nil, err
	}
	if r.Data = data; data == nil {
		r.Data = make([]byte, size)
	}
	g.insert(r)
	return r, nil
}

// after returns the first possible address of a region after r.
func (a *area) after(r *Region) uint64 {
	return (r.End() + a.gap + regionAlign - 1) &^ (regionAlign - 1)
}

// place returns the lowest aligned address of an area, from an address on, at which size bytes and a gap are free. It
// returns false if there is none.
func (g *Global) place(a *area, from, size, align uint64) (base uint64, ok bool) {
	i := g.above(from)
	if i > 0 {
		from = max(from, a.after(g.regions[i-1]))
	}
	for {
		from = (from + align - 1) &^ (align - 1)
		if from >= a.end || size > a.end-from {
			break
		}
		if i == len(g.regions) || from <= g.regions[i].Base && size+a.gap <= g.regions[i].Base-from {
			return from, true
		}
		from = a.after(g.regions[i])
		i++
	}
	return 0, false
}

func (g *Global) insert(r *Region) {
	r.Number = g.NewNumber()
	g.regions = sorted.Insert(g.regions, g.above(r.Base), r)
}

// chosenAlign is the alignment of addresses that the caller chooses, that of C's malloc.
const chosenAlign = 16

// Adopt adds a region of global memory that uses the caller's bytes, at an address that the caller chooses: the
// caller sees writes of kernels at once, and the bytes are not counted in the budget. The address is as for AllocAt.
func (g *Global) Adopt(name string, base uint64, data []byte) (*Region, error) {
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: no bytes to adopt", name)
	}
	if err := g.fits(name, isa.Global, base, uint64(len(data))); err != nil {
		return nil, err
	}
	if err := g.budget.Take(name, regionCost); err != nil {
		return nil, err
	}
	r := &Region{Name: name, Space: isa.Global, Base: base, Data: data, adopted: true}
	g.insert(r)
	return r, nil
}

// fits returns the error in an address that the caller chooses for a region of size bytes.
func (g *Global) fits(name string, space isa.Space, base, size uint64) error {
	first, last := uint64(isa.GlobalBase32), g.global.end
	switch {
	case space == isa.Const:
		first, last = g.constant.first, g.constant.end
	case base < isa.SharedWindow:
		first, last = lowest, isa.SharedWindow
	}
	end := base + size
	switch {
	case base%chosenAlign != 0:
		return fmt.Errorf("%s: 0x%x is not a multiple of %d", name, base, chosenAlign)
	case base < first || end < base || end > last:
		return fmt.Errorf("%s: 0x%x to 0x%x is not within the memory for it, 0x%x to 0x%x", name, base, end, first, last)
	}
	i := g.above(base)
	for _, r := range g.regions[max(i-1, 0):min(i+1, len(g.regions))] {
		if base < r.End() && r.Base < end {
			return fmt.Errorf("%s: 0x%x to 0x%x overlaps %s, 0x%x to 0x%x", name, base, end, r.Name, r.Base, r.End())
		}
	}
	return nil
}

// Regions returns the present regions in the order of their addresses. The slice must not be changed or kept.
func (g *Global) Regions() []*Region { return g.regions }

// NewNumber returns the number of a new region. Numbers count up from 0, so that a slice can hold state of regions by
// number. The number of a freed region is not reused before Reuse.
func (g *Global) NewNumber() int32 {
	if last := len(g.spare) - 1; last >= 0 {
		n := g.spare[last]
		g.spare = g.spare[:last]
		return n
	}
	g.numbered++
	return g.numbered - 1
}

// Reuse allows reuse of the numbers of freed regions. No state of those regions may be kept.
func (g *Global) Reuse() {
	g.spare = append(g.spare, g.idle...)
	g.idle = g.idle[:0]
}

// above returns the index of the first region that starts above addr.
func (g *Global) above(addr uint64) int {
	return sort.Search(len(g.regions), func(i int) bool { return g.regions[i].Base > addr })
}

// At returns the region that contains addr, or nil.
func (g *Global) At(addr uint64) *Region {
	if i := g.above(addr); i > 0 && addr < g.regions[i-1].End() {
		return g.regions[i-1]
	}
	return nil
}

// Free removes a region. Its addresses are not reused, except in constant memory when there are no others.
func (g *Global) Free(r *Region) {
	g.budget.Give(r.cost())
	r.freed = true
	g.idle = append(g.idle, r.Number)
	i := g.above(r.Base)
	g.regions = slices.Delete(g.regions, i-1, i)
	if len(g.freed) == mostFreed {
		g.freed = slices.Delete(g.freed, 0, mostFreed/2)
	}
	g.freed = append(g.freed, freed{r.Name, r.Base, r.End()})
}

// freed is the place of a region that was freed.
type freed struct {
	name      string
	base, end uint64
}

// mostFreed is how many freed regions are remembered, for messages.
const mostFreed = 1 << 16

// Freed returns the name of the most recently freed region that contained an address.
func (g *Global) Freed(addr uint64) (name string, ok bool) {
	for _, f := range slices.Backward(g.freed) {
		if f.base <= addr && addr < f.end {
			return f.name, true
		}
	}
	return "", false
}

// Truncated returns the region with an address that has addr as its lower 32 bits, or nil; addr is below 4 GiB.
func (g *Global) Truncated(addr uint64) *Region {
	if len(g.regions) == 0 {
		return nil
	}
	end := g.regions[len(g.regions)-1].End()
	for high := uint64(1) << 32; addr < 1<<32 && high < end; high += 1 << 32 {
		if r := g.At(high | addr); r != nil {
			return r
		}
	}
	return nil
}

// Nearest returns the region that contains addr, or else the one with its end or start nearest to it; nil if it is
// further away than a guard gap.
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

// Snapshot is a saved copy of the contents of Global memory.
type Snapshot struct {
	regions          []*Region
	data             [][]byte // of regions
	global, constant area
}

// Save copies the contents of g to to.
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

// Restore restores the contents of g when s was saved. It removes regions that were allocated since, and brings back
// those that were freed. Numbers used since are not used again.
func (g *Global) Restore(s *Snapshot) {
	var before, after int64 // bytes of the budget
	for _, r := range g.regions {
		before += r.cost()
		r.freed = true
	}
	for i, r := range s.regions {
		after += r.cost()
		r.freed = false
		copy(r.Data, s.data[i])
	}
	g.budget.Give(before - after)
	g.global, g.constant = s.global, s.constant
	g.regions = append(g.regions[:0], s.regions...)
	g.spare, g.idle = nil, nil // they may be numbers of regions that exist again
}
