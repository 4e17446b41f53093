package functional

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/warp"
)

// mostSpinning is how many spinning splits a hang lists.
const mostSpinning = 8

// livelock is the hang of a launch in which no warp makes progress: all wait, or repeat
// their state.
func (s *Session) livelock() error {
	h := &interp.Hang{Rule: interp.RuleLivelock, Msg: "no warp makes progress: every spinning warp repeats its state"}
	spinning, diverged := 0, false
	for _, r := range s.resident {
		for _, w := range r.Warps {
			view := s.engine.Inspect(r.CTA, w)
			for split := range w.Control.Splits() {
				if split.PC >= len(view.Func(split.Frame).Code) || r.warps[w.ID].progressOf(split.Mask) != livelocked {
					continue
				}
				if spinning++; spinning > mostSpinning {
					continue
				}
				h.Involved = append(h.Involved, view.Involved(interp.Spins, split.Mask))
				if others := w.Live &^ split.Mask; others != 0 {
					diverged = true
					h.Involved = append(h.Involved, view.Involved(interp.Beside, others))
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

// warpTooLong is the hang of a warp that has executed as many instructions as it may.
func (s *Session) warpTooLong(r *resident, w *warp.State) error {
	var split divergence.Split
	w.Control.Ready(0, &split)
	fn := s.engine.Inspect(r.CTA, w).Func(split.Frame)
	pc, at := min(split.PC, len(fn.Code)-1), interp.Where{CTA: r.At, Warp: w.ID, Lanes: split.Mask}
	return stepLimit(nextInstr{fn.Code[pc].Pos, fn.Text(pc)}, at,
		fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit", w.Steps))
}

// launchTooLong is the hang of a launch that has executed n instructions, as many as it
// may, since a CTA was done last.
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

// stepLimit is the hang of a launch that reached a limit before the instruction next.
func stepLimit(next nextInstr, at interp.Where, msg string) *interp.Hang {
	return &interp.Hang{Pos: next.pos, Where: at, Rule: interp.RuleSteps, Msg: msg, Next: next.text,
		Involved: []interp.Involved{{Role: interp.Affects, Where: at, Barrier: -1}}}
}

// interrupted is the error of a launch whose context ended with err.
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

// somewhere is the instruction that the first live lanes are going to execute.
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
