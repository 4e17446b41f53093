package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// shuffleCode is shfl, as in lanes.shfl, if all lanes of the warp take part.
func shuffleCode(v *Variant) *jit.Template {
	mode := v.Mods[ShflMode]
	return &jit.Template{Across: true, Body: func(e *jit.Emit, o *jit.Operands) {
		lane, segment, high, from, there := e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(32), e.Temp(1)
		e.LaneNumbers(lane)
		e.ShiftRightBy(segment, o.C, 8, false)
		e.AndConst(segment, segment, 31)
		e.AndConst(high, o.C, 31)
		e.AndNot(high, segment, high)
		e.And(from, lane, segment) // the lowest lane of the segment
		e.Or(high, high, from)
		by := there // free until it is assigned below
		e.AndConst(by, o.B, 31)
		switch mode {
		case ShflUp:
			e.Sub(from, lane, by)
		case ShflDown:
			e.Add(from, lane, by)
		case ShflBfly:
			e.Xor(from, lane, by)
		case ShflIdx:
			e.AndNot(by, segment, by)
			e.Or(from, from, by)
		}
		if mode == ShflUp {
			e.Compare(there, from, high, lanes.Ge, true)
		} else {
			e.Compare(there, from, high, lanes.Le, true)
		}
		e.AndConst(from, from, 31) // any valid lane, where there is none
		e.OfLanes(o.D, o, from)
		e.Select(o.D, there, o.D, o.A)
		if o.Masked {
			e.NoteAbsent(there, from)
		}
		if o.D2.Bits != 0 {
			e.Move(o.D2, there)
		}
	}}
}
