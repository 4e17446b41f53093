package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/memory"
)

// trailBytes is the size of a trail, after which code exits: it should stay in the second cache of the CPU.
const trailBytes = 64 << 10

// trail is the memory of the trail that code leaves of accesses and branches of which observers are notified later.
type trail [(trailBytes + jit.TrailRoom + jit.TrailTurnRoom) / 8]uint64

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

// followTrail notifies observers of what code of the site's function has executed since beginTrail: in a warp, or in the
// turns of warps.
func (e *Engine) followTrail(n *compiledFunc) {
	t := e.native.trail
	if t == nil {
		return
	}
	end := int(e.native.ctx.TrailAt - uintptr(t.at(0)))
	if end == 0 {
		return
	}
	e.native.ctx.TrailAt = uintptr(t.at(0))
	at, sites := e.at, n.Trail()
	f := following{n: n, end: end}
	e.event.late = &f
	for f.next = 0; f.next < end; {
		head := (*jit.TrailHead)(t.at(f.next))
		if head.Site&jit.TrailTurn != 0 {
			f.next += jit.TrailHeadBytes
			e.followTurnEnd(&f, head)
			continue
		}
		s := &sites[head.Site]
		e.at.Split = head.Mask
		if s.Kind == isa.Branch {
			f.next += jit.TrailHeadBytes
			for _, o := range e.observers.lateRun {
				o.Ran(&e.at, s.PC, s.PC+1, head.Mask)
			}
			continue
		}
		f.start = f.next
		f.next = e.trailedAccess(t, f.start, s)
		m := head.Mask
		if s.Kind != isa.Load {
			f.columns = columnsOf(t, f.next, s)
			f.next += s.Columns()
			if m = f.columns.executing(m); m == 0 {
				continue
			}
		}
		a := &e.event
		a.Kind, a.PC, a.Lanes, a.More = s.Kind, s.PC, m, false
		for _, o := range e.observers.lateAccess {
			o.Accessed(&e.at, a)
		}
		if f.undone && s.Kind != isa.Load {
			f.columns.redo(&e.acc, m)
		}
	}
	e.event.late = nil
	e.at = at
}

// followTurnEnd notifies observers of the end of a turn: an arrival at a barrier, or the end of a warp, and after the
// last turn of a round the release of the barrier.
func (e *Engine) followTurnEnd(f *following, head *jit.TrailHead) {
	turns, pc, event := e.native.turned, f.n.Exit(uint32(head.Mask)).PC, head.Site&^jit.TrailTurn
	t := &turns[f.turn]
	e.at.Warp, e.at.Split = t.Warp.ID, t.Split.Mask
	if f.turn++; f.turn == len(turns) {
		f.turn = 0
	}
	if event == jit.EventEnded {
		e.notifyExited(pc, e.at.Split)
	} else {
		id := jit.Barrier(event)
		e.notifyArrived(pc-1, id, e.at.Split)
		if f.turn == 0 {
			e.notifyReleased(id)
		}
	}
	e.at.Warp = turns[f.turn].Warp.ID
}

// following is the state of followTrail.
type following struct {
	n       *compiledFunc
	start   int          // of the entry of the present access
	next    int          // the entry after that
	end     int          // of the trail
	turn    int          // number of the present turn
	columns trailColumns // of the present access, if it changes memory
	undone  bool         // memory is as it was before the present access; else as code has left it
}

// undo makes memory what it was before the present access, by undoing the accesses from that one on. followTrail makes
// each again after its notification.
func (f *following) undo(e *Engine) {
	if f.undone || !f.n.TrailsChanges() {
		return
	}
	f.undone = true
	t, sites, starts := e.native.trail, f.n.Trail(), e.native.changes[:0]
	for at := f.start; at < f.end; {
		site := (*jit.TrailHead)(t.at(at)).Site
		if site&jit.TrailTurn != 0 {
			at += jit.TrailHeadBytes
			continue
		}
		s := &sites[site]
		if s.Kind != isa.Branch && s.Kind != isa.Load {
			starts = append(starts, int32(at))
		}
		at += s.Bytes()
	}
	e.native.changes = starts
	present := e.acc
	for i := len(starts) - 1; i >= 0; i-- {
		head := (*jit.TrailHead)(t.at(int(starts[i])))
		s := &sites[head.Site]
		c := columnsOf(t, e.trailedAccess(t, int(starts[i]), s), s)
		c.undo(&e.acc, c.executing(head.Mask))
	}
	e.acc = present
}

// trailedAccess sets e.acc to the access of an entry of the trail, and returns where its columns are.
func (e *Engine) trailedAccess(t *trail, at int, s *native.TrailSite) int {
	at += jit.TrailHeadBytes
	if s.Affine {
		e.locatePlaces(s, (*jit.TrailPlaces)(t.at(at)))
		return at + jit.TrailPlacesBytes
	}
	e.locateOffsets(s, (*jit.TrailOffsets)(t.at(at)))
	return at + jit.TrailOffsetsBytes
}

// at returns the place of a byte of the trail.
func (t *trail) at(n int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(t), n) }

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
	if low, ok := stridesOf(offsets[:lanes.Width/2], s.Size); ok {
		high, ok := stridesOf(offsets[lanes.Width/2:], s.Size)
		a.Strided, a.Stride = ok, [2]uint64{low, high}
	}
}

// stridesOf returns the distance of the places of half a warp, if that is 0 or the size of an access.
func stridesOf(offsets []uint32, size int) (stride uint64, ok bool) {
	d := offsets[1] - offsets[0]
	if d != 0 && d != uint32(size) {
		return 0, false
	}
	for i := range offsets[1:] {
		if offsets[i+1]-offsets[i] != d {
			return 0, false
		}
	}
	return uint64(d), true
}
