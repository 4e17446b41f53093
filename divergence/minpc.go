package divergence

import (
	"iter"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// MinPC keeps no reconvergence PCs: among the splits that can run, one deepest in calls runs, and among these the one
// first in the text; splits at one place merge. Research machines use this schedule (Collange, Stack-less SIMT
// Reconvergence at Low Cost, 2011). Lanes reconverge in code that comes after all code that leads to it. Lanes that
// wait for others further down the text starve them.
//
// The order in which paths run depends on the text only.
type MinPC struct {
	frames Frames
	live   lanes.Mask
	splits []minSplit
}

type minSplit struct {
	Split  // without ID and Stop
	parked bool
}

var _ Control = (*MinPC)(nil)

// newMinPC returns the state of a warp without lanes, for a kernel with flow graph g.
func newMinPC(g *flow.Graph) *MinPC { return &MinPC{frames: newFrames(g)} }

// Start implements Control.
func (w *MinPC) Start(pc int, m lanes.Mask) {
	for i := range w.splits {
		w.frames.leaveAll(w.splits[i].Frame, w.splits[i].Mask)
	}
	w.frames.start(m)
	w.live = m
	w.splits = w.splits[:0]
	if m != 0 {
		w.put(pc, Root, m)
	}
}

// Frames implements Control.
func (w *MinPC) Frames() *Frames { return &w.frames }

// before reports whether s runs before o. Among activations of equal depth, that of the lowest lane comes first.
func (w *MinPC) before(s, o *minSplit) bool {
	if s.Frame == o.Frame {
		return s.PC < o.PC
	}
	a, b := w.frames.At(s.Frame), w.frames.At(o.Frame)
	if a.Depth != b.Depth {
		return a.Depth > b.Depth
	}
	return a.Lanes&-a.Lanes < b.Lanes&-b.Lanes
}

// Ready implements Control: there is only ever one split to run. It stops at the place of the next split of its
// frame.
func (w *MinPC) Ready(except lanes.Mask, s *Split) bool {
	best := -1
	for i := range w.splits {
		if !w.splits[i].parked && (best < 0 || w.before(&w.splits[i], &w.splits[best])) {
			best = i
		}
	}
	if best < 0 || w.splits[best].Mask&^except == 0 {
		return false
	}
	*s = w.splits[best].Split
	s.ID, s.Stop = SplitID(best), flow.None
	for k := range w.splits {
		if o := &w.splits[k]; k != best && !o.parked && o.Frame == s.Frame && (s.Stop == flow.None || o.PC < s.Stop) {
			s.Stop = o.PC
		}
	}
	return true
}

// take removes a split from the list.
func (w *MinPC) take(id SplitID) Split {
	s := w.splits[id].Split
	w.splits = slices.Delete(w.splits, int(id), int(id)+1)
	return s
}

// put makes m a split that runs from pc, or adds it to the split at that place.
func (w *MinPC) put(pc int, f FrameID, m lanes.Mask) {
	for i := range w.splits {
		if s := &w.splits[i]; !s.parked && s.PC == pc && s.Frame == f {
			s.Mask |= m
			return
		}
	}
	w.splits = append(w.splits, minSplit{Split: Split{PC: pc, Frame: f, Mask: m, Stop: flow.None}})
}

// Diverge implements Control.
func (w *MinPC) Diverge(id SplitID, _ int, to []Group) {
	s := w.take(id)
	for _, g := range to {
		w.put(g.PC, s.Frame, g.Mask)
	}
}

// Rejoined implements Control: there is no state to restore.
func (w *MinPC) Rejoined(id SplitID) SplitID { return id }

// Called implements Control: there is no state to change.
func (w *MinPC) Called(id SplitID) SplitID { return id }

// LeaveRegion implements Control. No lane waits for another to reconverge.
func (w *MinPC) LeaveRegion(id SplitID, pc int) { w.Advance(id, pc) }

// Call implements Control.
func (w *MinPC) Call(id SplitID, to []Activation, stay lanes.Mask, next int) {
	s := w.take(id)
	if stay != 0 {
		w.put(next, s.Frame, stay)
	}
	for _, a := range to {
		w.frames.At(a.Frame).Lanes |= a.Mask
		w.put(0, a.Frame, a.Mask)
	}
}

// Return implements Control.
func (w *MinPC) Return(id SplitID, m lanes.Mask, next int) {
	s := w.take(id)
	if rest := s.Mask &^ m; rest != 0 {
		w.put(next, s.Frame, rest)
	}
	w.frames.leave(s.Frame, m)
	f := w.frames.At(s.Frame)
	w.put(f.Ret, f.Parent, m)
}

// Exit implements Control.
func (w *MinPC) Exit(id SplitID, m lanes.Mask, next int) {
	s := w.take(id)
	if rest := s.Mask &^ m; rest != 0 {
		w.put(next, s.Frame, rest)
	}
	w.live &^= m
	w.frames.leaveAll(s.Frame, m)
}

// Advance implements Control.
func (w *MinPC) Advance(id SplitID, pc int) {
	s := &w.splits[id]
	for k := range w.splits {
		if o := &w.splits[k]; k != int(id) && !o.parked && o.PC == pc && o.Frame == s.Frame {
			taken := w.take(id)
			w.put(pc, taken.Frame, taken.Mask)
			return
		}
	}
	s.PC = pc
}

// Defer implements Control. The order of splits is that of the text.
func (w *MinPC) Defer(id SplitID, pc int) { w.Advance(id, pc) }

// Park implements Control.
func (w *MinPC) Park(id SplitID, groups []lanes.Mask, next int) bool {
	s := w.take(id)
	rest := s.Mask
	for _, m := range groups {
		rest &^= m
		w.splits = append(w.splits, minSplit{Split: Split{PC: next, Frame: s.Frame, Mask: m, Stop: flow.None}, parked: true})
	}
	if rest != 0 {
		w.put(next, s.Frame, rest)
	}
	return true
}

// Wake implements Control.
func (w *MinPC) Wake(m lanes.Mask) {
	for i := 0; i < len(w.splits); {
		s := w.splits[i]
		if !s.parked || s.Mask&^m != 0 {
			i++
			continue
		}
		w.splits = slices.Delete(w.splits, i, i+1)
		w.put(s.PC, s.Frame, s.Mask)
		m &^= s.Mask
		i = 0
	}
}

// Break implements Control. No lane waits at a convergence barrier.
func (w *MinPC) Break() bool { return false }

// Shatter implements Control.
func (w *MinPC) Shatter(SplitID, lanes.Mask) bool { return false }

// Shattered implements Control.
func (w *MinPC) Shattered(SplitID) lanes.Mask { return 0 }

// Strict implements Control: after a branch another split may be first in the text.
func (w *MinPC) Strict() bool { return len(w.splits) > 1 }

// Live implements Control.
func (w *MinPC) Live() lanes.Mask { return w.live }

// Depth implements Control: the number of splits.
func (w *MinPC) Depth() int { return len(w.splits) }

// Splits implements Control.
func (w *MinPC) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		order := slices.Clone(w.splits)
		sorted.By(order, func(a, b minSplit) int {
			switch {
			case a.parked != b.parked:
				if b.parked {
					return -1
				}
				return 1
			case w.before(&a, &b):
				return -1
			}
			return 1
		})
		for i := range order {
			if !yield(order[i].Split) {
				return
			}
		}
	}
}

// CopyTo implements Control.
func (w *MinPC) CopyTo(to Control) {
	t := to.(*MinPC)
	w.frames.copyTo(&t.frames)
	t.live, t.splits = w.live, append(t.splits[:0], w.splits...)
}
