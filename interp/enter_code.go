package interp

import (
	"math"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
)

// runCode executes code from an entry until it exits. It does what code asks for, and resumes.
func (e *Engine) runCode(n *compiledFunc, entry uintptr) {
	ctx := e.native.ctx
	e.beginTrail()
	e.enterAt(entry)
	for ctx.Exit == jit.LanesExit || ctx.Exit == jit.AskExit {
		if ctx.Exit == jit.LanesExit {
			e.executeAsked(n)
		} else {
			f, pc := e.hintedBy(n, int(ctx.Asked.PC))
			e.watcher.NeedsPage(isa.Kind(f.Ops[pc].Kind), e.hints[f.Number][pc], ctx.Asked.Off)
		}
		e.enterAt(n.Resume())
	}
	e.takeUndefined()
}

// executeAsked executes the instructions for which code asks by their lane functions, in the warp that code executes.
func (e *Engine) executeAsked(n *compiledFunc) {
	asked, ops := &e.native.ctx.Asked, e.fn.Ops
	if x := n.Expansion(); x != nil {
		ops = x.Ops
	}
	file, all := (*lanes.File)(e.native.ctx.File), lanes.Mask(asked.Lanes)
	for pc := asked.PC; pc < asked.End; pc++ {
		op := &ops[pc]
		if m := op.Active(file, all); m != 0 {
			op.Fn(file, op, m)
		}
	}
}

// enterAt enters code at an address. Code cannot rely on registers from before: another host thread may have
// continued the engine.
func (e *Engine) enterAt(entry uintptr) {
	if e.native.cpu != nil {
		if _, err := e.native.cpu.Enter(entry, unsafe.Pointer(e.native.ctx)); err != nil {
			panic("simtrun bug: compiled code: " + err.Error())
		}
		return
	}
	if before := e.m.cfg.BeforeCode; before != nil {
		before(e, entry)
	}
	jit.Enter(entry, unsafe.Pointer(e.native.ctx))
}

// Evaluator executes machine code like jit.Enter. The error names a rule that the code broke.
type Evaluator interface {
	Enter(entry uintptr, ctx unsafe.Pointer) (status uint64, err error)
}

// execNative executes the path by machine code, and the instructions that code does not handle by lane functions.
func (e *Engine) execNative(n *compiledFunc) lanes.Why {
	p, ctx := &e.path, e.native.ctx
	for p.PC != p.Stop {
		if !n.Covers(p.PC) {
			return elsewhere
		}
		p.Steps += uint64(p.PC - p.First)
		p.First = p.PC
		if near := e.near(); near > 0 && !e.native.inTurn {
			if why, done := e.execLanes(near); done {
				return why
			}
			continue
		}
		limit, budget := p.Limit, int64(0)
		if len(e.observers.each) > 0 { // the path's limit is for lane functions, which return at each branch
			limit = e.limit
		}
		if limit > p.Steps {
			budget = int64(min(limit-p.Steps, math.MaxInt64/2)) // code counts up from its negative
		}
		if e.native.inTurn { // the warp has executed its turn up to an exit of code
			e.native.inTurn = false
		} else if !e.enterCode(n, budget) {
			n.leaves(p.PC)
			if why, done := e.execLanes(n.Until(p.PC)); done {
				return why
			}
			continue
		}
		x := n.Exit(ctx.Exit)
		if x.Diverges && !n.HasPartial() {
			e.wantPartial(n)
		}
		if ctx.Diverged == 0 {
			p.Steps += uint64(budget - ctx.Budget)
			p.PC, p.First = x.PC, x.First
		} else {
			e.diverged(budget, x)
		}
		if n.Expansion() != nil {
			e.leaveExpansion(x)
		}
		switch x.Why {
		case native.AtStop:
			return lanes.AtStop
		case native.Branched:
			p.Branch = x.Branch
			return lanes.Branched
		case native.Yields:
			return yielded
		}
		n.leaves(p.PC)
		if why, done := e.execLanes(x.Until); done {
			return why
		}
	}
	return lanes.AtStop
}

// enterCode executes the path by machine code, with a budget of instructions, until it exits. It returns false if
// code cannot be entered.
func (e *Engine) enterCode(n *compiledFunc, budget int64) bool {
	p, ctx := &e.path, e.native.ctx
	if !n.Stops(p.Stop) || !e.mayInline(n) {
		return false
	}
	all := p.Mask == lanes.AllLanes
	if !all && !n.HasPartial() {
		e.wantPartial(n)
	}
	entry := n.Entry(p.PC, all)
	if entry == 0 {
		return false
	}
	ctx.File, ctx.Budget, ctx.Counted, ctx.Mask, ctx.Live = unsafe.Pointer(p.File), budget, budget, uint32(p.Mask), uint32(e.warp.Live)
	setParts(&ctx.Local, e.warp.Local)
	setParts(&ctx.Params, e.window.Params)
	if s := e.observers.shadow; s != nil && len(e.warp.Local) > 0 {
		ctx.Local.Shadow = shadowOf(s.LocalShadow(&e.at, len(e.warp.Local)))
	}
	if s := e.observers.shadow; s != nil && len(e.window.Params) > 0 {
		ctx.Params.Shadow = shadowOf(s.ParamShadow(&e.at, e.window, len(e.window.Params)))
	}
	e.prepareContext(n, p.Stop, e.Quantum)
	if v := e.native.verifier; v != nil && e.journal != nil {
		v.compute(n, entry)
	} else if v != nil {
		v.enter(n, entry)
	} else {
		e.runCode(n, entry)
	}
	e.followTrail(n)
	if len(e.observers.divergence) > 0 && ctx.Diverged > 0 {
		e.notifyDivergences(n)
	}
	return ctx.Exit != jit.NoExit
}

// prepareContext sets the fields of the Context that do not depend on the warp.
func (e *Engine) prepareContext(n *compiledFunc, stop int, quantum uint64) {
	ctx := e.native.ctx
	ctx.Hints = unsafe.Pointer(unsafe.SliceData(n.hints))
	shared := hintOf(&e.cta.Shared)
	if s := e.observers.shadow; s != nil && len(e.cta.Shared.Data) > 0 {
		shared.Shadow = shadowOf(s.SharedShadow(&e.at, len(e.cta.Shared.Data)))
	}
	// By field, and only what changes: a copy of the whole waits for the stores of its parts.
	setMemory(&ctx.Shared, &shared, shared.Base)
	setMemory(&ctx.Window, &shared, shared.Base+isa.SharedWindow)
	ctx.Stop, ctx.Quantum = int64(stop), int64(quantum)
	ctx.Sides = n.Sides()
	if len(e.observers.divergence) > 0 || e.grid.watched != nil { // code for observers that watch notes divergences
		e.prepareDivergences(n)
	}
	ctx.Depth, ctx.Diverged, ctx.Withheld, ctx.LaneInstrs, ctx.Called = 0, 0, 0, 0, 0
}

// setMemory sets the memory of a hint, at an address.
func setMemory(h, to *jit.Hint, base uint64) {
	if h.Data != to.Data || h.Len != to.Len || h.Shadow != to.Shadow || h.Base != base {
		h.Base, h.Len, h.Data, h.Shadow = base, to.Len, to.Data, to.Shadow
	}
}

// execLanes executes the path by lane functions up to a PC, or past the next branch. It reports whether Exec must
// return, and why.
func (e *Engine) execLanes(until int) (why lanes.Why, done bool) {
	p := &e.path
	stop, limit := p.Stop, p.Limit
	if stop > p.PC {
		until = min(until, stop)
	}
	p.Stop, p.Limit = until, 0
	why = p.Exec()
	p.Stop, p.Limit = stop, limit
	switch why {
	case lanes.AtStop:
		return why, p.PC == stop
	case lanes.Branched:
		return why, p.Steps >= limit
	}
	return why, true
}

// diverged counts the instructions that code has executed before its exit x with diverged lanes, and makes splits of
// the lanes that have not reconverged. The path is then that of the executing lanes.
func (e *Engine) diverged(budget int64, x *native.Exit) {
	p, ctx := &e.path, e.native.ctx
	steps := budget - ctx.Budget - ctx.Withheld
	lanesRan := ctx.LaneInstrs + (ctx.Counted-ctx.Budget)*int64(lanes.Mask(ctx.Mask).Count())
	e.Stats.DivergentBranches += uint64(ctx.Diverged)
	e.Stats.LaneInstrs += uint64(lanesRan - steps*int64(p.Mask.Count())) // in addition to the lanes that count counts
	p.Steps += uint64(steps)
	p.PC, p.First = x.PC, x.First
	e.limit = p.Steps + uint64(ctx.Budget) // lower than before while instructions are withheld
	if len(e.observers.each) == 0 {        // else lane functions return at each branch
		p.Limit = e.limit
	}
	e.split.ID = e.warp.Control.Rejoined(e.split.ID)
	if ctx.Depth == 0 {
		return
	}
	e.count()
	control, s := e.warp.Control, e.split
	frames := ctx.Frames[:ctx.Depth/int64(unsafe.Sizeof(ctx.Frames[0]))]
	for i := range frames {
		f := &frames[i]
		inner := lanes.Mask(ctx.Mask)
		if i+1 < len(frames) {
			inner = lanes.Mask(frames[i+1].Outer)
		}
		target, next := int(e.fn.Info[f.Branch].Target), int(f.Branch)+1
		switch {
		case f.Pending != 0:
			e.groups = append(e.groups[:0], divergence.Group{PC: target, Mask: inner}, divergence.Group{PC: next, Mask: lanes.Mask(f.Pending)})
		case next != int(f.RPC):
			e.groups = append(e.groups[:0], divergence.Group{PC: int(f.RPC), Mask: lanes.Mask(f.Arrived)}, divergence.Group{PC: next, Mask: inner})
		default:
			e.groups = append(e.groups[:0], divergence.Group{PC: target, Mask: inner}, divergence.Group{PC: next, Mask: lanes.Mask(f.Arrived)})
		}
		control.Diverge(s.ID, int(f.Branch), e.groups)
		if !control.Ready(0, s) || s.Mask != inner {
			panic("simtrun bug: lanes that have diverged in compiled code are not a split")
		}
	}
	p.Mask, p.Stop, e.at.Split = s.Mask, s.Stop, s.Mask
	e.pathStop = s.Stop
}
