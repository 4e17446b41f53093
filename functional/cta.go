package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// ctaSlice is a CTA's time slice: its warps have time slices, one after the other,
// until enough was executed. It may be left and taken up again.
type ctaSlice struct {
	on       bool
	deadline uint64 // of the launch's instructions
	next     int    // warp
	// Since warp 0: a warp could run; one made progress.
	ran, progressed bool
}

// mostIdle is how many time slices a warp may spend waiting in loops, while other
// lanes of it wait for those at a convergence barrier and other warps make progress,
// before the barrier is broken.
const mostIdle = 64

// runCTA gives a CTA its time slice, or goes on with it, and reports whether the
// CTA is done.
func (s *Session) runCTA(r *resident) (done bool, err error) {
	t := &r.slice
	if !t.on {
		*t = ctaSlice{on: true, deadline: s.engine.Stats.WarpInstrs + sliceLength*uint64(len(r.Warps))}
	}
	for {
		for t.next < len(r.Warps) {
			if err := s.runWarpOf(r, r.Warps[t.next]); err != nil {
				return false, err
			}
			t.next++
		}
		switch {
		case r.Live == 0:
			return true, nil
		case !t.ran:
			return false, s.engine.Deadlock(r.CTA)
		case !t.progressed || s.engine.Stats.WarpInstrs >= t.deadline:
			t.on = false
			return false, nil
		}
		t.next, t.ran, t.progressed = 0, false, false
	}
}

// runWarpOf gives a warp of a CTA its time slice, if it can run, and notes what
// came of it.
func (s *Session) runWarpOf(r *resident, w *warp.State) error {
	ran, progress, err := s.runWarp(r, w)
	s.progress = s.progress || progress
	if !ran || err != nil {
		return err
	}
	r.slice.ran = true
	if r.Waiting>>w.ID&1 != 0 || w.Live == 0 {
		return nil
	}
	t := &r.warps[w.ID]
	if t.progress(w) == progressing {
		r.slice.progressed = true
		t.idle = 0
	} else if t.idle++; t.idle%mostIdle == 0 {
		t.breakBarrier(w)
	}
	return nil
}

// runWarp gives a warp its time slice, or goes on with it: until it has executed
// enough, waits at a barrier or has ended. It reports whether any lane could run,
// and whether lanes made progress or changed memory, for all that is known.
func (s *Session) runWarp(r *resident, w *warp.State) (ran, progress bool, err error) {
	t, split := &r.warps[w.ID], &s.split
	if !(w.Control.Ready(t.had, split) || t.nextRound(w, split)) {
		return false, false, nil
	}
	if !t.on {
		if w.Steps+sliceLength/2 > t.deadline { // else a barrier ended the latest one early: its deadline stands
			if w.Steps >= s.cfg.MaxSteps {
				return true, false, s.warpTooLong(r, w)
			}
			t.deadline = min(w.Steps+sliceLength+jitter(w, sliceLength), s.cfg.MaxSteps)
		}
		t.begins, t.midway = true, false
	}
	t.on = false
	for ok := true; ok; ok = w.Control.Ready(t.had, split) || t.nextRound(w, split) {
		if w.Steps >= t.deadline && !t.midway {
			return true, true, nil
		}
		if s.single {
			if s.shatter(r, w, split) {
				continue
			}
			if s.halts(r, w, split) {
				t.on = true
				return true, progress, errHalted
			}
		}
		t.midway = false
		if t.begins && split.Mask == w.Live && t.spenders == 0 && !s.detector.on { // as a rule: it is alone, and has not waited
			t.begins, t.check, progress = false, t.deadline, true
		} else if t.begins {
			progress = s.beginQuantum(w, t, split) || progress
		} else if s.strict && w.Control.Strict() {
			t.check = 0
		}
		if s.detector.on {
			s.detector.runs(w, split.Mask)
		}
		var why interp.Stop
		if s.single {
			why, err = s.issue(r, w, t, split)
		} else {
			why, err = s.engine.Run(r.CTA, w, split, t.check)
		}
		for why == interp.Branched && w.Steps >= t.check && err == nil {
			progressed, then := s.atBranch(w, t, split)
			progress = progress || progressed
			if then == turnOver {
				return true, progress, nil
			}
			if then == another || s.single {
				break
			}
			why, err = s.engine.Run(r.CTA, w, split, t.check)
		}
		if err != nil {
			return true, progress, err
		}
		switch why {
		case interp.Executed:
			w.Control.Advance(split.ID, split.PC)
			t.midway = true
		case interp.Diverged:
			t.check = min(t.check, w.Steps+t.quantum(split.Mask))
		case interp.AtRendezvous:
			t.woken(split.Mask)
		case interp.AtBarrier:
			t.woken(split.Mask)
			return true, true, nil
		case interp.Ended:
			if progress = true; w.Live == 0 {
				return true, true, nil
			}
		case interp.StepLimit:
			return true, progress, s.warpTooLong(r, w)
		}
	}
	return true, progress || s.detector.changed(), nil
}

// issue executes one instruction of a split.
func (s *Session) issue(r *resident, w *warp.State, t *schedule, split *divergence.Split) (interp.Stop, error) {
	why, err := s.engine.Issue(r.CTA, w, split, &s.effect)
	if why == interp.Branched && w.Steps < t.check {
		w.Control.Advance(split.ID, split.PC)
	}
	return why, err
}
