package divergence

import (
	"iter"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Stack is the reconvergence stack of GPUs before Volta: the sides of a branch run one after the other until they
// reach the branch's reconvergence PC, where the entry below takes over with all lanes. Only the top entry can run,
// so that lanes that wait for each other across a branch wait for ever.
//
// The entry at the reconvergence PC has a mask with all lanes, and the entries above it have subsets of them. An
// entry's lanes that are in no entry above it are therefore at its PC.
//
// A call leaves the caller's entry, with all lanes, at the PC where they continue, and runs the callee above it.
// Lanes that return are removed from the callee's entries: they are in the caller's already.
type Stack struct {
	frames  Frames
	order   Order
	live    lanes.Mask
	parked  bool    // the top entry, which then has all live lanes, waits
	entries []Split // without their IDs
	sides   []Group // of a branch, for use within one call
}

var _ Control = (*Stack)(nil)

// NewStack returns a stack without lanes for a kernel with flow graph g.
func NewStack(g *flow.Graph, order Order) *Stack {
	return &Stack{frames: newFrames(g), order: order}
}

// Start implements Control.
func (s *Stack) Start(pc int, m lanes.Mask) {
	for _, e := range s.entries {
		s.frames.leaveAll(e.Frame, e.Mask)
	}
	s.frames.start(m)
	s.live, s.parked = m, false
	s.entries = append(s.entries[:0], Split{PC: pc, Frame: Root, Mask: m, Stop: flow.None})
	s.popIdle()
}

// Frames implements Control.
func (s *Stack) Frames() *Frames { return &s.frames }

// Ready implements Control: the top entry.
func (s *Stack) Ready(except lanes.Mask, split *Split) bool {
	if len(s.entries) == 0 || s.parked {
		return false
	}
	*split = *s.top()
	return split.Mask&^except != 0
}

func (s *Stack) top() *Split { return &s.entries[len(s.entries)-1] }

func (s *Stack) pop() { s.entries = s.entries[:len(s.entries)-1] }

// Diverge implements Control.
//
// If the lanes reconverge where the split stops anyway, there is an entry for that place already. A second one would
// make a loop's stack grow with every iteration in which lanes leave.
func (s *Stack) Diverge(_ SplitID, pc int, to []Group) {
	top := s.top()
	frame := top.Frame
	rpc := s.frames.At(frame).Graph.Reconvergence(pc)
	if rpc == flow.None || rpc == top.Stop {
		rpc = top.Stop
		s.pop()
	} else {
		top.PC = rpc
	}
	s.sides = s.sides[:0]
	for _, g := range to {
		if g.PC != rpc {
			s.sides = append(s.sides, g)
		}
	}
	s.order.arrange(s.sides)
	for _, g := range s.sides {
		s.entries = append(s.entries, Split{PC: g.PC, Frame: frame, Mask: g.Mask, Stop: rpc})
	}
	s.popIdle()
}

// Rejoined implements Control: there is no state to restore.
func (s *Stack) Rejoined(id SplitID) SplitID { return id }

// Called implements Control: there is no state to change.
func (s *Stack) Called(id SplitID) SplitID { return id }

// LeaveRegion implements Control. Lanes that wait for those of the split wait for the end of all entries above theirs
// anyway.
func (s *Stack) LeaveRegion(id SplitID, pc int) { s.Advance(id, pc) }

// Call implements Control.
func (s *Stack) Call(_ SplitID, to []Activation, stay lanes.Mask, next int) {
	s.top().PC = next
	for _, a := range to {
		s.frames.At(a.Frame).Lanes |= a.Mask
		s.entries = append(s.entries, Split{Frame: a.Frame, Mask: a.Mask, Stop: flow.None})
	}
}

// Return implements Control.
func (s *Stack) Return(_ SplitID, m lanes.Mask, next int) {
	frame := s.top().Frame
	s.top().PC = next
	for i := len(s.entries) - 1; s.entries[i].Frame == frame; i-- {
		s.entries[i].Mask &^= m
	}
	s.frames.leave(frame, m)
	s.popIdle()
}

// Exit implements Control.
func (s *Stack) Exit(id SplitID, m lanes.Mask, next int) {
	s.live &^= m
	s.frames.leaveAll(s.top().Frame, m)
	for i := range s.entries {
		s.entries[i].Mask &^= m
	}
	s.Advance(id, next)
}

// Advance implements Control.
func (s *Stack) Advance(_ SplitID, pc int) {
	s.top().PC = pc
	s.popIdle()
}

// Defer implements Control. Nothing can run before the top entry.
func (s *Stack) Defer(id SplitID, pc int) { s.Advance(id, pc) }

// Park implements Control. Only the top entry runs, so its lanes can wait for other warps, but not for lanes of their
// own.
func (s *Stack) Park(_ SplitID, groups []lanes.Mask, next int) bool {
	if len(groups) > 1 || groups[0] != s.live {
		return false
	}
	s.parked = true
	s.top().PC = next
	return true
}

// Wake implements Control.
func (s *Stack) Wake(lanes.Mask) {
	s.parked = false
	s.popIdle()
}

// Break implements Control. Lanes wait for entries above theirs, not for each
// other.
func (s *Stack) Break() bool { return false }

// Shatter implements Control.
func (s *Stack) Shatter(SplitID, lanes.Mask) bool { return false }

// Shattered implements Control.
func (s *Stack) Shattered(SplitID) lanes.Mask { return 0 }

// popIdle removes entries without lanes from the top, and those with lanes that have reconverged below.
func (s *Stack) popIdle() {
	for len(s.entries) > 0 && (s.top().Mask == 0 || s.top().PC == s.top().Stop) {
		s.pop()
	}
}

// Strict implements Control.
func (s *Stack) Strict() bool { return false }

// Live implements Control.
func (s *Stack) Live() lanes.Mask { return s.live }

// Depth implements Control. The entries are reconvergence PCs and sides that run or wait. The former descend the
// postdominator tree, and the latter have disjoint lanes: no loop makes the stack grow beyond that.
func (s *Stack) Depth() int { return len(s.entries) }

// Splits implements Control.
func (s *Stack) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		above := lanes.Mask(0)
		for i := len(s.entries) - 1; i >= 0; i-- {
			e := s.entries[i]
			e.Mask &^= above
			above |= e.Mask
			if e.Mask != 0 && !yield(e) {
				return
			}
		}
	}
}

// CopyTo implements Control.
func (s *Stack) CopyTo(to Control) {
	t := to.(*Stack)
	s.frames.copyTo(&t.frames)
	t.order, t.live, t.parked = s.order, s.live, s.parked
	t.entries = append(t.entries[:0], s.entries...)
}
