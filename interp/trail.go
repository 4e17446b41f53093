package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/memory"
)

// trailBytes is the size of a trail, after which code exits: it should stay in the first cache of the CPU.
const trailBytes = 16 << 10

// trail is the memory of the trail that code leaves of loads and branches of which observers are notified later.
type trail [(trailBytes + jit.TrailRoom) / 8]uint64

// beginTrail makes code begin a trail, if observers are notified late of what it executes.
func (e *Engine) beginTrail() {
	if !e.grid.late {
		return
	}
	if e.native.trail == nil {
		e.native.trail = new(trail)
	}
	at := uintptr(unsafe.Pointer(e.native.trail))
	e.native.ctx.TrailAt, e.native.ctx.TrailEnd = at, at+trailBytes
}

// followTrail notifies observers of what code of the site's function has executed since beginTrail.
func (e *Engine) followTrail(n *compiledFunc) {
	t := e.native.trail
	if t == nil {
		return
	}
	start := unsafe.Pointer(t)
	end := int(e.native.ctx.TrailAt - uintptr(start))
	if end == 0 {
		return
	}
	e.native.ctx.TrailAt = uintptr(start)
	split, sites := e.at.Split, n.Trail()
	for at := 0; at < end; {
		head := (*jit.TrailHead)(unsafe.Add(start, at))
		at += jit.TrailHeadBytes
		s := &sites[head.Site]
		e.at.Split = head.Mask
		switch {
		case s.Branch:
			for _, o := range e.observers.lateRun {
				o.Ran(&e.at, s.PC, s.PC+1, head.Mask)
			}
			continue
		case s.Affine:
			e.locatePlaces(s, (*jit.TrailPlaces)(unsafe.Add(start, at)))
			at += jit.TrailPlacesBytes
		default:
			e.locateOffsets(s, (*jit.TrailOffsets)(unsafe.Add(start, at)))
			at += jit.TrailOffsetsBytes
		}
		a := &e.event
		a.Kind, a.PC, a.Lanes, a.More = isa.Load, s.PC, head.Mask, false
		for _, o := range e.observers.lateAccess {
			o.Accessed(&e.at, a)
		}
	}
	e.at.Split = split
}

// trailRegion returns the memory that code accesses at a site.
func (e *Engine) trailRegion(s *native.TrailSite) *memory.Region {
	if r := e.hint[s.Hint]; !s.Shared && r != nil {
		return r
	}
	return &e.cta.Shared
}

// locatePlaces sets e.acc to the access at a site with affine addresses, given the places of the first lanes of strips.
func (e *Engine) locatePlaces(s *native.TrailSite, places *jit.TrailPlaces) {
	r, a := e.trailRegion(s), &e.acc
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), uint64(s.Size)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(r.Data))) - uintptr(s.Disp)
	strip := uintptr(jit.StripLanes * s.Stride)
	stride := uint64(s.Stride)
	if (s.Stride == 0 || s.Stride == s.Size) && places[1] == places[0]+strip && places[3] == places[2]+strip {
		a.Strided, a.Stride[0], a.Stride[1] = true, stride, stride
		a.Off[0], a.Off[lanes.Width/2] = uint64(places[0]-first), uint64(places[2]-first)
		return
	}
	a.Strided = false
	for i := range a.Off {
		a.Off[i] = uint64(places[i/jit.StripLanes]-first) + stride*uint64(i%jit.StripLanes)
	}
}

// locateOffsets sets e.acc to the access at a site, given the offset of each lane.
func (e *Engine) locateOffsets(s *native.TrailSite, offsets *jit.TrailOffsets) {
	r, a := e.trailRegion(s), &e.acc
	a.Mem, a.Base, a.Region, a.Space, a.Size, a.Strided = r.Data, r.Base, r.Number, uint8(r.Space), uint64(s.Size), false
	for i, off := range offsets {
		a.Off[i] = uint64(off) + uint64(s.Disp)
	}
}
