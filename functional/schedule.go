package functional

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// sliceLength is how many instructions a warp's time slice has, before the next
// warp of its CTA has one. Within it, every split that can run has a quantum: of
// firstQuantum instructions for its first, and of twice as many for each further
// one, quantumGrowth times. They end at branches.
const (
	sliceLength   = 4096
	firstQuantum  = 64
	quantumGrowth = 3
)

// patience is how many quanta a split may have while others wait for it at a
// convergence barrier, without knowing that it makes no progress: some millions of
// instructions.
const patience = 1 << 13

// mostQuanta bounds how long a split that had its quantum waits for others, of
// which there may ever be new ones.
const mostQuanta = 2 * lanes.Width

// schedule says which split of a warp runs, and how long.
type schedule struct {
	// The warp's time slice, which a Stepper may halt.
	on       bool
	deadline uint64 // of the warp's instructions
	check    uint64 // of the warp's instructions: from there on branches are looked at
	begins   bool   // a quantum begins
	midway   bool   // between instructions at which the deadline is not looked at

	// The splits' quanta. In a round, every split that can run has one.
	had    lanes.Mask // lanes whose split had its quantum in this round
	quanta int        // of this round
	// spent is, by lane, how many quanta its split has spent since the warp started
	// or the lane waited for others; of lanes that are not in spenders it is 0,
	// whatever is in spent.
	spent    [lanes.Width]uint32
	spenders lanes.Mask
	// Lanes whose split was found polling, or livelocked, in its latest quantum.
	polling, livelocked lanes.Mask

	watch int              // retreating branches that a watched quantum lasts; 0 before the first
	seen  divergence.Split // for use within one call
	idle  int              // time slices in a row in which no split made progress
}

// progress says whether a split made progress in its latest quantum.
type progress uint8

const (
	progressing progress = iota // for all that is known
	polls                       // it read memory that others may write, over and over, and changed nothing
	livelock                    // its state repeats: it makes progress when memory changes, and not before
)

func (t *schedule) start() {
	t.on, t.deadline, t.had, t.quanta, t.spenders, t.polling, t.livelocked, t.watch, t.idle = false, 0, 0, 0, 0, 0, 0, 0, 0
}

// nextRound begins a round of quanta and sets split to the one to run first. If all
// lanes wait for others of the warp, a convergence barrier is broken. It is false if
// no lane can run.
func (t *schedule) nextRound(w *warp.State, split *divergence.Split) bool {
	for {
		if t.had != 0 {
			t.newRound()
		} else if !t.breakBarrier(w) {
			return false
		}
		if w.Control.Ready(0, split) {
			return true
		}
	}
}

func (t *schedule) newRound() { t.had, t.quanta = 0, 0 }

// breakBarrier breaks a convergence barrier of the warp, if lanes wait at one. All
// splits are then watched soon.
func (t *schedule) breakBarrier(w *warp.State) bool {
	if !w.Control.Break() {
		return false
	}
	for lane := range t.spent {
		t.spent[lane] = 1
	}
	t.spenders = lanes.AllLanes
	return true
}

// woken notes that lanes wait for others; when they are woken, it is as if they had
// just started.
func (t *schedule) woken(m lanes.Mask) { t.spenders &^= m }

// spentBy is how many quanta the split of the lanes m has spent: those of its first
// lane.
func (t *schedule) spentBy(m lanes.Mask) uint32 {
	lane := firstLane(m)
	if t.spenders>>lane&1 == 0 {
		return 0
	}
	return t.spent[lane]
}

// quantum is how many instructions a split may execute before others have their
// quantum.
func (t *schedule) quantum(m lanes.Mask) uint64 {
	return firstQuantum << min(t.spentBy(m), quantumGrowth)
}

// spend ends the quantum of a split, which goes on at its PC. It reports whether
// another split can run that has not had its own in this round.
func (t *schedule) spend(w *warp.State, split *divergence.Split, p progress) (more bool) {
	if split.PC == split.Stop {
		w.Control.Advance(split.ID, split.PC)
		return w.Control.Ready(t.had, split)
	}
	for m := split.Mask; m != 0; m &= m - 1 {
		if lane := firstLane(m); p == progressing && t.spenders>>lane&1 != 0 {
			t.spent[lane]++
		} else {
			t.spent[lane] = 1 // what waits is expected to make progress soon
		}
	}
	t.spenders |= split.Mask
	t.note(split.Mask, p)
	t.had |= split.Mask
	w.Control.Defer(split.ID, split.PC)
	if t.quanta++; t.quanta > mostQuanta {
		t.newRound()
		t.polling, t.livelocked = 0, 0 // splits without a quantum in this round may have made progress since
		return false
	}
	return w.Control.Ready(t.had, split)
}

// note notes what the quantum of the lanes m has shown.
func (t *schedule) note(m lanes.Mask, p progress) {
	t.polling &^= m
	t.livelocked &^= m
	switch p {
	case polls:
		t.polling |= m
	case livelock:
		t.livelocked |= m
	}
}

// progressOf is that of the split of the lanes m.
func (t *schedule) progressOf(m lanes.Mask) progress {
	switch {
	case m&^t.livelocked == 0:
		return livelock
	case m&^(t.livelocked|t.polling) == 0:
		return polls
	}
	return progressing
}

// progress is that of the split of the warp that makes most; livelock if none can
// run.
func (t *schedule) progress(w *warp.State) progress {
	most := livelock
	for seen := lanes.Mask(0); most != progressing && w.Control.Ready(seen, &t.seen); seen |= t.seen.Mask {
		most = min(most, t.progressOf(t.seen.Mask))
	}
	return most
}

// beginQuantum begins the quantum of a split, and reports whether it is taken for
// granted that the split makes progress in it.
func (s *Session) beginQuantum(w *warp.State, t *schedule, split *divergence.Split) (progress bool) {
	was := t.progressOf(split.Mask)
	t.begins = false
	t.note(split.Mask, progressing)
	spent := t.spentBy(split.Mask)
	if was != progressing || spent&(spent-1) == 0 && spent > 0 {
		if t.watch == 0 {
			t.watch = firstWatch
		}
		s.detector.begin(w, t.watch)
		t.check = 0
		return false
	}
	s.detector.stop()
	t.check = s.unwatched(w, t, split)
	return true
}

// unwatched is the end of a quantum in which nobody looks at what the lanes do.
func (s *Session) unwatched(w *warp.State, t *schedule, split *divergence.Split) (check uint64) {
	switch {
	case s.strict && w.Control.Strict():
		return 0
	case split.Mask == w.Live: // as a rule: there is no other split
		return t.deadline
	}
	quantum := t.quantum(split.Mask)
	return min(t.deadline, w.Steps+quantum+jitter(w, quantum))
}

// then is how a warp goes on behind a branch.
type then uint8

const (
	onward   then = iota // with the same split, of whose PC the control state does not know
	another              // with the split that is ready
	turnOver             // when it has its next time slice
)

// atBranch decides how a warp goes on whose split is behind a branch, its quantum
// being used up, or looked at while it lasts. It reports whether the split's lanes
// made progress.
func (s *Session) atBranch(w *warp.State, t *schedule, split *divergence.Split) (progress bool, next then) {
	found, k, strict := progressing, &s.detector, s.strict && w.Control.Strict()
	if k.on {
		if split.PC <= s.engine.Branch() {
			found = k.retreat(s, w, split)
		}
		progress = k.changed()
		if k.left == 0 {
			t.watch = min(2*t.watch, mostWatch)
			k.stop()
		}
	}
	if found == progressing && w.Steps < t.deadline && (k.on || strict || split.Mask == w.Live) {
		if !k.on {
			progress = true
			t.check = s.unwatched(w, t, split)
		}
		if strict || s.single {
			w.Control.Advance(split.ID, split.PC)
			return progress, another
		}
		return progress, onward
	}
	m := split.Mask
	more := t.spend(w, split, found)
	if n := t.spentBy(m); n > 0 && n%patience == 0 {
		t.breakBarrier(w)
	}
	t.begins = true
	if !more {
		return progress || found == progressing, turnOver
	}
	return progress || found == progressing, another
}

// jitter is what to add to a time slice or quantum of the given length, up to an
// eighth: with one length they could all end at the same place of a loop, while it
// holds a lock that somebody else wants. Lengths are powers of two.
func jitter(w *warp.State, length uint64) uint64 {
	return mix(w.Steps+uint64(w.ID)) & (length/8 - 1)
}

// mix is a step of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
// Number Generators, 2014).
func mix(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) & (lanes.Width - 1) }
