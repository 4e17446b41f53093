package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// A call passes .param variables, byte by byte for each lane, or registers. An
// activation has variables of its own: arguments are copied to the callee's
// parameters, and results back.

// maxDepth is the largest number of open calls in a lane.
const maxDepth = 1 << 14

// activation makes a frame for function n, called by the running split. Its lanes continue at ret.
func (e *Engine) activation(n, ret int) (divergence.FrameID, error) {
	w, f, caller, frames := e.warp, e.p.Funcs[n], e.window, e.warp.Control.Frames()
	calls := frames.At(e.split.Frame).Depth + 1
	local, params := e.localTop(), caller.ParamsAbove+uint64(e.fn.FrameBytes)
	if !e.fitsCall(calls, local, params, f.LocalBytes, f.FrameBytes) {
		if calls > maxDepth {
			return 0, violated(RuleCallDepth, "call stack overflow: %d calls are open; a lane may have %d", calls, maxDepth)
		}
		return 0, violated(RuleCallDepth, "call stack overflow: %d calls are open, with %d bytes of local memory and %d of parameters; %s takes %d and %d more, of the %d bytes that a thread has",
			calls, local, params, cxx.Short(f.Src.Name), f.LocalBytes, f.FrameBytes, e.m.cfg.GPU.Limits.Local)
	}
	cost := w.LocalGrowth(int(local) + int(f.LocalBytes))
	if !frames.Spare(n) {
		cost += frameCost(f)
	}
	if err := e.takeStack(calls, cost); err != nil {
		return 0, err
	}
	id := frames.Add(n, f.Graph, e.split.Frame, ret)
	win := w.Window(id, f)
	if win.ParamsAbove = params; win.Late { // of the activation that used the frame before
		w.Renew(win)
	}
	enter(f, w, id, local)
	return id, nil
}

// frameCost returns how many bytes of host memory an activation of f takes.
func frameCost(f *program.Func) int64 {
	const beside = 256 // the frame itself
	return int64(f.Layout.Bytes()) + f.FrameBytes*lanes.Width + beside
}

// enter prepares a frame for a new activation of f, with local variables that start at local.
func enter(f *program.Func, w *warp.State, id divergence.FrameID, local uint64) {
	win := w.Windows[id]
	w.Enter(win.File, f.Layout, f.LiveIn, f.Src.Regs)
	enterMemory(f, w, win, local)
}

// enterMemory is enter without the registers that warp.State.Enter prepares.
func enterMemory(f *program.Func, w *warp.State, win *warp.Window, local uint64) {
	clear(win.Params)
	if f.Layout.Stack != 0 {
		warp.SetUniform(win.File, f.Layout.Stack, local+uint64(f.LocalBytes), true)
	}
	if win.Local != local {
		win.Local = local
		for _, s := range f.LocalSlots {
			warp.SetUniform(win.File, s.Off, local+s.At, s.Wide)
		}
	}
	w.GrowLocal(int(local) + int(f.LocalBytes))
}

// call executes the call at pc for the lanes of m. The others of the path wait for them, except while a function that
// no module defines is executed.
func (e *Engine) call(pc int, m lanes.Mask) (why Stop, err error) {
	op, site := &e.fn.Ops[pc], e.fn.Info[pc].Call
	if site.Served != nil {
		e.serve(&systemCall{e.window, site, pc, m})
		e.notifyCalled(pc, m)
		return Executed, nil
	}
	if site.External != "" {
		e.SystemCalls++
		call := systemCall{e.window, site, pc, m}
		if e.journal != nil && externals[site.External] != nil {
			e.deferCall(&call)
			return Executed, nil
		}
		if e.watcher != nil || e.isolated {
			return Changed, errWatched
		}
		if err := e.callExternal(&call); err != nil {
			return Changed, err
		}
		e.notifyCalled(pc, m)
		return Executed, nil
	}
	e.activations = e.activations[:0]
	for rest := m; rest != 0; {
		n, group := site.Callee, rest
		if n < 0 {
			addr := e.codeAddr(op, site, firstLane(rest))
			for lane := range lanes.Width {
				if group>>lane&1 != 0 && e.codeAddr(op, site, lane) != addr {
					group &^= 1 << lane
				}
			}
			if n, err = e.calleeAt(addr, site); err != nil {
				return Changed, e.fault(pc, group, err)
			}
		}
		rest &^= group
		id, err := e.activation(n, pc+1)
		if err != nil {
			return Changed, e.fault(pc, group, err)
		}
		e.notifyEntered(e.warp.Windows[id], group)
		for i := range site.Args {
			e.pass(e.window, &site.Args[i], e.warp.Windows[id], &e.p.Funcs[n].Formals[i], group)
		}
		e.activations = append(e.activations, divergence.Activation{Frame: id, Mask: group})
	}
	e.warp.Control.Call(e.split.ID, e.activations, e.path.Mask&^m, pc+1)
	return Changed, nil
}

// codeAddr returns the address of the function that a lane calls indirectly.
func (e *Engine) codeAddr(op *lanes.Op, site *program.CallSite, lane int) uint64 {
	if site.Wide {
		return lanes.Reg[uint64](e.path.File, op.A)[lane]
	}
	return uint64(lanes.Reg[uint32](e.path.File, op.A)[lane])
}

// calleeAt returns the number of the function at an address. Its parameters must match those of the call.
func (e *Engine) calleeAt(addr uint64, site *program.CallSite) (int, error) {
	fn := e.m.FuncAt(addr)
	if fn == nil {
		return 0, violated(RuleCallTarget, "indirect call: 0x%x is not the address of a function", addr)
	}
	n, ok := e.p.Number(fn.Name)
	if !ok || fn.Entry {
		return 0, violated(RuleCallTarget, "indirect call of %s, which cannot be called", cxx.Short(fn.Name))
	}
	if msg := e.p.Funcs[n].Mismatch(site); msg != "" {
		return 0, violated(RuleCallTarget, "indirect call of %s: %s", cxx.Short(fn.Name), msg)
	}
	return n, nil
}

// returnFrom executes a return at pc for the lanes of m. It copies results to the places that the call names.
func (e *Engine) returnFrom(pc int, m lanes.Mask) (Stop, error) {
	frames := e.warp.Control.Frames()
	fr := frames.At(e.split.Frame)
	caller := e.p.Funcs[frames.At(fr.Parent).Func]
	site := caller.Info[fr.Ret-1].Call
	for i := range site.Rets {
		e.pass(e.window, &e.fn.Results[i], e.warp.Windows[fr.Parent], &site.Rets[i], m)
	}
	e.warp.Control.Return(e.split.ID, m, pc+1)
	return Changed, nil
}

// pass copies an argument or a result between the running activation and another.
func (e *Engine) pass(from *warp.Window, a *program.Location, to *warp.Window, b *program.Location, m lanes.Mask) {
	CopyValue(from, a, to, b, m)
	for _, o := range e.observers.value {
		o.Passed(&e.at, from, a, to, b, m)
	}
}
