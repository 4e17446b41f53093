package interp

import (
	"github.com/simtrun/simtrun/internal/lanes"
)

// localTop returns where the local variables of a function called by the split can start: above those of the caller,
// and above the stack that any lane has allocated.
func (e *Engine) localTop() uint64 {
	top := e.window.Local + uint64(e.fn.LocalBytes)
	if e.fn.Layout.Stack == 0 {
		return top
	}
	for _, pointer := range lanes.Reg[uint64](e.path.File, e.fn.Layout.Stack) {
		top = max(top, pointer)
	}
	align := uint64(e.fn.LocalAlign)
	return (top + align - 1) &^ (align - 1)
}

// alloca executes the alloca at pc: it grows local memory before lanes allocate from it.
func (e *Engine) alloca(pc int, m lanes.Mask) (Stop, error) {
	op, file := &e.fn.Ops[pc], e.path.File
	pointers, limit, top := lanes.Reg[uint64](file, op.E), uint64(e.m.cfg.GPU.Limits.Local), uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := firstLane(rest)
		bytes := e.allocaBytes(pc, lane)
		start, end := op.StackTop(pointers[lane], bytes)
		if start > limit || bytes > limit-start {
			return Changed, e.fault(pc, 1<<lane, violated(RuleCallDepth, "stack overflow: %d bytes more, with %d bytes of local memory in use; a thread has %d", bytes, pointers[lane], limit))
		}
		top = max(top, end)
	}
	if err := e.takeStack(e.warp.Control.Frames().At(e.split.Frame).Depth, e.warp.LocalGrowth(int(top))); err != nil {
		return Changed, e.fault(pc, m, err)
	}
	e.warp.GrowLocal(int(top))
	op.Fn(file, op, m)
	return Executed, nil
}

// allocaBytes returns how many bytes a lane allocates.
func (e *Engine) allocaBytes(pc, lane int) uint64 {
	op := &e.fn.Ops[pc]
	if e.fn.Src.Code[pc].Types[0].Bits() > 32 {
		return lanes.Reg[uint64](e.path.File, op.A)[lane]
	}
	return uint64(lanes.Reg[uint32](e.path.File, op.A)[lane])
}
