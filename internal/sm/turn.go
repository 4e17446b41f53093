package sm

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// A split of a diverged warp issues until it waits for other lanes or ends, and for a
// turn at most if other splits can run: a wait for a result does not switch splits.
const (
	firstTurn  = 64 // instructions
	turnGrowth = 3  // times that the next turn is twice as long
)

// pollsUntilBreak is how many iterations of a loop that reads memory which others may
// write, and changes nothing, a split may spend while other lanes of its warp wait for
// it at a convergence barrier, before the barrier is broken.
const pollsUntilBreak = 64

// turnsUntilBreak is the same for loops of any kind, in turns.
const turnsUntilBreak = 1 << 13

// turn says how long the split of a warp that issues may go on.
type turn struct {
	served lanes.Mask // lanes whose split had its turn in this round
	lanes  lanes.Mask // whose turn it is: those of the split with which it began
	until  uint64     // in the warp's instructions
	spent  int        // turns since the warp last waited for other lanes
	polled bool       // the split has read memory that others may write since the latest retreating branch
	polls  int        // iterations in which it did, since it has changed any
	wrote  bool       // it has changed memory since the latest retreating branch
	// changes is when the results of atomics come that have changed memory, and have not come yet:
	// what a warp does cannot depend on them before.
	changes []int64
}

// change notes that the result of an atomic that has changed memory comes at done. Now is a cycle up
// to which the scheduler has run.
func (t *turn) change(done, now int64) {
	t.come(now)
	t.changes = append(t.changes, done)
}

// come takes the changes that have come by now for writes.
func (t *turn) come(now int64) {
	if len(t.changes) == 0 {
		return
	}
	later := slices.DeleteFunc(t.changes, func(done int64) bool { return done <= now })
	t.wrote = t.wrote || len(later) < len(t.changes)
	t.changes = later
}

// reset is the turn of a warp whose lanes have waited for others.
func (t *turn) reset() { t.spent, t.polls = 0, 0 }

// chooseSplit chooses the split of the warp that issues next, and begins a turn unless
// lanes of the split have theirs: those that diverge in a loop, and reconverge, do not
// have a new one each time. It is false if no lane can run.
func (x *slot) chooseSplit() bool {
	if !x.ready() {
		return false
	}
	if t := &x.turn; t.lanes&x.split.Mask == 0 || x.warp.Live&^t.lanes == 0 {
		t.lanes, t.until = x.split.Mask, x.warp.Steps+firstTurn<<min(t.spent, turnGrowth)
	}
	return true
}

// ready chooses the split of the warp that issues next: the first one in the model's
// order that had no turn in this round. If all lanes wait for others of the warp, a
// convergence barrier is broken. It is false if no lane can run.
func (x *slot) ready() bool {
	t, c := &x.turn, x.warp.Control
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

// settle tells the warp's control state where the split is that issues.
func (x *slot) settle() {
	if x.warp == nil || x.warp.Live == 0 || x.blocked {
		return
	}
	c, mask := x.warp.Control, x.split.Mask
	c.Advance(x.split.ID, x.split.PC)
	for seen := lanes.Mask(0); c.Ready(seen, &x.split) && x.split.Mask != mask; {
		seen |= x.split.Mask
	}
}

// note records the effect on memory of an instruction of the warp in x.
func (m *multiprocessor) note(x *slot, in *instr) {
	e, t := &m.effect, &x.turn
	if len(e.Access) == 0 {
		return
	}
	wrote := in.memory == stores || in.reduces || e.Changed
	t.polled, m.polled = t.polled || in.polls, m.polled || in.polls
	t.wrote, m.wrote = t.wrote || wrote, m.wrote || wrote
}

// over counts a retreating branch at cycle now of a warp that has executed so many
// instructions, and reports whether the turn is over.
func (t *turn) over(steps uint64, now int64) bool {
	t.come(now)
	switch {
	case t.wrote:
		t.polls = 0
	case t.polled: // but not in a loop within, such as a delay
		t.polls++
	}
	t.polled, t.wrote = false, false
	return t.polls >= pollsUntilBreak || steps >= t.until
}

// branched decides which split of the warp issues next, as the one that does is at cycle
// now behind a branch, at which it was before, that all its lanes took alike.
func (m *multiprocessor) branched(x *slot, before *divergence.Split, now int64) {
	w, t, split := x.warp, &x.turn, &x.split
	stops := split.PC == split.Stop
	if split.Mask == w.Live || split.PC > before.PC || !t.over(w.Steps, now) {
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
	t.spent++
	var other divergence.Split
	if t.polls >= pollsUntilBreak && !w.Control.Ready(t.served|split.Mask, &other) || t.spent%turnsUntilBreak == 0 {
		w.Control.Break()
		t.polls = 0
	}
	t.served |= split.Mask
	t.lanes = 0
	w.Control.Defer(split.ID, split.PC)
	if stops {
		m.changed(x, before, interp.Changed)
		return
	}
	x.blocked = !x.chooseSplit()
}
