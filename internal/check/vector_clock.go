package check

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// vectorClock is the vector clock of a thread: for each thread of the grid, the last epoch with accesses that happen
// before the owner's next access. It does not include the owner's own accesses, which program order puts before.
type vectorClock struct {
	cta  ctaClock   // of the owner's CTA
	grid *gridClock // of other CTAs
	// scFences is the join of the clocks of all sequentially consistent fences from which a chain of program order,
	// barriers and observed values leads to the owner. Its next such fence acquires them, because the two cannot be in
	// the other order (PTX ISA 8.9.3, Fence-SC).
	scFences *gridClock
	// started is true if all CTAs of the owner's cluster have started, because the owner has waited at the cluster's
	// barrier.
	started bool
	// relaxed has accesses that were executed before, but do not happen before, because threads arrived with .relaxed at
	// a barrier of the cluster.
	relaxed *gridClock
}

func (v *vectorClock) same(other *vectorClock) bool {
	return v.grid == other.grid && v.scFences == other.scFences && v.started == other.started && v.relaxed == other.relaxed && v.cta.same(other.cta)
}

func joinVectorClocks(a, b vectorClock) vectorClock {
	return vectorClock{joinCTAClocks(a.cta, b.cta), joinGridClocks(a.grid, b.grid), joinGridClocks(a.scFences, b.scFences),
		a.started || b.started, joinGridClocks(a.relaxed, b.relaxed)}
}

// group is a set of lanes of a warp that have the same vector clock.
type group struct {
	lanes lanes.Mask
	clock vectorClock
}

// noCTA is the number in a cta for a slot without a CTA.
const noCTA = -1

// cta is a resident CTA, or a slot for one.
type cta struct {
	number int64
	warps  []*warp
	shared shadow
	reads  deferred // of shared
	whole  uint32   // warps without exited threads, one bit each
	// equal says that all threads have equal clocks, and unsettled that settle has to make them.
	equal, unsettled bool
	barriers         [numBarriers]barrier

	clusterArrivals []arrival   // at the barrier of the cluster since it last completed
	clusterClock    vectorClock // what that barrier then released

	peers      map[peerKey]*peerAccess // accesses of other CTAs of the cluster to the shared memory
	beforeExit *gridClock              // accesses of other CTAs that were executed before threads exited
	exit       Access                  // the latest exit

	// Of logged reads: see readLog.
	clock   *vectorClock
	barrier *[]atBarrier
}

// warp is a warp of a resident CTA.
type warp struct {
	cta     *cta
	number  int
	threads lanes.Mask
	live    lanes.Mask
	epoch   epoch
	// The lanes that waited at the latest barrier for all threads of the CTA that had not exited, and the epoch that
	// ended with their arrival. Their accesses up to that epoch happen before everything that threads of the CTA do now.
	barrierLanes lanes.Mask
	barrierEpoch epoch
	iterations   iterations
	groups       []group // each with a different clock
	cluster      clusterWarp
	products     products
	pending      []pendingCopy
	arriving     pendingCopy            // what the latest copy that signals an mbarrier has written, before it signals
	copyGroup    [lanes.Width]int64     // by lane: the group of its copies from now on
	bulkGroup    [lanes.Width]int64     // the same for bulk copies
	syncs        *[lanes.Width]laneSync // nil until a lane executes a fence or a strong access
	lockstep     *lockstepWarp          // nil while nothing is recorded
	logged       int32                  // index of the latest loggedState; negative if there is none
}

func (w *warp) start(m lanes.Mask) {
	w.threads, w.live, w.epoch = m, m, 1
	w.barrierLanes, w.barrierEpoch, w.iterations, w.cluster = 0, 0, iterations{}, clusterWarp{}
	if w.syncs != nil {
		clear(w.syncs[:])
	}
	w.groups = append(w.groups[:0], group{m, vectorClock{}})
	w.products, w.lockstep, w.logged = products{}, nil, -1
	if w.arriving.lanes != 0 {
		w.arriving = pendingCopy{}
	}
	w.pending = w.pending[:0] // without any, the numbers of groups may go on
}

// nextEpoch ends the epoch of the warp after a release.
func (w *warp) nextEpoch() { w.epoch++ }

// clockOf returns the clock of a lane.
func (w *warp) clockOf(lane int) vectorClock {
	w.cta.settle()
	for i := range w.groups {
		if w.groups[i].lanes>>lane&1 != 0 {
			return w.groups[i].clock
		}
	}
	panic("simtrun bug: a lane has no vector clock")
}

// setClock sets the clock of the lanes of m.
func (w *warp) setClock(m lanes.Mask, v *vectorClock) {
	w.cta.settle()
	w.cta.equal = false
	if len(w.groups) == 1 && w.groups[0].lanes&^m == 0 {
		w.groups[0].lanes, w.groups[0].clock = m, *v
		return
	}
	// The new group takes the place of the first one that it empties, because to move the others is dear.
	at, n := -1, 0
	for i := range w.groups {
		g := &w.groups[i]
		g.lanes &^= m
		if g.lanes != 0 && g.clock.same(v) {
			m, g.lanes = m|g.lanes, 0
		}
		if g.lanes == 0 {
			if at >= 0 {
				continue
			}
			at = n
		}
		if n != i {
			w.groups[n] = *g
		}
		n++
	}
	if w.groups = w.groups[:n]; at < 0 {
		w.groups = append(w.groups, group{m, *v})
		return
	}
	w.groups[at] = group{m, *v}
}

// syncLanes sets the clocks of the lanes of m, synchronised by a bar.warp.sync, to the join of their clocks and their
// own accesses.
func (w *warp) syncLanes(m lanes.Mask) {
	w.cta.settle()
	var v vectorClock
	first := true
	for _, g := range w.groups {
		if g.lanes&m == 0 {
			continue
		}
		if first {
			v, first = g.clock, false
		} else {
			v = joinVectorClocks(v, g.clock)
		}
	}
	v.scFences = joinGridClocks(v.scFences, w.scFencesOf(m))
	own := v.cta.warp(w.number).with(m, w.epoch, w.threads)
	v.cta = v.cta.with(w.number, len(w.cta.warps), own)
	w.nextEpoch()
	w.setClock(m, &v)
}

// withSelf returns the clock v of lanes m, joined with their own accesses up to epoch c: what they release.
func (w *warp) withSelf(m lanes.Mask, v vectorClock, c epoch) *gridClock {
	own := v.cta.warp(w.number).with(m, c, w.threads)
	return v.grid.with(w.cta.number, v.cta.with(w.number, len(w.cta.warps), own))
}

// acquire joins a clock, which may be nil, into that of a lane.
func (w *warp) acquire(lane int, of *gridClock) {
	if of == nil {
		return
	}
	sync := w.syncOf(lane)
	if of == sync.acquired {
		return
	}
	had := w.clockOf(lane)
	v := had
	v.cta, v.grid = joinCTAClocks(had.cta, of.of(w.cta.number)), joinGridClocks(had.grid, of)
	if !v.same(&had) {
		w.setClock(1<<lane, &v)
	}
	sync.acquired, sync.acquiredEpoch = of, w.epoch
}

// firstLane returns the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }

// lastLane returns the highest lane of m, which is not empty.
func lastLane(m lanes.Mask) int { return lanes.Width - 1 - bits.LeadingZeros32(uint32(m)) }
