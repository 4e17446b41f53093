package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// halts asks the steppers whether the launch is to halt before the instruction
// that split of a warp comes to.
func (s *Session) halts(r *resident, w *warp.State, split *divergence.Split) bool {
	for _, o := range s.steppers {
		if o.Step(s.engine.Inspect(r.CTA, w), *split) {
			return true
		}
	}
	return false
}

// once is a Stepper that lets one instruction pass.
type once struct{ passed bool }

func (o *once) Step(interp.Warp, divergence.Split) bool {
	halt := o.passed
	o.passed = true
	return halt
}

// Step executes one instruction of a warp, out of turn, and nothing else. It is
// false if no lane of the warp can run. Errors are those of Continue, and end
// the launch.
func (s *Session) Step(w interp.Warp) (ok bool, err error) {
	r, ok := s.warpAt(w.CTA(), w.ID())
	if !ok || s.done {
		return false, s.err
	}
	state := r.Warps[w.ID()]
	if t := &r.warps[w.ID()]; !state.Control.Ready(t.had, &s.split) && !t.nextRound(state, &s.split) {
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

// shatteredAt is where lanes were last forced apart: a warp that has executed so
// much.
type shatteredAt struct {
	cta   isa.Dim
	warp  int
	steps uint64
}

// shatter forces lanes of a split apart that have not diverged, if Config.Split
// has it here: at every eighth instruction or so, at random. What it decides depends
// on the place and on how much the warp has executed, so that a launch which is
// halted before an instruction is shattered there once.
func (s *Session) shatter(r *resident, w *warp.State, split *divergence.Split) bool {
	at := shatteredAt{r.At, w.ID, w.Steps}
	if s.cfg.Split == 0 || s.shattered == at {
		return false
	}
	h := s.cfg.Split
	for _, v := range [...]uint64{uint64(at.cta.X), uint64(at.cta.Y), uint64(at.cta.Z), uint64(at.warp), at.steps} {
		h = mix(h + v)
	}
	if h%8 != 0 {
		return false
	}
	s.shattered = at
	return w.Control.Shatter(split.ID, lanes.Mask(h>>32))
}
