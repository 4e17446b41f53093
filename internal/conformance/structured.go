package conformance

import (
	"cmp"
	"fmt"
	"slices"
)

// Structured is a random program with branches, switches, loops that lanes leave separately, and functions, of
// instructions of any forms that have an evaluator.
type Structured struct {
	shape
	steps   []step
	lanes   []laneState // by number of the thread in the grid
	origins []origin    // by register
	shown   []bool      // by register: it is stored in the end

	funcs   []function
	carries bool    // instructions use the carry flag
	tables  [3]bool // which of the tables it reads

	contends [2]bool // lanes change cells in global memory, or shared memory
	rows     [2][rowsOfSpace]cellRow
	wide     bool // it has registers of 128 bits
	narrow   bool // addresses have 32 bits
	want     *outcome
}

// outcome is what a program leaves.
type outcome struct {
	lanes []laneState
	cells []uint64 // of the grid
}

// step is a part of a program.
type step struct {
	kind stepKind

	in    instruction // of computeStep
	index int         // register that chooses the place of the access in scratch memory; -1: none
	addressing

	pred       int // of a branch or jump: the lanes in which it holds, or does not
	complement bool
	selector   int      // of a switch: its register
	falls      []bool   // of a switch, by case: lanes fall through to the next
	arms       [][]step // of a branch, its two sides; of a switch, its cases; of a loop, its body

	count  int  // of a loop
	varied bool // lanes repeat it one to count times
	first  bool // the loop tests its counter before the body
	depth  int  // loops around the loop, or around the jump's target

	reg     int    // of a specialStep or a bar.red: the register that is written
	special string // a special register; of an evenStep, "" for the counter of the loop at depth
	op      string // of an evenStep: how it compares with bound; of a barrierStep: popc, and, or, or ""
	bound   uint32

	matrix *matrixInstr
	table  *tableLoad
	copy   *laneCopy
	strong string // modifiers of an access that do not change its result
	call   *call  // its arms are between it and the accesses to its arguments, and to its results

	contends *contention
	wide     *wideInstr
}

type stepKind int

const (
	computeStep  stepKind = iota
	branchStep            // if, with else unless the second arm is nil
	switchStep            // brx.idx
	loopStep              // repeats its arm
	breakStep             // jumps to the end of the loop at depth
	continueStep          // jumps to where the loop at depth counts
	exitStep              // stores what is shown, and exits
	barrierStep           // bar.sync of all threads, or bar.red by op to reg
	evenStep              // branch that lanes of a warp take together if they are together
	specialStep           // reads a special register
	matrixStep
	tableStep
	copyStep
	callStep
	returnStep // of a function
	contentionStep
	wideStep
)

// Lanes wait at places, which have numbers; those that execute are at here.
const (
	here = 0
	gone = -1 // after an exit
)

// walk executes steps on the lanes of a block.
type walk struct {
	p      *Structured
	first  int // number of the block's first thread
	lanes  []laneState
	places int // the number of the last place
	ends   []loopPlaces
	calls  []int // places of lanes that have returned, by open call
	cells  [2][]uint64
}

// loopPlaces are the places of a loop.
type loopPlaces struct {
	next, end int
	left      []int // by lane: its counter
}

func (w *walk) place() int {
	w.places++
	return w.places
}

// move moves the lanes at a place to another one, if a condition on their number holds.
func (w *walk) move(from, to int, holds func(lane int) bool) (moved bool) {
	for i := range w.lanes {
		if w.lanes[i].at == from && (holds == nil || holds(i)) {
			w.lanes[i].at, moved = to, true
		}
	}
	return moved
}

// takes returns whether a lane takes the branch or jump, or executes the guarded instruction.
func (w *walk) takes(s *step) func(lane int) bool {
	return func(lane int) bool { return s.pred < 0 || (w.lanes[lane].regs[s.pred] == 1) != s.complement }
}

// eachTaking executes an instruction on each lane at a place that takes it.
func (w *walk) eachTaking(s *step, at int, execute func(*laneState)) {
	takes := w.takes(s)
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == at && takes(i) {
			execute(l)
		}
	}
}

// run executes steps on the lanes that are here.
func (w *walk) run(steps []step) {
	for i := range steps {
		switch s := &steps[i]; s.kind {
		case computeStep:
			w.compute(s)
		case branchStep:
			w.part(s, w.takes(s))
		case switchStep:
			w.choose(s)
		case loopStep:
			w.loop(s)
		case breakStep:
			w.move(here, w.ends[s.depth].end, w.takes(s))
		case continueStep:
			w.move(here, w.ends[s.depth].next, w.takes(s))
		case exitStep:
			w.exit(s)
		case copyStep:
			w.eachTaking(s, here, s.copy.execute)
		case contentionStep:
			w.contend(s)
		case wideStep:
			w.eachTaking(s, here, s.wide.execute)
		case tableStep:
			w.load(s.table)
		case callStep:
			w.call(s)
		case returnStep:
			w.move(here, w.calls[len(w.calls)-1], w.takes(s))
		case barrierStep:
			w.barrier(s)
		case evenStep:
			w.part(s, func(lane int) bool { return w.holds(s, lane) })
		case specialStep:
			for i := range w.lanes {
				if l := &w.lanes[i]; l.at == here {
					l.regs[s.reg] = uint64(w.p.special(s.special, w.first+i))
				}
			}
		case matrixStep:
			for warp := range slices.Chunk(w.lanes, 32) {
				if warp[0].at == here {
					s.matrix.execute(warp)
				}
			}
		}
	}
}

// exit ends lanes, which show what they have unless they are in a function.
func (w *walk) exit(s *step) {
	if len(w.calls) > 0 {
		w.leave(s)
		return
	}
	takes := w.takes(s)
	w.move(here, gone, func(lane int) bool {
		if !takes(lane) {
			return false
		}
		w.lanes[lane].extra = w.p.extra(&w.lanes[lane], nil)
		return true
	})
}

// barrier gives all lanes the result of bar.red.
func (w *walk) barrier(s *step) {
	arrived, held, takes := 0, 0, w.takes(s)
	for i := range w.lanes {
		if w.lanes[i].at == here {
			arrived, held = arrived+1, held+b2i(takes(i))
		}
	}
	v := map[string]int{"popc": held, "and": b2i(held == arrived), "or": b2i(held > 0)}[s.op]
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here && s.op != "" {
			l.regs[s.reg] = uint64(v)
		}
	}
}

// holds reports whether the condition of an evenStep holds in a lane.
func (w *walk) holds(s *step, lane int) bool {
	var v uint32
	if s.special != "" {
		v = w.p.special(s.special, w.first+lane)
	} else {
		v = uint32(w.ends[s.depth].left[lane])
	}
	return holds(s.op, cmp.Compare(v, s.bound))
}

func (w *walk) compute(s *step) {
	if s.index < 0 {
		s.in.execute(w.lanes)
		return
	}
	for i := range w.lanes {
		in := s.in
		in.at = int(w.lanes[i].regs[s.index]) & (s.places() - 1) * in.size()
		in.execute(w.lanes[i : i+1])
	}
}

// places returns how many of the step's accesses have room in scratch memory, a power of 2.
func (s *step) places() int { return scratchBytes / s.in.size() }

// part lets the lanes that take a branch execute its first arm, and the others the second.
func (w *walk) part(s *step, takes func(lane int) bool) {
	other, end := w.place(), w.place()
	w.move(here, other, func(lane int) bool { return !takes(lane) })
	w.run(s.arms[0])
	w.move(here, end, nil)
	w.move(other, here, nil)
	w.run(s.arms[1])
	w.move(end, here, nil)
}

func (w *walk) choose(s *step) {
	end := w.place()
	var cases []int
	for range s.arms {
		cases = append(cases, w.place())
	}
	for i := range w.lanes {
		if l := &w.lanes[i]; l.at == here {
			l.at = cases[l.regs[s.selector]%uint64(len(cases))]
		}
	}
	for i, arm := range s.arms {
		w.move(cases[i], here, nil)
		w.run(arm)
		if !s.falls[i] {
			w.move(here, end, nil)
		}
	}
	w.move(end, here, nil)
}

func (w *walk) loop(s *step) {
	left := make([]int, len(w.lanes))
	p := loopPlaces{w.place(), w.place(), left}
	w.ends = append(w.ends, p)
	for i := range left {
		left[i] = s.count
		if s.varied {
			left[i] = 1 + i&(s.count-1)
		}
	}
	for some := true; some; {
		w.run(s.arms[0])
		w.move(p.next, here, nil)
		some = false
		for i := range w.lanes {
			if l := &w.lanes[i]; l.at == here {
				if left[i]--; left[i] == 0 {
					l.at = p.end
				} else {
					some = true
				}
			}
		}
	}
	w.move(p.end, here, nil)
	w.ends = w.ends[:len(w.ends)-1]
}

// Try executes the program by run and, one lane at a time, here, and compares every register that is shown and all
// memory at the end.
func (p *Structured) Try(run Run) error {
	result, err := run(p.Launch())
	if err != nil {
		return err
	}
	if p.want == nil {
		p.want = p.outcome()
	}
	for i := range p.want.lanes {
		if diff := p.compare(&p.want.lanes[i], i, result.Buffers[1]); diff != "" {
			return fmt.Errorf("lane %d of %d: %s", i, len(p.lanes), diff)
		}
	}
	if p.usesExtra() {
		return cellsDiffer("cells of the grid", cellData(p.want.cells), result.Buffers[1][len(p.lanes)*laneBytes():][:cellsBytes])
	}
	return nil
}

// outcome executes the program.
func (p *Structured) outcome() *outcome {
	all := &outcome{cells: p.initialCells(globalScratch)}
	for first := 0; first < len(p.lanes); first += p.threads() {
		w := walk{p: p, first: first, cells: [2][]uint64{all.cells, p.initialCells(sharedScratch)}}
		for i := range p.threads() {
			w.lanes = append(w.lanes, p.lanes[first+i].clone())
		}
		w.run(p.steps)
		for i := range w.lanes {
			if l := &w.lanes[i]; l.at == here {
				l.extra = p.extra(l, w.cells[sharedScratch])
			}
		}
		all.lanes = append(all.lanes, w.lanes...)
	}
	return all
}

// compare describes how the final state of a lane differs from what it stored, "" if it does not.
func (p *Structured) compare(want *laneState, thread int, stored []byte) string {
	for i, shown := range p.shown {
		if !shown {
			want.regs[i] = 0
		}
	}
	if diff := want.compare(stored[thread*laneBytes():]); diff != "" || !p.usesExtra() {
		return diff
	}
	extra := want.extra
	if extra == nil {
		extra = make([]byte, extraBytes)
	}
	if err := cellsDiffer("registers of 128 bits and cells of the block", extra, stored[len(p.lanes)*laneBytes()+cellsBytes+thread*extraBytes:][:extraBytes]); err != nil {
		return err.Error()
	}
	return ""
}

// Shrink drops steps, of functions too, as long as the program still fails.
func (p *Structured) Shrink(run Run) {
	for dropped := true; dropped; {
		dropped = false
		for n := -1; n < len(p.funcs); n++ {
			steps := &p.steps
			if n >= 0 {
				steps = &p.funcs[n].steps
			}
			*steps = shrunk(*steps, func(less []step) bool {
				q := *p
				q.want = nil
				if q.funcs = slices.Clone(p.funcs); n >= 0 {
					q.funcs[n].steps = less
				} else {
					q.steps = less
				}
				if q.Try(run) == nil {
					return false
				}
				dropped = true
				return true
			})
		}
	}
	p.want = nil
}

// shrunk drops as many of the steps, and of those in them, as fails allows.
func shrunk(steps []step, fails func(less []step) bool) []step {
	for i := len(steps) - 1; i >= 0; i-- {
		if less := slices.Delete(slices.Clone(steps), i, i+1); fails(less) {
			steps = less
			continue
		}
		for a := range steps[i].arms {
			with := func(arm []step) []step {
				all := slices.Clone(steps)
				all[i].arms = slices.Clone(all[i].arms)
				all[i].arms[a] = arm
				return all
			}
			steps = with(shrunk(steps[i].arms[a], func(less []step) bool { return fails(with(less)) }))
		}
	}
	return steps
}
