package check

import (
	"maps"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/lanes"
)

// channel is what can be learned from the value at a place: from the write that
// it is of and the atomics before it that took the value on (PTX ISA 8.9.2,
// observation order).
type channel struct {
	size   uint64           // bytes
	last   record           // the latest write
	all    *world           // what was released to everybody
	byCTA  map[int64]*world // what the threads of a CTA have released at any scope
	fenced *world           // see view
}

// isStrongWith reports whether the latest write is morally strong with an access.
func (ch *channel) isStrongWith(now *record) bool {
	return morallyStrong(ch.last.class, now.class, ch.last.cta == now.cta)
}

// laneSync is what a lane has had to do with fences and strong accesses.
type laneSync struct {
	fences [numFences]*fenced  // the latest
	heard  []heard             // what its strong reads would tell a fence that acquires
	said   map[place][2]*world // what it has released by an access: at any scope, at a wide one
}

// place is a place in memory.
type place struct {
	shadow *shadow
	off    uint64
}

// fenced is what a lane knew and had done before a fence.
type fenced struct {
	view  view
	at    clock
	world *world // of both; nil until it is wanted
}

// Fences that release are remembered by what they do.
const (
	anyFence = iota
	wideFence
	scFence // a wide one that is sequentially consistent
	numFences
)

// heard is what strong reads of a place have come upon, and not acquired.
type heard struct {
	at  place
	all *world // from those who released it to all
	own *world // from the reader's own CTA
}

func (w *warp) syncOf(lane int) *laneSync {
	if w.syncs == nil {
		w.syncs = new([lanes.Width]laneSync)
	}
	return &w.syncs[lane]
}

// Fenced implements interp.SyncObserver.
func (r *Races) Fenced(at *interp.Place, pc int, m lanes.Mask) {
	w, s := r.warp(at), &r.sites[at.Func][pc]
	for left := m; left != 0 && s.acquires; left &= left - 1 {
		lane := firstLane(left)
		if w.syncs != nil {
			w.acquireHeard(lane, s.class&wide != 0)
		}
		if s.sc && s.class&wide != 0 {
			w.learn(lane, w.viewOf(lane).fenced)
		}
	}
	if !s.releases {
		return
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		f := &fenced{view: w.viewOf(lane), at: w.now}
		fences := &w.syncOf(lane).fences
		fences[anyFence] = f
		if s.class&wide != 0 {
			fences[wideFence] = f
		}
		if s.class&wide != 0 && s.sc {
			fences[scFence] = f
		}
	}
	w.tick()
}

// acquireHeard makes a lane know what its strong reads have come upon, in as far
// as the scope includes who released it.
func (w *warp) acquireHeard(lane int, wide bool) {
	s := &w.syncs[lane]
	kept := s.heard[:0]
	for _, h := range s.heard {
		w.learn(lane, h.own)
		if wide {
			w.learn(lane, h.all)
		} else if h.own = nil; h.all != nil {
			kept = append(kept, h)
		}
	}
	s.heard = kept
}

// strongAccess looks at a strong access: lane by lane, as one may learn from the
// other.
func (v *visit) strongAccess() {
	ticks := false
	for left := v.mask; left != 0; left &= left - 1 {
		lane := firstLane(left)
		elem := uint64(1) << (v.site.class >> sizeShift)
		off := v.acc.At(lane)
		for at := off; at < off+v.size; at += elem {
			v.hear(lane, at, elem)
		}
		v.view = v.w.viewOf(lane)
		v.access(1 << lane)
		if v.site.class&writes != 0 {
			for at := off; at < off+v.size; at += elem {
				v.say(lane, at, elem)
			}
		}
		ticks = ticks || v.site.releases
	}
	if ticks {
		v.w.tick()
	}
}

// hear makes a lane's read of a place learn, or remember for a fence, what there
// is to know. A read that decides nothing is told nothing: see decisions.
func (v *visit) hear(lane int, at, size uint64) {
	if v.site.class&reads == 0 {
		return
	}
	here := place{v.shadow, at}
	if ch := v.shadow.channels[at]; ch != nil && v.site.decides && ch.size == size && ch.isStrongWith(&v.now) {
		h := v.w.syncOf(lane).heardAt(here)
		h.all, h.own = joinWorlds(h.all, ch.all), joinWorlds(h.own, ch.byCTA[v.w.cta.number])
		v.w.hearFences(lane, ch.fenced)
	}
	if !v.site.acquires || v.w.syncs == nil {
		return
	}
	for _, h := range v.w.syncs[lane].heard {
		if h.at != here {
			continue
		}
		v.w.learn(lane, h.own)
		if v.site.class&wide != 0 {
			v.w.learn(lane, h.all)
		}
	}
}

// hearFences adds to the fences from which there is a way to a lane.
func (w *warp) hearFences(lane int, of *world) {
	v := w.viewOf(lane)
	if all := joinWorlds(v.fenced, of); all != v.fenced {
		v.fenced = all
		w.tell(1<<lane, v)
	}
}

// heardAt is what was heard at a place.
func (s *laneSync) heardAt(at place) *heard {
	for i := range s.heard {
		if s.heard[i].at == at {
			return &s.heard[i]
		}
	}
	s.heard = append(s.heard, heard{at: at})
	return &s.heard[len(s.heard)-1]
}

// say makes a lane's strong write release what it has to: all it knows, what it
// had done at a fence before, or what it released at this place before (PTX ISA
// 8.8, release patterns).
func (v *visit) say(lane int, at, size uint64) {
	toOwn, toAll := v.released(lane, place{v.shadow, at})
	heard, fence := v.view.fenced, v.w.fencedBy(1<<lane)
	ch := v.shadow.channels[at]
	now := v.now
	now.lanes = 1 << lane
	if ch != nil && (v.site.class&reads == 0 || ch.size != size || !ch.isStrongWith(&now)) {
		ch = nil
	}
	if ch == nil {
		if c := &v.shadow.page(at).cells[at%pageBytes/wordBytes]; c.told {
			v.shadow.silence(at, size)
		}
		if toOwn == nil && toAll == nil && heard == nil && fence == nil {
			return
		}
		ch = v.shadow.open(at, size)
	}
	ch.last = now
	// What is equal is to stay one: a counter that every CTA passes would else
	// have two trees of all of them, to be compared node by node.
	same := ch.all == ch.fenced && toAll == fence && (heard == nil || heard == ch.fenced)
	if ch.all = joinWorlds(ch.all, toAll); same {
		ch.fenced = ch.all
	} else {
		ch.fenced = joinWorlds(ch.fenced, joinWorlds(heard, fence))
	}
	if toOwn != nil {
		own := v.w.cta.number
		ch.prune(v.r.ctas)
		ch.byCTA[own] = joinWorlds(ch.byCTA[own], toOwn)
	}
}

// prune forgets CTAs that are over, whose threads will not read any more.
func (ch *channel) prune(slots []*cta) {
	if len(ch.byCTA) < 2*len(slots)+16 { // seldom enough to look at all slots
		return
	}
	resident := make(map[int64]bool, len(slots))
	for _, c := range slots {
		resident[c.number] = true
	}
	maps.DeleteFunc(ch.byCTA, func(number int64, _ *world) bool { return !resident[number] })
}

// released is what a strong write of a lane to a place releases: to its own CTA,
// and to all.
func (v *visit) released(lane int, here place) (toOwn, toAll *world) {
	if v.site.releases {
		toOwn = v.w.snapshot(1<<lane, v.view, v.w.now)
		if v.site.class&wide != 0 {
			toAll = toOwn
		}
		s := v.w.syncOf(lane)
		if s.said == nil {
			s.said = make(map[place][2]*world)
		}
		had := s.said[here]
		s.said[here] = [2]*world{toOwn, joinWorlds(had[1], toAll)}
	}
	if v.w.syncs == nil {
		return toOwn, toAll
	}
	s := &v.w.syncs[lane]
	said := s.said[here]
	toOwn = joinWorlds(toOwn, joinWorlds(said[0], v.w.before(lane, s.fences[anyFence])))
	toAll = joinWorlds(toAll, joinWorlds(said[1], v.w.before(lane, s.fences[wideFence])))
	return toOwn, toAll
}

// before is what a lane knew and had done before a fence.
func (w *warp) before(lane int, f *fenced) *world {
	if f == nil {
		return nil
	}
	if f.world == nil {
		f.world = w.snapshot(1<<lane, f.view, f.at)
	}
	return f.world
}

// fencedBy is what the lanes of m knew and had done before their latest
// sequentially consistent fences.
func (w *warp) fencedBy(m lanes.Mask) (of *world) {
	for m != 0 && w.syncs != nil {
		f := w.syncs[firstLane(m)].fences[scFence]
		if f == nil {
			m &= m - 1
			continue
		}
		together := lanes.Mask(0)
		for left := m; left != 0; left &= left - 1 {
			if o := w.syncs[firstLane(left)].fences[scFence]; o != nil && o.at == f.at && o.view.same(f.view) {
				together |= left & -left
			}
		}
		if together&(together-1) == 0 { // the same world as a release of the lane has
			of = joinWorlds(of, w.before(firstLane(m), f))
		} else {
			of = joinWorlds(of, w.snapshot(together, f.view, f.at))
		}
		m &^= together
	}
	return of
}

// open makes a channel of a place.
func (s *shadow) open(at, size uint64) *channel {
	if s.channels == nil {
		s.channels = make(map[uint64]*channel)
	}
	ch := &channel{size: size, byCTA: make(map[int64]*world)}
	s.channels[at] = ch
	for off := at; off < at+size; off++ {
		s.page(off).cells[off%pageBytes/wordBytes].told = true
	}
	return ch
}

// silence removes the channels of places that overlap the size bytes at off.
func (s *shadow) silence(off, size uint64) {
	const widest = 8
	for at := off - min(off, widest-1); at < off+size; at++ {
		if ch := s.channels[at]; ch != nil && at+ch.size > off {
			delete(s.channels, at)
		}
	}
}
