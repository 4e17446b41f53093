package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/warp"
)

// halts asks the steppers whether to halt the launch before the next instruction of a split.
func (s *Session) halts(r *resident, w *warp.State, split *divergence.Split) bool {
	for _, o := range s.steppers {
		if o.Step(s.engine.Inspect(r.CTA, w), *split) {
			return true
		}
	}
	return false
}

// once is a Stepper that halts after one instruction.
type once struct{ executed bool }

func (o *once) Step(interp.Warp, divergence.Split) bool {
	halt := o.executed
	o.executed = true
	return halt
}

// Step executes one instruction of a warp, the next in its order, and nothing else. It returns false if no lane of
// the warp can run. Errors are those of Continue, and end the launch. It is not for launches with an interp.Order.
func (s *Session) Step(w interp.Warp) (ok bool, err error) {
	r, ok := s.warpAt(w.CTA(), w.ID())
	if !ok || s.done {
		return false, s.err
	}
	state := r.Warps[w.ID()]
	if t := &r.warps[w.ID()]; !state.Control.Ready(t.served, &s.split) && !t.nextRound(state, &s.split) {
		return false, nil
	}
	steppers, single := s.steppers, s.single
	s.steppers, s.single, s.progress = []interp.Stepper{&once{}}, true, true
	err = s.runWarpOf(r, state)
	s.steppers, s.single = steppers, single
	if err != nil && err != errHalted {
		s.end(err)
		return true, err
	}
	return true, nil
}
