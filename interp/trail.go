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

// trail is the memory for the trail of compiled code: accesses and branches that observers are notified of later.
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

// followTrail notifies observers of what code of the site's function has executed since beginTrail: in a warp, or in
// the turns of warps.
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
	at, entries := e.at, n.Trail()
	f := following{n: n, end: end, arrived: e.native.arrived[:0]}
	e.event.late = &f
	for f.next < end {
		head := (*jit.TrailHead)(t.at(f.next))
		f.start, f.site = f.next, 0
		if head.Site&jit.TrailTurn != 0 {
			f.next += jit.TrailHeadBytes
			e.followTurnEnd(&f, head)
			continue
		}
		entry := &entries[head.Site]
		f.next += entry.Bytes
		e.at.Split = head.Mask
		if s := &entry.Sites[0]; s.Kind == isa.Branch {
			for _, o := range e.observers.lateRun {
				o.Ran(&e.at, s.PC, s.PC+1, head.Mask)
			}
			continue
		}
		e.followAccesses(&f, entry, head.Mask)
	}
	e.followArrivals(&f, f.turn)
	e.native.arrived = f.arrived
	e.event.late = nil
	e.at = at
}

// followAccesses notifies observers of the accesses of an entry, by the lanes of split.
func (e *Engine) followAccesses(f *following, entry *native.TrailEntry, split lanes.Mask) {
	t, a := e.native.trail, &e.event
	f.site = 0
	if o := e.observers.loads; o != nil && entry.Loads && len(entry.Sites) > 1 {
		f.site = o.Loaded(&e.at, e.loadsOf(f.start, entry, split))
	}
	for ; f.site < len(entry.Sites); f.site++ {
		s, m := &entry.Sites[f.site], split
		e.trailedAccess(t, f.start, s)
		if s.Kind != isa.Load {
			f.columns = columnsOf(t, f.start, s)
			if m = f.columns.executing(m); m == 0 {
				continue
			}
		}
		a.Kind, a.PC, a.Lanes, a.More = s.Kind, s.PC, m, false
		for _, o := range e.observers.lateAccess {
			o.Accessed(&e.at, a)
		}
		if f.undone && s.Kind != isa.Load {
			f.columns.redo(&e.acc, m)
		}
	}
}

// followTurnEnd notifies observers of the end of a turn: an arrival at a barrier, or the end of a warp, and after the
// last turn of a round the release of the barrier.
func (e *Engine) followTurnEnd(f *following, head *jit.TrailHead) {
	turns, pc, event := e.native.turned, f.n.Exit(uint32(head.Mask)).PC, head.Site&^jit.TrailTurn
	this := f.turn
	if f.turn++; f.turn == len(turns) {
		f.turn = 0
	}
	if event == jit.EventEnded {
		e.followArrivals(f, this)
		e.at.Warp, e.at.Split = turns[this].Warp.ID, turns[this].Split.Mask
		e.notifyExited(pc, e.at.Split)
	} else {
		e.followArrival(f, this, pc-1, jit.Barrier(event))
	}
	e.at.Warp = turns[f.turn].Warp.ID
}

// following is the state of followTrail.
type following struct {
	n       *compiledFunc
	start   int          // of the present entry
	site    int          // of the present access in it
	next    int          // the entry after that
	end     int          // of the trail
	turn    int          // number of the present turn
	columns trailColumns // of the present access, if it changes memory
	undone  bool         // memory is as it was before the present access; else as code has left it
	// arrived has the barriers, by PC, at which the latest turns ended, and which observers are not yet notified of.
	// All are at the barrier with one number.
	arrived []int
	barrier int
}

// trailedChange is where the trail has an access that changes memory: its entry, and its number in that.
type trailedChange struct{ entry, site int32 }

// undo makes memory what it was before the present access, by undoing the accesses from that one on. followTrail makes
// each again after its notification.
func (f *following) undo(e *Engine) {
	if f.undone || !f.n.TrailsChanges() {
		return
	}
	f.undone = true
	t, entries, changes := e.native.trail, f.n.Trail(), e.native.changes[:0]
	first := f.site
	for at := f.start; at < f.end; first = 0 {
		number := (*jit.TrailHead)(t.at(at)).Site
		if number&jit.TrailTurn != 0 {
			at += jit.TrailHeadBytes
			continue
		}
		entry := &entries[number]
		for i := first; i < len(entry.Sites); i++ {
			if entry.Sites[i].Elems > 0 {
				changes = append(changes, trailedChange{int32(at), int32(i)})
			}
		}
		at += entry.Bytes
	}
	e.native.changes = changes
	present := e.acc
	for i := len(changes) - 1; i >= 0; i-- {
		at := int(changes[i].entry)
		head := (*jit.TrailHead)(t.at(at))
		s := &entries[head.Site].Sites[changes[i].site]
		e.trailedAccess(t, at, s)
		c := columnsOf(t, at, s)
		c.undo(&e.acc, c.executing(head.Mask))
	}
	e.acc = present
}

// trailedAccess sets e.acc to an access, given where its entry is.
func (e *Engine) trailedAccess(t *trail, entry int, s *native.TrailSite) {
	locateSite(&e.acc, e.trailRegion(s), s, t.at(entry+s.Places))
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

// locatePlaces sets a to the access to a region at a site with affine addresses, given the places of the first lanes of
// subvectors.
func locatePlaces(a *lanes.Access, r *memory.Region, s *native.TrailSite, places *jit.TrailPlaces) {
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), uint64(s.Size)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(r.Data))) - uintptr(s.Disp)
	subvector := uintptr(jit.SubvectorLanes * s.Stride)
	stride := uint64(s.Stride)
	if (s.Stride == 0 || s.Stride == s.Size) && places[1] == places[0]+subvector && places[3] == places[2]+subvector {
		a.Strided, a.Stride[0], a.Stride[1] = true, stride, stride
		a.Off[0], a.Off[lanes.Width/2] = uint64(places[0]-first), uint64(places[2]-first)
		return
	}
	a.Strided = false
	for i := range a.Off {
		a.Off[i] = uint64(places[i/jit.SubvectorLanes]-first) + stride*uint64(i%jit.SubvectorLanes)
	}
}

// locateOffsets sets a to the access to a region at a site, given the offset of each lane.
func locateOffsets(a *lanes.Access, r *memory.Region, s *native.TrailSite, offsets *jit.TrailOffsets) {
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), uint64(s.Size)
	disp := uint64(s.Disp)
	if low, ok := stridesOf(offsets, 0, uint32(s.Size)); ok {
		if high, ok := stridesOf(offsets, lanes.Width/2, uint32(s.Size)); ok {
			a.Strided, a.Stride[0], a.Stride[1] = true, uint64(low), uint64(high)
			a.Off[0], a.Off[lanes.Width/2] = uint64(offsets[0])+disp, uint64(offsets[lanes.Width/2])+disp
			return
		}
	}
	a.Strided = false
	for i, off := range offsets {
		a.Off[i] = uint64(off) + disp
	}
}

// stridesOf returns the distance of the places of half a warp, from lane first on, if that is 0 or the size of an
// access. It compares two at once, and may find no distance if offsets of lanes that do not take part wrap.
func stridesOf(offsets *jit.TrailOffsets, first int, size uint32) (stride uint32, ok bool) {
	of := (*[lanes.Width / 2]uint32)(offsets[first:])
	if stride = of[1] - of[0]; stride != 0 && stride != size {
		return 0, false
	}
	next := uint64(of[0]) | uint64(of[1])<<32
	step := uint64(2*stride) | uint64(2*stride)<<32
	differ := uint64(0)
	for i := 0; i < len(of); i += 4 {
		four := (*[4]uint32)(of[i:])
		differ |= (uint64(four[0]) | uint64(four[1])<<32) ^ next
		next += step
		differ |= (uint64(four[2]) | uint64(four[3])<<32) ^ next
		next += step
	}
	return stride, differ == 0
}
