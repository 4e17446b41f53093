package functional

import (
	"context"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// ordered reports whether an interp.Order chooses the next warp. As many CTAs as the GPU holds are then resident, and
// instructions are executed one by one, by the interpreter.
func (s *Session) ordered() bool { return s.grid.Launch.Order != nil }

// contextEvery is the number of instructions between two checks of the context.
const contextEvery = 1024

// runInOrder is Continue for a launch with an interp.Order.
func (s *Session) runInOrder(ctx context.Context) error {
	for !s.done {
		if s.engine.Stats.WarpInstrs%contextEvery == 0 && ctx.Err() != nil {
			return interp.Interrupt(s.Warps(), ctx.Err())
		}
		switch err := s.oneInOrder(); {
		case err == errHalted:
			return nil
		case err != nil:
			s.end(err)
		}
	}
	return s.err
}

// inOrder is the state of a launch with an interp.Order between two instructions.
type inOrder struct {
	warps   []interp.Warp // of the resident CTAs
	settled bool          // the resident CTAs are those of warps, and a lane of them can run
	// The thread that executes the next instruction, if the order has said so.
	chosen     bool
	warp, lane int // warp is an index in warps
}

// oneInOrder executes the next instruction of the order, or ends the launch if there is none.
func (s *Session) oneInOrder() error {
	o := &s.order
	if !o.settled {
		if err := s.settle(); err != nil {
			return err
		}
		if len(s.resident) == 0 {
			s.end(nil)
			return nil
		}
	}
	if !o.chosen {
		var err error
		if o.warp, o.lane, err = s.grid.Launch.Order.Next(o.warps); err == interp.ErrLivelock {
			return s.livelockInOrder()
		} else if err != nil {
			return err
		}
	}
	view := o.warps[o.warp]
	r, ok := s.warpAt(view.CTA(), view.ID())
	if !ok || !r.Warps[view.ID()].Control.Ready(^lanes.Mask(1<<o.lane), &s.split) {
		panic("simtrun bug: an order chose a thread that cannot run")
	}
	w := r.Warps[view.ID()]
	if o.chosen = s.halts(r, w, &s.split); o.chosen {
		return errHalted
	}
	return s.issueInOrder(r, w, &s.split)
}

// issueInOrder executes one instruction of a split.
func (s *Session) issueInOrder(r *resident, w *warp.State, split *divergence.Split) error {
	if w.Steps >= s.cfg.MaxSteps {
		return s.engine.Inspect(r.CTA, w).StepLimit()
	}
	why, err := s.engine.Issue(r.CTA, w, split, &s.effect)
	if err == nil && (why == interp.Executed || why == interp.Branched || why == interp.Yielded) {
		w.Control.Advance(split.ID, split.PC)
	} else {
		s.order.settled = false
	}
	if n := s.engine.Stats.WarpInstrs - s.lastDone; err == nil && n >= s.cfg.MaxLaunchSteps {
		return s.grid.LaunchStepLimit(n, s.Warps(), s.next)
	}
	return err
}

// settle ends the CTAs without live lanes, and makes others resident as far as the capacity allows. An error says that
// no lane of the resident CTAs can run.
func (s *Session) settle() error {
	s.live = 0
	for _, r := range s.resident {
		if r.Live > 0 {
			s.resident[s.live] = r
			s.live++
			continue
		}
		s.engine.End(r.CTA)
		s.lastDone = s.engine.Stats.WarpInstrs
		if r.Cluster.Live() == 0 { // before that, others may find that it has ended
			s.free = append(s.free, r.peers...)
		}
	}
	renewed := s.live < len(s.resident) || s.order.warps == nil
	for s.startNext() {
		s.live, renewed = len(s.resident), true
	}
	s.current = s.live
	if renewed {
		s.order.warps = s.Warps()
	}
	s.order.settled = true
	return s.stuckInOrder()
}

// stuckInOrder returns the deadlock of a launch in which no lane can run.
func (s *Session) stuckInOrder() error {
	for _, r := range s.resident {
		if !r.Cluster.Stuck() {
			return nil
		}
	}
	if len(s.resident) == 0 {
		return nil
	}
	return s.engine.Deadlock(s.resident[0].CTA)
}

// livelockInOrder returns the hang of a launch in which every lane that can run repeats its state.
func (s *Session) livelockInOrder() error {
	for _, r := range s.resident {
		for _, w := range r.Warps {
			t, ready := &r.warps[w.ID], lanes.Mask(0)
			for w.Control.Ready(ready, &t.other) {
				ready |= t.other.Mask
			}
			t.setProgress(ready, livelocked)
		}
	}
	return s.spins(livelocked)
}
