package functional

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/warp"
)

// Within a warp's time slice the splits that can run have quanta, round after round. A split's first quantum has
// firstQuantum instructions, and each further one twice as many, quantumGrowth times. Quanta end at branches. A split
// that waits for no other has a quantum as long as the time slice.
const (
	firstQuantum  = 64
	quantumGrowth = 3
)

// quantaPerRound bounds how many quanta a split that had its own in the round waits, because diverging lanes may make
// new splits without end.
const quantaPerRound = 2 * lanes.Width

// schedule says which split of a warp runs, and for how long.
type schedule struct {
	// The warp's time slice.
	halted   bool   // halted by a Stepper; will continue
	yielded  bool   // ended after an access that may conflict with another warp's; will continue
	deadline uint64 // in the warp's instructions
	midBlock bool   // a split that is executed instruction by instruction is between branches, where no time slice ends

	// The quantum of the running split.
	quantumBegins bool   // at the next split that runs
	checkFrom     uint64 // in the warp's instructions: from there on a branch may end the quantum
	length        uint64 // of the quantum; splits that diverge in it get as many instructions from there on

	// The round: every split that can run has a quantum in it.
	served lanes.Mask // lanes of splits that had their quantum in this round
	quanta int        // number of quanta in this round

	// spent is how many quanta a lane's split has spent since the warp started or the lane last waited for others.
	// It is kept for each lane, so that lanes keep their counts when they diverge or reconverge. For lanes outside
	// hasSpent the count is 0 and spent is not valid.
	spent    [lanes.Width]uint32
	hasSpent lanes.Mask
	// polling and livelocked are the lanes of splits found to be so in their latest quantum.
	polling, livelocked lanes.Mask
	// owed are the lanes of splits that the detector should have observed, but did not because they were in counting
	// loops.
	owed lanes.Mask

	waits bool             // a split was found polling or livelocked, or a barrier was broken, since the warp started
	edges int              // retreating branches of the next quantum that the detector observes; 0 before the first
	idle  int              // time slices in a row in which no split made progress
	other divergence.Split // scratch memory within one call
}

// progress says whether a split made progress in its latest quantum.
type progress uint8

const (
	progressing progress = iota // as far as is known
	polling                     // it repeatedly read memory that others may write, and changed nothing
	livelocked                  // its state repeats: it makes no progress until memory changes
)

// start initialises the schedule of a warp that starts.
func (t *schedule) start() {
	t.halted, t.yielded, t.deadline, t.length, t.served, t.quanta, t.hasSpent, t.polling, t.livelocked, t.owed, t.waits, t.edges, t.idle = false, false, 0, firstQuantum, 0, 0, 0, 0, 0, 0, false, 0, 0
}

// nextRound begins a round and sets split to the first one of it. If all lanes wait for others of the warp, it breaks
// a convergence barrier. It returns false if no lane can run.
func (t *schedule) nextRound(w *warp.State, split *divergence.Split) bool {
	for {
		if t.served != 0 {
			t.newRound()
		} else if !t.breakBarrier(w) {
			return false
		}
		if w.Control.Ready(0, split) {
			return true
		}
	}
}

func (t *schedule) newRound() { t.served, t.quanta = 0, 0 }

// breakBarrier breaks a convergence barrier of the warp, if lanes wait at one. The
// detector then observes the next quantum of every split.
func (t *schedule) breakBarrier(w *warp.State) bool {
	if !w.Control.Break() {
		return false
	}
	for lane := range t.spent {
		t.spent[lane] = 1
	}
	t.hasSpent, t.waits = lanes.AllLanes, true
	return true
}

// alone reports whether no other split of the warp can run.
func (t *schedule) alone(w *warp.State, split *divergence.Split) bool {
	return split.Mask == w.Live || !w.Control.Ready(split.Mask, &t.other)
}

// resetQuanta makes the next quanta of lanes that wait for others as short as those of
// lanes that start.
func (t *schedule) resetQuanta(m lanes.Mask) { t.hasSpent, t.owed = t.hasSpent&^m, t.owed&^m }

// spentBy returns how many quanta the split of the lanes m has spent: the count of its lowest lane.
func (t *schedule) spentBy(m lanes.Mask) uint32 {
	lane := firstLane(m)
	if t.hasSpent>>lane&1 == 0 {
		return 0
	}
	return t.spent[lane]
}

// quantum returns the length in instructions of the next quantum of the split of the lanes m. If its lanes diverge or
// reconverge in it, the resulting splits share the quantum.
func (t *schedule) quantum(m lanes.Mask) uint64 {
	return firstQuantum << min(t.spentBy(m), quantumGrowth)
}

// endQuantum ends the quantum of a split, which continues at its PC. It reports whether another split can run that
// had no quantum in this round.
func (t *schedule) endQuantum(w *warp.State, split *divergence.Split, p progress) (more bool) {
	if split.PC == split.Stop {
		w.Control.Advance(split.ID, split.PC)
		return w.Control.Ready(t.served, split)
	}
	for m := split.Mask; m != 0; m &= m - 1 {
		if lane := firstLane(m); p == progressing && t.hasSpent>>lane&1 != 0 {
			t.spent[lane]++
		} else {
			t.spent[lane] = 1 // a waiting split is expected to make progress soon
		}
	}
	t.hasSpent |= split.Mask
	t.waits = t.waits || p != progressing
	t.setProgress(split.Mask, p)
	t.served |= split.Mask
	w.Control.Defer(split.ID, split.PC)
	if t.quanta++; t.quanta > quantaPerRound {
		t.newRound()
		t.polling, t.livelocked = 0, 0 // splits without a quantum in this round may have made progress since
		return false
	}
	return w.Control.Ready(t.served, split)
}

// setProgress records the progress of the lanes m in their quantum.
func (t *schedule) setProgress(m lanes.Mask, p progress) {
	t.polling &^= m
	t.livelocked &^= m
	switch p {
	case polling:
		t.polling |= m
	case livelocked:
		t.livelocked |= m
	}
}

// progressOf returns the progress of the split of the lanes m.
func (t *schedule) progressOf(m lanes.Mask) progress {
	switch {
	case m&^t.livelocked == 0:
		return livelocked
	case m&^(t.livelocked|t.polling) == 0:
		return polling
	}
	return progressing
}

// progress returns the best progress of any split of the warp; livelocked if none can run.
func (t *schedule) progress(w *warp.State) progress {
	most := livelocked
	for seen := lanes.Mask(0); most != progressing && w.Control.Ready(seen, &t.other); seen |= t.other.Mask {
		most = min(most, t.progressOf(t.other.Mask))
	}
	return most
}

// firstLane returns the lowest lane of m, which must not be empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) & (lanes.Width - 1) }
