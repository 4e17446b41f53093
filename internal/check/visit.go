package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// visit is an access of one warp instruction to one region, while it is checked.
type visit struct {
	r      *Races
	w      *warp
	site   *site
	shadow *shadow
	region *memory.Region // for global memory
	space  isa.Space
	acc    *lanes.Access
	event  *interp.Access // of which the observer is notified; nil for deferred reads at other events
	stored []byte         // see interp.Access.Stored
	held   []byte         // see interp.Access.Held; of deferred stores only
	mask   lanes.Mask     // lanes of the access
	split  lanes.Mask     // lanes of the warp split, including those of mask
	size   uint64         // bytes per lane

	done  lanes.Mask  // lanes already checked
	clock vectorClock // of the lanes being checked
	now   record      // the present access: that of these lanes
	off   uint64      // offset in the region of its first byte
	found []conflict

	observedFrom int     // place of the first record of the cell whose write the present access has observed
	keptWrite    *record // the last of the records kept so far that writes; nil if none does

	records, kept [mostRecords + 1]record // scratch
}

// memory returns the memory of the region as it is before the access.
func (v *visit) memory() []byte {
	if v.event != nil {
		v.event.Before()
	}
	return v.acc.Mem
}

// Accessed implements interp.AccessObserver.
func (r *Races) Accessed(at *interp.Place, a *interp.Access) {
	r.visit.event = a
	r.accessed(at, a)
	r.visit.event = nil
}

func (r *Races) accessed(at *interp.Place, a *interp.Access) {
	m, space := a.Lanes, isa.Space(a.Space)
	if space != isa.Shared && space != isa.Global {
		return
	}
	v := &r.visit
	w, s := r.warp(at), &r.sites[at.Func][a.PC]
	switch {
	case s.into == nil:
	case a.CompleteTx:
		s = s.signalled
	case a.Kind != isa.Load:
		s = s.into
	}
	owner := r.ctas[a.Owner()]
	shadow, region := r.shadowOf(owner, a.Access)
	if space == isa.Global && (r.logs(w, s, a.Access, a.Lanes, at.Split, false) || r.packsWarp(w, s, a, at.Split, shadow)) {
		return
	}
	if space == isa.Shared {
		if r.defers(w, s, at, a) {
			return
		}
		r.checkDeferred(owner)
		owner.reads.stopped, owner.reads.checked = owner.reads.stopped || s.class&writes != 0, true
	}
	v.begin(r, w, s, a.Access, m, at.Split)
	v.space, v.shadow, v.region = space, shadow, region
	v.stored = a.Stored()
	if owner != w.cta && space == isa.Shared {
		v.accessPeer(owner)
	}
	if r.lockstep && s.class&bare != 0 && at.Split != w.live {
		v.noteSplit()
	}
	if r.grouped && shadow == &w.cta.shared {
		v.accessBesideCopies(a)
	}
	if s.class&strong != 0 && r.syncs {
		v.strongAccess()
		return
	}
	v.all()
}

// begin prepares for an access of the lanes of m by an instruction of a warp.
func (v *visit) begin(r *Races, w *warp, s *site, a *lanes.Access, m, split lanes.Mask) {
	v.r, v.w, v.site, v.acc, v.mask, v.size, v.done = r, w, s, a, m, a.Size, 0
	now := &v.now // by field: a copy of the whole record waits for the stores of its parts
	now.cta, now.epoch, now.sites, now.class, now.warp = uint32(w.cta.number), w.epoch, siteSet(s.index), s.class, uint8(w.number)
	now.lanes, now.extra, now.marks, now.iteration = 0, 0, 0, 0
	if v.split = split; split != w.live {
		v.now.marks = diverged
	}
}

// all checks the accesses of all lanes, by rows if that is possible.
func (v *visit) all() {
	r, w, s, a, m := v.r, v.w, v.site, v.acc, v.mask
	if !r.byLane && len(w.groups) == 1 && (v.size == wordBytes && a.Strided || v.size == 1 && s.class&writes == 0) && s.class&strong == 0 && !w.iterations.used {
		v.clock = w.groups[0].clock
		if m = v.rows(m); m == 0 {
			return
		}
	}
	for i := 0; i < len(w.groups); i++ {
		if some := w.groups[i].lanes & m; some != 0 {
			v.clock = w.groups[i].clock
			v.lanes(some)
		}
	}
}

// lanes checks the accesses of the lanes of m, which have the same vector clock. Neighbouring lanes that read one
// location count as one.
func (v *visit) lanes(m lanes.Mask) {
	apart := v.acc.Strided && v.acc.Stride[0] != 0 && v.acc.Stride[1] != 0 && v.acc.Off[lanes.Width/2] >= v.acc.Off[0]+lanes.Width/2*v.acc.Stride[0]
	for m != 0 {
		some := m & -m
		if v.site.class&writes == 0 && !apart {
			some = v.neighbours(m)
		}
		v.access(some)
		m &^= some
	}
}

// neighbours returns the first lane of m and its neighbours that access the same location, and as many lanes of the
// other half of the warp if they access it, too: blocks are often 16 threads wide.
func (v *visit) neighbours(m lanes.Mask) lanes.Mask {
	if a := v.acc; a.Strided && !v.r.byLane {
		low, high := m == firstHalf && a.Stride[0] == 0, m == firstHalf<<rowWords && a.Stride[1] == 0
		if both := m == lanes.AllLanes && a.Stride == [2]uint64{}; low || high || both && a.Off[0] == a.Off[rowWords] {
			return m
		} else if both {
			return firstHalf
		}
	}
	some := m & -m
	at := v.acc.At(firstLane(m))
	for {
		next := m &^ some & -(m &^ some)
		if next == 0 || v.acc.At(firstLane(next)) != at {
			break
		}
		some |= next
	}
	const half = lanes.Width / 2
	if other := some << half & m; some>>half == 0 && other == some<<half && v.acc.At(firstLane(other)) == at && v.acc.At(lastLane(other)) == at {
		some |= other
	}
	return some
}
