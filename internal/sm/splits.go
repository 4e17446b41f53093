package sm

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// A split of a diverged warp issues until it waits for other lanes or ends, and for one time
// slice at most if other splits can run: a wait for a result does not switch splits.
const (
	firstSlice  = 64 // instructions
	sliceGrowth = 3  // times that the next slice is twice as long
)

// pollsUntilBreak is how many iterations of a loop that reads memory which others may
// write, and changes nothing, a split may spend while other lanes of its warp wait for
// it at a convergence barrier, before the barrier is broken.
const pollsUntilBreak = 64

// slicesUntilBreak is the same for loops of any kind, in time slices.
const slicesUntilBreak = 1 << 13

// timeSlice says how long the split of a warp that issues may go on.
type timeSlice struct {
	served   lanes.Mask // lanes whose split had a slice in this round
	owner    lanes.Mask // of the split whose slice it is, as it was when the slice began
	deadline uint64     // in instructions of the warp
	count    int        // slices since the warp last waited for other lanes
	polled   bool       // the split has read memory that others may write since the latest retreating branch
	polls    int        // iterations in which it did, since it has changed any
	wrote    bool       // it has changed memory since the latest retreating branch
	// results are the cycles in which results of atomics that have changed memory will arrive: what the
	// warp does cannot depend on them before.
	results []int64
}

// expect notes that the result of an atomic that has changed memory will arrive at done. Now is a cycle up
// to which the scheduler has run.
func (t *timeSlice) expect(done, now int64) {
	t.collect(now)
	t.results = append(t.results, done)
}

// collect counts the changes whose results have arrived by now as writes.
func (t *timeSlice) collect(now int64) {
	if len(t.results) == 0 {
		return
	}
	later := slices.DeleteFunc(t.results, func(done int64) bool { return done <= now })
	t.wrote = t.wrote || len(later) < len(t.results)
	t.results = later
}

// reset starts counting again, after lanes of the warp have waited for others.
func (t *timeSlice) reset() { t.count, t.polls = 0, 0 }

// chooseSplit chooses the split of the warp that issues next, and begins a time slice unless
// lanes of the split own the present one: those that diverge in a loop, and reconverge, do not
// have a new one each time. It is false if no lane can run.
func (x *slot) chooseSplit() bool {
	if !x.ready() {
		return false
	}
	if t := &x.slice; t.owner&x.split.Mask == 0 || x.warp.Live&^t.owner == 0 {
		t.owner, t.deadline = x.split.Mask, x.warp.Steps+firstSlice<<min(t.count, sliceGrowth)
	}
	return true
}

// ready chooses the split of the warp that issues next: the first one in the model's
// order that had no slice in this round. If all lanes wait for others of the warp, a
// convergence barrier is broken. It is false if no lane can run.
func (x *slot) ready() bool {
	t, c := &x.slice, x.warp.Control
	if c.Ready(t.served, &x.split) {
		return true
	}
	t.served = 0
	for !c.Ready(0, &x.split) {
		if !c.Break() {
			return false
		}
	}
	return true
}

// syncControl tells the warp's control state where the split is that issues.
func (x *slot) syncControl() {
	if x.warp == nil || x.warp.Live == 0 || x.blocked {
		return
	}
	c, mask := x.warp.Control, x.split.Mask
	c.Advance(x.split.ID, x.split.PC)
	for seen := lanes.Mask(0); c.Ready(seen, &x.split) && x.split.Mask != mask; {
		seen |= x.split.Mask
	}
}

// noteAccess records the effect on memory of an instruction of the warp in x.
func (m *multiprocessor) noteAccess(x *slot, in *instr) {
	e, t := &m.effect, &x.slice
	if len(e.Access) == 0 {
		return
	}
	wrote := in.memory == stores || in.reduces || e.Changed
	t.polled, m.polled = t.polled || in.polls, m.polled || in.polls
	t.wrote, m.wrote = t.wrote || wrote, m.wrote || wrote
}

// expired counts a retreating branch at cycle now of a warp that has executed so many
// instructions, and reports whether the slice is over.
func (t *timeSlice) expired(steps uint64, now int64) bool {
	t.collect(now)
	switch {
	case t.wrote:
		t.polls = 0
	case t.polled: // but not in a loop within, such as a delay
		t.polls++
	}
	t.polled, t.wrote = false, false
	return t.polls >= pollsUntilBreak || steps >= t.deadline
}

// branched decides which split of the warp issues next, as the one that does is at cycle
// now behind a branch, at which it was before, that all its lanes took alike.
func (m *multiprocessor) branched(x *slot, before *divergence.Split, now int64) {
	w, t, split := x.warp, &x.slice, &x.split
	stops := split.PC == split.Stop
	if split.Mask == w.Live || split.PC > before.PC || !t.expired(w.Steps, now) {
		switch {
		case stops:
			w.Control.Advance(split.ID, split.PC)
			m.changed(x, before, interp.Changed)
		case x.cta.launch.strict && w.Control.Strict():
			w.Control.Advance(split.ID, split.PC)
			x.blocked = !x.ready()
		}
		return
	}
	t.count++
	var other divergence.Split
	if t.polls >= pollsUntilBreak && !w.Control.Ready(t.served|split.Mask, &other) || t.count%slicesUntilBreak == 0 {
		w.Control.Break()
		t.polls = 0
	}
	t.served |= split.Mask
	t.owner = 0
	w.Control.Defer(split.ID, split.PC)
	if stops {
		m.changed(x, before, interp.Changed)
		return
	}
	x.blocked = !x.chooseSplit()
}
