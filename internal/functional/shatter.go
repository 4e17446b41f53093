package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/warp"
)

// Forced divergence, interp.Config.Split, lets lanes diverge where they have not taken
// a branch, as independent threads may. Before a call that leads to an instruction of whole warps
// they do not: compilers keep lanes together there.

// shatterChance is one in how many instructions lanes are forced apart at.
const shatterChance = 8

// shatteredAt is where lanes were last forced apart: before the next instruction of a
// warp that has executed so many.
type shatteredAt struct {
	cta   isa.Dim
	warp  int
	steps uint64
}

// shatter forces lanes of a split apart, at random, and reports whether it did. What
// it decides depends on the place and on how much the warp has executed, so that a
// launch which is halted before an instruction is shattered there once.
func (s *Session) shatter(r *resident, w *warp.State, split *divergence.Split) bool {
	at := shatteredAt{r.At, w.ID, w.Steps}
	if s.cfg.Split == 0 || s.shattered == at {
		return false
	}
	h := s.cfg.Split
	for _, v := range [...]uint64{uint64(at.cta.X), uint64(at.cta.Y), uint64(at.cta.Z), uint64(at.warp), at.steps} {
		h = splitmix.Mix(h + v)
	}
	if h%shatterChance != 0 {
		return false
	}
	s.shattered = at
	if s.wholeWarps == nil {
		s.wholeWarps = s.grid.Program().Executing(func(f *program.Func, pc int) bool { return f.Src.Code[pc].Spec.WholeWarp })
	}
	f := w.Windows[split.Frame].Func
	for pc := split.PC; pc <= f.Graph.LastOf(split.PC); pc++ {
		if s.wholeWarps.ByCall(f.Info[pc].Call) {
			return false // the lanes would be apart in activations of their own
		}
	}
	return w.Control.Shatter(split.ID, lanes.Mask(h>>32))
}
