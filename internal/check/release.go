package check

import (
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// releaseClock is the release clock of a location: what a strong read of it acquires. The latest write and the
// atomics before it in the same release sequence contribute to it (PTX ISA 8.9.2, observation order).
type releaseClock struct {
	size     uint64               // bytes
	write    record               // the latest write
	toGrid   *gridClock           // released at the scope of the GPU or the system
	toCTA    map[int64]*gridClock // by CTA: what its threads have released at any scope
	scFences *gridClock           // see vectorClock
	// Of an mbarrier: what it had when the latest phase was complete, which is what waits acquire, and the parity of the
	// phase of the latest operation. completed may be nil.
	completed *releaseClock
	parity    uint32
}

// inPhase notes that an operation finds an mbarrier in a phase: what was released in earlier phases is complete.
func (rc *releaseClock) inPhase(parity uint32) {
	if rc.parity == parity {
		return
	}
	c := *rc
	c.completed, c.toCTA = nil, maps.Clone(rc.toCTA)
	rc.completed, rc.parity = &c, parity
}

// isStrongWith reports whether the latest write is morally strong with an access.
func (rc *releaseClock) isStrongWith(now *record) bool {
	return morallyStrong(rc.write.class, now.class, rc.write.cta == now.cta)
}

// location is a range of bytes in memory.
type location struct {
	shadow *shadow
	off    uint64
}

// laneSync is the parts of release and acquire patterns (PTX ISA 8.8) that a lane has executed, and that later
// instructions of the lane may complete.
type laneSync struct {
	// Release by a fence and a later strong write: the latest fences.
	releaseFences [numFences]*releaseFence
	// Release of a location and a later strong write of it: what the latest access has released.
	releases map[location]scopedRelease
	// Acquire by a strong read of a location and a later fence or acquire of the location: what was read.
	pending []pendingAcquire
	// The clock that the lane acquired last, and the epoch in which it did: releases of that epoch or a later one cover
	// it.
	acquired      *gridClock
	acquiredEpoch epoch
}

// laneRelease is a release of a lane: the lane's clock with its own accesses up to the end of an epoch, which ended
// with the release. A later release of the lane covers it, and so does every clock that has the epoch for the lane. The
// zero value is no release.
type laneRelease struct {
	clock *gridClock
	epoch epoch
}

// latest returns the later one of two releases of a lane.
func latest(a, b laneRelease) laneRelease {
	if b.epoch > a.epoch {
		return b
	}
	return a
}

// scopedRelease has the latest release of a lane for each scope.
type scopedRelease struct {
	toCTA  laneRelease // for threads of the releasing CTA
	toGrid laneRelease // for threads of all CTAs
}

// releaseFence is the clock of a lane at a fence that releases.
type releaseFence struct {
	clock    vectorClock
	epoch    epoch
	released *gridClock // the clock including the lane's own accesses; nil until it is needed
}

// Indices of releasing fences, by effect.
const (
	anyFence = iota
	wideFence
	scFence // sequentially consistent, of a scope beyond the CTA
	numFences
)

// pendingAcquire has the clocks that strong reads of a location have read and the lane has not acquired yet. They may
// be nil.
type pendingAcquire struct {
	at     location
	from   *releaseClock // if all of it comes from one release clock, which only grows
	toCTA  *gridClock    // released for threads of the CTA
	toGrid *gridClock    // released for threads of all CTAs
}

// read adds what a thread of a CTA reads.
func (p *pendingAcquire) read(rc *releaseClock, cta int64) {
	if p.from == rc || p.toCTA == nil && p.toGrid == nil {
		p.from, p.toCTA, p.toGrid = rc, rc.toCTA[cta], rc.toGrid
		return
	}
	p.from, p.toCTA, p.toGrid = nil, joinGridClocks(p.toCTA, rc.toCTA[cta]), joinGridClocks(p.toGrid, rc.toGrid)
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
	r.checkDeferred(w.cta)
	for left := m; left != 0 && s.acquires; left &= left - 1 {
		lane := firstLane(left)
		if w.syncs != nil {
			w.acquirePending(lane, s.class&wide != 0)
		}
		if s.sc && s.class&wide != 0 {
			w.acquire(lane, w.clockOf(lane).scFences)
		}
	}
	if !s.releases {
		return
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		f := &releaseFence{clock: w.clockOf(lane), epoch: w.epoch}
		fences := &w.syncOf(lane).releaseFences
		fences[anyFence] = f
		if s.class&wide != 0 {
			fences[wideFence] = f
		}
		if s.class&wide != 0 && s.sc {
			fences[scFence] = f
		}
	}
	w.nextEpoch()
}

// acquirePending makes a lane acquire what its strong reads have read, if the scope of its fence includes the
// writers.
func (w *warp) acquirePending(lane int, wide bool) {
	s := &w.syncs[lane]
	kept := s.pending[:0]
	for _, p := range s.pending {
		w.acquire(lane, p.toCTA)
		if wide {
			w.acquire(lane, p.toGrid)
		} else if p.toCTA = nil; p.toGrid != nil {
			kept = append(kept, p)
		}
	}
	s.pending = kept
}

// strongAccess processes a strong access lane by lane, because a lane may acquire what the previous one has released.
func (v *visit) strongAccess() {
	released := false
	for left := v.mask; left != 0; left &= left - 1 {
		lane := firstLane(left)
		elem := uint64(1) << (v.site.class >> sizeShift)
		off := v.acc.At(lane)
		for at := off; at < off+v.size; at += elem {
			v.acquire(lane, at, elem)
		}
		v.clock = v.w.clockOf(lane)
		v.access(1 << lane)
		if v.site.class&writes != 0 {
			for at := off; at < off+v.size; at += elem {
				v.release(lane, at, elem)
			}
		}
		// A polling lane is not ordered after the accesses that the writer of the flag executes later.
		released = released || v.site.releases || v.r.lockstep && v.r.polling && v.site.class&writes != 0
	}
	if released {
		v.w.nextEpoch()
	}
}

// acquire makes a lane's read of a location acquire its release clock, or records it for a later acquire. A read that
// decides nothing does neither: see decisions.
func (v *visit) acquire(lane int, at, size uint64) {
	if v.site.class&reads == 0 {
		return
	}
	here := location{v.shadow, at}
	rc := v.shadow.releaseClocks[at]
	if v.site.mbarrier {
		if rc = v.completed(rc, lane); rc == nil {
			return
		}
	}
	if rc != nil && v.site.decides && rc.size == size && rc.isStrongWith(&v.now) {
		v.w.syncOf(lane).pendingAt(here).read(rc, v.w.cta.number)
		v.w.addSCFences(lane, rc.scFences)
	}
	if !v.site.acquires || v.w.syncs == nil {
		return
	}
	pending := &v.w.syncs[lane].pending
	i := slices.IndexFunc(*pending, func(p pendingAcquire) bool { return p.at == here })
	if i < 0 {
		return
	}
	p := (*pending)[i]
	v.w.acquire(lane, p.toCTA)
	if v.site.class&wide != 0 {
		v.w.acquire(lane, p.toGrid)
		*pending = slices.Delete(*pending, i, i+1)
	}
}

// completed returns what an operation on an mbarrier with a release clock, which may be nil, may acquire: a wait what
// was released in complete phases, other operations nothing.
func (v *visit) completed(rc *releaseClock, lane int) *releaseClock {
	if rc == nil {
		return nil
	}
	rc.inPhase(v.event.Mbarrier(lane).Parity())
	if v.site.class&writes != 0 {
		return nil
	}
	return rc.completed
}

// addSCFences joins a clock into the clock of the sequentially consistent fences before a lane.
func (w *warp) addSCFences(lane int, of *gridClock) {
	v := w.clockOf(lane)
	if all := joinGridClocks(v.scFences, of); all != v.scFences {
		v.scFences = all
		w.setClock(1<<lane, &v)
	}
}

// pendingAt returns the pending acquire of a location, and adds one if there is none.
func (s *laneSync) pendingAt(at location) *pendingAcquire {
	for i := range s.pending {
		if s.pending[i].at == at {
			return &s.pending[i]
		}
	}
	s.pending = append(s.pending, pendingAcquire{at: at})
	return &s.pending[len(s.pending)-1]
}

// release makes a lane's strong write update the release clock of a location. A write other than an atomic starts a
// new clock.
func (v *visit) release(lane int, at, size uint64) {
	to := v.releasedBy(lane, location{v.shadow, at})
	before, fence := v.clock.scFences, v.w.scFence(lane)
	rc := v.shadow.releaseClocks[at]
	now := v.now
	now.lanes = 1 << lane
	if rc != nil && (v.site.class&reads == 0 || rc.size != size || !rc.isStrongWith(&now)) {
		rc = nil
	}
	if rc == nil {
		if c := v.shadow.page(at).cell(at % pageBytes); c.released {
			v.shadow.dropReleaseClocks(at, size)
		}
		if to == (scopedRelease{}) && before == nil && fence == (laneRelease{}) {
			return
		}
		if rc = v.shadow.addReleaseClock(at, size); v.site.mbarrier {
			rc.parity = v.event.Mbarrier(lane).Parity()
		}
	}
	rc.write = now
	// Equal clocks must remain one tree. Otherwise a counter that every CTA passes would have two trees of all CTAs,
	// which would be compared node by node.
	same := rc.toGrid == rc.scFences && to.toGrid.clock == fence.clock && (before == nil || before == rc.scFences)
	had := rc.toGrid
	if rc.toGrid = v.w.joinRelease(lane, had, to.toGrid); same {
		rc.scFences = rc.toGrid
	} else {
		rc.scFences = v.w.joinRelease(lane, joinGridClocks(rc.scFences, before), fence)
	}
	if to.toCTA.clock == nil {
		return
	}
	rc.prune(v.r.ctas)
	switch own := v.w.cta.number; {
	case rc.toCTA[own] == had && to.toCTA == to.toGrid:
		rc.toCTA[own] = rc.toGrid
	default:
		rc.toCTA[own] = v.w.joinRelease(lane, rc.toCTA[own], to.toCTA)
	}
}

// joinRelease returns the join of a clock and what a lane has released.
func (w *warp) joinRelease(lane int, g *gridClock, of laneRelease) *gridClock {
	if of.clock == nil || g.of(w.cta.number).warp(w.number).of(lane) >= of.epoch {
		return g
	}
	if w.syncs != nil && g == w.syncs[lane].acquired && of.epoch >= w.syncs[lane].acquiredEpoch {
		return of.clock
	}
	return joinGridClocks(g, of.clock)
}

// prune removes CTAs that have ended, because their threads will not read the location again.
func (rc *releaseClock) prune(slots []*cta) {
	if len(rc.toCTA) < 2*len(slots)+16 { // rare enough to examine all slots
		return
	}
	resident := make(map[int64]bool, len(slots))
	for _, c := range slots {
		resident[c.number] = true
	}
	maps.DeleteFunc(rc.toCTA, func(number int64, _ *gridClock) bool { return !resident[number] })
}

// releasedBy returns the clocks that a strong write of a lane to a location releases: the lane's clock, if the write is
// a release, and clocks that the lane released before, at the location or with a fence (PTX ISA 8.8, release patterns).
func (v *visit) releasedBy(lane int, here location) (to scopedRelease) {
	if !v.site.releases && v.w.syncs == nil {
		return to
	}
	s := v.w.syncOf(lane)
	to = s.releases[here]
	if v.site.releases {
		to.toCTA = laneRelease{v.w.withSelf(1<<lane, v.clock, v.w.epoch), v.w.epoch}
		if v.site.class&wide != 0 {
			to.toGrid = to.toCTA
		}
		if s.releases == nil {
			s.releases = make(map[location]scopedRelease)
		}
		s.releases[here] = to
	}
	to.toCTA = latest(to.toCTA, v.w.beforeFence(lane, s.releaseFences[anyFence]))
	to.toGrid = latest(to.toGrid, v.w.beforeFence(lane, s.releaseFences[wideFence]))
	return to
}

// beforeFence returns the clock that a lane has released with a fence; it may be nil.
func (w *warp) beforeFence(lane int, f *releaseFence) laneRelease {
	if f == nil {
		return laneRelease{}
	}
	if f.released == nil {
		f.released = w.withSelf(1<<lane, f.clock, f.epoch)
	}
	return laneRelease{f.released, f.epoch}
}

// scFence returns the clock of all that happens before the latest sequentially consistent fence of a lane, including
// its own accesses.
func (w *warp) scFence(lane int) laneRelease {
	if w.syncs == nil {
		return laneRelease{}
	}
	return w.beforeFence(lane, w.syncs[lane].releaseFences[scFence])
}

// scFencesOf returns the clock of all that happens before the latest sequentially consistent fences of the lanes of m,
// including their own accesses.
func (w *warp) scFencesOf(m lanes.Mask) (of *gridClock) {
	for m != 0 && w.syncs != nil {
		f := w.syncs[firstLane(m)].releaseFences[scFence]
		if f == nil {
			m &= m - 1
			continue
		}
		alike := lanes.Mask(0)
		for left := m; left != 0; left &= left - 1 {
			if o := w.syncs[firstLane(left)].releaseFences[scFence]; o != nil && o.epoch == f.epoch && o.clock.same(&f.clock) {
				alike |= left & -left
			}
		}
		if alike&(alike-1) == 0 { // the same tree as a release of the lane
			of = joinGridClocks(of, w.beforeFence(firstLane(m), f).clock)
		} else {
			of = joinGridClocks(of, w.withSelf(alike, f.clock, f.epoch))
		}
		m &^= alike
	}
	return of
}

// addReleaseClock adds a release clock to a location.
func (s *shadow) addReleaseClock(at, size uint64) *releaseClock {
	if s.releaseClocks == nil {
		s.releaseClocks = make(map[uint64]*releaseClock)
	}
	rc := &releaseClock{size: size, toCTA: make(map[int64]*gridClock)}
	s.releaseClocks[at] = rc
	for off := at; off < at+size; off++ {
		s.page(off).cell(off % pageBytes).released = true
	}
	return rc
}

// dropReleaseClocks removes the release clocks of locations that overlap the size bytes at off.
func (s *shadow) dropReleaseClocks(off, size uint64) {
	const widest = 8
	for at := off - min(off, widest-1); at < off+size; at++ {
		if rc := s.releaseClocks[at]; rc != nil && at+rc.size > off {
			delete(s.releaseClocks, at)
		}
	}
}
