package divergence

import (
	"iter"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// ITS is independent thread scheduling, as in GPUs since Volta: every lane has its own PC and makes progress
// independent of the others. Diverged lanes reconverge at the same PCs as with the reconvergence stack, but
// correctness does not depend on it: when no lane can run, or none makes progress, a driver breaks a convergence
// barrier, and the lanes that wait there continue without the others.
//
// A lane is in one of the splits, or it has arrived at a convergence barrier and
// waits. Of the splits, those that are not parked can run, the last one first.
type ITS struct {
	frames   Frames
	order    Order
	live     lanes.Mask
	splits   []itsSplit // a stack: the last one runs first
	barriers barriers
	broken   bool // a convergence barrier was broken since Start: splits now merge where they can
	// Scratch memory within one call.
	sides []Group    // of a branch
	woken []itsSplit // by Wake

	first [2]itsSplit // memory for splits, until there are more
}

type itsSplit struct {
	Split            // without its ID
	at     barrierID // where its lanes must arrive next, or noBarrier
	parked bool      // until Wake
}

var _ Control = (*ITS)(nil)

// NewITS returns the state of a warp without lanes, for a kernel with flow graph g.
func NewITS(g *flow.Graph, order Order) *ITS {
	w := &ITS{frames: newFrames(g), order: order}
	w.splits = w.first[:0]
	return w
}

// Start implements Control.
func (w *ITS) Start(pc int, m lanes.Mask) {
	for len(w.splits) > 0 { // after a launch that ended early
		s := w.take(SplitID(len(w.splits) - 1))
		w.leaveBarriers(s.at, s.Mask, noBarrier)
		w.frames.leaveAll(s.Frame, s.Mask)
	}
	w.frames.start(m)
	w.live, w.broken = m, false
	if m != 0 {
		w.splits = append(w.splits, itsSplit{Split: Split{PC: pc, Frame: Root, Mask: m, Stop: flow.None}, at: noBarrier})
	}
}

// Frames implements Control.
func (w *ITS) Frames() *Frames { return &w.frames }

// Ready implements Control.
func (w *ITS) Ready(except lanes.Mask, s *Split) bool {
	for i := len(w.splits) - 1; i >= 0; i-- {
		if c := &w.splits[i]; !c.parked && c.Mask&^except != 0 {
			// By field: a copy of the whole waits for the stores of its parts.
			s.PC, s.Stop, s.Mask, s.Frame, s.ID = c.PC, c.Stop, c.Mask, c.Frame, SplitID(i)
			return true
		}
	}
	return false
}

// take removes a split from the list, to enqueue its lanes elsewhere.
func (w *ITS) take(id SplitID) (s itsSplit) {
	of := &w.splits[id] // by field, as in Ready
	s.PC, s.Stop, s.Mask, s.Frame, s.at, s.parked = of.PC, of.Stop, of.Mask, of.Frame, of.at, of.parked
	w.remove(id)
	return s
}

// remove is take for a caller that has read what it needs of the split.
func (w *ITS) remove(id SplitID) {
	if last := len(w.splits) - 1; int(id) == last { // the usual case
		w.splits = w.splits[:last]
	} else {
		w.splits = slices.Delete(w.splits, int(id), int(id)+1)
	}
}

// enqueue makes m a split that runs from pc, before the others, and must arrive at a convergence barrier. If that is
// at pc, the lanes arrive there instead: they wait, or reconverge with all that wait.
func (w *ITS) enqueue(pc int, f FrameID, m lanes.Mask, at barrierID) {
	stop := flow.None
	if at != noBarrier {
		if b := w.barriers.at(at); b.frame == f {
			if b.pc == pc {
				b.arrived |= m
				w.reconverge(at)
				return
			}
			stop = b.pc
		}
	}
	n := len(w.splits)
	w.splits = slices.Grow(w.splits, 1)[:n+1]
	s := &w.splits[n]
	s.PC, s.Stop, s.Mask, s.Frame, s.ID, s.at, s.parked = pc, stop, m, f, 0, at, false
}

// reconverge makes one split of the lanes that have arrived at a convergence barrier,
// if they are all its participants.
func (w *ITS) reconverge(id barrierID) {
	b := w.barriers.at(id)
	if b.arrived != b.participants {
		return
	}
	pc, f, m, parent := b.pc, b.frame, b.arrived, b.parent
	w.barriers.remove(id)
	if m != 0 {
		w.enqueue(pc, f, m, parent)
	}
}

// leaveBarriers removes the lanes of m, which have not arrived at any of them, from the convergence barriers from one
// up to but without end. Lanes that waited only for those of m continue.
func (w *ITS) leaveBarriers(from barrierID, m lanes.Mask, end barrierID) {
	for from != end {
		b := w.barriers.at(from)
		parent := b.parent
		b.participants &^= m
		w.reconverge(from)
		from = parent
	}
}

// returnBarrier returns the convergence barrier where lanes that leave frame f early wait for the others of m in its
// caller. It is added when they first diverge: calls with lanes that stay together need none.
func (w *ITS) returnBarrier(f FrameID, m lanes.Mask, at barrierID) barrierID {
	fr := w.frames.At(f)
	if fr.Parent == NoFrame || at != noBarrier && w.barriers.at(at).frame == f {
		return at
	}
	return w.barriers.addOrReuse(fr.Ret, fr.Parent, m, at)
}

// Diverge implements Control.
func (w *ITS) Diverge(id SplitID, pc int, to []Group) {
	s := &w.splits[id]
	f, m, at := s.Frame, s.Mask, s.at
	w.remove(id)
	graph := w.frames.At(f).Graph
	stay, targets := lanes.Mask(0), 0 // in the branch's exit region
	for i := range to {
		if g := &to[i]; !graph.Leaves(pc, g.PC) {
			stay |= g.Mask
			targets++
		}
	}
	outer := w.returnBarrier(f, m, at)
	inner := outer
	if rpc := graph.Reconvergence(pc); targets > 1 && rpc != flow.None {
		inner = w.barriers.addOrReuse(rpc, f, stay, outer)
	}
	if targets == len(to) && w.order == Taken { // the usual case
		for i := len(to) - 1; i >= 0; i-- {
			if g := &to[i]; g.Mask != 0 {
				w.enqueue(g.PC, f, g.Mask, inner)
			}
		}
		return
	}
	w.sides = w.sides[:0]
	for _, g := range to {
		if stay&g.Mask != 0 {
			w.sides = append(w.sides, g)
		}
	}
	w.order.arrange(w.sides)
	for _, g := range w.sides {
		w.enqueue(g.PC, f, g.Mask, inner)
	}
	for _, g := range slices.Backward(to) {
		if stay&g.Mask == 0 {
			w.leaveRegion(g, f, outer)
		}
	}
}

// Rejoined implements Control. It keeps the convergence barrier in the caller, and moves the split before the others,
// where it may not have been after they were served.
func (w *ITS) Rejoined(id SplitID) SplitID {
	if s := &w.splits[id]; int(id) == len(w.splits)-1 { // the usual case
		s.at = w.returnBarrier(s.Frame, s.Mask, s.at)
		return id
	}
	s := w.take(id)
	s.at = w.returnBarrier(s.Frame, s.Mask, s.at)
	w.splits = append(w.splits, s)
	return SplitID(len(w.splits) - 1)
}

// Called implements Control. A split that calls a function runs before the others.
func (w *ITS) Called(id SplitID) SplitID {
	w.splits = append(w.splits, w.take(id))
	return SplitID(len(w.splits) - 1)
}

// leaveRegion sends a group to a later exit region (see flow.Graph.Region). It cannot come back to the convergence
// barriers of its frame that are in earlier ones.
func (w *ITS) leaveRegion(g Group, f FrameID, at barrierID) {
	graph, end := w.frames.At(f).Graph, at
	for end != noBarrier {
		b := w.barriers.at(end)
		if b.frame != f || !graph.Leaves(b.pc, g.PC) {
			break
		}
		end = b.parent
	}
	w.leaveBarriers(at, g.Mask, end)
	w.enqueue(g.PC, f, g.Mask, end)
}

// LeaveRegion implements Control.
func (w *ITS) LeaveRegion(id SplitID, pc int) {
	s := w.take(id)
	w.leaveRegion(Group{pc, s.Mask}, s.Frame, s.at)
}

// Shatter implements Control.
func (w *ITS) Shatter(id SplitID, m lanes.Mask) bool {
	s := w.splits[id]
	f, pc, first, rest := s.Frame, s.PC, s.Mask&m, s.Mask&^m
	end := w.frames.At(f).Graph.LastOf(pc)
	if first == 0 || rest == 0 || pc == end || s.Stop != flow.None && s.Stop > pc && s.Stop < end {
		return false
	}
	w.take(id)
	at := s.at
	if !w.barriers.isAt(at, end, f) || !w.barriers.at(at).forced {
		// It gets its own barrier, even if diverged lanes reconverge at the same place: Shattered distinguishes it from
		// theirs.
		parent := w.returnBarrier(f, s.Mask, at)
		if parent != at {
			w.barriers.at(parent).forced = true // the same lanes return
		}
		at = w.barriers.add(end, f, s.Mask, parent)
		w.barriers.at(at).forced = true
	}
	w.enqueue(pc, f, rest, at)
	w.enqueue(pc, f, first, at)
	return true
}

// Shattered implements Control.
func (w *ITS) Shattered(id SplitID) lanes.Mask {
	var m lanes.Mask
	for at := w.splits[id].at; at != noBarrier && w.barriers.at(at).forced; at = w.barriers.at(at).parent {
		m = w.barriers.at(at).participants
	}
	return m
}

// Call implements Control.
func (w *ITS) Call(id SplitID, to []Activation, stay lanes.Mask, next int) {
	s := w.take(id)
	at := s.at
	if len(to) > 1 || stay != 0 {
		at = w.barriers.addOrReuse(next, s.Frame, s.Mask, at)
	}
	if stay != 0 {
		w.enqueue(next, s.Frame, stay, at)
	}
	for _, a := range to {
		w.frames.At(a.Frame).Lanes |= a.Mask
		w.enqueue(0, a.Frame, a.Mask, at)
	}
}

// Return implements Control.
func (w *ITS) Return(id SplitID, m lanes.Mask, next int) {
	s := w.take(id)
	f, outer := s.Frame, s.at
	if rest := s.Mask &^ m; rest != 0 {
		outer = w.returnBarrier(f, s.Mask, s.at)
		w.enqueue(next, f, rest, outer)
	}
	end := outer
	for end != noBarrier && w.barriers.at(end).frame == f {
		end = w.barriers.at(end).parent
	}
	w.leaveBarriers(outer, m, end)
	w.frames.leave(f, m)
	fr := w.frames.At(f)
	w.enqueue(fr.Ret, fr.Parent, m, end)
}

// Exit implements Control.
func (w *ITS) Exit(id SplitID, m lanes.Mask, next int) {
	w.live &^= m
	if s := &w.splits[0]; w.live == 0 && s.at == noBarrier { // the usual case
		w.frames.leaveAll(s.Frame, m)
		w.splits = w.splits[:0]
		return
	}
	s := w.take(id)
	if rest := s.Mask &^ m; rest != 0 {
		w.enqueue(next, s.Frame, rest, s.at)
	}
	w.leaveBarriers(s.at, m, noBarrier)
	w.frames.leaveAll(s.Frame, m)
}

// Advance implements Control.
func (w *ITS) Advance(id SplitID, pc int) {
	s := &w.splits[id]
	if pc != s.Stop { // the usual case
		s.PC = pc
		return
	}
	f, m, at := s.Frame, s.Mask, s.at
	w.remove(id)
	w.enqueue(pc, f, m, at)
}

// Defer implements Control. The split goes to the start of the list. Once a convergence barrier was broken, lanes of
// one branch may be in several splits; if two of them are at one place, they merge.
func (w *ITS) Defer(id SplitID, pc int) {
	if pc == w.splits[id].Stop {
		w.Advance(id, pc)
		return
	}
	s := w.take(id)
	s.PC = pc
	if i := sameAs(w.splits, &s); w.broken && i >= 0 {
		w.merge(i, &s)
	} else {
		w.splits = sorted.Insert(w.splits, 0, s)
	}
}

// sameAs returns the index of a split that can run and is at the same place as s, or -1.
func sameAs(splits []itsSplit, s *itsSplit) int {
	return slices.IndexFunc(splits, func(o itsSplit) bool { return !o.parked && o.PC == s.PC && o.Frame == s.Frame })
}

// merge adds the lanes of s, which is not in the list, to split i, which is at the same place. If they must arrive at
// different convergence barriers, all arrive at those of the lanes that have more of them ahead.
func (w *ITS) merge(i int, s *itsSplit) {
	o := &w.splits[i]
	long, short, added := o.at, s.at, s.Mask
	if w.barriers.depth(long) < w.barriers.depth(short) {
		long, short, added = short, long, o.Mask
	}
	o.Mask |= s.Mask
	o.at, o.Stop = long, flow.None
	if long != noBarrier && w.barriers.at(long).frame == o.Frame {
		o.Stop = w.barriers.at(long).pc
	}
	common := long
	for common != noBarrier {
		b := w.barriers.at(common)
		if b.participants&added == added {
			break
		}
		b.participants |= added
		common = b.parent
	}
	w.leaveBarriers(short, added, common)
}

// Park implements Control. If the split does not wait as one group, its lanes reconverge at next.
func (w *ITS) Park(id SplitID, groups []lanes.Mask, next int) bool {
	if s := &w.splits[id]; s.Mask == groups[0] { // the usual case
		s.PC, s.parked = next, true
		return true
	}
	s := w.take(id)
	rest := s.Mask
	at := w.barriers.addOrReuse(next, s.Frame, s.Mask, w.returnBarrier(s.Frame, s.Mask, s.at))
	stop := flow.None
	if b := w.barriers.at(at); b.frame == s.Frame {
		stop = b.pc
	}
	for _, m := range groups {
		rest &^= m
		w.splits = append(w.splits, itsSplit{Split: Split{PC: next, Frame: s.Frame, Mask: m, Stop: stop}, at: at, parked: true})
	}
	if rest != 0 {
		w.enqueue(next, s.Frame, rest, at)
	}
	return true
}

// Wake implements Control. Lanes at one place continue as one split.
func (w *ITS) Wake(m lanes.Mask) {
	if s := &w.splits[0]; len(w.splits) == 1 && s.PC != s.Stop { // the usual case
		s.parked = false
		return
	}
	w.woken = w.woken[:0]
	w.splits = slices.DeleteFunc(w.splits, func(s itsSplit) bool {
		if !s.parked || s.Mask&^m != 0 {
			return false
		}
		s.parked = false
		w.woken = append(w.woken, s)
		return true
	})
	others := len(w.splits)
	for i := range w.woken {
		s := &w.woken[i]
		if same := sameAs(w.splits[others:], s); same >= 0 && s.PC != s.Stop {
			w.merge(others+same, s)
		} else {
			w.enqueue(s.PC, s.Frame, s.Mask, s.at)
		}
	}
}

// Strict implements Control.
func (w *ITS) Strict() bool { return false }

// Live implements Control.
func (w *ITS) Live() lanes.Mask { return w.live }

// Depth implements Control: the largest number of convergence barriers at which the lanes of one split must arrive.
func (w *ITS) Depth() int {
	n := 0
	for i := range w.splits {
		n = max(n, w.barriers.depth(w.splits[i].at))
	}
	return n
}

// Splits implements Control. The lanes that have arrived at a convergence barrier
// count as a split of their own.
func (w *ITS) Splits() iter.Seq[Split] {
	return func(yield func(Split) bool) {
		for i := len(w.splits) - 1; i >= 0; i-- {
			if s := &w.splits[i]; !s.parked && !yield(s.Split) {
				return
			}
		}
		for i := range w.splits {
			if s := &w.splits[i]; s.parked && !yield(s.Split) {
				return
			}
		}
		given := lanes.Mask(0)
		for i := range w.splits {
			for at := w.splits[i].at; at != noBarrier; at = w.barriers.at(at).parent {
				b := w.barriers.at(at)
				if b.arrived&^given == 0 {
					continue
				}
				given |= b.arrived
				if !yield(Split{PC: b.pc, Frame: b.frame, Mask: b.arrived, Stop: b.pc}) {
					return
				}
			}
		}
	}
}

// CopyTo implements Control.
func (w *ITS) CopyTo(to Control) {
	t := to.(*ITS)
	w.frames.copyTo(&t.frames)
	w.barriers.copyTo(&t.barriers)
	t.order, t.live, t.broken = w.order, w.live, w.broken
	t.splits = append(t.splits[:0], w.splits...)
}
