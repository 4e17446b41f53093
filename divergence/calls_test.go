package divergence

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
)

// place is where a lane is in one of its activations.
type place struct{ fn, pc int }

// action is what one instruction makes a lane do.
type action struct {
	kind actionKind
	to   int // PC, or the function that is called
}

type actionKind int

const (
	goOn actionKind = iota
	callTo
	returns
	exits
)

// caller is one lane of a program of functions.
type caller struct {
	stack []place // the kernel first; none when the lane has ended
	steps int
	path  uint64 // hash of the places executed
}

// calling executes functions that call each other, functions chosen by each lane for itself, and that wait for a Wake.
// What a lane does depends on its own past alone, so its path must be the one that it takes by itself.
type calling struct {
	funcs  []*isa.Func
	graphs []*flow.Graph
	calls  []map[int]bool // by function: PCs of calls
	parks  []map[int]bool // PCs where lanes park
	seed   uint64
	lane   [lanes.Width]caller
	parked []lanes.Mask    // groups
	serves map[FrameID]int // the function of each frame so far
	random *rand.Rand      // what the driver does
}

// newCalling makes a program of up to four functions of blocks that branch anywhere.
func newCalling(seed uint64) *calling {
	rnd := rand.New(rand.NewPCG(seed, 7))
	c := &calling{seed: seed}
	for range 1 + rnd.IntN(4) {
		f := gotoCode(rnd)
		calls, parks := make(map[int]bool), make(map[int]bool)
		for pc := range f.Code {
			if f.Code[pc].Spec == nil {
				calls[pc] = rnd.IntN(3) == 0
				parks[pc] = !calls[pc] && rnd.IntN(4) == 0
			} else if f.Code[pc].Is(isa.Return) && rnd.IntN(2) == 0 {
				f.Code[pc].Guard = random // some lanes return, others go on
			}
		}
		c.funcs, c.graphs = append(c.funcs, f), append(c.graphs, flow.New(f))
		c.calls, c.parks = append(c.calls, calls), append(c.parks, parks)
	}
	return c
}

func (c *calling) reset() {
	for i := range c.lane {
		c.lane[i] = caller{stack: []place{{}}}
	}
	c.parked, c.serves = nil, map[FrameID]int{}
	c.random = rand.New(rand.NewPCG(c.seed, 9))
}

// breaks and shatters say what the driver does to the program: of three programs one has both. Convergence barriers are
// then not in the order of postdominators: Break puts one at the postdominator below that of Shatter.
func (c *calling) breaks() bool   { return c.seed%3 != 0 }
func (c *calling) shatters() bool { return c.seed%3 != 1 }

// at is random bits for what a lane decides at its place; at some places lanes, or halves of the warp, decide alike.
func (c *calling) at(lane int) uint64 {
	th := &c.lane[lane]
	top := th.stack[len(th.stack)-1]
	switch mix(c.seed, uint64(top.fn), uint64(top.pc)) % 5 {
	case 0:
		lane = 0
	case 1:
		lane /= 16
	}
	return mix(c.seed, uint64(top.fn), uint64(top.pc), uint64(lane), uint64(th.steps))
}

// next is what the lane's next instruction makes it do.
func (c *calling) next(lane int) action {
	th := &c.lane[lane]
	top := th.stack[len(th.stack)-1]
	f := c.funcs[top.fn]
	if top.pc == len(f.Code) {
		return action{returns, 0}
	}
	in, chance := &f.Code[top.pc], c.at(lane)
	if in.Guard != isa.NoReg {
		holds := map[isa.RegID]bool{random: chance&1 == 0, another: th.steps < fuel && chance%4 != 0, spent: th.steps >= fuel, rare: chance%16 == 0}
		if holds[in.Guard] == in.GuardNot {
			return action{goOn, top.pc + 1}
		}
	}
	switch {
	case in.Is(isa.Exit):
		return action{exits, 0}
	case in.Is(isa.Return):
		return action{returns, 0}
	case in.Is(isa.Branch):
		target := in.Args[chance>>8%uint64(len(in.Args))]
		return action{goOn, f.Labels[target.Label()].PC}
	case c.calls[top.fn][top.pc] && th.steps < fuel && len(th.stack) < 5 && chance%4 != 0:
		return action{callTo, int(chance >> 8 % uint64(len(c.funcs)))}
	}
	return action{goOn, top.pc + 1}
}

// execute lets one lane execute its next instruction.
func (c *calling) execute(lane int) action {
	a, th := c.next(lane), &c.lane[lane]
	top := &th.stack[len(th.stack)-1]
	th.steps++
	th.path = mix(th.path, uint64(top.fn), uint64(top.pc))
	switch a.kind {
	case goOn:
		top.pc = a.to
	case callTo:
		top.pc++
		th.stack = append(th.stack, place{a.to, 0})
	case returns:
		th.stack = th.stack[:len(th.stack)-1]
	case exits:
		th.stack = nil
	}
	return a
}

// alone executes the program lane by lane.
func (c *calling) alone() (paths [lanes.Width]uint64) {
	c.reset()
	for lane := range paths {
		for len(c.lane[lane].stack) > 0 {
			c.execute(lane)
		}
		paths[lane] = c.lane[lane].path
	}
	return paths
}

// lanesOf gives the lanes of a mask.
func lanesOf(m lanes.Mask) (all []int) {
	for ; m != 0; m &= m - 1 {
		all = append(all, bits.TrailingZeros32(uint32(m)))
	}
	return all
}

// together executes the program as warp w. Now and then the driver copies w, breaks a convergence barrier, shatters a
// split, or says that one has rejoined.
func (c *calling) together(t *testing.T, w Control) {
	t.Helper()
	c.reset()
	w.Start(0, lanes.AllLanes)
	for deferred, events := lanes.Mask(0), 0; ; events++ {
		c.check(t, w)
		if events > 1e5 {
			t.Fatal("lanes come to no end")
		}
		if len(c.parked) > 0 && c.random.IntN(4) == 0 {
			c.wake(w, 1+c.random.IntN(len(c.parked)))
			continue
		}
		switch r := c.random.IntN(20); {
		case r == 0:
			w = moved(w)
		case r == 1 && c.breaks():
			w.Break()
		}
		var s Split
		switch ready := w.Ready(deferred, &s); {
		case ready:
			deferred |= c.turn(t, w, s)
		case deferred != 0:
			deferred = 0
		case len(c.parked) > 0:
			c.wake(w, len(c.parked))
		case !w.Break():
			if w.Live() != 0 {
				t.Fatalf("lanes %#x are not run any more", w.Live())
			}
			return
		}
	}
}

// wake wakes the first n parked groups.
func (c *calling) wake(w Control, n int) {
	m := lanes.Mask(0)
	for _, group := range c.parked[:n] {
		m |= group
	}
	c.parked = c.parked[n:]
	w.Wake(m)
}

// turn runs a split to the next event. It returns the lanes that are to run after the others.
func (c *calling) turn(t *testing.T, w Control, s Split) (deferred lanes.Mask) {
	t.Helper()
	fn := w.Frames().At(s.Frame).Func
	switch r := c.random.IntN(8); {
	case r == 0 && c.shatters():
		if m := s.Mask & lanes.Mask(c.random.Uint32()); w.Shatter(s.ID, m) {
			c.checkShattered(t, w, s)
			return 0
		}
	case r == 1:
		if s.ID = w.Rejoined(s.ID); !slices.ContainsFunc(splitsOf(w), func(o Split) bool { return o.PC == s.PC && o.Mask == s.Mask && o.Frame == s.Frame }) {
			t.Fatalf("split %+v is not there any more when it has rejoined", s)
		}
	}
	pc := s.PC
	for range 1 + c.random.IntN(7) {
		if pc == s.Stop {
			w.Advance(s.ID, pc)
			return 0
		}
		parks := pc < len(c.funcs[fn].Code) && c.parks[fn][pc]
		next, changed := c.issue(w, s, fn, pc)
		if changed {
			return 0
		}
		if pc = next; parks && c.park(w, s, pc) {
			return 0
		}
		if w.Strict() {
			w.Advance(s.ID, pc)
			return 0
		}
	}
	if c.random.IntN(2) == 0 {
		w.Advance(s.ID, pc)
		return 0
	}
	w.Defer(s.ID, pc)
	return s.Mask
}

// park lets one or two groups of lanes of a split wait, if the model can run those for which they wait.
func (c *calling) park(w Control, s Split, next int) bool {
	groups := []lanes.Mask{s.Mask}
	if c.random.IntN(2) == 0 {
		groups = nil
		first := s.Mask & lanes.Mask(c.random.Uint32())
		for _, m := range []lanes.Mask{first, s.Mask &^ first & lanes.Mask(c.random.Uint32())} {
			if m != 0 {
				groups = append(groups, m)
			}
		}
	}
	if len(groups) == 0 || !w.Park(s.ID, groups, next) {
		return false
	}
	c.parked = append(c.parked, groups...)
	return true
}

// issue executes one instruction, and says what comes of it unless all lanes go on at one place of the split's region.
func (c *calling) issue(w Control, s Split, fn, pc int) (next int, changed bool) {
	var by [exits + 1]lanes.Mask
	to := map[action]lanes.Mask{}
	for _, lane := range lanesOf(s.Mask) {
		a := c.execute(lane)
		by[a.kind] |= 1 << lane
		to[a] |= 1 << lane
	}
	switch frames := w.Frames(); {
	case by[exits] != 0, by[returns] != 0 && frames.At(s.Frame).Parent == NoFrame:
		w.Exit(s.ID, by[exits]|by[returns], pc+1)
		return 0, true
	case by[returns] != 0:
		w.Return(s.ID, by[returns], pc+1)
		return 0, true
	case by[callTo] != 0:
		var callees []Activation
		for callee := range c.funcs {
			if m := to[action{callTo, callee}]; m != 0 {
				callees = append(callees, Activation{frames.Add(callee, c.graphs[callee], s.Frame, pc+1), m})
			}
		}
		w.Call(s.ID, callees, by[goOn], pc+1)
		return 0, true
	}
	var groups []Group
	for _, target := range append(flowcode.Targets(c.funcs[fn], pc), pc+1) {
		if m := to[action{goOn, target}]; m != 0 {
			groups = append(groups, Group{target, m})
			delete(to, action{goOn, target})
		}
	}
	if len(groups) > 1 {
		w.Diverge(s.ID, pc, groups)
		return 0, true
	}
	if graph := c.graphs[fn]; graph.MayLeave(pc) && graph.Leaves(pc, groups[0].PC) {
		w.LeaveRegion(s.ID, groups[0].PC)
		return 0, true
	}
	return groups[0].PC, false
}

// check compares splits and activations with where the lanes are.
func (c *calling) check(t *testing.T, w Control) {
	t.Helper()
	live := lanes.Mask(0)
	for lane := range c.lane {
		if len(c.lane[lane].stack) > 0 {
			live |= 1 << lane
		}
	}
	if w.Live() != live {
		t.Fatalf("Live() = %#x, want %#x", w.Live(), live)
	}
	inFrame := make(map[FrameID]lanes.Mask)
	for s := range w.Splits() {
		if s.Mask == 0 || s.Mask&^live != 0 {
			t.Fatalf("split %+v has lanes that ended or are in another; left are %#x", s, live)
		}
		live &^= s.Mask
		for id := s.Frame; id != NoFrame; id = w.Frames().At(id).Parent {
			inFrame[id] |= s.Mask
		}
		for _, lane := range lanesOf(s.Mask) {
			if got, want := c.places(t, w, s, lane), c.lane[lane].stack; !slices.Equal(got, want) {
				t.Fatalf("lane %d is at %v, and its split at %v", lane, want, got)
			}
		}
	}
	if live != 0 {
		t.Fatalf("lanes %#x are in no split", live)
	}
	for id := range FrameID(w.Frames().Len()) {
		if f := w.Frames().At(id); f.Lanes != inFrame[id] {
			t.Fatalf("frame %d has lanes %#x, and %#x are in it", id, f.Lanes, inFrame[id])
		}
	}
	if its, ok := w.(*ITS); ok && !(c.breaks() && c.shatters()) {
		checkBarriers(t, its)
	}
}

// places are those of a lane by its split's activations.
func (c *calling) places(t *testing.T, w Control, s Split, lane int) (all []place) {
	t.Helper()
	pc, depth := s.PC, w.Frames().At(s.Frame).Depth
	for id := s.Frame; id != NoFrame; depth-- {
		f := w.Frames().At(id)
		if fn, known := c.serves[id]; known && fn != f.Func || int(id) >= w.Frames().Len() || f.Depth != depth {
			t.Fatalf("lane %d is in frame %d, %+v, which served function %d", lane, id, f, fn)
		}
		c.serves[id] = f.Func
		all = append(all, place{f.Func, pc})
		pc, id = f.Ret, f.Parent
	}
	slices.Reverse(all)
	return all
}

// checkShattered holds that the parts of a split that was shattered know each other.
func (c *calling) checkShattered(t *testing.T, w Control, whole Split) {
	t.Helper()
	var part Split
	if !w.Ready(0, &part) || part.Mask == whole.Mask || part.Mask&^whole.Mask != 0 || w.Shattered(part.ID)&whole.Mask != whole.Mask {
		t.Fatalf("%+v was shattered; %+v runs first, a part of %#x", whole, part, w.Shattered(part.ID))
	}
}

// TestCallsKeepPathsOfLanes runs random programs of functions under all models and orders: every lane goes the way that
// it goes alone, whatever splits wait, break up, and are copied.
func TestCallsKeepPathsOfLanes(t *testing.T) {
	const programs = 40
	for seed := range uint64(short.Of(programs)) {
		c := newCalling(seed)
		want := c.alone()
		for _, model := range models {
			o := orders[seed%uint64(len(orders))]
			c.together(t, model.new(c.graphs[0], o))
			for lane := range c.lane {
				if c.lane[lane].path != want[lane] {
					t.Fatalf("%s, %v, seed %d: lane %d goes another way than alone", model.name, o, seed, lane)
				}
			}
		}
	}
}

// TestLanesReconvergeBehindCall: eight lanes call a function in which four return early; the others go on in it. All
// are one split again behind the call, and run nothing of the caller before.
func TestLanesReconvergeBehindCall(t *testing.T) {
	kernel, callee := flowcode.Assemble(t, "op\nexit"), flowcode.Assemble(t, "@p ret\nop\nret")
	for _, stay := range []lanes.Mask{0, 0xff00} {
		for _, model := range models {
			w := model.new(flow.New(kernel.Func), Taken)
			w.Start(0, 0xff|stay)
			var s Split
			w.Ready(0, &s)
			f := w.Frames().Add(1, flow.New(callee.Func), Root, 1)
			w.Call(s.ID, []Activation{{f, 0xff}}, stay, 1)
			w.Ready(0, &s)
			w.Return(s.ID, 0xf, 1)
			if !w.Ready(0, &s) || s.Frame != f || s.PC != 1 || s.Mask != 0xf0 {
				t.Errorf("%s: %+v runs, want lanes 0xf0 in the function", model.name, s)
			}
			if w.Ready(0xf0, new(Split)) {
				t.Errorf("%s: lanes that wait behind the call can run", model.name)
			}
			w.Return(s.ID, 0xf0, 2)
			if splits := splitsOf(w); len(splits) != 1 || splits[0] != at(1, 0xff|stay, flow.None) {
				t.Errorf("%s: %+v behind the call", model.name, splits)
			}
			if w.Frames().At(f).Lanes != 0 || !w.Frames().Spare(1) || w.Frames().Add(1, nil, Root, 1) != f {
				t.Errorf("%s: frame %d is not used again", model.name, f)
			}
		}
	}
}
