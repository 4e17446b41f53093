package divergence

import (
	"testing"

	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
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
func (m *machine) together(t *testing.T, w Warp, mask lanes.Mask) {
	t.Helper()
	m.reset()
	clear(m.pc[:])
	w.Start(0, mask)
	live := mask
	m.check(t, w, live)
	for {
		var s Split
		if !w.Next(&s) {
			break
		}
		live &^= m.turn(t, w, s)
		if m.issues > 1e5 {
			t.Fatalf("lanes %#x come to no end", live)
		}
		m.check(t, w, live)
	}
	if live != 0 {
		t.Fatalf("lanes %#x are not run any more", live)
	}
}

// turn runs split s to the next event, and tells w. It returns the lanes that
// ended.
func (m *machine) turn(t *testing.T, w Warp, s Split) lanes.Mask {
	t.Helper()
	if s.PC == s.Stop || s.Mask == 0 {
		t.Fatalf("Next gives %+v, which cannot run", s)
	}
	const turnLength = 7
	pc := s.PC
	for range turnLength {
		switch pc {
		case s.Stop:
			w.Arrive()
			return 0
		case len(m.f.Code):
			w.Exit(s.Mask, pc)
			return s.Mask
		}
		ended, to := m.issue(pc, s.Mask)
		if ended != 0 {
			w.Exit(ended, pc+1)
			return ended
		}
		if len(to) > 1 {
			w.Diverge(pc, to)
			return 0
		}
		if w.Root().Graph.MayLeave(pc) && w.Root().Graph.Leaves(pc, to[0].PC) {
			w.LeaveRegion(to[0].PC)
			return 0
		}
		pc = to[0].PC
		if w.Strict() {
			w.Suspend(pc)
			return 0
		}
	}
	switch mix(uint64(m.issues), uint64(pc)) % 3 {
	case 0:
		w.Suspend(pc)
	default:
		w.Yield(pc, Busy)
	}
	return 0
}

// check compares what w says of the live lanes with where they are.
func (m *machine) check(t *testing.T, w Warp, live lanes.Mask) {
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
		checkPoints(t, w)
	}
}

// checkPoints holds points to what they say: the lanes expected at one are
// those of the splits below it and those that wait at it or below, and a point
// of which nobody is missing is gone.
func checkPoints(t *testing.T, w *ITS) {
	t.Helper()
	below := map[*point]lanes.Mask{}
	expect := func(p *point, m lanes.Mask) {
		for ; p != nil; p = p.up {
			below[p] |= m
		}
	}
	for _, s := range w.splits {
		expect(s.at, s.Mask)
	}
	for p := range below {
		expect(p, p.got)
	}
	for _, s := range w.splits {
		for p := s.at; p != nil; p = p.up {
			if p.pc != s.PC && !postdominates(w.root.Graph, p.pc, s.PC) {
				t.Fatalf("split %+v is expected at %d, where it cannot come", s.Split, p.pc)
			}
		}
	}
	for p, m := range below {
		if p.want != m || p.got == p.want {
			t.Fatalf("point at %d expects %#x and has %#x; below are %#x", p.pc, p.want, p.got, m)
		}
		if p.up != nil && p.up.frame == p.frame && p.pc == p.up.pc {
			t.Fatalf("two points at %d, one above the other", p.pc)
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
			if e.Stop != flow.None && !s.root.Graph.Leaves(e.Stop, e.PC) && !postdominates(s.root.Graph, e.Stop, e.PC) {
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
