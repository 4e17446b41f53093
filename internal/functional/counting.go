package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// What the detector observes is within one time slice of a warp. A lane takes fewer retreating branches
// in it than those for which it holds that a loop counts.
const _ = uint(program.MostTrips - (sliceLength + sliceLength/8))

// mostFrames is in how many activations, one called by the other, loops are looked at.
const mostFrames = 64

// counts reports whether all loops in which a split is count, those of its callers too. Then the
// detector would find nothing as long as it stays in the innermost one.
func (s *Session) counts(w *warp.State, split *divergence.Split) bool {
	if s.ObservesAll {
		return false
	}
	frames, p, pc, id := w.Control.Frames(), s.grid.Program(), split.PC, split.Frame
	for range mostFrames {
		win := w.Windows[id]
		if l := p.LoopAt(win.Func, pc); l != nil && !l.Counts(win.File, split.Mask) {
			return false
		}
		f := frames.At(id)
		if pc, id = f.Ret, f.Parent; id == divergence.NoFrame {
			return true
		}
	}
	return false
}
