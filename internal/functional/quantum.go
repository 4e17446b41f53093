package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/warp"
)

// quantaUntilBreak is how many quanta a split may have while others wait for it at a
// convergence barrier, as long as it may make progress: some millions of instructions.
const quantaUntilBreak = 1 << 13

// firstEdges is how many retreating branches the detector observes at first in a
// quantum of a warp. It observes twice as many each time that it finds nothing, up to
// mostEdges.
const (
	firstEdges = 8
	mostEdges  = 4096
)

// prepareQuantum prepares to run a split, in a new quantum if one begins, and reports
// whether the split is taken to make progress in it.
func (s *Session) prepareQuantum(w *warp.State, t *schedule, split *divergence.Split) (progress bool) {
	if t.quantumBegins {
		progress = s.beginQuantum(w, t, split)
	} else {
		// A split that goes on in the quantum of another: what it was found to do is out of date.
		t.setProgress(split.Mask, progressing)
		if s.strict && w.Control.Strict() {
			t.checkFrom = 0
		}
	}
	if s.detector.on {
		s.detector.runs(w, split.Mask)
	}
	return progress
}

// beginQuantum begins the quantum of a split, and reports whether the split is taken
// to make progress in it. The detector observes the quantum if the split made no
// progress in its latest one, and otherwise after 1, 2, 4 and so on quanta; but for a
// split in loops that count it waits until the split has left them.
func (s *Session) beginQuantum(w *warp.State, t *schedule, split *divergence.Split) (progress bool) {
	was := t.progressOf(split.Mask)
	t.quantumBegins, t.length = false, t.quantum(split.Mask)
	t.setProgress(split.Mask, progressing)
	spent := t.spentBy(split.Mask)
	if was != progressing || spent&(spent-1) == 0 && spent > 0 || t.owed&split.Mask != 0 {
		if t.owed |= split.Mask; !s.counts(w, split) {
			t.owed &^= split.Mask
			if t.edges == 0 {
				t.edges = firstEdges
			}
			s.detector.begin(w, t.edges)
			t.checkFrom = 0
			return false
		}
	}
	s.detector.stop()
	t.checkFrom = s.quantumEnd(w, t, split)
	return true
}

// quantumEnd is where a quantum ends that the detector does not observe, in the warp's
// instructions.
func (s *Session) quantumEnd(w *warp.State, t *schedule, split *divergence.Split) uint64 {
	switch {
	case s.strict && w.Control.Strict():
		return 0
	case s.undisturbed(w, split):
		return t.deadline
	}
	return min(t.deadline, w.Steps+t.length+jitter(w, t.length))
}

// undisturbed reports whether the quantum of a split need not end before its warp's time slice: it is all that lives of the
// warp, or is where it cannot wait for what others do.
func (s *Session) undisturbed(w *warp.State, split *divergence.Split) bool {
	return split.Mask == w.Live || !s.grid.Program().MayPoll(w.Windows[split.Frame].Func, split.PC)
}

// successor is the split with which a warp goes on behind a branch.
type successor uint8

const (
	sameSplit  successor = iota // the control state does not know of its PC
	readySplit                  // the one that Control.Ready gives
	noSplit                     // the warp's time slice ends
)

// atBranch decides how a warp goes on whose split is behind a branch from checkFrom on:
// where its quantum ends, or the detector or the model is to know of every branch. It
// reports whether the split's lanes made progress.
func (s *Session) atBranch(w *warp.State, t *schedule, split *divergence.Split) (progress bool, then successor) {
	found, k, strict := progressing, &s.detector, s.strict && w.Control.Strict()
	waits := s.engine.Waits(true) && !k.on // which the detector has to see more than once
	if k.on {
		if split.PC <= s.engine.Branch() {
			found = k.retreat(s, w, split)
		}
		progress = k.changed()
		if k.edgesLeft == 0 {
			t.edges = min(2*t.edges, mostEdges)
			k.stop()
		}
	}
	if found == progressing && !waits && w.Steps < t.deadline && (k.on || strict || s.undisturbed(w, split)) {
		if !k.on {
			progress = true
			t.checkFrom = s.quantumEnd(w, t, split)
		}
		if strict || s.single {
			w.Control.Advance(split.ID, split.PC)
			return progress, readySplit
		}
		return progress, sameSplit
	}
	m := split.Mask
	then = noSplit
	if t.endQuantum(w, split, found) {
		then = readySplit
	}
	if n := t.spentBy(m); n > 0 && n%quantaUntilBreak == 0 {
		t.breakBarrier(w)
	}
	t.quantumBegins = true
	return progress || found == progressing, then
}

// jitter is what to add to a time slice or quantum of the given length, a power of
// two: up to an eighth. Without it all could end at the same place of a loop, in which
// a lock is taken that another warp or split wants.
func jitter(w *warp.State, length uint64) uint64 { return jitterAt(w.Steps, w.ID, length) }

// jitterAt is jitter for the warp of that ID after so many steps.
func jitterAt(steps uint64, id int, length uint64) uint64 {
	return splitmix.Mix(steps+uint64(id)) & (length/8 - 1)
}
