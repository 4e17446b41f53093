package interp

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// Compiled code has the instructions of small functions in the place of their calls (program.Expansion). The control
// state does not see these calls; all else is as if the engine had executed them, except that their frames take no
// memory.

// makeHints makes the hints of all functions: one for each instruction, and one for each of inlined functions.
func (e *Engine) makeHints() {
	e.native.copies = make([][]hintCopies, len(e.p.Funcs))
	for i, f := range e.p.Funcs {
		n := &e.native.funcs[i]
		n.instrs = len(f.Ops)
		size := n.instrs
		if x := f.Expansion; x != nil {
			size = x.Hints()
			for k := range x.Calls {
				c := &x.Calls[k]
				if c.Callee >= 0 {
					e.native.copies[c.Callee] = append(e.native.copies[c.Callee], hintCopies{i, x.Hint(c.PC + 1)})
				}
			}
		}
		n.hints = make([]jit.Hint, size)
	}
	for i, f := range e.p.Funcs {
		for pc, r := range e.hints[i] {
			if r != nil {
				e.setNativeHint(f, pc, e.hintAt(f, pc, r))
			}
		}
	}
}

// setNativeHint sets the hint of the access at pc of f, and of its copies where f is inlined.
func (e *Engine) setNativeHint(f *program.Func, pc int, h jit.Hint) {
	e.native.funcs[f.Number].hints[pc] = h
	for _, c := range e.native.copies[f.Number] {
		e.native.funcs[c.fn].hints[c.first+pc] = h
	}
}

// hintCopies are the hints of an inlined function in the code of another: its number, and the index of the first.
type hintCopies struct{ fn, first int }

// hintedBy returns the function and the PC of the access with a hint of n, which is of the site's function.
func (e *Engine) hintedBy(n *compiledFunc, hint int) (f *program.Func, pc int) {
	if x := n.Expansion(); x != nil {
		if callee, pc, ok := x.CalleeAt(hint); ok {
			return e.p.Funcs[callee], pc
		}
	}
	return e.fn, hint
}

// mayInline reports whether code may execute calls of n, the site's function: one more fits the call stack.
func (e *Engine) mayInline(n *compiledFunc) bool {
	x := n.Expansion()
	if x == nil {
		return true
	}
	depth := e.warp.Control.Frames().At(e.split.Frame).Depth
	return e.fitsCall(depth+1, e.localTop(), e.window.ParamsAbove+uint64(e.fn.FrameBytes), 0, x.MostParams)
}

// kernelMayInline is mayInline for the kernel.
func (e *Engine) kernelMayInline() bool {
	k := e.p.Kernel()
	return k.Expansion == nil || e.fitsCall(1, uint64(k.LocalBytes), uint64(k.FrameBytes), 0, k.Expansion.MostParams)
}

// fitsCall reports whether a call fits the call stack of a lane, as one of a number of open calls. local and params are
// the bytes of local memory and of .param variables of its callers, ownLocal and ownParams those of the function.
func (e *Engine) fitsCall(calls int, local, params uint64, ownLocal, ownParams int64) bool {
	most := uint64(e.m.cfg.GPU.Limits.Local)
	return calls <= maxDepth && local <= most && local+uint64(ownLocal)+params+uint64(ownParams) <= most
}

// leaveExpansion continues after code with inlined calls has exited: it counts the instructions up to there, and stores
// the arguments and results of calls.
func (e *Engine) leaveExpansion(x *native.Exit) {
	ctx := e.native.ctx
	if ctx.Called != 0 && ctx.Diverged == 0 {
		e.split.ID = e.warp.Control.Called(e.split.ID)
	}
	e.path.Steps += uint64(x.Uncounted)
	for i := range x.Passed {
		e.storePassed(&x.Passed[i], e.path.Mask)
	}
}

// storePassed stores a value of a .param variable that code has in a register.
func (e *Engine) storePassed(v *program.PassedValue, m lanes.Mask) {
	to := program.Location{At: v.At, Size: int64(v.Bytes)}
	from := program.Location{Slot: v.Slot, InReg: true, Size: int64(v.Bytes), Wide: v.Bytes > 4}
	CopyValue(e.window, &from, e.window, &to, m)
}
