package profile

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Buffer is the requests to a buffer or a variable in global memory. An instruction whose lanes access several makes a
// request to each.
type Buffer struct {
	Name         string // of a variable, in PTX
	Requests     uint64
	Sectors      uint64 // of 32 bytes
	IdealSectors uint64 // as in Traffic

	number int32 // of the region
}

// buffers counts requests by buffer.
type buffers struct {
	all   []Buffer      // of the launch, by address
	index map[int32]int // in all, by the number of the region
	last  *Buffer       // of the last request; nil before the first
}

// buffersOf returns the buffers that a launch on m can access.
func buffersOf(m *interp.Machine) buffers {
	b := buffers{index: make(map[int32]int)}
	for _, r := range m.Regions() {
		if r.Space == isa.Global {
			b.index[r.Number] = len(b.all)
			b.all = append(b.all, Buffer{Name: r.Name, number: r.Number})
		}
	}
	return b
}

// another returns buffers without counts, for the same launch.
func (b *buffers) another() buffers {
	c := buffers{index: b.index, all: make([]Buffer, len(b.all))}
	for i := range b.all {
		c.all[i] = Buffer{Name: b.all[i].Name, number: b.all[i].number}
	}
	return c
}

// add counts a request to the region with a number.
func (b *buffers) add(region int32, sectors, sideBySide int) {
	if b.last == nil || b.last.number != region {
		i, known := b.index[region]
		if !known { // memory that the kernel itself has allocated
			return
		}
		b.last = &b.all[i]
	}
	b.last.Requests++
	b.last.Sectors += uint64(sectors)
	b.last.IdealSectors += uint64(min(sectors, sideBySide))
}

// take moves the counts of the same launch here.
func (b *buffers) take(c *buffers) {
	for i := range b.all {
		to, from := &b.all[i], &c.all[i]
		to.Requests += from.Requests
		to.Sectors += from.Sectors
		to.IdealSectors += from.IdealSectors
		from.Requests, from.Sectors, from.IdealSectors = 0, 0, 0
	}
}

// accessed returns the buffers with requests.
func (b *buffers) accessed() (all []Buffer) {
	for _, one := range b.all {
		if one.Requests > 0 {
			all = append(all, one)
		}
	}
	return all
}
