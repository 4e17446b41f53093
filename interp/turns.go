package interp

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/warp"
)

// Turn is a warp of a CTA whose warps alternate in compiled code: all of its live lanes are one split, in the kernel.
// Package functional has the rule that ties turns to the order of its sessions ("Who runs next").
type Turn struct {
	Warp  *warp.State
	Split divergence.Split
	Limit uint64 // as in Engine.Run
}

// FirstTurn returns the Turn of a warp when it starts.
func FirstTurn(w *warp.State, limit uint64) Turn {
	return Turn{Warp: w, Split: divergence.Split{Mask: w.Threads, Stop: none, Frame: divergence.Root}, Limit: limit}
}

// TurnsEnd is the result of TakeTurns.
type TurnsEnd struct {
	// Next is the index of the next warp to run; those before it have had their turn in this round. If it is the number
	// of warps, all have, and either the barrier released them or they have ended.
	Next   int
	Passes int // complete ones
}

// InTurn reports whether code has exited within the turn of a warp that has not run since. Its registers and memory are
// those of the exit, but its lanes are where the turn began, so nothing else may use its state.
func (e *Engine) InTurn() bool { return e.native.inTurn }

// CanTakeTurns reports whether warps of a CTA may take turns: the kernel is compiled, observers may be notified late of
// what warps do in turns, and no barrier of the CTA has arrivals.
func (e *Engine) CanTakeTurns(c *CTA) bool {
	if !e.native.possible || e.native.ctx == nil || e.native.verifier != nil || e.native.funcs[e.p.Kernel().Number].Func == nil {
		return false
	}
	if e.observers.shadow != nil && (e.followsAny(c) || e.ownsMemory(c)) || !e.mayTurnObserved() {
		return false
	}
	if !e.kernelMayInline() || c.Waiting != 0 || c.tensor != nil || e.p.AdjustsRegisters || len(c.warpgroups) > 0 || c.Cluster.counted {
		return false
	}
	for used := c.inUse; used != 0; used &= used - 1 {
		if c.barriers[bits.TrailingZeros16(used)].need != 0 {
			return false
		}
	}
	return true
}

// mayTurnObserved reports whether observers may be notified late of what warps of the kernel do in turns, or of
// nothing.
func (e *Engine) mayTurnObserved() bool {
	os, exits := &e.observers, len(e.observers.exit)
	if os.shadow != nil {
		exits-- // of warps that it follows
	}
	if os.allLate || e.grid.late {
		return os.allLate && e.native.funcs[e.p.Kernel().Number].TrailsTurns()
	}
	return len(os.divergence)+exits+len(os.arrival)+len(os.release) == 0
}

// ownsMemory reports whether lanes of a CTA's kernel own memory. Turns have no shadow of that.
func (e *Engine) ownsMemory(c *CTA) bool {
	return e.p.Kernel().FrameBytes > 0 || slices.ContainsFunc(c.Warps, func(w *warp.State) bool { return len(w.Local) > 0 })
}

// TakeTurns executes warps of a CTA in turn, in the given order, within compiled code: each up to a barrier of the
// CTA or its end, and again as long as all arrive at the same barrier. The result is the same as if a driver called
// Run for each warp. It returns after a round in which instrs instructions have been executed, before the turn of a
// warp for which Run would have a limit of less than least, and where code exits. The warp that executes then is the
// next one: its lanes are where its turn began, and its next Run, with the same limit, continues where code exited.
//
// Quantum is that of Engine.Quantum. All live warps of the CTA take part.
func (e *Engine) TakeTurns(c *CTA, turns []Turn, quantum, instrs, least uint64) TurnsEnd {
	e.native.turnsOf = nil
	if !e.setTurns(turns) {
		return TurnsEnd{}
	}
	e.prepareTurns(c, turns, quantum, instrs, least)
	e.native.ctx.CTAs = 1
	n := &e.native.funcs[e.p.Kernel().Number]
	return e.endTurns(turns, e.runTurns(n, n.Turns()))
}

// Starts are the CTAs that StartInTurns executes one after the other.
type Starts struct {
	Number, CTAs int64 // the first, and the largest number of them
	// First and Next are the numbers of instructions after which turns of a CTA end after a round: of the first CTA, and
	// of each further one. Once Instrs instructions have been executed, no further CTA starts.
	First, Next, Instrs uint64
	Least               uint64 // as in TakeTurns
}

// StartsEnd is the result of StartInTurns.
type StartsEnd struct {
	Ended    int64    // CTAs that have ended
	Executed uint64   // instructions of the CTAs that have ended
	Started  bool     // another CTA has started and not ended, and Turns is the result of its turns
	Turns    TurnsEnd // valid if Started
}

// CanStartInTurns reports whether StartInTurns may start a CTA in the place of c after all warps of c have ended.
func (e *Engine) CanStartInTurns(c *CTA) bool {
	os := &e.observers
	if os.shadow != nil && len(e.p.Kernel().LiveIn) > 0 {
		return false // the observer follows each warp from its start
	}
	return e.CanTakeTurns(c) && (os.allLate || len(os.start)+len(os.end) == 0) && e.canEnter(c.Warps[0]) && e.canEnter(c.Warps[len(c.Warps)-1])
}

// canEnter reports whether code can be entered where a warp of the kernel starts. Only the last warp of a CTA can
// differ from the others.
func (e *Engine) canEnter(w *warp.State) bool {
	return e.native.funcs[e.p.Kernel().Number].Entry(0, w.Threads == lanes.AllLanes) != 0
}

// StartInTurns is Start followed by TakeTurns with the FirstTurn of each warp, and repeats that for the next CTA if
// all warps of the CTA end. A CTA that ends in its turns needs nothing else: the states of its warps and c stay those
// of the CTA before. Most CTAs of short kernels end so, and to start and end a warp takes longer than to execute it.
func (e *Engine) StartInTurns(c *CTA, turns []Turn, quantum uint64, s *Starts) (end StartsEnd) {
	c.At = e.grid.Shape.At(s.Number)
	if e.native.turnsOf != c {
		c.reset()
		e.prepareStarts(c, turns)
	}
	ctx, ctas := e.native.ctx, s.CTAs
	if !e.native.startsInCode {
		e.enterNext(c)
		ctas = 1
	}
	if len(e.observers.start) > 0 { // a trail is of one CTA
		for _, w := range c.Warps {
			e.notifyStarted(c, w.ID, w.Threads)
		}
		ctas = 1
	}
	e.prepareTurns(c, turns, quantum, s.First, s.Least)
	ctx.CTA, ctx.Grid = [3]uint32{c.At.X, c.At.Y, c.At.Z}, [3]uint32{e.grid.Shape.Grid.X, e.grid.Shape.Grid.Y, e.grid.Shape.Grid.Z}
	if ctx.SharedFill = 0; e.m.cfg.FillShared {
		ctx.SharedFill = binary.LittleEndian.Uint64(unwritten[:])
	}
	ctx.CTAs, ctx.NextLeft, ctx.Instrs = ctas, int64(s.Next), int64(s.Instrs)
	n := &e.native.funcs[e.p.Kernel().Number]
	turnsEnd := e.runTurns(n, n.Starts())
	end = StartsEnd{Ended: ctas - ctx.CTAs, Executed: s.Instrs - uint64(ctx.Instrs)}
	e.Stats.WarpInstrs += end.Executed
	if end.Started = ctx.Exit != jit.ExitEnded; !end.Started {
		return end
	}
	e.native.turnsOf = nil
	c.nextInterval()
	c.At, c.Live = isa.Dim{X: ctx.CTA[0], Y: ctx.CTA[1], Z: ctx.CTA[2]}, len(c.Warps)
	for i, w := range c.Warps {
		w.Begin(c.At)
		w.Control.Ready(0, &turns[i].Split)
	}
	end.Turns = e.endTurns(turns, turnsEnd)
	return end
}

// prepareStarts prepares for CTAs that start in the place of c.
func (e *Engine) prepareStarts(c *CTA, turns []Turn) {
	if !e.setTurns(turns) {
		panic("simtrun bug: a CTA cannot start in turns")
	}
	for i := range e.native.turns {
		t := &e.native.turns[i]
		t.First, t.Entry = int64(turns[i].Limit), t.Resume
	}
	e.native.turnsOf, e.native.startsInCode = c, e.startsInCode(c)
}

// startsInCode reports whether the next CTA in the place of c differs only in the state that jit.Starts sets.
func (e *Engine) startsInCode(c *CTA) bool {
	k := e.p.Kernel()
	if len(k.LiveIn) > 0 || k.FrameBytes > 0 || k.Layout.Stack != 0 {
		return false
	}
	for _, special := range k.Layout.PerCTA {
		switch special {
		case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		case isa.WarpID: // the same in every CTA
		default:
			return false
		}
	}
	return !slices.ContainsFunc(c.Warps, func(w *warp.State) bool { return len(w.Local) > 0 })
}

// enterNext prepares registers and local memory of c for the CTA at its present coordinates, in the place of one that
// has ended.
func (e *Engine) enterNext(c *CTA) {
	k := e.p.Kernel()
	warp.EnterNext(c.Warps, c.At, k.Layout, k.LiveIn, k.Src.Regs)
	for _, w := range c.Warps {
		clear(w.Local)
		enterMemory(k, w, w.Windows[divergence.Root], 0)
	}
}

// setTurns makes turns for code. It returns false if one of them cannot be entered.
func (e *Engine) setTurns(turns []Turn) bool {
	n := &e.native.funcs[e.p.Kernel().Number]
	all := slices.Grow(e.native.turns[:0], len(turns))[:len(turns)]
	e.native.turns, e.native.turned = all, turns
	pc, mask, entry := none, lanes.Mask(0), uintptr(0) // of the latest warp
	for i := range turns {
		w, s := turns[i].Warp, &turns[i].Split
		if s.PC != pc || s.Mask != mask {
			pc, mask = s.PC, s.Mask
			if entry = n.Entry(pc, mask == lanes.AllLanes); entry == 0 {
				return false
			}
		}
		win, t := w.Windows[divergence.Root], &all[i]
		t.File, t.Budget, t.Resume, t.Mask, t.Event = unsafe.Pointer(win.File), int64(turns[i].Limit-w.Steps), entry, uint32(mask), 0
		t.Local, t.Params = partsOf(w.Local), partsOf(win.Params)
	}
	return true
}

// prepareTurns prepares code to execute the turns.
func (e *Engine) prepareTurns(c *CTA, turns []Turn, quantum, instrs, least uint64) {
	ctx, all := e.native.ctx, e.native.turns
	e.enter(c, turns[0].Warp, &turns[0].Split)
	e.prepareContext(&e.native.funcs[e.p.Kernel().Number], none, quantum)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	ctx.FirstTurn, ctx.TurnsEnd, ctx.Turn = first, first+uintptr(len(all))*unsafe.Sizeof(all[0]), first
	ctx.Event, ctx.Passes, ctx.Least, ctx.Left, ctx.Started = 0, 0, int64(least), int64(instrs), int64(instrs)
	ctx.PastLanes, ctx.PastDiverged = 0, 0
}

// runTurns executes turns by code from an entry on, and returns where code exited.
func (e *Engine) runTurns(n *compiledFunc, entry uintptr) (end TurnsEnd) {
	ctx := e.native.ctx
	before := ctx.Instrs
	e.runCode(n, entry)
	e.followTrail(n)
	if len(e.observers.divergence) > 0 {
		e.notifyDivergences(n)
	}
	end = TurnsEnd{Next: int((ctx.Turn - ctx.FirstTurn) / unsafe.Sizeof(e.native.turns[0])), Passes: int(ctx.Passes)}
	ctx.Turn = 0
	if end.Passes > 0 || ctx.Exit == jit.ExitEnded {
		e.cta.nextInterval()
	}
	steps := before - ctx.Instrs // of CTAs that have ended
	if ctx.Exit != jit.ExitEnded {
		steps += ctx.Started - ctx.Left
	}
	e.Stats.LaneInstrs += uint64(steps*lanes.Width + ctx.PastLanes)
	e.Stats.DivergentBranches += uint64(ctx.PastDiverged)
	return end
}

// endTurns updates the warps of turns after compiled code has returned: each gets the state that it would have if its
// session had called Run for it instead. It returns end with Next adjusted to the reason for the return.
func (e *Engine) endTurns(turns []Turn, end TurnsEnd) TurnsEnd {
	n, ctx, all := &e.native.funcs[e.p.Kernel().Number], e.native.ctx, e.native.turns
	exit, budget := ctx.Exit, ctx.Budget // overwritten when a turn is ended
	switch exit {
	case jit.ExitEnded:
		end.Next = len(turns)
	case jit.ExitPass:
		end.Next = 0 // of the next round
	case jit.ExitTurn, jit.NoExit:
	default:
		e.native.inTurn = true
	}
	e.native.endsTurns = true
	for i := range turns {
		e.endTurn(n, &turns[i], i < end.Next, i == end.Next && e.native.inTurn, &all[i])
	}
	e.native.endsTurns = false
	ctx.Exit, ctx.Budget = exit, budget
	if exit == jit.ExitPass {
		end.Next = len(turns)
	}
	return end
}

// endTurn brings a warp to the state in which a driver would have left it at its latest turn that has ended. If
// arrived is set, it had a turn in this round: it waits at a barrier, or ends. If executes is set, code has exited
// within its turn.
func (e *Engine) endTurn(n *compiledFunc, t *Turn, arrived, executes bool, end *jit.Turn) {
	w := t.Warp
	if end.Event == 0 {
		return
	}
	steps := t.Limit - w.Steps - uint64(end.Budget)
	w.Steps += steps
	e.Stats.WarpInstrs += steps
	if end.Event == jit.EventEnded { // the rest of exit does not apply to turns
		w.Control.Exit(t.Split.ID, w.Live, none)
		w.Live = 0
		e.endWarp()
		return
	}
	e.enter(e.cta, w, &t.Split)
	if !executes {
		e.native.ctx.File = end.File
		e.enterAt(end.Leave)
	}
	pc := n.Exit(end.Exit).PC // after the barrier
	if !arrived {
		w.Control.Advance(t.Split.ID, pc)
		return
	}
	if err := e.arriveAt(pc-1, w.Live); err != nil {
		panic("simtrun bug: a warp that took turns cannot arrive at a barrier: " + err.Error())
	}
}
