package interp

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/lanes/jit"
	"github.com/simtrun/simtrun/warp"
)

// Turn is a warp of a CTA whose warps take turns in compiled code: all of its live lanes are one split, in the kernel.
type Turn struct {
	Warp  *warp.State
	Split divergence.Split
	Limit uint64 // as in Engine.Run
}

// TurnsEnd is what came of TakeTurns.
type TurnsEnd struct {
	// Next is the index of the warp that is to go on; those before it have had their turn in this pass. If it is the number of
	// warps, all have, and what they have arrived at let them go on, or they have ended.
	Next   int
	Passes int // complete ones
}

// CanTakeTurns reports whether warps of a CTA may take turns: the kernel was compiled, nobody looks on, and nothing is
// under way at barriers of the CTA.
func (e *Engine) CanTakeTurns(c *CTA) bool {
	if !e.native.possible || e.native.ctx == nil || e.m.natives.enter != nil {
		return false
	}
	os := &e.observers
	if e.native.funcs[e.p.Kernel().Number].Func == nil || len(os.divergence)+len(os.exit)+len(os.arrival)+len(os.release) > 0 {
		return false
	}
	if c.Waiting != 0 || c.tensor != nil || len(c.warpgroups) > 0 || c.Cluster.counted {
		return false
	}
	for used := c.inUse; used != 0; used &= used - 1 {
		if c.barriers[bits.TrailingZeros16(used)].need != 0 {
			return false
		}
	}
	return true
}

// TakeTurns executes warps of a CTA in turn, in the order that is given, within compiled code: each up to a barrier of the CTA or its
// end, and all again as long as all arrive at the same. That is what a driver would make of Run, warp by warp. It comes back
// behind a pass in which instrs instructions have been executed, before the turn of a warp for which Run would
// be given less than least, and where code is left. The warp that executes then is the next one: its lanes
// are where its turn began, and the next Run of it, with the same limit, goes on where code was left.
//
// Quantum is as Engine.Quantum. All live warps of the CTA take part.
func (e *Engine) TakeTurns(c *CTA, turns []Turn, quantum, instrs, least uint64) (end TurnsEnd) {
	kernel := e.p.Kernel()
	n, ctx := &e.native.funcs[kernel.Number], e.native.ctx
	all := slices.Grow(e.native.turns[:0], len(turns))[:len(turns)]
	e.native.turns = all
	pc, live, entry := none, lanes.Mask(0), uintptr(0) // of the latest warp
	for i := range turns {
		w := turns[i].Warp
		if turns[i].Split.PC != pc || w.Live != live {
			pc, live = turns[i].Split.PC, w.Live
			if entry = n.Entry(pc, live == lanes.AllLanes); entry == 0 {
				return TurnsEnd{}
			}
		}
		win, t := w.Windows[divergence.Root], &all[i]
		t.File, t.Budget, t.Resume, t.Mask, t.Event = unsafe.Pointer(win.File), int64(turns[i].Limit-w.Steps), entry, uint32(live), 0
		t.Local, t.Params = partsOf(w.Local), partsOf(win.Params)
	}
	e.enter(c, turns[0].Warp, &turns[0].Split)
	e.prepareContext(n, none, quantum)
	first := uintptr(unsafe.Pointer(unsafe.SliceData(all)))
	ctx.FirstTurn, ctx.TurnsEnd, ctx.Turn = first, first+uintptr(len(all))*unsafe.Sizeof(all[0]), first
	ctx.Event, ctx.Passes, ctx.Least, ctx.Left = 0, 0, int64(least), int64(instrs)
	ctx.PastLanes, ctx.PastDiverged = 0, 0
	e.runCode(n, n.Turns())

	end = TurnsEnd{Next: int((ctx.Turn - first) / unsafe.Sizeof(all[0])), Passes: int(ctx.Passes)}
	ctx.Turn = 0
	exit, budget := ctx.Exit, ctx.Budget // which whoever leaves a turn overwrites
	switch exit {
	case jit.ExitEnded:
		end.Next = len(turns)
	case jit.ExitPass:
		end.Next = 0 // of the next pass
	case jit.ExitTurn, jit.NoExit:
	default:
		e.native.inTurn = true
	}
	for i := range turns {
		e.endTurn(n, &turns[i], i < end.Next, i == end.Next && e.native.inTurn, &all[i])
	}
	e.Stats.LaneInstrs += uint64(ctx.PastLanes)
	e.Stats.DivergentBranches += uint64(ctx.PastDiverged)
	ctx.Exit, ctx.Budget = exit, budget
	if exit == jit.ExitPass {
		end.Next = len(turns)
	}
	return end
}

// endTurn makes of a warp what a driver would have made of it up to its latest turn that has ended. Arrived says that it has
// had a turn in this pass: it waits at a barrier, or ends. Executes says that code has left it within its turn.
func (e *Engine) endTurn(n *compiledFunc, t *Turn, arrived, executes bool, end *jit.Turn) {
	w := t.Warp
	if end.Event == 0 {
		return
	}
	steps := t.Limit - w.Steps - uint64(end.Budget)
	w.Steps += steps
	e.Stats.WarpInstrs += steps
	if end.Event == jit.EventEnded { // what else exit does is not to be done where turns are taken
		w.Control.Exit(t.Split.ID, w.Live, none)
		w.Live = 0
		e.cta.Live--
		return
	}
	e.enter(e.cta, w, &t.Split)
	if !executes {
		ctx := e.native.ctx
		ctx.File = end.File
		jit.Enter(end.Leave, unsafe.Pointer(ctx))
	}
	pc := n.Exit(end.Exit).PC // behind the barrier
	if !arrived {
		w.Control.Advance(t.Split.ID, pc)
		return
	}
	if err := e.arriveAt(pc-1, w.Live); err != nil {
		panic("simtrun bug: a warp that took turns cannot arrive at a barrier: " + err.Error())
	}
}
