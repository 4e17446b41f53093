package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// A handler executes the instruction at pc for the lanes m of the engine's path, whose PC is already that of the next
// instruction. If all lanes of the path continue at one PC, it returns Executed or, after setting the path's PC,
// Branched. Any other Stop ends Engine.Run.
type handler func(e *Engine, pc int, m lanes.Mask) (Stop, error)

// handling says how instructions of one kind are executed.
type handling struct {
	execute handler
	empty   bool // called even if the guard holds in no lane
	limited bool // not executed once the step limit is reached: it may take long, or return so that others run
}

// handlers has the kinds of instructions that may change which lanes run, or that concern more than the lanes
// themselves. lanes.Path.Exec executes the kinds that it knows, Engine.access those with a lanes.MemFunc, and
// Engine.follow barriers.
var handlers [program.NumKinds]handling

func init() { // not an initialiser, because handlers refer to this table
	for kind, h := range map[isa.Kind]handling{
		lanes.Jump:          {execute: (*Engine).branch, empty: true},
		isa.Branch:          {execute: (*Engine).branch, empty: true},
		program.Slow:        {execute: always((*Engine).slow)},
		isa.Shuffle:         {execute: mayWait((*Engine).collective)},
		isa.Vote:            {execute: mayWait((*Engine).collective)},
		program.WarpBarrier: {execute: mayWait((*Engine).collective)},
		isa.Matrix:          {execute: mayWait((*Engine).wholeWarp)},
		isa.Load:            {execute: mayWait((*Engine).wholeWarp)}, // accesses of single lanes have a lanes.MemFunc
		isa.Store:           {execute: mayWait((*Engine).wholeWarp)},
		isa.Fence:           {execute: always((*Engine).fence)},
		isa.CopyGroup:       {execute: always((*Engine).groupCopies)},
		isa.Alloca:          {execute: (*Engine).alloca},
		isa.QueryKind:       {execute: mayFail((*Engine).query)},
		isa.Trap:            {execute: (*Engine).trap},
		isa.TensorMemory:    {execute: (*Engine).tensorMemory, limited: true},
		isa.Warpgroup:       {execute: (*Engine).groupOfWarps, limited: true},
		isa.CancelLaunch:    {execute: mayFail((*Engine).cancelLaunch), limited: true},
		isa.Clear:           {execute: mayFail((*Engine).clear)},
		isa.ClusterBarrier:  {execute: (*Engine).atCluster, limited: true},
		isa.CallKind:        {execute: (*Engine).call, limited: true},
		isa.Return:          {execute: (*Engine).returnFrom, limited: true},
		isa.Exit:            {execute: (*Engine).exit, limited: true},
	} {
		handlers[kind] = h
	}
}

// always makes a handler of a function that cannot fail or wait.
func always(f func(e *Engine, pc int, m lanes.Mask)) handler {
	return func(e *Engine, pc int, m lanes.Mask) (Stop, error) {
		f(e, pc, m)
		return Executed, nil
	}
}

// mayFail makes a handler of a function that can fail but not wait.
func mayFail(f func(e *Engine, pc int, m lanes.Mask) error) handler {
	return func(e *Engine, pc int, m lanes.Mask) (Stop, error) {
		if err := f(e, pc, m); err != nil {
			return Changed, err
		}
		return Executed, nil
	}
}

// mayWait makes a handler of a function that may wait for other lanes of the warp.
func mayWait(f func(e *Engine, pc int, m lanes.Mask) (waits bool, err error)) handler {
	return func(e *Engine, pc int, m lanes.Mask) (Stop, error) {
		if waits, err := f(e, pc, m); waits || err != nil {
			return AtRendezvous, err
		}
		return Executed, nil
	}
}

// dispatch executes the instruction at pc, which neither Exec nor access executes, for the lanes m of the path.
func (e *Engine) dispatch(pc int, m lanes.Mask) (Stop, error) {
	h := &handlers[e.path.Ops[pc].Kind]
	switch {
	case m == 0 && !h.empty:
		return Executed, nil
	case h.limited && e.path.Steps > e.m.cfg.MaxSteps:
		e.warp.Control.Advance(e.split.ID, pc)
		return StepLimit, nil
	}
	return h.execute(e, pc, m)
}

// fence executes a fence: all accesses are in order anyway.
func (e *Engine) fence(pc int, m lanes.Mask) {
	e.cta.nextInterval()
	e.acquired = e.acquired || e.fn.Info[pc].Acquires
	if len(e.observers.sync) > 0 {
		e.notifyFenced(pc, m)
	}
}

// groupCopies executes an instruction about groups of asynchronous copies, which have all taken effect already.
func (e *Engine) groupCopies(pc int, m lanes.Mask) {
	if len(e.observers.copy) > 0 {
		e.notifyGrouped(pc, m)
	}
}

// trap ends the launch.
func (e *Engine) trap(pc int, m lanes.Mask) (Stop, error) {
	return Changed, e.fault(pc, m, violated(RuleTrap, "%s", e.trapText()))
}

// groupOfWarps executes an instruction of a warpgroup. One that changes the registers of warps has no effect without
// a pool.
func (e *Engine) groupOfWarps(pc int, m lanes.Mask) (Stop, error) {
	if e.cta.pool == nil && e.fn.Warpgroups[pc].Registers > 0 {
		return Executed, nil
	}
	return e.wholeWarpOrBarrier(pc, m)
}
