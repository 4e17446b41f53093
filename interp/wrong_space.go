package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// nullBytes is the distance from 0 within which an otherwise unknown address counts as an offset from a null pointer.
const nullBytes = 4 << 10

// misplaced explains an address that is in no region of the instruction's space: null, an address of another space,
// or the lower half of an address. It returns "" if nothing is known.
func (e *Engine) misplaced(in *program.Info, p target) string {
	global := p.isGlobal()
	if global && p.region != nil { // near its end, or its start
		return ""
	}
	addr := p.addr
	if r := e.m.global.At(addr); r != nil {
		return inRegion(r, addr)
	}
	if rank, offset, ok := isa.PeerOf(addr); ok && in.Space == isa.Shared && rank < len(e.cta.Cluster.CTAs) && len(e.cta.Cluster.CTAs) > 1 {
		return fmt.Sprintf("the address is that of 0x%x in %s, which .shared::cluster reaches, or the generic address of 0x%x in .shared space", offset, peerName(e.cta.Cluster.CTAs[rank]), addr-isa.SharedWindow)
	}
	if in.Space != isa.Generic {
		if of, offset, ok := windowOf(addr); ok {
			return fmt.Sprintf("the address is the generic address of 0x%x in .%s space; cvta.to.%s converts it", offset, of, of)
		}
	}
	if fn := e.m.FuncAt(addr); fn != nil {
		return "the address is that of function " + cxx.Short(fn.Name)
	}
	if global {
		switch {
		case addr == 0:
			return "the address is null"
		case addr < uint64(len(e.cta.Shared.Data)):
			return fmt.Sprintf("the address is 0x%x in .shared space, or an offset from null", addr)
		case addr < nullBytes:
			return "the address is an offset from null"
		}
	}
	if r := e.m.global.Truncated(addr); r != nil {
		return fmt.Sprintf("the address is the lower 32 bits of one in %s", r.Shown())
	}
	return ""
}

// windowOf returns the space with the window that contains a generic address, and the offset in the window.
func windowOf(addr uint64) (space isa.Space, offset uint64, ok bool) {
	for _, space := range [...]isa.Space{isa.Shared, isa.Local, isa.Param} {
		bytes := uint64(isa.WindowBytes)
		if space == isa.Shared {
			bytes *= 2
		}
		if w := space.Window(); addr >= w && addr < w+bytes {
			return space, addr - w, true
		}
	}
	return 0, 0, false
}

// inRegion says that an address is in a region of another space.
func inRegion(r *memory.Region, addr uint64) string {
	name := r.Shown()
	if addr != r.Base {
		name = fmt.Sprintf("%s+%d", name, addr-r.Base)
	}
	return fmt.Sprintf("the address is that of %s in .%s space", name, r.Space)
}
