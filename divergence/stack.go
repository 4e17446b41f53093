package divergence

import (
	"iter"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/lanes"
)

// Stack is the reconvergence stack of GPUs before Volta: the sides of a branch
// run one after the other until they are at the branch's reconvergence PC,
// where the entry below takes over with all lanes. There is no way to run any
// but the top entry, so lanes that wait for each other across a branch wait for
// ever.
//
// The entry where lanes are to meet has a mask with all of them, and the
// entries above it are part of it. So an entry's lanes that are in no entry
// above it are at its PC. Those of the top entry are where the run loop has
// them.
//
// A call leaves the caller's entry where its lanes go on, with all of them, and
// runs the callee above it. Lanes that return are taken out of the callee's
// entries: they are in the caller's already.
type Stack struct {
	root    *Frame
	order   Order
	live    lanes.Mask
	parked  bool // the top entry, which has all live lanes
	entries []Split
	sides   []Group // for use within one call
}

var _ Warp = (*Stack)(nil)

// NewStack returns a stack without lanes for a kernel of which fl is the flow
// graph.
func NewStack(g *flow.Graph, order Order) *Stack {
	return &Stack{root: &Frame{Graph: g}, order: order}
}

// Root implements Warp.
func (s *Stack) Root() *Frame { return s.root }

// Start implements Warp.
func (s *Stack) Start(pc int, m lanes.Mask) {
	for _, e := range s.entries {
		e.Frame.leaveAll(e.Mask)
	}
	s.live, s.root.Lanes, s.parked = m, m, false
	s.entries = append(s.entries[:0], Split{PC: pc, Frame: s.root, Mask: m, Stop: flow.None})
	s.settle()
}

// Next implements Warp.
func (s *Stack) Next(split *Split) bool {
	if len(s.entries) == 0 || s.parked {
		return false
	}
	*split = *s.top()
	return true
}

func (s *Stack) top() *Split { return &s.entries[len(s.entries)-1] }

// pop drops the top entry. The one below gets on with what the warp is at, and
// takes over its turns.
func (s *Stack) pop() {
	turns := s.top().Turns
	s.entries = s.entries[:len(s.entries)-1]
	if len(s.entries) > 0 {
		s.top().Turns = max(s.top().Turns, turns)
	}
}

// Diverge implements Warp.
//
// When the lanes are to meet where the split stops anyway, there is an entry
// for that place already. A second one would make a loop's stack grow with
// every iteration that sheds lanes.
func (s *Stack) Diverge(pc int, to []Group) {
	top := s.top()
	frame, join, turns := top.Frame, top.Frame.Graph.Reconvergence(pc), top.Turns
	if join == flow.None || join == top.Stop {
		join = top.Stop
		s.pop()
	} else {
		top.PC = join
	}
	s.sides = s.sides[:0]
	for _, g := range to {
		if g.PC != join {
			s.sides = append(s.sides, g)
		}
	}
	s.order.arrange(s.sides)
	for _, g := range s.sides {
		s.entries = append(s.entries, Split{PC: g.PC, Frame: frame, Mask: g.Mask, Stop: join, Turns: turns})
	}
	s.settle()
}

// LeaveRegion implements Warp. Who waits for these lanes waits for the end of all
// entries above anyway.
func (s *Stack) LeaveRegion(pc int) { s.Suspend(pc) }

// Arrive implements Warp.
func (s *Stack) Arrive() {
	s.pop()
	s.settle()
}

// Call implements Warp.
func (s *Stack) Call(to []Activation, stay lanes.Mask, next int) {
	s.top().PC = next
	turns := s.top().Turns
	for _, a := range to {
		a.Frame.Lanes |= a.Mask
		s.entries = append(s.entries, Split{Frame: a.Frame, Mask: a.Mask, Stop: flow.None, Turns: turns})
	}
}

// Return implements Warp.
func (s *Stack) Return(m lanes.Mask, next int) {
	frame := s.top().Frame
	s.top().PC = next
	for i := len(s.entries) - 1; s.entries[i].Frame == frame; i-- {
		s.entries[i].Mask &^= m
	}
	frame.leave(m)
	s.settle()
}

// Exit implements Warp.
func (s *Stack) Exit(m lanes.Mask, next int) {
	s.live &^= m
	s.top().Frame.leaveAll(m)
	for i := range s.entries {
		s.entries[i].Mask &^= m
	}
	s.Suspend(next)
}

// Suspend implements Warp.
func (s *Stack) Suspend(pc int) {
	s.top().PC = pc
	s.settle()
}

// Yield implements Warp. There is nothing to give way to.
func (s *Stack) Yield(pc int, pace Pace) bool {
	s.top().spend(pace)
	s.Suspend(pc)
	return false
}

// Park implements Warp. Only the top entry runs, so its lanes can wait for
// other warps, but not for lanes of their own.
func (s *Stack) Park(parts []lanes.Mask, next int) bool {
	if len(parts) > 1 || parts[0] != s.live {
		return false
	}
	s.parked = true
	s.top().PC = next
	return true
}

// Wake implements Warp.
func (s *Stack) Wake(lanes.Mask) {
	s.parked = false
	s.settle()
}

// Relieve implements Warp.
func (s *Stack) Relieve() bool { return false }

// Pace implements Warp.
func (s *Stack) Pace() Pace {
	if len(s.entries) == 0 || s.parked {
		return Spinning
	}
	return s.top().Pace
}

// settle drops entries with nothing to run until the top one has.
func (s *Stack) settle() {
	for len(s.entries) > 0 && (s.top().Mask == 0 || s.top().PC == s.top().Stop) {
		s.pop()
	}
}

// Strict implements Warp.
func (s *Stack) Strict() bool { return false }

// Live implements Warp.
func (s *Stack) Live() lanes.Mask { return s.live }

// Depth implements Warp. The entries are those where lanes are to meet and
// those of the sides that run or wait. The former descend the postdominator
// tree, and the latter have no lanes in common: no loop makes the stack grow
// beyond that.
func (s *Stack) Depth() int { return len(s.entries) }

// Splits implements Warp.
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
