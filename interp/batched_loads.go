package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/memory"
)

// LoadsObserver is a LateObserver that may be notified of several loads at once, if it is the only one.
type LoadsObserver interface {
	LateObserver
	// Loaded is called in the place of Accessed for the loads, and returns for how many of them. Accessed is called for
	// the rest.
	Loaded(at *Place, l *Loads) (n int)
}

// Loads are loads by the same lanes, one after the other.
type Loads struct {
	Lanes  lanes.Mask
	Shared bool // all are of the CTA's shared memory
	e      *Engine
	entry  *native.TrailEntry
	shared *memory.Region
	words  []uint64 // of the entry in the trail, or a copy: the places of areas
}

// loadsOf returns the loads of an entry, given where it is. They are valid until the next call.
func (e *Engine) loadsOf(at int, entry *native.TrailEntry, m lanes.Mask) *Loads {
	e.loads = Loads{m, entry.Shared, e, entry, &e.cta.Shared, unsafe.Slice((*uint64)(e.native.trail.at(at)), entry.Words)}
	return &e.loads
}

// Len is the number of loads.
func (l *Loads) Len() int { return len(l.entry.Sites) }

// PC is that of load i.
func (l *Loads) PC(i int) int { return l.entry.Sites[i].PC }

// SameCode reports whether other loads are by the same code.
func (l *Loads) SameCode(other *Loads) bool { return l.entry == other.entry }

// Size is the number of bytes that a lane loads by load i.
func (l *Loads) Size(i int) int { return l.entry.Sites[i].Size }

// Locate sets a to load i.
func (l *Loads) Locate(i int, a *lanes.Access) {
	s := &l.entry.Sites[i]
	r := l.shared
	if !l.Shared {
		r = l.e.trailRegion(s)
	}
	locateSite(a, r, s, unsafe.Pointer(&l.words[s.Places/8]))
}

// IsAt reports whether load i reads a region of global memory at these offsets of the first lane of each half warp. The
// lanes of a half then read one after the other if strided says so for the half, else all the same.
func (l *Loads) IsAt(i int, region int32, off *[2]uint64, strided [2]bool) bool {
	s := &l.entry.Sites[i]
	if r := l.e.trailRegion(s); s.Affine && r.Number == region && (s.Stride == 0 || s.Stride == s.Size) {
		first := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.Data)))) - uint64(s.Disp)
		places, subvector := (*[4]uint64)(l.words[s.Places/8:]), uint64(jit.SubvectorLanes*s.Stride)
		return places[0]-first == off[0] && places[1]-places[0] == subvector &&
			places[2]-first == off[1] && places[3]-places[2] == subvector &&
			strided[0] == (s.Stride != 0) && strided[1] == strided[0]
	}
	return false
}

// Copy returns a copy of l, which must be Shared, that stays valid while its CTA is resident, and to with what that has
// appended.
func (l *Loads) Copy(to []uint64) (Loads, []uint64) {
	n := len(to)
	to = append(to, l.words...)
	return Loads{l.Lanes, true, nil, l.entry, l.shared, to[n:]}, to
}

// locateSite sets a to the access to a region at a site, given the places in its entry.
func locateSite(a *lanes.Access, r *memory.Region, s *native.TrailSite, places unsafe.Pointer) {
	if s.Affine {
		locatePlaces(a, r, s, (*jit.TrailPlaces)(places))
	} else {
		locateOffsets(a, r, s, (*jit.TrailOffsets)(places))
	}
}
