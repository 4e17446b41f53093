package divergence

import (
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// site is one execution of an instruction by one lane.
type site struct {
	lane, pc int
	step     int // instructions that the lane has executed before
	times    int // executions of this instruction among them
}

// thread is what one lane has done.
type thread struct {
	steps int
	times []int  // by PC
	path  uint64 // hash of the PCs executed
}

// machine executes code of which only the control flow counts. What a guard or
// an unguarded branch with several targets decides depends on the lane's own
// past alone, so a lane's path must not depend on the company it is in.
type machine struct {
	f      *isa.Func
	guard  func(r isa.RegID, s site) bool
	choose func(targets int, s site) int
	thread [lanes.Width]thread
	pc     [lanes.Width]int // where each live lane is

	issues int // warp instructions
	active int // lane instructions
	peak   int // most entries of the model
}

func (m *machine) reset() {
	m.issues, m.active, m.peak = 0, 0, 0
	for i := range m.thread {
		m.thread[i] = thread{times: make([]int, len(m.f.Code))}
	}
}

// holds reports whether the guard of the instruction at pc lets the lane
// through.
func (m *machine) holds(lane, pc int) bool {
	in := &m.f.Code[pc]
	return in.Guard == isa.NoReg || m.guard(in.Guard, m.site(lane, pc)) != in.GuardNot
}

func (m *machine) site(lane, pc int) site {
	th := &m.thread[lane]
	return site{lane, pc, th.steps, th.times[pc]}
}

// execute lets one lane execute the instruction at pc. It returns where the
// lane goes, or false when it ends.
func (m *machine) execute(lane, pc int) (next int, ok bool) {
	in := &m.f.Code[pc]
	next, ok = pc+1, true
	if m.holds(lane, pc) && in.Spec != nil {
		switch in.Spec.Kind {
		case isa.Exit, isa.Return:
			ok = false
		case isa.Branch:
			i := 0
			if len(in.Args) > 1 {
				i = m.choose(len(in.Args), m.site(lane, pc))
			}
			next = m.f.Labels[in.Args[i].Label()].PC
		}
	}
	th := &m.thread[lane]
	th.steps++
	th.times[pc]++
	th.path = (th.path ^ uint64(pc+1)) * 0x9e3779b97f4a7c15
	m.pc[lane] = next
	return next, ok
}

// alone executes the code lane by lane.
func (m *machine) alone() (paths [lanes.Width]uint64) {
	m.reset()
	for lane := range paths {
		for pc, ok := 0, true; ok && pc < len(m.f.Code); {
			pc, ok = m.execute(lane, pc)
		}
		paths[lane] = m.thread[lane].path
	}
	return paths
}

// issue executes one warp instruction. It returns the lanes that end, and the
// others by where they go, in the order that Diverge asks for.
func (m *machine) issue(pc int, mask lanes.Mask) (ended lanes.Mask, to []Group) {
	m.issues++
	m.active += mask.Count()
	at := map[int]lanes.Mask{}
	for lane := range lanes.Width {
		bit := lanes.Mask(1) << lane
		if mask&bit == 0 {
			continue
		}
		if next, ok := m.execute(lane, pc); ok {
			at[next] |= bit
		} else {
			ended |= bit
		}
	}
	for _, next := range append(flowcode.Targets(m.f, pc), pc+1) {
		if at[next] != 0 {
			to = append(to, Group{next, at[next]})
			delete(at, next)
		}
	}
	return ended, to
}

// together executes the code as warp w, with the lanes of mask.
func (m *machine) together(t *testing.T, w Control, mask lanes.Mask) {
	t.Helper()
	m.reset()
	clear(m.pc[:])
	w.Start(0, mask)
	live := mask
	m.check(t, w, live)
	for deferred := lanes.Mask(0); ; {
		var s Split
		if !w.Ready(deferred, &s) {
			if deferred == 0 && !w.Break() {
				break
			}
			deferred = 0
			continue
		}
		ended, late := m.turn(t, w, s)
		live, deferred = live&^ended, deferred|late
		if m.issues > 1e5 {
			t.Fatalf("lanes %#x come to no end", live)
		}
		if mix(uint64(m.issues), uint64(live))%8 == 0 {
			w = moved(w)
		}
		m.check(t, w, live)
	}
	if live != 0 {
		t.Fatalf("lanes %#x are not run any more", live)
	}
}

// moved is a copy of w, which starts anew with other lanes.
func moved(w Control) Control {
	var to Control
	graph := w.Frames().At(Root).Graph
	switch w := w.(type) {
	case *Stack:
		to = NewStack(graph, w.order)
	case *ITS:
		to = NewITS(graph, w.order)
	default:
		to = newMinPC(graph)
	}
	to.Start(0, 5) // CopyTo replaces whatever was there
	w.CopyTo(to)
	w.Start(0, 2)
	return to
}

// turn runs split s to the next event, and tells w. It returns the lanes that
// ended, and those that are to run after the others.
func (m *machine) turn(t *testing.T, w Control, s Split) (ended, deferred lanes.Mask) {
	t.Helper()
	if s.PC == s.Stop || s.Mask == 0 {
		t.Fatalf("Ready gives %+v, which cannot run", s)
	}
	const turnLength = 7
	pc := s.PC
	for range turnLength {
		switch pc {
		case s.Stop:
			w.Advance(s.ID, pc)
			return 0, 0
		case len(m.f.Code):
			w.Exit(s.ID, s.Mask, pc)
			return s.Mask, 0
		}
		ended, to := m.issue(pc, s.Mask)
		if ended != 0 {
			w.Exit(s.ID, ended, pc+1)
			return ended, 0
		}
		if len(to) > 1 {
			w.Diverge(s.ID, pc, to)
			return 0, 0
		}
		if graph := w.Frames().At(Root).Graph; graph.MayLeave(pc) && graph.Leaves(pc, to[0].PC) {
			w.LeaveRegion(s.ID, to[0].PC)
			return 0, 0
		}
		pc = to[0].PC
		if w.Strict() {
			w.Advance(s.ID, pc)
			return 0, 0
		}
	}
	if mix(uint64(m.issues), uint64(pc))%3 == 0 {
		w.Advance(s.ID, pc)
		return 0, 0
	}
	w.Defer(s.ID, pc)
	return 0, s.Mask
}

// check compares what w says of the live lanes with where they are.
func (m *machine) check(t *testing.T, w Control, live lanes.Mask) {
	t.Helper()
	if w.Live() != live {
		t.Fatalf("Live() = %#x, want %#x", w.Live(), live)
	}
	for s := range w.Splits() {
		if s.Mask&^live != 0 {
			t.Fatalf("split %+v has lanes that ended or are in another; left are %#x", s, live)
		}
		live &^= s.Mask
		for lane := range lanes.Width {
			if s.Mask>>lane&1 != 0 && m.pc[lane] != s.PC {
				t.Fatalf("lane %d is at %d, but in split %+v", lane, m.pc[lane], s)
			}
		}
	}
	if live != 0 {
		t.Fatalf("lanes %#x are in no split", live)
	}
	m.peak = max(m.peak, w.Depth())
	switch w := w.(type) {
	case *Stack:
		checkDepth(t, w)
	case *ITS:
		checkBarriers(t, w)
	}
}

// checkBarriers holds convergence barriers to what they say: the participants of
// one are the lanes of the splits below it and those that have arrived at it or
// below, and one at which all have arrived is gone.
func checkBarriers(t *testing.T, w *ITS) {
	t.Helper()
	below := map[barrierID]lanes.Mask{}
	expect := func(id barrierID, m lanes.Mask) {
		for ; id != noBarrier; id = w.barriers.at(id).parent {
			below[id] |= m
		}
	}
	for _, s := range w.splits {
		expect(s.at, s.Mask)
	}
	for id := range below {
		expect(id, w.barriers.at(id).arrived)
	}
	if inUse := len(w.barriers.all) - len(w.barriers.free); inUse != len(below) {
		t.Fatalf("%d convergence barriers in use, %d above splits", inUse, len(below))
	}
	for _, s := range w.splits {
		for id := s.at; id != noBarrier; id = w.barriers.at(id).parent {
			b := w.barriers.at(id)
			if graph := w.frames.At(s.Frame).Graph; b.frame == s.Frame && !b.forced && b.pc != s.PC && !postdominates(graph, b.pc, s.PC) {
				t.Fatalf("split %+v is to come to %d, where it cannot come", s.Split, b.pc)
			}
		}
	}
	for id, m := range below {
		b := w.barriers.at(id)
		if b.participants != m || b.arrived == b.participants {
			t.Fatalf("the barrier at %d has participants %#x, of whom %#x have arrived; below are %#x", b.pc, b.participants, b.arrived, m)
		}
		if !b.forced && w.barriers.isAt(b.parent, b.pc, b.frame) {
			t.Fatalf("two barriers at %d, one above the other", b.pc)
		}
	}
}

// checkDepth holds the stack to its bound. An entry where lanes are to meet is
// one at which the entry above it stops. From the bottom to the top, each of
// these PCs is postdominated by the one before, or in a later exit region; all other
// entries have lanes of their own.
func checkDepth(t *testing.T, s *Stack) {
	t.Helper()
	apart := lanes.Mask(0)
	for i, e := range s.entries {
		if i+1 < len(s.entries) && s.entries[i+1].Stop == e.PC {
			if e.Stop != flow.None && !s.frames.At(Root).Graph.Leaves(e.Stop, e.PC) && !postdominates(s.frames.At(Root).Graph, e.Stop, e.PC) {
				t.Fatalf("entry %d of %+v does not descend", i, s.entries)
			}
			continue
		}
		if e.Mask == 0 || e.Mask&apart != 0 {
			t.Fatalf("entry %d of %+v has no lanes of its own", i, s.entries)
		}
		apart |= e.Mask
	}
}

// postdominates reports whether pc a is another postdominator of pc b.
func postdominates(g *flow.Graph, a, b int) bool {
	for b = g.Reconvergence(b); b != flow.None; b = g.Reconvergence(b) {
		if a == b {
			return true
		}
	}
	return false
}

var orders = []Order{Taken, FallThrough, Majority}
