package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/libdevice"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Engine executes warp instructions of a Grid: it is what one thread of the host needs for that. The state of the launch
// is elsewhere, in CTAs and memory, except for what the engine has counted. For several threads see Grid.NewEngines.
type Engine struct {
	// Stats is what the engine has executed.
	Stats Stats
	activity
	// Clock is what clock registers show; nil for a launch without time.
	Clock Clock
	// Quantum is how many instructions a split of the warp has after its lanes diverge and may wait for others
	// (Program.MayPoll). Lanes may then diverge within Run; if it is 0, Run returns at that branch.
	Quantum uint64
	// Canceler takes CTAs out of the launch; nil if none can be.
	Canceler Canceler

	launched
	observers Observers
	watcher   Watcher // nil for most launches
	native    compiled
	findings
	regionHints
	deferral

	site
	path   lanes.Path // of the site's lanes; without Memory if accesses are observed
	effect *Effect    // that Issue fills; nil under Run
	slice

	// For use within one instruction.
	moving
	regrouping
	units
	lanewise
}

// activity counts what shows from outside that a launch makes progress.
type activity struct {
	// ClockReads and SystemCalls count instructions that read a clock, and calls of functions that no module defines.
	ClockReads, SystemCalls uint64
	// hiddenChanges counts changes of tensor memory, of its allocation, and of the registers that warps own.
	hiddenChanges uint64
}

// launched is the launch of an engine.
type launched struct {
	grid  *Grid
	stack *callStacks
	m     *Machine
	p     *program.Program
}

// regionHints are the regions that instructions of all functions accessed last.
type regionHints struct {
	hints [][]*memory.Region // site.hint by function
	freed uint64             // Machine.freed when hints were forgotten last
}

// slice is the time slice that Run executes.
type slice struct {
	limit uint64 // see Limit
	waits bool   // see Waits
	met   bool   // see Met
}

// regrouping is for instructions at which lanes of the split part or wait for each other.
type regrouping struct {
	groups      []divergence.Group      // of a branch
	activations []divergence.Activation // of a call
	waiting     []lanes.Mask            // groups of a collective that wait for other lanes
	parked      [1]lanes.Mask           // the argument of Control.Park at a barrier
	table       *lanes.File             // on which arrivals at a rendezvous exchange values
}

// units are what instructions of special units need; each is nil before the first.
type units struct {
	copying       *copying             // asynchronous copies
	group         *lanes.GroupMatrices // products of a warpgroup
	tensorScratch *tensorScratch       // matrices that tcgen05 reads
	sampling      *sampling            // textures
}

// lanewise is for instructions that are executed lane by lane.
type lanewise struct {
	laneLocal  memory.Region    // stands for one lane's part of local memory
	laneParams memory.Region    // stands for one lane's part of the activation's .param variables
	lane       libdevice.Values // of a call of a function of libdevice
}

// site is the split that an engine executes, and what belongs to it.
type site struct {
	cta    *CTA
	warp   *warp.State
	split  *divergence.Split // as it was when the engine was called, but for its PC
	fn     *program.Func
	window *warp.Window
	hint   []*memory.Region // by PC: the region in which the instruction's lanes were last
	meets  []bool           // by PC: the access may conflict with another warp's; nil if none may
	at     Place
}

// NewEngine makes an engine for the launch, with the launch's observers.
func (g *Grid) NewEngine() *Engine {
	e := &Engine{launched: launched{grid: g, stack: &g.stack, m: g.m, p: g.p}}
	e.freed = g.m.freed
	e.laneLocal = memory.Region{Name: "local memory", Space: isa.Local, Number: lanes.NoRegion}
	e.laneParams = memory.Region{Name: "the call's parameters", Space: isa.Param, Number: lanes.NoRegion}
	e.event = Access{Access: &e.acc, e: e}
	for _, f := range g.p.Funcs {
		e.hints = append(e.hints, make([]*memory.Region, len(f.Ops)))
	}
	e.native.allowed = g.compiles()
	e.Observe(ObserversOf(g.Launch.Observers))
	return e
}

// Observe makes os the observers of what the engine does.
func (e *Engine) Observe(os Observers) {
	e.observers = os
	switch e.path.Memory = (*locator)(e); {
	case e.grid.contention != nil:
		e.path.Memory = (*contender)(e)
	case e.watcher != nil:
		e.path.Memory = (*watched)(e)
	}
	if len(os.access)+len(os.completion) > 0 {
		e.path.Memory = nil
	}
	e.native.possible = e.native.allowed && !os.needEach()
	e.checkObservers()
}

// Stop is why an Engine has come back.
type Stop uint8

const (
	// Executed: an instruction was executed, and the split goes on at its PC, which
	// the control state does not know.
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
	// Changed: the split is no longer what it was, for another reason.
	Changed
	// StepLimit: the warp has executed more than Config.MaxSteps. The instruction
	// at the split's PC was not executed.
	StepLimit
	// Yielded is Executed after an access that may conflict with another warp's (see Grid.Contend).
	Yielded
)

// Effect is what one instruction did.
type Effect struct {
	PC     int
	Next   int        // where the split goes on; flow.None if its lanes go to several places, wait or have ended
	Active lanes.Mask // lanes for which the guard held
	// Access is what the instruction read or wrote in memory, one for each region. It
	// is valid until the Effect is used again.
	Access  []Moved
	Barrier int        // number of the CTA's barrier at which lanes arrived, or -1
	Ended   lanes.Mask // lanes that the instruction ended
	// Released says that a barrier of the CTA is complete, and the lanes that waited at
	// it can run.
	Released bool
	// ClusterReleased says that the barrier of the cluster is complete, and the lanes that
	// waited at it can run.
	ClusterReleased bool
	// ProductsDone says that a group of products is done, and warps of the warpgroup that waited for it can run.
	ProductsDone bool
	// Served says that warps of the CTA that were blocked for registers can run.
	Served bool
	// Changed says that the instruction is an atomic that has changed memory at once.
	Changed bool
	// Mbarriers is those on which the instruction has worked. It is valid until the Effect is used again.
	Mbarriers []AtMbarrier
	// Deferred is the number, for Engine.Tag, of what of the instruction is made at the
	// exchange (see Engine.Defer), or -1.
	Deferred int
}

// Moved is an access that lanes of a warp have made to one region.
type Moved struct {
	lanes.Access
	Lanes lanes.Mask
}

// Hidden counts changes of the launch's state about which observers are not notified: system calls, changes of tensor
// memory and of the registers that warps own.
func (e *Engine) Hidden() uint64 { return e.SystemCalls + e.hiddenChanges }

// AtMbarrier is what an instruction has to do with an mbarrier.
type AtMbarrier struct {
	Region int32  // the shared memory that it is in
	Addr   uint64 // there
	Parity uint32 // of the phase that was looked at, or was the present one before
	Passed bool   // the phase is complete that was looked at
}

// Clock is the time of a launch.
type Clock interface {
	// Now is the cycle of the SM, and the time in nanoseconds.
	Now() (cycle, nanoseconds uint64)
}

// Run executes instructions of split s of a warp, which must be one that is Ready,
// until its lanes go to several places, wait or end; or until it is behind a branch
// and the warp has executed limit instructions since its CTA started. An error is a
// *Fault or a *Hang; the split is then at the instruction that could not be executed.
func (e *Engine) Run(c *CTA, w *warp.State, s *divergence.Split, limit uint64) (Stop, error) {
	e.enter(c, w, s)
	why, err := e.follow(s, s.Stop, limit)
	e.count()
	return why, err
}

// Issue executes exactly one instruction of split s, and says in out what it did.
func (e *Engine) Issue(c *CTA, w *warp.State, s *divergence.Split, out *Effect) (Stop, error) {
	e.enter(c, w, s)
	live, op := w.Live, &e.fn.Ops[s.PC]
	*out = Effect{PC: s.PC, Next: none, Active: op.Active(e.path.File, s.Mask), Access: out.Access[:0], Mbarriers: out.Mbarriers[:0], Barrier: -1, Deferred: -1}
	if op.Kind <= lanes.Nop && len(e.observers.run) == 0 {
		return e.issueCompute(op, s, out), nil
	}
	memory, native := e.path.Memory, e.native.possible
	e.effect, e.path.Memory, e.native.possible = out, nil, false
	why, err := e.follow(s, s.PC+1, 0)
	e.count()
	e.effect, e.path.Memory, e.native.possible = nil, memory, native
	if why == Executed || why == Branched || why == Yielded {
		out.Next = s.PC
	}
	out.Ended = live &^ w.Live
	return why, err
}

// issueCompute is Issue for an instruction that computes, or does nothing: most do, and what follow prepares for others would take as long
// as they.
func (e *Engine) issueCompute(op *lanes.Op, s *divergence.Split, out *Effect) Stop {
	if op.Kind != lanes.Nop && out.Active != 0 {
		op.Fn(e.path.File, op, out.Active)
	}
	e.warp.Steps++
	e.Stats.WarpInstrs++
	e.Stats.LaneInstrs += uint64(s.Mask.Count())
	if s.PC++; s.PC == s.Stop {
		e.warp.Control.Advance(s.ID, s.PC)
		return Changed
	}
	out.Next = s.PC
	return Executed
}

// Waits reports whether a wait at an mbarrier was in vain, of all lanes that executed it: Run comes back behind the
// next branch, as other warps had better run. Again says that from now on only further waits count.
func (e *Engine) Waits(again bool) bool {
	waits := e.waits
	e.waits = waits && !again
	return waits
}

// Limit is the limit of Run as it is now: lanes that diverge within Run lower it.
func (e *Engine) Limit() uint64 { return e.limit }

// Branch is the PC of the branch behind which Run came back.
func (e *Engine) Branch() int { return e.path.Branch }

// enter prepares to execute split s.
func (e *Engine) enter(c *CTA, w *warp.State, s *divergence.Split) {
	if e.freed != e.m.freed {
		e.forgetRegions()
	}
	if e.cta != c || e.at.CTA != c.At {
		e.cta, e.at.CTA, e.at.Slot = c, c.At, c.Slot
	}
	if win := w.Windows[s.Frame]; e.window != win {
		e.warp, e.window, e.path.File, e.at.Warp = w, win, win.File, w.ID
		if e.fn != win.Func {
			e.fn, e.path.Ops, e.at.Func = win.Func, win.Func.Ops, win.Func.Number
			e.hint, e.meets = e.hints[e.fn.Number], e.grid.contention.Of(e.fn)
			if e.native.ctx != nil {
				e.enterNative()
			}
		}
	}
	e.split, e.at.Split = s, s.Mask
}

// count counts what the warp has executed since it was entered.
func (e *Engine) count() {
	n := e.steps()
	e.warp.Steps += n
	e.Stats.WarpInstrs += n
	e.Stats.LaneInstrs += n * uint64(e.path.Mask.Count())
}

// steps is how many instructions the path has executed that are not counted yet.
func (e *Engine) steps() uint64 { return e.path.Steps - e.warp.Steps }

// follow executes split s, which was entered, until it is at stop or there is another
// reason to come back. It leaves in s.PC where the split goes on.
func (e *Engine) follow(s *divergence.Split, stop int, limit uint64) (Stop, error) {
	p := &e.path
	p.Mask, p.PC, p.First, p.Stop = s.Mask, s.PC, s.PC, stop
	p.Steps, p.Limit, e.limit = e.warp.Steps, limit, limit
	if len(e.observers.run) > 0 {
		p.Limit = 0 // so that Exec comes back at each branch, where they are notified
	}
	for {
		first := p.First
		switch e.exec() {
		case lanes.AtStop:
			e.ran()
			s.PC = p.PC
			if s.PC == s.Stop {
				e.warp.Control.Advance(s.ID, s.PC)
				return Changed, nil
			}
			return Executed, nil
		case lanes.Branched:
			if len(e.observers.run) > 0 {
				e.notifyRan(first, p.Branch+1, p.Mask)
				if p.Steps < e.limit && !e.waits {
					continue
				}
			}
			s.PC = p.PC
			return Branched, nil
		}
		pc, op := p.PC, &p.Ops[p.PC] // an instruction that Exec does not execute
		m := op.Active(p.File, p.Mask)
		if op.Mem != nil {
			if m != 0 {
				if err := e.access(pc, m); err != nil {
					e.ran()
					return Changed, err
				}
			}
			if p.PC++; m != 0 && e.mayMeet(pc) {
				e.ran()
				s.PC = p.PC
				return Yielded, nil
			}
			continue
		}
		p.PC++
		p.Steps += uint64(p.PC - p.First) // as ran does, which is not inlined
		if len(e.observers.run) > 0 {
			e.notifyPath()
		}
		if isa.Kind(op.Kind) == isa.Barrier && m != 0 { // not left to dispatch, as it is frequent
			s.PC = pc
			return AtBarrier, e.arriveAt(pc, m)
		}
		switch why, err := e.dispatch(pc, m); {
		case err != nil || why > Branched:
			s.PC = pc
			return why, err
		case why == Executed && e.mayMeet(pc):
			s.PC = p.PC
			return Yielded, nil
		case why == Branched && (p.Steps >= e.limit || e.waits):
			s.PC, p.Branch = p.PC, pc
			return Branched, nil
		}
		p.First = p.PC
	}
}

// none stands for no PC.
const none = -1

// ran counts the instructions from the path's First up to its PC, and notifies
// observers of them.
func (e *Engine) ran() {
	p := &e.path
	p.Steps += uint64(p.PC - p.First)
	if len(e.observers.run) > 0 {
		e.notifyPath()
	}
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
