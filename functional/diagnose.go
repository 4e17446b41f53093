package functional

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/warp"
)

// mostSpinning is how many splits that spin a hang names.
const mostSpinning = 8

// livelocked is that no warp of the launch makes progress: all wait, or do the
// same over and over.
func (s *Session) livelocked() error {
	h := &interp.Hang{Rule: interp.RuleLivelock, Msg: "no warp makes progress: every spinning warp repeats its state"}
	spinning, diverged := 0, false
	for _, r := range s.resident {
		for _, w := range r.Warps {
			inspected := s.engine.Inspect(r.CTA, w)
			for split := range w.Control.Splits() {
				if split.PC >= len(inspected.Func(split.Frame).Code) || r.warps[w.ID].progressOf(split.Mask) != livelock {
					continue
				}
				if spinning++; spinning > mostSpinning {
					continue
				}
				h.Involved = append(h.Involved, inspected.Involved(interp.Spins, split.Mask))
				if others := w.Live &^ split.Mask; others != 0 {
					diverged = true
					h.Involved = append(h.Involved, inspected.Involved(interp.Beside, others))
				}
			}
		}
	}
	if len(h.Involved) > 0 {
		h.Pos, h.Where = h.Involved[0].Pos, h.Involved[0].Where
	}
	if more := spinning - mostSpinning; more > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("and     %d more", more))
	}
	if waiting := s.total - s.next; waiting > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("waiting %d blocks have not started: the GPU holds %d of these at once", waiting, len(s.resident)))
	}
	if diverged && s.cfg.Divergence != divergence.IndependentThreads {
		h.Fix = interp.OtherModel(s.cfg.Divergence)
	}
	return h
}

// warpTooLong is that a warp has used up its steps.
func (s *Session) warpTooLong(r *resident, w *warp.State) error {
	var split divergence.Split
	w.Control.Ready(0, &split)
	fn := s.engine.Inspect(r.CTA, w).Func(split.Frame)
	pc, at := min(split.PC, len(fn.Code)-1), interp.Where{CTA: r.At, Warp: w.ID, Lanes: split.Mask}
	return stepLimit(nextInstr{fn.Code[pc].Pos, fn.Text(pc)}, at,
		fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit", w.Steps))
}

// launchTooLong is that the launch has executed n instructions since a CTA was done
// last, which is what it may.
func (s *Session) launchTooLong(n uint64) error {
	next, at, ok := s.somewhere()
	h := stepLimit(next, at, fmt.Sprintf("step limit: the warps executed %d instructions since a block was last done; --max-launch-steps sets the limit", n))
	if !ok {
		h.Next, h.Involved = "", nil
	}
	done, _ := s.grid.Machine().Progress()
	h.Notes = append(h.Notes, fmt.Sprintf("blocks  %d of %d are done, %d under way", done, s.total, s.next-done))
	return h
}

// stepLimit is a launch that ends before the instruction next.
func stepLimit(next nextInstr, at interp.Where, msg string) *interp.Hang {
	return &interp.Hang{Pos: next.pos, Where: at, Rule: interp.RuleSteps, Msg: msg, Next: next.text,
		Involved: []interp.Involved{{Role: interp.Affects, Where: at, Barrier: -1}}}
}

// interrupted says where the launch was when its context ended.
func (s *Session) interrupted(err error) error {
	if in, at, ok := s.somewhere(); ok {
		return &interp.Interrupted{Pos: in.pos, Text: in.text, Where: at, Err: err}
	}
	return err
}

// nextInstr is an instruction that lanes are going to execute.
type nextInstr struct {
	pos  isa.Pos
	text string
}

// somewhere is what the first lanes that live are going to execute.
func (s *Session) somewhere() (next nextInstr, at interp.Where, ok bool) {
	for _, w := range s.Warps() {
		for split := range w.Control().Splits() {
			if fn := w.Func(split.Frame); split.PC < len(fn.Code) {
				return nextInstr{fn.Code[split.PC].Pos, fn.Text(split.PC)}, interp.Where{CTA: w.CTA(), Warp: w.ID(), Lanes: split.Mask}, true
			}
		}
	}
	return next, at, false
}
