package divergence

import (
	"iter"
	"slices"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/lanes"
)

// ITS is independent thread scheduling, as GPUs since Volta have it: every lane
// has a PC of its own and gets on whatever the others do. Lanes that part are
// to meet again at the joins that the reconvergence stack has too, but nothing
// depends on it: when no lane can run, or none gets on, those that wait at a
// join go on without the others (Relieve).
//
// A lane is in one of the splits, or it waits at a point. Of the splits that
// are not parked, the last that has not had its turn yet is current.
type ITS struct {
	root   *Frame
	order  Order
	live   lanes.Mask
	splits []itsSplit
	spare  []*point // for reuse
	broken bool     // a point was given up since the start: splits merge where they can
	turns  int      // of the split that was current last; its lanes keep them
	yields int      // since all splits had their turn
	// For use within one call.
	sides []Group
	woken []itsSplit
}

type itsSplit struct {
	Split
	at     *point // where the lanes are to meet others next, or nil
	parked bool
	had    bool // its turn, in this turn of the warp
}

// point is a place where lanes are to meet, as a convergence barrier register
// holds it. All lanes that are expected at a point are expected at the points
// above, too; those of one frame are ever further down the code.
type point struct {
	pc    int
	frame *Frame
	want  lanes.Mask // expected, those that wait among them
	got   lanes.Mask // waiting
	up    *point
	// forced says that the lanes expected here have not diverged: Part parted them.
	forced bool
}

// is reports whether the point is at a place.
func (p *point) is(pc int, f *Frame) bool { return p != nil && p.pc == pc && p.frame == f }

var _ Warp = (*ITS)(nil)

// NewITS returns the state of a warp without lanes, for a kernel of which fl is
// the flow graph.
func NewITS(g *flow.Graph, order Order) *ITS {
	return &ITS{root: &Frame{Graph: g}, order: order}
}

// Root implements Warp.
func (w *ITS) Root() *Frame { return w.root }

// Start implements Warp.
func (w *ITS) Start(pc int, m lanes.Mask) {
	for i := range w.splits {
		w.leavePoints(w.splits[i].at, w.splits[i].Mask, nil)
		w.splits[i].Frame.leaveAll(w.splits[i].Mask)
	}
	w.live, w.root.Lanes, w.broken, w.turns, w.yields = m, m, false, 0, 0
	w.splits = w.splits[:0]
	if m != 0 {
		w.splits = append(w.splits, itsSplit{Split: Split{PC: pc, Frame: w.root, Mask: m, Stop: flow.None}})
	}
}

// current is the index of the split to run, or -1.
func (w *ITS) current() int {
	for i := len(w.splits) - 1; i >= 0; i-- {
		if s := &w.splits[i]; !s.parked && !s.had {
			return i
		}
	}
	return -1
}

// Next implements Warp. When all splits are parked, they wait for lanes that
// wait at joins, if any do: those go on.
func (w *ITS) Next(s *Split) bool {
	for len(w.splits) > 0 {
		if last := &w.splits[len(w.splits)-1]; !last.parked && !last.had { // as a rule
			*s = last.Split
			return true
		}
		if i := w.current(); i >= 0 {
			*s = w.splits[i].Split
			return true
		}
		if !w.newTurn() && !w.Relieve() {
			break
		}
	}
	return false
}

// newTurn gives every split its turn again. It is false if none has had one.
func (w *ITS) newTurn() bool {
	any := false
	for i := range w.splits {
		any = any || w.splits[i].had && !w.splits[i].parked
		w.splits[i].had = false
	}
	w.yields = 0
	return any
}

// take takes the current split out of the list.
func (w *ITS) take() itsSplit {
	i := w.current()
	s := w.splits[i]
	if last := len(w.splits) - 1; i == last { // as a rule
		w.splits = w.splits[:last]
	} else {
		w.splits = slices.Delete(w.splits, i, i+1)
	}
	w.turns = s.Turns
	return s
}

// put makes m a split that runs from pc and is to meet others at a point. It
// becomes the current one, unless it is at that point already: then it waits
// there, or goes on with all that do.
func (w *ITS) put(pc int, f *Frame, m lanes.Mask, at *point) {
	if at.is(pc, f) {
		at.got |= m
		w.settle(at)
		return
	}
	stop := flow.None
	if at != nil && at.frame == f {
		stop = at.pc
	}
	w.splits = append(w.splits, itsSplit{Split: Split{PC: pc, Frame: f, Mask: m, Stop: stop, Turns: w.turns}, at: at})
}

// settle lets the lanes that wait at p go on if they are all that are expected.
func (w *ITS) settle(p *point) {
	if p.got != p.want {
		return
	}
	pc, f, m, up := p.pc, p.frame, p.got, p.up
	w.drop(p)
	if m != 0 {
		w.put(pc, f, m, up)
	}
}

// open makes a point at pc of frame f, for lanes that are to go on from there
// to the point up. If that is at the same place, it serves.
func (w *ITS) open(pc int, f *Frame, m lanes.Mask, up *point) *point {
	if up.is(pc, f) {
		return up
	}
	return w.newPoint(pc, f, m, up)
}

// newPoint is open where another point may be at the same place.
func (w *ITS) newPoint(pc int, f *Frame, m lanes.Mask, up *point) *point {
	var p *point
	if n := len(w.spare); n > 0 {
		p, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		p = new(point)
	}
	*p = point{pc: pc, frame: f, want: m, up: up}
	return p
}

// drop gives up a point that nobody is expected at any more.
func (w *ITS) drop(p *point) {
	*p = point{}
	w.spare = append(w.spare, p)
}

// leavePoints takes the lanes of m, which are not at any of them, out of the
// points from p up to but without end. Lanes that waited for nobody else go on.
func (w *ITS) leavePoints(p *point, m lanes.Mask, end *point) {
	for p != end {
		up := p.up
		p.want &^= m
		w.settle(p)
		p = up
	}
}

// returnPoint is the point where lanes that leave frame f early wait for the
// others of m in its caller. It is opened when they first part: calls whose
// lanes stay together need none.
func (w *ITS) returnPoint(f *Frame, m lanes.Mask, at *point) *point {
	if f.Parent == nil || at != nil && at.frame == f {
		return at
	}
	return w.open(f.Ret, f.Parent, m, at)
}

// Diverge implements Warp.
func (w *ITS) Diverge(pc int, to []Group) {
	cur := w.take()
	f, graph := cur.Frame, cur.Frame.Graph
	stay := lanes.Mask(0) // in the branch's exit region
	places := 0
	for _, g := range to {
		if !graph.Leaves(pc, g.PC) {
			stay |= g.Mask
			places++
		}
	}
	outer := w.returnPoint(f, cur.Mask, cur.at)
	inner := outer
	if join := graph.Reconvergence(pc); places > 1 && join != flow.None {
		inner = w.open(join, f, stay, outer)
	}
	w.sides = w.sides[:0]
	for _, g := range to {
		if stay&g.Mask != 0 {
			w.sides = append(w.sides, g)
		}
	}
	w.order.arrange(w.sides)
	for _, g := range w.sides {
		w.put(g.PC, f, g.Mask, inner)
	}
	for _, g := range slices.Backward(to) {
		if stay&g.Mask == 0 {
			w.leaveRegion(g, f, outer)
		}
	}
}

// leaveRegion sends a group to a later exit region. It cannot come back to the points
// of its frame that are in earlier ones.
func (w *ITS) leaveRegion(g Group, f *Frame, at *point) {
	end := at
	for end != nil && end.frame == f && f.Graph.Leaves(end.pc, g.PC) {
		end = end.up
	}
	w.leavePoints(at, g.Mask, end)
	w.put(g.PC, f, g.Mask, end)
}

// LeaveRegion implements Warp.
func (w *ITS) LeaveRegion(pc int) {
	s := w.take()
	w.leaveRegion(Group{pc, s.Mask}, s.Frame, s.at)
}

// Arrive implements Warp.
func (w *ITS) Arrive() {
	s := w.take()
	w.put(s.Stop, s.Frame, s.Mask, s.at)
}

// Part lets the lanes m of the current split, which is at its PC, run apart from
// the others until the end of the block of code: independent threads may. It is
// false, and does nothing, where that is no way or where m is not a part.
func (w *ITS) Part(m lanes.Mask) bool {
	cur := &w.splits[w.current()]
	f, pc, first, rest := cur.Frame, cur.PC, cur.Mask&m, cur.Mask&^m
	meet := f.Graph.LastOf(pc)
	if first == 0 || rest == 0 || pc == meet || cur.Stop != flow.None && cur.Stop > pc && cur.Stop < meet {
		return false
	}
	s := w.take()
	at := s.at
	if !at.is(meet, f) || !at.forced {
		// A point of its own even where diverged lanes are to meet at the same place:
		// Parted tells them from these.
		up := w.returnPoint(f, s.Mask, at)
		if up != at {
			up.forced = true // the same lanes return
		}
		at = w.newPoint(meet, f, s.Mask, up)
		at.forced = true
	}
	w.put(pc, f, rest, at)
	w.put(pc, f, first, at)
	return true
}

// Parted is the lanes that Part has parted and that have not met again since, of
// those that are with the current split but for that, itself among them.
func (w *ITS) Parted() lanes.Mask {
	var m lanes.Mask
	for p := w.splits[w.current()].at; p != nil && p.forced; p = p.up {
		m = p.want
	}
	return m
}

// Call implements Warp.
func (w *ITS) Call(to []Activation, stay lanes.Mask, next int) {
	cur := w.take()
	at := cur.at
	if len(to) > 1 || stay != 0 {
		at = w.open(next, cur.Frame, cur.Mask, at)
	}
	if stay != 0 {
		w.put(next, cur.Frame, stay, at)
	}
	for _, a := range to {
		a.Frame.Lanes |= a.Mask
		w.put(0, a.Frame, a.Mask, at)
	}
}

// Return implements Warp.
func (w *ITS) Return(m lanes.Mask, next int) {
	cur := w.take()
	f, outer := cur.Frame, cur.at
	if rest := cur.Mask &^ m; rest != 0 {
		outer = w.returnPoint(f, cur.Mask, cur.at)
		w.put(next, f, rest, outer)
	}
	end := outer
	for end != nil && end.frame == f {
		end = end.up
	}
	w.leavePoints(outer, m, end)
	f.leave(m)
	w.put(f.Ret, f.Parent, m, end)
}

// Exit implements Warp.
func (w *ITS) Exit(m lanes.Mask, next int) {
	w.live &^= m
	if s := &w.splits[0]; w.live == 0 && s.at == nil { // as a rule
		s.Frame.leaveAll(m)
		w.splits = w.splits[:0]
		return
	}
	cur := w.take()
	if rest := cur.Mask &^ m; rest != 0 {
		w.put(next, cur.Frame, rest, cur.at)
	}
	w.leavePoints(cur.at, m, nil)
	cur.Frame.leaveAll(m)
}

// Suspend implements Warp.
func (w *ITS) Suspend(pc int) {
	s := &w.splits[w.current()]
	if s.PC = pc; pc == s.Stop {
		w.Arrive()
	}
}

// mostYields bounds how long a split that had its turn waits for others, of
// which there may ever be new ones.
const mostYields = 2 * lanes.Width

// Yield implements Warp. The split goes to the bottom of the list. Once a point
// was given up, lanes of one branch may be in several splits; where two of them
// get to one place, they go on together.
func (w *ITS) Yield(pc int, pace Pace) bool {
	s := w.take()
	if s.PC = pc; pc == s.Stop {
		w.put(pc, s.Frame, s.Mask, s.at)
		return w.current() >= 0
	}
	s.spend(pace)
	s.had = true
	if i := mate(w.splits, &s); w.broken && i >= 0 {
		w.merge(i, &s)
	} else {
		w.splits = slices.Insert(w.splits, 0, s)
	}
	if w.yields++; w.yields > mostYields {
		w.newTurn()
		for i := range w.splits {
			w.splits[i].Pace = Busy // some have not had their turn: what they did in an earlier one is out of date
		}
		return false
	}
	return w.current() >= 0
}

// mate is the index of a split that can run and is at the same place as s, or
// -1.
func mate(splits []itsSplit, s *itsSplit) int {
	return slices.IndexFunc(splits, func(o itsSplit) bool { return !o.parked && o.PC == s.PC && o.Frame == s.Frame })
}

// merge adds the lanes of s, which is not in the list, to split i, which is at
// the same place. If they are expected at different points, all go on to those
// of the lanes that have more of them ahead.
func (w *ITS) merge(i int, s *itsSplit) {
	o := &w.splits[i]
	long, short, joining := o.at, s.at, s.Mask
	if depth(long) < depth(short) {
		long, short, joining = short, long, o.Mask
	}
	o.Mask |= s.Mask
	o.Turns, o.Pace, o.at, o.Stop = 0, Busy, long, flow.None
	if long != nil && long.frame == o.Frame {
		o.Stop = long.pc
	}
	common := long
	for common != nil && common.want&joining != joining {
		common.want |= joining
		common = common.up
	}
	w.leavePoints(short, joining, common)
}

// depth is the number of points from p up.
func depth(p *point) int {
	n := 0
	for ; p != nil; p = p.up {
		n++
	}
	return n
}

// Park implements Warp. If not all lanes of the split wait for the same, they
// are to meet again at once.
func (w *ITS) Park(parts []lanes.Mask, next int) bool {
	if s := &w.splits[w.current()]; s.Mask == parts[0] { // as a rule
		s.PC, s.parked = next, true
		return true
	}
	cur := w.take()
	rest := cur.Mask
	at := w.open(next, cur.Frame, cur.Mask, w.returnPoint(cur.Frame, cur.Mask, cur.at))
	for _, m := range parts {
		rest &^= m
		s := Split{PC: next, Frame: cur.Frame, Mask: m, Stop: flow.None}
		if at != nil && at.frame == cur.Frame {
			s.Stop = at.pc
		}
		w.splits = append(w.splits, itsSplit{Split: s, at: at, parked: true})
	}
	if rest != 0 {
		w.put(next, cur.Frame, rest, at)
	}
	return true
}

// Wake implements Warp. Lanes that are at one place go on together.
func (w *ITS) Wake(m lanes.Mask) {
	if s := &w.splits[0]; len(w.splits) == 1 && s.PC != s.Stop { // as a rule
		s.wake()
		return
	}
	w.woken = w.woken[:0]
	w.splits = slices.DeleteFunc(w.splits, func(s itsSplit) bool {
		if !s.parked || s.Mask&^m != 0 {
			return false
		}
		s.wake()
		w.woken = append(w.woken, s)
		return true
	})
	others := len(w.splits)
	for i := range w.woken {
		s := &w.woken[i]
		if mate := mate(w.splits[others:], s); mate >= 0 && s.PC != s.Stop {
			w.merge(others+mate, s)
		} else {
			w.put(s.PC, s.Frame, s.Mask, s.at)
		}
	}
}

func (s *itsSplit) wake() { s.parked, s.had, s.Turns, s.Pace = false, false, 0, Busy }

// Relieve implements Warp. It gives up one point, the deepest with lanes: those
// go on, but are still to meet the others, further on: where the paths from
// there meet. As that is ever further up the tree of postdominators, every lane
// gets on in the end.
func (w *ITS) Relieve() bool {
	p := w.deepest()
	if p == nil {
		return false
	}
	w.broken, w.turns = true, 1
	for i := range w.splits {
		w.splits[i].Turns = 1 // soon to be looked at again
	}
	f, m, up := p.frame, p.got, p.up
	if join := f.Graph.Reconvergence(p.pc); join != flow.None {
		up = w.open(join, f, p.want, up)
	} else {
		up = w.returnPoint(f, p.want, up)
	}
	p.up, p.got, p.want = up, 0, p.want&^m
	w.put(p.pc, f, m, up)
	return true
}

// deepest is the point with waiting lanes that has most points above it; of
// several, that with the lowest lane. It is nil if no lane waits. All points are
// above some split.
func (w *ITS) deepest() *point {
	var best *point
	for i := range w.splits {
		for p := w.splits[i].at; p != nil; p = p.up {
			if p.got == 0 {
				continue
			}
			d, b := depth(p), depth(best)
			if d > b || d == b && p.got&-p.got < best.got&-best.got {
				best = p
			}
		}
	}
	return best
}

// Pace implements Warp.
func (w *ITS) Pace() Pace {
	pace := Spinning
	for i := range w.splits {
		if !w.splits[i].parked {
			pace = min(pace, w.splits[i].Pace)
		}
	}
	return pace
}

// Strict implements Warp.
func (w *ITS) Strict() bool { return false }

// Live implements Warp.
func (w *ITS) Live() lanes.Mask { return w.live }

// Depth implements Warp: the most points that lanes of one split are to meet
// at, one after the other.
func (w *ITS) Depth() int {
	n := 0
	for i := range w.splits {
		n = max(n, depth(w.splits[i].at))
	}
	return n
}

// Splits implements Warp. The lanes that wait at a point count as a split of
// their own.
func (w *ITS) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		for _, had := range []bool{false, true} {
			for i := len(w.splits) - 1; i >= 0; i-- {
				if s := &w.splits[i]; !s.parked && s.had == had && !yield(s.Split) {
					return
				}
			}
		}
		for i := range w.splits {
			if s := &w.splits[i]; s.parked && !yield(s.Split) {
				return
			}
		}
		given := lanes.Mask(0)
		for i := range w.splits {
			for p := w.splits[i].at; p != nil; p = p.up {
				if p.got&^given == 0 {
					continue
				}
				given |= p.got
				if !yield(Split{PC: p.pc, Frame: p.frame, Mask: p.got, Stop: p.pc}) {
					return
				}
			}
		}
	}
}
