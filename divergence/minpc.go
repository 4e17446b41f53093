package divergence

import (
	"iter"
	"slices"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/lanes"
)

// MinPC keeps no joins: of the splits that can run, the one deepest in calls
// runs, and of these the one that is first in the text; where two are at one
// place, they are one. It is a model of text order, as research machines have
// it (Collange's stackless design): code that lanes share runs once if it stands
// behind all that leads there, and a loop that is left to a place before its end
// runs apart from what waits there. Nobody who waits for lanes further down the
// text ever sees them.
//
// The order in which paths run follows from the text alone.
type MinPC struct {
	root   *Frame
	live   lanes.Mask
	splits []minSplit
	turns  int // of the split that was current last
}

type minSplit struct {
	Split
	parked bool
}

var _ Warp = (*MinPC)(nil)

// NewMinPC returns the state of a warp without lanes, for a kernel of which fl
// is the flow graph.
func NewMinPC(g *flow.Graph) *MinPC { return &MinPC{root: &Frame{Graph: g}} }

// Root implements Warp.
func (w *MinPC) Root() *Frame { return w.root }

// Start implements Warp.
func (w *MinPC) Start(pc int, m lanes.Mask) {
	for i := range w.splits {
		w.splits[i].Frame.leaveAll(w.splits[i].Mask)
	}
	w.live, w.root.Lanes, w.turns = m, m, 0
	w.splits = w.splits[:0]
	if m != 0 {
		w.put(pc, w.root, m)
	}
}

// current is the index of the split to run, or -1.
func (w *MinPC) current() int {
	best := -1
	for i := range w.splits {
		if !w.splits[i].parked && (best < 0 || w.splits[i].before(&w.splits[best])) {
			best = i
		}
	}
	return best
}

// before reports whether s runs before o. Of activations that are equally deep,
// that of the lowest lane comes first.
func (s *minSplit) before(o *minSplit) bool {
	switch {
	case s.Frame.Depth != o.Frame.Depth:
		return s.Frame.Depth > o.Frame.Depth
	case s.Frame != o.Frame:
		return s.Frame.Lanes&-s.Frame.Lanes < o.Frame.Lanes&-o.Frame.Lanes
	}
	return s.PC < o.PC
}

// Next implements Warp. The split stops where the next of its frame is.
func (w *MinPC) Next(s *Split) bool {
	i := w.current()
	if i < 0 {
		return false
	}
	*s = w.splits[i].Split
	for k := range w.splits {
		if o := &w.splits[k]; k != i && !o.parked && o.Frame == s.Frame && (s.Stop == flow.None || o.PC < s.Stop) {
			s.Stop = o.PC
		}
	}
	return true
}

// take takes the current split out of the list.
func (w *MinPC) take() minSplit {
	i := w.current()
	s := w.splits[i]
	w.splits = slices.Delete(w.splits, i, i+1)
	w.turns = s.Turns
	return s
}

// put makes m a split that runs from pc, with those that are there already.
func (w *MinPC) put(pc int, f *Frame, m lanes.Mask) {
	for i := range w.splits {
		if s := &w.splits[i]; !s.parked && s.PC == pc && s.Frame == f {
			s.Mask |= m
			s.Turns, s.Pace = max(s.Turns, w.turns), Busy
			return
		}
	}
	w.splits = append(w.splits, minSplit{Split: Split{PC: pc, Frame: f, Mask: m, Stop: flow.None, Turns: w.turns}})
}

// Diverge implements Warp.
func (w *MinPC) Diverge(_ int, to []Group) {
	cur := w.take()
	for _, g := range to {
		w.put(g.PC, cur.Frame, g.Mask)
	}
}

// LeaveRegion implements Warp. Nobody waits for anybody.
func (w *MinPC) LeaveRegion(pc int) { w.Suspend(pc) }

// Arrive implements Warp.
func (w *MinPC) Arrive() {
	var s Split
	w.Next(&s)
	w.take()
	w.put(s.Stop, s.Frame, s.Mask)
}

// Call implements Warp.
func (w *MinPC) Call(to []Activation, stay lanes.Mask, next int) {
	cur := w.take()
	if stay != 0 {
		w.put(next, cur.Frame, stay)
	}
	for _, a := range to {
		a.Frame.Lanes |= a.Mask
		w.put(0, a.Frame, a.Mask)
	}
}

// Return implements Warp.
func (w *MinPC) Return(m lanes.Mask, next int) {
	cur := w.take()
	f := cur.Frame
	if rest := cur.Mask &^ m; rest != 0 {
		w.put(next, f, rest)
	}
	f.leave(m)
	w.put(f.Ret, f.Parent, m)
}

// Exit implements Warp.
func (w *MinPC) Exit(m lanes.Mask, next int) {
	cur := w.take()
	if rest := cur.Mask &^ m; rest != 0 {
		w.put(next, cur.Frame, rest)
	}
	w.live &^= m
	cur.Frame.leaveAll(m)
}

// Suspend implements Warp.
func (w *MinPC) Suspend(pc int) {
	i := w.current()
	s := w.splits[i]
	for k := range w.splits {
		if o := &w.splits[k]; k != i && !o.parked && o.PC == pc && o.Frame == s.Frame {
			w.take()
			w.put(pc, s.Frame, s.Mask)
			return
		}
	}
	w.splits[i].PC = pc
}

// Yield implements Warp. There is no giving way.
func (w *MinPC) Yield(pc int, pace Pace) bool {
	w.splits[w.current()].spend(pace)
	w.Suspend(pc)
	return false
}

// Park implements Warp.
func (w *MinPC) Park(parts []lanes.Mask, next int) bool {
	cur := w.take()
	rest := cur.Mask
	for _, m := range parts {
		rest &^= m
		w.splits = append(w.splits, minSplit{Split: Split{PC: next, Frame: cur.Frame, Mask: m, Stop: flow.None}, parked: true})
	}
	if rest != 0 {
		w.put(next, cur.Frame, rest)
	}
	return true
}

// Wake implements Warp.
func (w *MinPC) Wake(m lanes.Mask) {
	w.turns = 0
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

// Relieve implements Warp. Nobody waits at a join.
func (w *MinPC) Relieve() bool { return false }

// Pace implements Warp. The split that runs is all that counts: the others wait
// for it.
func (w *MinPC) Pace() Pace {
	if i := w.current(); i >= 0 {
		return w.splits[i].Pace
	}
	return Spinning
}

// Strict implements Warp: a branch may lead behind what others wait for.
func (w *MinPC) Strict() bool { return len(w.splits) > 1 }

// Live implements Warp.
func (w *MinPC) Live() lanes.Mask { return w.live }

// Depth implements Warp: the number of splits.
func (w *MinPC) Depth() int { return len(w.splits) }

// Splits implements Warp.
func (w *MinPC) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		order := slices.Clone(w.splits)
		slices.SortFunc(order, func(a, b minSplit) int {
			switch {
			case a.parked != b.parked:
				if b.parked {
					return -1
				}
				return 1
			case a.before(&b):
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
