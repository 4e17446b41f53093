package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/splitmix"
	"github.com/simtrun/simtrun/warp"
)

// Forced divergence, interp.Config.Split, lets lanes diverge without a branch, as independent threads may. It does
// not before a call that leads to an instruction of whole warps, because compilers keep lanes together there.

// shatterChance is the average number of instructions between forced divergences.
const shatterChance = 8

// shatteredAt is the place of a forced divergence: a warp, and how many instructions (steps) it had executed by then.
type shatteredAt struct {
	cta   isa.Dim
	warp  int
	steps uint64
}

// shatter forces lanes of a split to diverge, at random, and reports whether it did. The decision depends on the
// place and on how much the warp has executed, so that a launch that is halted before an instruction diverges there
// only once.
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
			return false // the lanes would diverge in separate activations
		}
	}
	return w.Control.Shatter(split.ID, lanes.Mask(h>>32))
}
