package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/warp"
)

// slow executes an instruction of kind program.Slow, which needs more than a call of its lane function.
func (e *Engine) slow(pc int, m lanes.Mask) {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	if in.Clock {
		e.ClockReads++
		e.readClocks()
	}
	if in.Divides {
		e.checkDivisor(pc, m)
	}
	op.Fn(e.path.File, op, m)
}

// readClocks sets the clock registers of the activation.
func (e *Engine) readClocks() {
	cycle, ns := e.time(e.steps())
	for s := isa.Clock; s.IsClock(); s++ {
		warp.SetSpecial(e.path.File, e.fn.Layout, s, clockValue(s, cycle, ns))
	}
}

// time returns the cycle and the nanoseconds that clock registers show. A launch without a clock has no time: the
// registers count its warp instructions, including the uncounted ones that are not in Stats yet.
func (e *Engine) time(uncounted uint64) (cycle, nanoseconds uint64) {
	if e.Clock != nil {
		return e.Clock.Now()
	}
	n := e.Stats.WarpInstrs + uncounted
	return n, n
}

// clockValue returns the value of a clock register.
func clockValue(s isa.Special, cycle, nanoseconds uint64) uint64 {
	switch s {
	case isa.Clock:
		return uint64(uint32(cycle))
	case isa.Clock64:
		return cycle
	case isa.ClockHi:
		return cycle >> 32
	case isa.GlobalTimerHi:
		return nanoseconds >> 32
	case isa.GlobalTimerLo:
		return uint64(uint32(nanoseconds))
	}
	return nanoseconds
}
