package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/warp"
)

// quantaUntilBreak is the number of quanta of a split, while others wait for it at a convergence barrier, after which
// the barrier is broken although the split may make progress: some millions of instructions.
const quantaUntilBreak = 1 << 13

// firstEdges is how many retreating branches the detector observes the first time in a quantum of a warp. It doubles
// the number each time that it finds nothing, up to mostEdges.
const (
	firstEdges = 8
	mostEdges  = 4096
)

// prepareQuantum prepares to run a split, in a new quantum if one begins, and reports whether the split is assumed to
// make progress in it.
func (s *Session) prepareQuantum(w *warp.State, t *schedule, split *divergence.Split) (progress bool) {
	if t.quantumBegins {
		progress = s.beginQuantum(w, t, split)
	} else {
		// The split continues in another split's quantum, so the progress that was found for it is out of date.
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

// beginQuantum begins the quantum of a split, and reports whether the split is assumed to make progress in it. The
// detector observes the quantum if the split made no progress in its latest one, and otherwise at increasing
// intervals; see isDue. If the split is in counting loops, the detector waits until it has left them.
func (s *Session) beginQuantum(w *warp.State, t *schedule, split *divergence.Split) (progress bool) {
	was := t.progressOf(split.Mask)
	t.quantumBegins, t.length = false, t.quantum(split.Mask)
	t.setProgress(split.Mask, progressing)
	if was != progressing || t.owed&split.Mask != 0 || s.isDue(w, t, split) {
		if t.owed |= split.Mask; !s.counts(w, split) {
			t.owed &^= split.Mask
			if t.edges == 0 {
				t.edges = firstEdges
			}
			s.detector.begin(w, t.edges, t.waits || s.onlyWaits(w, split))
			t.checkFrom = 0
			return false
		}
	}
	s.detector.stop()
	t.checkFrom = s.quantumEnd(w, t, split)
	return true
}

// patience is the number of quanta of a split, some 3,000 instructions, before the detector first observes one in
// loops in which it most likely does not wait. Observing it takes the time of as many instructions in compiled code,
// and most warps end or reach a barrier earlier.
const patience = 8

// isDue reports whether the detector observes the next quantum of a split that makes progress as far as is known:
// after 1, 2, 4 and so on quanta if it may wait or quanta are time slices, otherwise after patience of them, twice,
// four times as many and so on.
func (s *Session) isDue(w *warp.State, t *schedule, split *divergence.Split) bool {
	spent := t.spentBy(split.Mask)
	if spent == 0 || spent&(spent-1) != 0 {
		return false
	}
	return spent >= patience || t.waits || s.undisturbed(w, split) || s.waitingLoop(w, split) > 0
}

// spinSize is the size of the largest loop, in instructions, that is likely to do nothing but wait.
const spinSize = 24

// onlyWaits reports whether a split is in a loop that most likely does nothing but wait.
func (s *Session) onlyWaits(w *warp.State, split *divergence.Split) bool {
	size := s.waitingLoop(w, split)
	return 0 < size && size <= spinSize
}

// waitingLoop returns the size of the smallest loop that contains a split, also of its callers, in which it may wait;
// see program.Program.WaitingLoop. It is 0 if there is none.
func (s *Session) waitingLoop(w *warp.State, split *divergence.Split) (size int) {
	frames, p, pc, id := w.Control.Frames(), s.grid.Program(), split.PC, split.Frame
	for range mostFrames {
		if n := p.WaitingLoop(w.Windows[id].Func, pc); n > 0 && (size == 0 || n < size) {
			size = n
		}
		f := frames.At(id)
		if pc, id = f.Ret, f.Parent; id == divergence.NoFrame {
			break
		}
	}
	return size
}

// quantumEnd returns the end, in the warp's instructions, of a quantum that the detector does not observe.
func (s *Session) quantumEnd(w *warp.State, t *schedule, split *divergence.Split) uint64 {
	switch {
	case s.strict && w.Control.Strict():
		return 0
	case s.undisturbed(w, split):
		return t.deadline
	}
	return min(t.deadline, w.Steps+t.length+jitter(w, t.length))
}

// undisturbed reports whether the quantum of a split need not end before its warp's time slice: the split has all
// live lanes of the warp, or is in code that cannot wait for others.
func (s *Session) undisturbed(w *warp.State, split *divergence.Split) bool {
	return split.Mask == w.Live || !s.grid.Program().MayPoll(w.Windows[split.Frame].Func, split.PC)
}

// successor is the split with which a warp continues after a branch.
type successor uint8

const (
	sameSplit  successor = iota // the control state does not have its PC
	readySplit                  // the split that Control.Ready returns
	noSplit                     // the warp's time slice ends
)

// atBranch decides how a warp continues with its split after a branch from checkFrom on: where its quantum ends, or
// where the detector or the model must see every branch. It reports whether the split's lanes made progress.
func (s *Session) atBranch(w *warp.State, t *schedule, split *divergence.Split) (progress bool, then successor) {
	found, k, strict := progressing, &s.detector, s.strict && w.Control.Strict()
	waits := s.engine.Waits(true) && !k.on // the detector must see it more than once
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
	t.waits = t.waits || k.suspects
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

// jitter returns the addition to a time slice or quantum of the given length, a power of two: up to an eighth. Without
// it all could end at the same place of a loop that takes a lock which another warp or split needs.
func jitter(w *warp.State, length uint64) uint64 { return jitterAt(w.Steps, w.ID, length) }

// jitterAt is jitter for the warp with an ID after a number of steps.
func jitterAt(steps uint64, id int, length uint64) uint64 {
	return splitmix.Mix(steps+uint64(id)) & (length/8 - 1)
}
