package divergence

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// ReconvergencePoint is a place where lanes of a warp wait for each other: an entry of the reconvergence stack below
// the top, or a convergence barrier.
type ReconvergencePoint struct {
	PC      int // where the lanes reconverge
	Frame   FrameID
	Lanes   lanes.Mask // that reconverge there
	Arrived lanes.Mask // those that are there; 0 with a stack, on which lanes do not wait
	Parent  int        // index of the point at which the lanes reconverge next; -1 for none
}

// ReconvergencePoints returns where the lanes of a warp reconverge, outer points before inner ones. Models without
// reconvergence PCs have none.
func ReconvergencePoints(c Control) []ReconvergencePoint {
	switch c := c.(type) {
	case *Stack:
		return c.reconvergencePoints()
	case *ITS:
		return c.reconvergencePoints()
	}
	return nil
}

// reconvergencePoints are the places where entries stop, from the bottom on.
func (s *Stack) reconvergencePoints() (all []ReconvergencePoint) {
	for i := range s.entries {
		e := &s.entries[i]
		last := len(all) - 1
		switch {
		case e.Stop == flow.None:
		case last >= 0 && all[last].PC == e.Stop && all[last].Frame == e.Frame:
			all[last].Lanes |= e.Mask
		default:
			all = append(all, ReconvergencePoint{PC: e.Stop, Frame: e.Frame, Lanes: e.Mask, Parent: last})
		}
	}
	for i := range all { // the entry that waits at the place has all lanes that reconverge there
		for _, e := range s.entries {
			if e.PC == all[i].PC && e.Frame == all[i].Frame {
				all[i].Lanes |= e.Mask
			}
		}
	}
	return all
}

// reconvergencePoints are the convergence barriers in use, each after its parent.
func (w *ITS) reconvergencePoints() (all []ReconvergencePoint) {
	index := make(map[barrierID]int)
	var add func(id barrierID) int
	add = func(id barrierID) int {
		if id == noBarrier {
			return -1
		}
		if i, ok := index[id]; ok {
			return i
		}
		b := *w.barriers.at(id)
		parent := add(b.parent)
		all = append(all, ReconvergencePoint{PC: b.pc, Frame: b.frame, Lanes: b.participants, Arrived: b.arrived, Parent: parent})
		index[id] = len(all) - 1
		return len(all) - 1
	}
	for i := range w.splits {
		add(w.splits[i].at)
	}
	for id := range w.barriers.all {
		if w.barriers.all[id].arrived != 0 {
			add(barrierID(id))
		}
	}
	return all
}
