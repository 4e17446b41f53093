package sm

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// A split of a diverged warp issues until it waits for other lanes or ends, and for at most one time slice if other
// splits can run. Waiting for a result does not switch splits.
const (
	firstSlice  = 64 // instructions
	sliceGrowth = 3  // number of slices after which the slice length doubles
)

// pollsUntilBreak is how many iterations a split may spend in a polling loop, which reads memory that others may
// write and changes nothing, while other lanes of its warp wait for it at a convergence barrier. Then the barrier is
// broken.
const pollsUntilBreak = 64

// slicesUntilBreak is the same limit for all loops, in time slices.
const slicesUntilBreak = 1 << 13

// timeSlice determines how long the issuing split of a warp may continue.
type timeSlice struct {
	served   lanes.Mask // lanes whose split has had a slice in this round
	owner    lanes.Mask // lanes of the split with the present slice, when the slice began
	deadline uint64     // in instructions of the warp
	count    int        // slices since the warp last waited for other lanes
	polled   bool       // the split has read memory that others may write since its latest retreating branch
	polls    int        // iterations with such a read since it last changed memory
	wrote    bool       // it has changed memory since its latest retreating branch
	// results are the cycles in which results of atomics that have changed memory will arrive: the warp's behaviour
	// cannot depend on them before.
	results []int64
}

// expect notes that the result of an atomic that has changed memory will arrive at done. Now is a cycle up to which
// the scheduler has run.
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

// reset restarts counting, after lanes of the warp have waited for others.
func (t *timeSlice) reset() { t.count, t.polls = 0, 0 }

// chooseSplit chooses the split of the warp that issues next. It begins a time slice unless lanes of the split own
// the present one: lanes that diverge and reconverge in a loop do not get a new slice each time. It returns false if
// no lane can run.
func (x *slot) chooseSplit() bool {
	if !x.ready() {
		return false
	}
	if t := &x.slice; t.owner&x.split.Mask == 0 || x.warp.Live&^t.owner == 0 {
		t.owner, t.deadline = x.split.Mask, x.warp.Steps+firstSlice<<min(t.count, sliceGrowth)
	}
	return true
}

// ready chooses the split of the warp that issues next: the first in the model's order that has had no slice in this
// round. If all lanes wait for others of the warp, a convergence barrier is broken. It returns false if no lane can
// run.
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

// syncControl stores the position of the issuing split in the warp's control state.
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
	t.wrote, m.wrote = t.wrote || wrote && !private(e), m.wrote || wrote
}

// private reports whether all accesses are of local memory, where code without optimisation keeps what other code keeps
// in registers: also in loops that poll.
func private(e *interp.Effect) bool {
	for i := range e.Access {
		if e.Access[i].Region != lanes.NoRegion {
			return false
		}
	}
	return true
}

// expired counts a retreating branch at cycle now of a warp that has executed steps instructions, and reports whether
// the slice is over.
func (t *timeSlice) expired(steps uint64, now int64) bool {
	t.collect(now)
	switch {
	case t.wrote:
		t.polls = 0
	case t.polled: // not in an inner loop without polling, such as a delay
		t.polls++
	}
	t.polled, t.wrote = false, false
	return t.polls >= pollsUntilBreak || steps >= t.deadline
}

// branched decides which split of the warp issues next, after all lanes of the issuing split took a branch alike by
// cycle now. Before is the split at the branch.
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
