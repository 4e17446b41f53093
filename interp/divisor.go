package interp

import "github.com/simtrun/simtrun/internal/lanes"

// checkDivisor warns of lanes that divide an integer by zero: "division by zero
// yields an unspecified, machine-specific value" (PTX ISA, div).
func (e *Engine) checkDivisor(pc int, m lanes.Mask) {
	op, zero := &e.fn.Ops[pc], lanes.Mask(0)
	if e.fn.Src.Code[pc].Types[0].Bits() > 32 {
		zero = zeroLanes(lanes.Reg[uint64](e.path.File, op.B))
	} else {
		zero = zeroLanes(lanes.Reg[uint32](e.path.File, op.B))
	}
	if zero &= m; zero == 0 {
		return
	}
	e.warn(pc, zero, RuleDivZero, "integer division by zero: the result has all bits set here, and is unspecified by PTX",
		func() []Involved { return []Involved{involved(Affects, e.where(zero))} })
}

// zeroLanes returns the lanes in which r is 0.
func zeroLanes[S lanes.Bits](r *[lanes.Width]S) (m lanes.Mask) {
	for lane, v := range r {
		if v == 0 {
			m |= 1 << lane
		}
	}
	return m
}
