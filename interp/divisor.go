package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// checkDivisor warns of lanes that divide an integer by zero: "division by zero
// yields an unspecified, machine-specific value" (PTX ISA, div).
func (e *Engine) checkDivisor(pc int, m lanes.Mask) {
	zero := zeroDivisors(&e.fn.Src.Code[pc], &e.fn.Ops[pc], e.path.File)
	if zero &= m; zero == 0 {
		return
	}
	e.warn(pc, zero, RuleDivZero, "integer division by zero: the result has all bits set here, and is unspecified by PTX",
		func() []Involved { return []Involved{involved(Affects, e.where(zero))} })
}

// zeroDivisors returns the lanes in which a division, by its instruction and its operation, has the divisor 0.
func zeroDivisors(in *isa.Instr, op *lanes.Op, file *lanes.File) lanes.Mask {
	if in.Types[0].Bits() > 32 {
		return zeroLanes(lanes.Reg[uint64](file, op.B))
	}
	return zeroLanes(lanes.Reg[uint32](file, op.B))
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
