package interp

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// slow executes an instruction that takes more than a call of its lane function:
// one of kind program.Slow.
func (x *executor) slow(c *cta, w *warp.State, pc int, m lanes.Mask) {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	if in.Clock {
		x.spin.mark.clock = true
		x.readClocks(w)
	}
	if in.Divides {
		x.checkDivisor(c, w, pc, m)
	}
	op.Fn(x.file, op, m)
}

// readClocks sets the clocks of the running function. There is no time here, so
// they count what goes forward all the same: the launch's warp instructions.
func (x *executor) readClocks(w *warp.State) {
	now, l := x.stats.WarpInstrs+w.Steps-x.counted, x.fn.Layout
	for _, s := range [...]isa.Special{isa.Clock, isa.Clock64, isa.GlobalTimer, isa.GlobalTimerLo} {
		warp.SetSpecial(x.file, l, s, now)
	}
	for _, s := range [...]isa.Special{isa.ClockHi, isa.GlobalTimerHi} {
		warp.SetSpecial(x.file, l, s, now>>32)
	}
}

// checkDivisor warns of lanes that divide an integer by zero, which has a result,
// but none that the PTX ISA would stand by ("division by zero yields an
// unspecified, machine-specific value").
func (x *executor) checkDivisor(c *cta, w *warp.State, pc int, m lanes.Mask) {
	op, zero := &x.fn.Ops[pc], lanes.Mask(0)
	if x.fn.Src.Code[pc].Types[0].Bits() > 32 {
		zero = zeroLanes(lanes.Reg[uint64](x.file, op.B))
	} else {
		zero = zeroLanes(lanes.Reg[uint32](x.file, op.B))
	}
	if zero &= m; zero == 0 {
		return
	}
	x.warn(c, w, pc, zero, RuleDivZero, "integer division by zero: the result has all bits set here, and is unspecified by PTX",
		func() []Involved { return []Involved{involved(Affects, Where{c.at, w.ID, zero})} })
}

// zeroLanes is the lanes that hold 0.
func zeroLanes[S lanes.Bits](r *[lanes.Width]S) (m lanes.Mask) {
	for lane, v := range r {
		if v == 0 {
			m |= 1 << lane
		}
	}
	return m
}
