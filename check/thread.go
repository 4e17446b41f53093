package check

import (
	"math/bits"

	"github.com/simtrun/simtrun/lanes"
)

// view is what a thread knows of others: whose accesses, up to when, happened
// before what it does next.
type view struct {
	home crew   // of its own CTA
	away *world // of other CTAs
	// What sequentially consistent fences knew from which there is a way here, by
	// program order, barriers and values that were read: such a fence learns it
	// here, as the two cannot have been in the other order (PTX ISA 8.9.3).
	fenced *world
}

func (v view) same(other view) bool {
	return v.away == other.away && v.fenced == other.fenced && v.home.same(other.home)
}

func joinViews(a, b view) view {
	return view{joinCrews(a.home, b.home), joinWorlds(a.away, b.away), joinWorlds(a.fenced, b.fenced)}
}

// group is lanes of a warp that know the same of others. Each of them knows
// itself besides: that is program order.
type group struct {
	lanes lanes.Mask
	view  view
}

// noCTA is the number of a cta whose slot no CTA has.
const noCTA = -1

// cta is a resident CTA, or a slot for one.
type cta struct {
	number   int64
	warps    []*warp
	shared   shadow
	barriers map[int]*barrier
}

// warp is a warp of a resident CTA. Its clock goes on after each event that
// tells others of its accesses.
type warp struct {
	cta     *cta
	number  int
	threads lanes.Mask
	live    lanes.Mask
	now     clock
	// The lanes that were at the latest barrier at which all threads of the CTA
	// met, and when: who is left knows what they had done.
	metLanes lanes.Mask
	met      clock
	rounds   rounds
	groups   []group                // of which no two are the same
	syncs    *[lanes.Width]laneSync // nil until a lane has had to do with fences or strong accesses
}

func (w *warp) start(m lanes.Mask) {
	w.threads, w.live, w.now = m, m, 1
	w.metLanes, w.met, w.rounds = 0, 0, rounds{}
	if w.syncs != nil {
		clear(w.syncs[:])
	}
	w.groups = append(w.groups[:0], group{m, view{}})
}

// tick ends a time of the warp: accesses from now on are not known to those who
// have been told of it.
func (w *warp) tick() { w.now++ }

// viewOf is what a lane knows.
func (w *warp) viewOf(lane int) view {
	for i := range w.groups {
		if w.groups[i].lanes>>lane&1 != 0 {
			return w.groups[i].view
		}
	}
	panic("simtrun bug: a lane knows nothing")
}

// tell makes v what the lanes of m know.
func (w *warp) tell(m lanes.Mask, v view) {
	kept := w.groups[:0]
	for _, g := range w.groups {
		if g.lanes &^= m; g.lanes == 0 {
			continue
		}
		if g.view.same(v) {
			m |= g.lanes
			continue
		}
		kept = append(kept, g)
	}
	w.groups = append(kept, group{m, v})
}

// meet makes the lanes of m know each other's accesses, and what each of them
// knows: they met at a bar.warp.sync.
func (w *warp) meet(m lanes.Mask) {
	var v view
	first := true
	for _, g := range w.groups {
		if g.lanes&m == 0 {
			continue
		}
		if first {
			v, first = g.view, false
		} else {
			v = joinViews(v, g.view)
		}
	}
	v.fenced = joinWorlds(v.fenced, w.fencedBy(m))
	own := v.home.warp(w.number).with(m, w.now, w.threads)
	v.home = v.home.with(w.number, len(w.cta.warps), own)
	w.tick()
	w.tell(m, v)
}

// snapshot is what somebody learns who learns all that the lanes of m with view v
// know when the warp's clock is c.
func (w *warp) snapshot(m lanes.Mask, v view, c clock) *world {
	own := v.home.warp(w.number).with(m, c, w.threads)
	return v.away.with(w.cta.number, v.home.with(w.number, len(w.cta.warps), own))
}

// learn adds what of says to what a lane knows.
func (w *warp) learn(lane int, of *world) {
	if of == nil {
		return
	}
	had := w.viewOf(lane)
	v := view{joinCrews(had.home, of.of(w.cta.number)), joinWorlds(had.away, of), had.fenced}
	if !v.same(had) {
		w.tell(1<<lane, v)
	}
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }

// lastLane is the highest lane of m, which is not empty.
func lastLane(m lanes.Mask) int { return lanes.Width - 1 - bits.LeadingZeros32(uint32(m)) }
