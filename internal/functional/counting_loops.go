package functional

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// The detector observes at most one time slice of a warp. In that a lane takes fewer retreating branches than the
// number of trips for which a loop is known to count.
const _ = uint(program.MostTrips - (sliceLength + sliceLength/8))

// mostFrames is the number of nested activations in which loops are examined.
const mostFrames = 64

// counts reports whether all loops that contain a split are counting loops, including those of its callers. The
// detector would then find nothing as long as the split stays in the innermost one.
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
