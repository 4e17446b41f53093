package debugger

import (
	"slices"
	"time"
)

// leastClimb is the least number of cycles in which climb makes copies.
const leastClimb = 64

// climb makes copies between a moment, where the launches are, and a later one of a launch with a clock: halfway,
// halfway from there, and so on, as long as that takes longer to execute than a copy. A cycle of many SMs is expensive:
// without these rungs each step further back would execute most of the part again. It returns the latest moment with a
// copy, where the launches are then.
func (s *search) climb(from, to moment) (moment, error) {
	d := s.d
	h := &d.timeline
	if d.timed == nil || s.progress == nil || h.store == nil || from.launch != to.launch {
		return from, nil
	}
	h.dropRungs(to)
	h.store.Limit = h.limit
	for left := to.step - from.step; left >= leastClimb; left = to.step - from.step {
		half := left / 2
		if h.perCycle > 0 && time.Duration(half)*h.perCycle < max(firstInterval, h.took) {
			break
		}
		next, began := moment{from.launch, from.step + half}, time.Now()
		if err := d.replay(next, &hook{ctx: s.hook.ctx}); err != nil {
			return from, err
		}
		if h.perCycle = time.Since(began) / time.Duration(half); !d.keepCopy(true) {
			return from, d.loadBefore(from)
		}
		from = next
	}
	return from, nil
}

// closeToCopy reports whether it takes less time to come back to the present from a copy before than to copy it, or not
// much more.
func (d *Debugger) closeToCopy() bool {
	h, now := &d.timeline, d.now()
	i, _ := slices.BinarySearchFunc(h.all, now, func(w worldCopy, m moment) int { return w.compare(m) })
	if h.perCycle == 0 || i == 0 || h.all[i-1].launch != now.launch {
		return false
	}
	return time.Duration(now.step-h.all[i-1].step)*h.perCycle < 3*max(firstInterval, h.took)
}
