package functional

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// The most spinning splits, and lanes of warps that wait with them, that a hang lists.
const (
	mostSpinning = 8
	mostWaiting  = 8
)

// spins returns the hang of a launch in which no warp makes progress; most is the best progress of any.
func (s *Session) spins(most progress) *interp.Hang {
	h := &interp.Hang{Rule: interp.RuleLivelock, Msg: "livelock: every spinning warp is back in an earlier state"}
	if most == polling {
		h.Msg = "livelock: every spinning warp reads memory that nothing changes"
	}
	spinning, diverged := 0, false
	for _, r := range s.resident {
		for _, w := range r.Warps {
			view := s.engine.Inspect(r.CTA, w)
			for split := range w.Control.Splits() {
				if split.PC >= len(view.Func(split.Frame).Code) || r.warps[w.ID].progressOf(split.Mask) < most {
					continue
				}
				if spinning++; spinning > mostSpinning {
					continue
				}
				h.Involved = append(h.Involved, view.Involved(interp.Spins, split.Mask))
				for _, line := range view.Mbarriers(&split) {
					if !slices.Contains(h.Notes, line) {
						h.Notes = append(h.Notes, line)
					}
				}
				if others := w.Live &^ split.Mask; others != 0 && !s.ordered() {
					diverged = true
					h.Involved = append(h.Involved, view.Involved(interp.Beside, others))
				}
			}
		}
	}
	if len(h.Involved) > 0 {
		h.Place, h.Where = h.Involved[0].Place, h.Involved[0].Where
	}
	if more := spinning - mostSpinning; more > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("and     %d more that spin", more))
	}
	s.addWaiting(h)
	if waiting := s.total - s.next; waiting > 0 {
		h.Fix = fmt.Sprintf("launch at most %s, so that all reside at once: a block cannot wait for one that has not started", blocks(int64(len(s.resident))))
		h.Notes = append(h.Notes, fmt.Sprintf("waiting %s, not started: the GPU holds %d of these at once", blocks(waiting), len(s.resident)))
	}
	if diverged && s.cfg.Divergence != divergence.IndependentThreads {
		h.Fix = interp.OtherModel(s.cfg.Divergence)
	}
	return h
}

// addWaiting adds the waiting lanes to a hang.
func (s *Session) addWaiting(h *interp.Hang) {
	var all []interp.Involved
	for _, r := range s.resident {
		all = append(all, s.engine.Waiting(r.CTA)...)
		h.ExplainPool(r.CTA)
	}
	if more := len(all) - mostWaiting; more > 0 {
		all = all[:mostWaiting]
		h.Notes = append(h.Notes, fmt.Sprintf("and     %d more that wait", more))
	}
	h.Involved = append(h.Involved, all...)
}

// blocks returns a number of CTAs in words.
func blocks(n int64) string {
	if n == 1 {
		return "1 block"
	}
	return fmt.Sprintf("%d blocks", n)
}
