package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Engine executes warp instructions of a Grid: each thread of the host needs one. The state of the launch is in CTAs
// and memory; an engine only has counts. For several threads see Grid.NewEngines.
type Engine struct {
	// Stats counts the instructions that the engine has executed.
	Stats Stats
	activity
	// Clock supplies clock registers; nil for a launch without time.
	Clock Clock
	// Quantum is how many instructions a split of the warp has after its lanes diverge and may wait for others
	// (Program.MayPoll). Lanes may then diverge within Run; if it is 0, Run returns at that branch.
	Quantum uint64
	// Canceler takes CTAs out of the launch; nil if none can be.
	Canceler Canceler

	launched
	observation
	native compiled
	findings
	regionHints
	deferral

	site
	path   lanes.Path // of the site's lanes; without Memory if accesses are observed
	effect *Effect    // filled by Issue; nil under Run
	slice

	// Scratch state within one instruction.
	moving
	regrouping
	units
	lanewise
}

// activity counts the externally visible signs of progress of a launch.
type activity struct {
	// ClockReads and SystemCalls count instructions that read a clock, and calls of functions that no module defines.
	ClockReads, SystemCalls uint64
	// hiddenChanges counts changes of tensor memory, of its allocation, and of the registers that warps own.
	hiddenChanges uint64
}

// launched is the launch that an engine executes.
type launched struct {
	grid  *Grid
	stack *callStacks
	m     *Machine
	p     *program.Program
}

// observation has the observers of the engine's events.
type observation struct {
	observers Observers
	pathFirst int     // first PC of the path that observers of instructions follow
	pathStop  int     // where that path ends, unless they are shown the next instruction
	watcher   Watcher // nil for most launches
	isolated  bool    // see Isolate
}

// regionHints are the regions that instructions of all functions accessed last.
type regionHints struct {
	hints [][]*memory.Region // site.hint by function
	freed uint64             // Machine.freed when the hints were last discarded
}

// slice is the time slice that Run executes.
type slice struct {
	limit      uint64 // see Limit
	waits      bool   // see Waits
	conflicted bool   // see Conflicted
}

// regrouping is scratch state for instructions at which lanes of the split diverge or wait for each other.
type regrouping struct {
	groups      []divergence.Group      // of a branch
	activations []divergence.Activation // of a call
	waiting     []lanes.Mask            // groups of a collective that wait for other lanes
	parked      [1]lanes.Mask           // the argument of Control.Park at a barrier
	table       *lanes.File             // file in which arrivals at a rendezvous exchange values
	present     *lanes.File             // file of Engine.readsAbsent
}

// units has the state of instructions of special units; each is nil before the first such instruction.
type units struct {
	copying       *copying             // asynchronous copies
	group         *lanes.GroupMatrices // products of a warpgroup
	products      products
	tensorScratch *tensorScratch // matrices that tcgen05 reads
	sampling      *sampling      // textures
}

// lanewise is state for instructions that are executed lane by lane.
type lanewise struct {
	laneLocal  memory.Region // stands for one lane's part of local memory
	laneParams memory.Region // stands for one lane's part of the activation's .param variables
	served     servedCall
}

// site is the split that an engine executes, with its warp and function.
type site struct {
	cta       *CTA
	warp      *warp.State
	split     *divergence.Split // as when the engine was called, except for its PC
	fn        *program.Func
	window    *warp.Window
	hint      []*memory.Region // by PC: the region in which the instruction's lanes were last
	conflicts []bool           // by PC: the access may conflict with another warp's; nil if none may
	at        Place
}

// NewEngine returns an engine for the launch, with the launch's observers.
func (g *Grid) NewEngine() *Engine {
	e := &Engine{launched: launched{grid: g, stack: &g.stack, m: g.m, p: g.p}}
	e.init()
	e.freed, e.hints = g.m.freed, g.m.takeRegions(g.p)
	e.native.allowed, e.native.shadow = g.compiles(), g.shadowed()
	e.Observe(ObserversOf(g.Launch.Observers))
	return e
}

// init sets the fields that are nonzero in every engine.
func (e *Engine) init() {
	e.laneLocal = memory.Region{Name: "local memory", Space: isa.Local, Number: lanes.NoRegion}
	e.laneParams = memory.Region{Name: "the call's parameters", Space: isa.Param, Number: lanes.NoRegion}
	e.event = Access{Access: &e.acc, e: e}
}

// Observe sets the observers of the engine.
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
	e.native.possible = e.native.allowed && !os.needEach() && e.native.shadow == (os.shadow != nil) && e.grid.knows(&os)
	e.checkObservers()
}

// Stop is the reason why an Engine has returned.
type Stop uint8

const (
	// Executed: an instruction was executed, and the split continues at its PC, which the control state does not have.
	Executed Stop = iota
	// Branched is Executed after a branch that all lanes took the same way; Engine.Branch returns its PC.
	Branched
	// Diverged: the split's lanes continue at several PCs.
	Diverged
	// AtBarrier: lanes of the split have arrived at a barrier of the CTA.
	AtBarrier
	// Ended: lanes of the split have ended.
	Ended
	// AtRendezvous: lanes of the split wait for others of their warp.
	AtRendezvous
	// Changed: the control structure has changed the split for another reason.
	Changed
	// StepLimit: the warp has executed more than Config.MaxSteps. The instruction
	// at the split's PC was not executed.
	StepLimit
	// Yielded is Executed after an access that may conflict with another warp's (see Grid.Contend).
	Yielded
)

// Effect is the effect of one instruction.
type Effect struct {
	PC     int
	Next   int        // where the split continues; flow.None if its lanes diverge, wait or have ended
	Active lanes.Mask // lanes for which the guard held
	// Access lists the instruction's accesses to memory, one for each region. It is valid until the Effect is reused.
	Access  []Moved
	Barrier int        // number of the CTA's barrier at which lanes arrived, or -1
	Ended   lanes.Mask // lanes that the instruction ended
	// Released says that a barrier of the CTA is complete, so that the lanes that waited there can run.
	Released bool
	// ClusterReleased says that the barrier of the cluster is complete, so that the lanes that waited there can run.
	ClusterReleased bool
	// ProductsDone says that a group of products is done, and warps of the warpgroup that waited for it can run.
	ProductsDone bool
	// Served says that warps of the CTA that were blocked for registers or for tensor memory can run; PairServed says
	// the same of warps of the other CTA of the pair.
	Served, PairServed bool
	// TensorColumns is the number of columns of the products in tensor memory that the instruction has computed in each
	// CTA that takes part.
	TensorColumns int
	// Changed says that the instruction is an atomic that has already changed memory.
	Changed bool
	// Mbarriers lists the mbarriers that the instruction used. It is valid until the Effect is reused.
	Mbarriers []AtMbarrier
	// Deferred is the number, for Engine.Tag, of the part of the instruction that takes effect at the exchange (see
	// Engine.Defer), or -1.
	Deferred int
}

// reset makes e the effect of the instruction at pc before it has done anything, by field: a copy of the whole takes
// twice as long.
func (e *Effect) reset(pc int, active lanes.Mask) {
	e.PC, e.Next, e.Active, e.Access, e.Barrier, e.Ended = pc, none, active, e.Access[:0], -1, 0
	e.Released, e.ClusterReleased, e.ProductsDone, e.Served, e.PairServed = false, false, false, false, false
	e.TensorColumns, e.Changed, e.Mbarriers, e.Deferred = 0, false, e.Mbarriers[:0], -1
}

// Moved is an access that lanes of a warp have made to one region.
type Moved struct {
	lanes.Access
	Lanes lanes.Mask
}

// Hidden counts changes of the launch's state that observers are not notified of: system calls, changes of tensor
// memory, and changes of the number of registers that warps own.
func (e *Engine) Hidden() uint64 { return e.SystemCalls + e.hiddenChanges }

// AtMbarrier is an instruction's use of an mbarrier.
type AtMbarrier struct {
	Region int32  // number of the shared memory that it is in
	Addr   uint64 // in that shared memory
	Parity uint32 // of the phase that was tested, or of the phase before the instruction
	Passed bool   // the phase that was tested is complete
}

// Clock is the time of a launch.
type Clock interface {
	// Now returns the cycle of the SM and the time in nanoseconds.
	Now() (cycle, nanoseconds uint64)
}

// Run executes instructions of split s of a warp, which must be Ready, until its lanes diverge, wait or end, or until
// the first branch after the warp has executed limit instructions since its CTA started. An error is a *Fault or a
// *Hang; the split is then at the instruction that could not be executed.
func (e *Engine) Run(c *CTA, w *warp.State, s *divergence.Split, limit uint64) (Stop, error) {
	e.enter(c, w, s)
	why, err := e.follow(s, s.Stop, limit)
	e.count()
	return why, err
}

// Waits reports whether an mbarrier wait has failed in all lanes that executed it. Run then returns after the next
// branch, because other warps should run first. With again only later waits count.
func (e *Engine) Waits(again bool) bool {
	waits := e.waits
	e.waits = waits && !again
	return waits
}

// Limit returns the present limit of Run: lanes that diverge within Run lower it.
func (e *Engine) Limit() uint64 { return e.limit }

// EndRun makes a Run under way return after its next branch, like a limit that is reached. An observer calls it.
func (e *Engine) EndRun() { e.limit, e.path.Limit = 0, 0 }

// Branch returns the PC of the branch after which Run returned.
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
			e.hint, e.conflicts = e.hints[e.fn.Number], e.grid.contention.Of(e.fn)
			if e.native.ctx != nil {
				e.enterNative()
			}
		}
	}
	e.split, e.at.Split = s, s.Mask
}

// count adds the instructions that the warp has executed since enter to the counts.
func (e *Engine) count() {
	n := e.steps()
	e.warp.Steps += n
	e.Stats.WarpInstrs += n
	e.Stats.LaneInstrs += n * uint64(e.path.Mask.Count())
}

// steps returns how many instructions of the path are not counted yet.
func (e *Engine) steps() uint64 { return e.path.Steps - e.warp.Steps }

// follow executes split s, after enter, until it is at stop or has another reason to return. It leaves in s.PC where
// the split continues.
func (e *Engine) follow(s *divergence.Split, stop int, limit uint64) (Stop, error) {
	p := &e.path
	e.begin(s, stop, limit)
	for {
		if len(e.observers.each) > 0 { // not in a variable, which would be stored and loaded again
			e.showNext()
		}
		switch e.exec() {
		case lanes.AtStop:
			if len(e.observers.each) > 0 && p.PC != e.pathStop {
				continue
			}
			return e.stopped(s), nil
		case lanes.Branched:
			if len(e.observers.each) > 0 && e.passes() {
				continue
			}
			s.PC = p.PC
			return Branched, nil
		case yielded:
			e.ran()
			s.PC = p.PC
			return Yielded, nil
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
			if p.PC++; m != 0 && e.mayConflict(pc) {
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
		if isa.Kind(op.Kind) == isa.Barrier && m != 0 { // not through control, because it is frequent
			s.PC = pc
			return AtBarrier, e.arriveAt(pc, m)
		}
		if why, err := e.control(s, pc, m); why != Executed || err != nil {
			return why, err
		}
	}
}

// control executes the instruction at pc, which may change which lanes run, for lanes m of the path. After Executed
// the path continues at its PC; any other Stop ends follow, and s.PC is where the split continues.
func (e *Engine) control(s *divergence.Split, pc int, m lanes.Mask) (Stop, error) {
	p := &e.path
	switch why, err := e.dispatch(pc, m); {
	case err != nil || why > Branched:
		s.PC = pc
		return why, err
	case why == Executed && e.mayConflict(pc):
		s.PC = p.PC
		return Yielded, nil
	case why == Branched && (p.Steps >= e.limit || e.waits):
		s.PC, p.Branch = p.PC, pc
		return Branched, nil
	}
	p.First = p.PC
	return Executed, nil
}

// stopped ends the path of split s at its stop, which may be the split's reconvergence PC.
func (e *Engine) stopped(s *divergence.Split) Stop {
	e.ran()
	if s.PC = e.path.PC; s.PC == s.Stop {
		e.warp.Control.Advance(s.ID, s.PC)
		return Changed
	}
	return Executed
}

// passes notifies observers of instructions that the path has branched, and reports whether it goes on there.
func (e *Engine) passes() bool {
	p := &e.path
	first := e.pathFirst
	if first == p.Branch+1 { // code has branched since
		first = p.Branch
	}
	e.notifyRan(first, p.Branch+1, p.Mask)
	return p.Steps < e.limit && !e.waits
}

// begin sets the path to that of a split up to stop. If there are observers of instructions, Exec returns at each
// branch, where they are notified.
func (e *Engine) begin(s *divergence.Split, stop int, limit uint64) {
	p := &e.path
	p.Mask, p.PC, p.First, p.Stop = s.Mask, s.PC, s.PC, stop
	p.Steps, p.Limit, e.limit = e.warp.Steps, limit, limit
	if len(e.observers.each) > 0 {
		p.Limit, e.pathStop = 0, stop
	}
	e.native.withheld = false
}

// showNext shows the next instruction to observers that follow the warp. The path then ends after it, else at its
// stop, which changes where lanes have diverged in code.
func (e *Engine) showNext() {
	p, shadow := &e.path, e.observers.shadow != nil
	if shadow && !e.native.withheld {
		e.pathStop = p.Stop
	}
	e.pathFirst, p.Stop = p.First, e.pathStop
	follows := e.follows()
	if follows && p.PC != e.pathStop {
		e.notifyExecutes(p.PC, p.Mask)
		p.Stop = p.PC + 1
	}
	if e.native.withheld = follows; shadow && len(e.observers.run) == 0 {
		p.Limit = 0
		if !follows {
			p.Limit = e.limit
		}
	}
}

// none stands for no PC.
const none = -1

// ran counts the instructions from the path's First up to its PC, and notifies observers of them.
func (e *Engine) ran() {
	p := &e.path
	p.Steps += uint64(p.PC - p.First)
	if len(e.observers.run) > 0 {
		e.notifyPath()
	}
}

// firstLane returns the lowest lane of m, which must not be empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
