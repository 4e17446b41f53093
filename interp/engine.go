package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// Engine executes warp instructions of a Grid: it is what one thread of the host
// needs for that. The state of the launch is elsewhere, in CTAs and memory, but for
// what the engine has counted.
type Engine struct {
	// Stats is what the engine has executed.
	Stats Stats
	// ClockReads and SystemCalls count instructions that read a clock, and calls of
	// functions that no module defines.
	ClockReads, SystemCalls uint64

	grid      *Grid
	m         *Machine
	p         *program.Program
	observers Observers
	watched   bool // accesses are: by observers, or for an Effect

	site
	lastBranch int    // PC
	counted    uint64 // of the warp's steps, those that are in Stats
	effect     *Effect
	hints      [][]*memory.Region // by function
	warned     map[isa.Pos]int    // index in Stats.Warnings

	// For use within one instruction.
	acc         lanes.Access
	event       Access        // that observers are notified of
	place       Place         // of events that are about a CTA
	values      *lanes.Access // where stores write what observers ask for; nil before the first asks
	groups      []divergence.Group
	activations []divergence.Activation
	parts       []lanes.Mask
	onePart     [1]lanes.Mask
	table       *lanes.File // on which lanes from several places exchange values
	// Regions that stand for one lane's part of local memory, and of the
	// activation's .param variables.
	localPart, framePart memory.Region
}

// site is the split that an engine executes, and what belongs to it.
type site struct {
	cta    *CTA
	warp   *warp.State
	split  *divergence.Split // but for its PC as it was when the engine was called
	fn     *program.Func
	window *warp.Window
	file   *lanes.File
	hint   []*memory.Region // by PC: where the instruction's lanes went last
	at     Place
}

// NewEngine makes an engine for the launch, with the launch's observers.
func (g *Grid) NewEngine() *Engine {
	e := &Engine{grid: g, m: g.m, p: g.p,
		localPart: memory.Region{Name: "local memory", Space: isa.Local, Number: lanes.NoRegion},
		framePart: memory.Region{Name: "the call's parameters", Space: isa.Param, Number: lanes.NoRegion},
	}
	e.event = Access{Access: &e.acc, e: e}
	for _, f := range g.p.Funcs {
		e.hints = append(e.hints, make([]*memory.Region, len(f.Ops)))
	}
	e.Observe(ObserversOf(g.Launch.Observers))
	return e
}

// Observe makes os those who observe what the engine does.
func (e *Engine) Observe(os Observers) {
	e.observers = os
	e.watched = len(os.access)+len(os.completion) > 0
}

// Stop is why an Engine has come back.
type Stop uint8

const (
	// Executed: an instruction was executed, and the split goes on at its PC. The
	// control state has not been told.
	Executed Stop = iota
	// Branched is Executed behind a branch that all lanes took alike; Engine.Branch
	// says where it is.
	Branched
	// Diverged: the split's lanes go to several places.
	Diverged
	// AtBarrier: lanes of the split have arrived at a barrier of the CTA.
	AtBarrier
	// Ended: lanes of the split have ended.
	Ended
	// AtRendezvous: lanes of the split wait for others of their warp.
	AtRendezvous
	// Changed: the split is no more what it was, for another reason.
	Changed
	// StepLimit: the warp has executed more than Config.MaxSteps. The instruction
	// at the split's PC was not executed.
	StepLimit
)

// Effect is what one instruction did.
type Effect struct {
	PC   int
	Next int // where the split goes on; flow.None if its lanes go to several places, wait or have ended
	// Active is the lanes for which the instruction's guard held.
	Active lanes.Mask
	// Access is what it read or wrote in memory, one for each region. It is valid
	// until the Effect is used again.
	Access  []lanes.Access
	Barrier int // number of the CTA's barrier that lanes arrived at, or -1
	Ended   lanes.Mask
}

// Run executes instructions of split s of a warp, which must be one that is Ready,
// until its lanes go to several places, wait or end; or until it is behind a branch
// and the warp has executed limit instructions since its CTA started. An error is a
// *Fault or a *Hang: the split is before the instruction that it is about.
func (e *Engine) Run(c *CTA, w *warp.State, s *divergence.Split, limit uint64) (Stop, error) {
	e.enter(c, w, s)
	why, err := e.path(s, s.Stop, limit)
	e.count(s.Mask)
	return why, err
}

// Issue executes exactly one instruction of split s, and says in out what it did.
func (e *Engine) Issue(c *CTA, w *warp.State, s *divergence.Split, out *Effect) (Stop, error) {
	e.enter(c, w, s)
	live := w.Live
	*out = Effect{PC: s.PC, Next: none, Active: e.fn.Ops[s.PC].Active(e.file, s.Mask), Access: out.Access[:0], Barrier: -1}
	watched := e.watched
	e.effect, e.watched = out, true
	why, err := e.path(s, s.PC+1, 0)
	e.count(s.Mask)
	e.effect, e.watched = nil, watched
	if why == Executed || why == Branched {
		out.Next = s.PC
	}
	out.Ended = live &^ w.Live
	return why, err
}

// Branch is the PC of the branch behind which Run came back.
func (e *Engine) Branch() int { return e.lastBranch }

// enter prepares to execute split s.
func (e *Engine) enter(c *CTA, w *warp.State, s *divergence.Split) {
	if e.cta != c || e.at.CTA != c.At {
		e.cta, e.at.CTA, e.at.Slot = c, c.At, c.Slot
	}
	if win := w.Windows[s.Frame]; e.window != win {
		e.warp, e.window, e.file, e.at.Warp = w, win, win.File, w.ID
		if e.fn != win.Func {
			e.fn, e.at.Func = win.Func, win.Func.Number
			e.hint = e.hints[e.fn.Number]
		}
	}
	e.split, e.at.Split, e.counted = s, s.Mask, w.Steps
}

// count counts what the warp has executed since it was entered, under mask.
func (e *Engine) count(mask lanes.Mask) {
	n := e.warp.Steps - e.counted
	e.Stats.WarpInstrs += n
	e.Stats.LaneInstrs += n * uint64(mask.Count())
}

// path executes what split s, which was entered, comes to until it is at stop. It
// leaves in s.PC where the split goes on.
func (e *Engine) path(s *divergence.Split, stop int, limit uint64) (why Stop, err error) {
	w, pc, mask := e.warp, s.PC, s.Mask
	first := pc // of the instructions not yet counted
	for pc != stop {
		var branch int
		if pc, first, branch, err = e.straight(pc, first, stop, mask, limit); err != nil {
			e.ran(w, first, pc, mask)
			return Changed, err
		}
		if branch != none {
			s.PC, e.lastBranch = pc, branch
			return Branched, nil
		}
		if pc == stop {
			break
		}
		op := &e.fn.Ops[pc]
		m := op.Active(e.file, mask)
		e.ran(w, first, pc+1, mask)
		if isa.Kind(op.Kind) == isa.Barrier && m != 0 { // not left to transfer, as it is frequent
			s.PC = pc
			return AtBarrier, e.arriveAt(pc, m)
		}
		next, why, err := e.transfer(pc, m, mask)
		switch {
		case err != nil || why > Branched:
			s.PC = pc
			return why, err
		case why == Branched && w.Steps >= limit:
			s.PC, e.lastBranch = next, pc
			return Branched, nil
		}
		pc, first = next, next
	}
	e.ran(w, first, pc, mask)
	s.PC = pc
	if pc == s.Stop {
		w.Control.Advance(s.ID, pc)
		return Changed, nil
	}
	return Executed, nil
}

// none stands for no PC.
const none = -1

// straight executes straight-line code, and branches that all lanes of mask take
// alike; the instructions of PC first up to pc are not yet counted. It ends at
// stop, before an instruction of another kind, at one that failed, or behind a
// branch with limit of the warp's instructions executed: then branch is its PC,
// else none.
func (e *Engine) straight(pc, first, stop int, mask lanes.Mask, limit uint64) (at, uncounted, branch int, err error) {
	f, ops := e.file, e.fn.Ops
	for {
		// A loop by itself, as little is alive in it.
		for pc != stop && isa.Kind(ops[pc].Kind) == isa.Compute {
			ops[pc].Fn(f, &ops[pc], mask)
			pc++
		}
		if pc == stop {
			return pc, first, none, nil
		}
		op := &ops[pc]
		m := op.Active(f, mask)
		switch kind := isa.Kind(op.Kind); {
		case kind <= isa.Atomic:
			if m != 0 {
				if err := e.access(pc, m); err != nil {
					return pc, first, none, err
				}
			}
		case kind == program.Jump:
			if m != 0 && m != mask {
				return pc, first, none, nil
			}
			e.warp.Steps += uint64(pc + 1 - first)
			if len(e.observers.run) > 0 {
				e.notifyRan(first, pc+1, mask)
			}
			branch := pc
			if first = pc + 1; m != 0 {
				first = int(op.Imm)
			}
			pc = first
			if e.warp.Steps >= limit {
				return pc, first, branch, nil
			}
			continue
		case kind == program.Guarded:
			if m != 0 {
				op.Fn(f, op, m)
			}
		case kind != isa.Nop:
			return pc, first, none, nil
		}
		pc++
	}
}

// transfer executes the instruction at pc, which is no straight-line code, for the
// lanes m of mask. If all of mask go on together it returns where, and Executed or
// Branched.
func (e *Engine) transfer(pc int, m, mask lanes.Mask) (next int, why Stop, err error) {
	kind := isa.Kind(e.fn.Ops[pc].Kind)
	if kind == program.Jump || kind == isa.Branch {
		return e.branch(pc, m, mask)
	}
	if m == 0 {
		return pc + 1, Executed, nil
	}
	switch kind {
	case program.Slow:
		e.slow(pc, m)
		return pc + 1, Executed, nil
	case isa.Shuffle, isa.Vote, program.WarpBarrier:
		waits, err := e.collective(pc, m)
		if waits || err != nil {
			return none, AtRendezvous, err
		}
		return pc + 1, Executed, nil
	case isa.Fence:
		if len(e.observers.sync) > 0 {
			e.notifyFenced(pc, m)
		}
		return pc + 1, Executed, nil
	case isa.Trap:
		return none, Changed, e.fault(pc, m, violated(RuleTrap, "trap"))
	}
	if e.warp.Steps > e.m.cfg.MaxSteps {
		e.warp.Control.Advance(e.split.ID, pc)
		return none, StepLimit, nil
	}
	switch kind {
	case isa.CallKind:
		if next, err = e.call(pc, m, mask); next == none || err != nil {
			return none, Changed, err
		}
		return next, Executed, nil
	case isa.Return:
		e.returnFrom(pc, m)
		return none, Changed, nil
	}
	e.exit(pc, m)
	return none, Ended, nil
}

// exit ends the lanes of m at pc.
func (e *Engine) exit(pc int, m lanes.Mask) {
	if len(e.observers.exit) > 0 {
		e.notifyExited(pc, m)
	}
	w := e.warp
	w.Control.Exit(e.split.ID, m, pc+1)
	if w.Live = w.Control.Live(); w.Live == 0 {
		e.cta.Live--
	}
	e.stopWaiting()
}

// ran notes that w has executed the instructions from PC first to end,
// under mask.
func (e *Engine) ran(w *warp.State, first, end int, mask lanes.Mask) {
	w.Steps += uint64(end - first)
	if len(e.observers.run) > 0 {
		e.notifyRan(first, end, mask)
	}
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
