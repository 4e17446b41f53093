package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// sliceLength is the number of instructions of a warp's time slice, after which the next warp of its CTA has one.
const sliceLength = 4096

// shortSliceLength is sliceLength in launches in which accesses of warps may conflict between barriers
// (interp.Grid.Contend). A GPU switches warps after each instruction. Slices of some dozens of instructions are short
// enough that all warps that leave a barrier together read before the first of them writes.
const shortSliceLength = 64

// ctaSliceLength is the number of instructions of a CTA's time slice for each of its warps, after which other CTAs
// have one. It is long, because a CTA that ends within its first slice is followed by the next one in the same
// memory, and may execute concurrently with others.
const ctaSliceLength = 4 * sliceLength

// slicesUntilBreak is how many time slices a warp may spend in loops without progress, while other lanes of it wait
// for these at a convergence barrier and other warps make progress, before the barrier is broken.
const slicesUntilBreak = 64

// slicesUntilBreak converts slicesUntilBreak to the launch's time slices.
func (s *Session) slicesUntilBreak() int { return slicesUntilBreak * sliceLength / int(s.slice) }

// ctaSlice is a CTA's time slice: rounds over its warps, in each of which every warp has a time slice, until the CTA
// has executed enough. A Stepper may halt it.
type ctaSlice struct {
	begun    bool
	deadline uint64 // in the launch's instructions
	// For the present round: the ID of the warp that has its time slice; whether a warp could run; whether a warp made
	// progress.
	warp            int
	ran, progressed bool
	tookTurns       bool // turns were taken in the present round
}

// sliceLength returns the number of instructions of the CTA's time slice, at most most.
func (r *resident) sliceLength(most uint64) uint64 {
	return min(ctaSliceLength*uint64(len(r.Warps)), most)
}

// runCTA gives a CTA its time slice, of at most most instructions, or continues one that was halted, and reports
// whether all its warps have ended.
func (s *Session) runCTA(r *resident, most uint64) (ended bool, err error) {
	t := &r.slice
	if r.repetition.found {
		return false, nil
	}
	if !t.begun {
		*t = ctaSlice{begun: true, deadline: s.engine.Stats.WarpInstrs + r.sliceLength(most)}
	}
	for {
		if t.warp == 0 && !t.ran && !t.tookTurns {
			s.takeTurns(r)
		}
		t.tookTurns = false
		for t.warp < len(r.Warps) {
			s.atBarrier = false
			if err := s.runWarpOf(r, r.Warps[t.warp]); err != nil {
				return false, err
			}
			t.warp++
			if s.probing && s.atBarrier && r.Waiting == 0 { // the barrier is complete
				if s.repeats(r) {
					t.begun = false
					return false, nil
				}
				break // all warps leave it together
			}
		}
		switch {
		case r.Live == 0:
			t.begun = false
			return true, nil
		case !t.ran:
			t.begun, r.stuck = false, true
			if r.deadlocked() {
				return false, s.engine.Deadlock(r.CTA)
			}
			return false, nil
		case !t.progressed || s.engine.Stats.WarpInstrs >= t.deadline:
			t.begun = false
			return false, nil
		}
		t.warp, t.ran, t.progressed = 0, false, false
	}
}

// deadlocked reports whether no lane of the cluster can run, as in the latest time slice of each of its CTAs: only
// lanes of the cluster could release others.
func (r *resident) deadlocked() bool {
	for _, p := range r.peers {
		if p.Live > 0 && !p.stuck {
			return false
		}
	}
	return r.Cluster.Stuck()
}

// runWarpOf gives a warp of a CTA its time slice, if it can run, and records for the CTA and the launch whether it
// made progress.
func (s *Session) runWarpOf(r *resident, w *warp.State) error {
	ran, progress, err := s.runWarp(r, w)
	s.progress = s.progress || progress
	if !ran || err != nil {
		return err
	}
	r.slice.ran, r.stuck = true, false
	if w.Live == 0 || r.Waiting>>w.ID&1 != 0 { // it has ended, or waits at a barrier
		return nil
	}
	t := &r.warps[w.ID]
	if t.progress(w) == progressing {
		r.slice.progressed = true
		t.idle = 0
	} else if t.idle++; t.idle%s.slicesUntilBreak() == 0 {
		t.breakBarrier(w)
	}
	return nil
}

// runWarp gives a warp its time slice, or continues one that was halted, until the warp has executed enough, waits at
// a barrier or has ended. It chooses the split that runs next; runSplit says until when. It reports whether any lane
// could run, and whether lanes made progress or changed memory, as far as is known.
func (s *Session) runWarp(r *resident, w *warp.State) (ran, progress bool, err error) {
	t, split := &r.warps[w.ID], &s.split
	if !(w.Control.Ready(t.served, split) || t.nextRound(w, split)) {
		return false, false, nil
	}
	if s.pauseAt != 0 && s.engine.Stats.WarpInstrs >= s.pauseAt && !s.engine.InTurn() { // here, as where a Stepper halts
		return false, false, errHalted
	}
	if t.halted || t.yielded {
		t.halted, t.yielded = false, false
	} else {
		// A barrier may have ended the latest time slice early: its deadline is still valid.
		if w.Steps+s.slice/2 > t.deadline && !s.setDeadline(w, t) {
			return true, false, s.engine.Inspect(r.CTA, w).StepLimit()
		}
		t.quantumBegins, t.midBlock = true, false
		s.engine.Waits(true) // clears the waits of another warp
	}
	for ok := true; ok; ok = w.Control.Ready(t.served, split) || t.nextRound(w, split) {
		if w.Steps >= t.deadline && !t.midBlock {
			return true, true, nil
		}
		if t.served != 0 && t.alone(w, split) { // no other split must have a quantum first
			t.newRound()
		}
		if s.single {
			if s.shatter(r, w, split) {
				continue
			}
			if s.halts(r, w, split) {
				t.halted = true
				return true, progress, errHalted
			}
		}
		moved, over, err := s.runSplit(r, w, t)
		if progress = progress || moved; over || err != nil {
			return true, progress, err
		}
	}
	return true, progress || s.detector.changed(), nil
}

// runSplit runs s.split until its quantum ends or another split may run. over reports whether the warp's time slice has
// ended.
func (s *Session) runSplit(r *resident, w *warp.State, t *schedule) (progress, over bool, err error) {
	split := &s.split
	t.midBlock = false
	if t.quantumBegins && split.Mask == w.Live && t.hasSpent == 0 && !s.detector.on { // usually: it is alone, and has not waited
		t.quantumBegins, t.checkFrom, t.length, progress = false, t.deadline, firstQuantum, true
	} else {
		progress = s.prepareQuantum(w, t, split)
	}
	var why interp.Stop
	if s.single {
		why, err = s.issue(r, w, t, split)
	} else {
		why, err = s.run(r, w, t, split)
	}
	if why == interp.Branched && (w.Steps >= t.checkFrom || s.engine.Waits(false)) {
		moved := false
		why, moved, over, err = s.afterBranches(r, w, t, split)
		progress = progress || moved
	}
	if over || err != nil {
		return progress, over, err
	}
	if why == interp.AtBarrier {
		s.atBarrier = true
		t.resetQuanta(split.Mask)
		return true, true, nil
	}
	moved, over, err := s.stopped(r, w, t, split, why)
	return progress || moved, over, err
}

// afterBranches continues with a split that has stopped at a branch, because its quantum or the time slice may have
// ended. over says that the time slice has ended, because no split can run.
func (s *Session) afterBranches(r *resident, w *warp.State, t *schedule, split *divergence.Split) (why interp.Stop, progress, over bool, err error) {
	for why = interp.Branched; why == interp.Branched && (w.Steps >= t.checkFrom || s.engine.Waits(false)); {
		progressed, then := s.atBranch(w, t, split)
		progress = progress || progressed
		switch then {
		case noSplit:
			return why, progress, true, nil
		case readySplit:
			return why, progress, false, nil
		}
		why, err = s.run(r, w, t, split)
	}
	return why, progress, false, err
}

// stopped continues after a split has stopped other than at a barrier. over says that the time slice has ended.
func (s *Session) stopped(r *resident, w *warp.State, t *schedule, split *divergence.Split, why interp.Stop) (progress, over bool, err error) {
	switch why {
	case interp.Executed:
		w.Control.Advance(split.ID, split.PC)
		t.midBlock = true
	case interp.Yielded:
		w.Control.Advance(split.ID, split.PC)
		if !s.detector.on { // the detector must see each split separately
			t.yielded = true
			return false, true, nil
		}
	case interp.Diverged:
		if !w.Control.Ready(t.served, split) || !s.undisturbed(w, split) {
			t.checkFrom = min(t.checkFrom, w.Steps+t.length)
		}
	case interp.AtRendezvous:
		t.resetQuanta(split.Mask)
		t.length = firstQuantum
	case interp.Ended:
		return true, w.Live == 0, nil
	case interp.StepLimit:
		return false, true, s.engine.Inspect(r.CTA, w).StepLimit()
	}
	return false, false, nil
}

// run runs a split of a warp until a decision about it is due. If its lanes diverge meanwhile, the quantum becomes
// shorter, as at any other divergence.
func (s *Session) run(r *resident, w *warp.State, t *schedule, split *divergence.Split) (interp.Stop, error) {
	if s.detector.sketches() {
		return s.sketch(r, w, t, split)
	}
	s.engine.Quantum = 0
	if s.divergesInside && split.Mask&t.served == 0 { // a side with all lanes already served would have to wait
		s.engine.Quantum = t.length
	}
	why, err := s.engine.Run(r.CTA, w, split, t.checkFrom)
	t.checkFrom = s.engine.Limit()
	return s.unlessProgress(why, err)
}

// unlessProgress returns the results of Run unchanged, or errProgress if a probed launch has changed memory.
func (s *Session) unlessProgress(why interp.Stop, err error) (interp.Stop, error) {
	if s.changed {
		return interp.Changed, errProgress
	}
	return why, err
}

// sketch is run up to the next branch, or divergence, while the detector needs the executed instructions.
func (s *Session) sketch(r *resident, w *warp.State, t *schedule, split *divergence.Split) (interp.Stop, error) {
	f, first := w.Windows[split.Frame].Func, split.PC
	s.engine.Quantum = 0
	why, err := s.engine.Run(r.CTA, w, split, t.checkFrom)
	end := split.PC + 1
	switch {
	case t.checkFrom > 0: // of a warp that was halted; it may have passed several branches
		first, end = 0, len(f.Ops)
	case why == interp.Branched:
		end = s.engine.Branch() + 1
	case why == interp.Yielded || why == interp.Changed && split.PC == split.Stop:
		end = split.PC
	}
	s.detector.ran(f, first, end)
	return s.unlessProgress(why, err)
}

// setDeadline sets the end of a warp's time slice. It returns false if the warp has executed as many instructions as
// it may.
func (s *Session) setDeadline(w *warp.State, t *schedule) bool {
	if w.Steps >= s.cfg.MaxSteps {
		return false
	}
	t.deadline = min(w.Steps+s.slice+jitter(w, s.slice), s.cfg.MaxSteps)
	return true
}

// firstDeadline returns the end of the first time slice of a warp that starts.
func (s *Session) firstDeadline(w *warp.State) uint64 {
	return min(s.slice+jitterAt(0, w.ID, s.slice), s.cfg.MaxSteps)
}

// issue executes one instruction of a split.
func (s *Session) issue(r *resident, w *warp.State, t *schedule, split *divergence.Split) (interp.Stop, error) {
	if s.detector.sketches() {
		s.detector.ran(w.Windows[split.Frame].Func, split.PC, split.PC+1)
	}
	why, err := s.engine.Issue(r.CTA, w, split, &s.effect)
	if why == interp.Branched && w.Steps < t.checkFrom && !s.engine.Waits(false) {
		w.Control.Advance(split.ID, split.PC)
	}
	return why, err
}
