package simtrun

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Step is a warp about to execute an instruction. It is valid only during the call.
type Step struct {
	w     interp.Warp
	split divergence.Split
	fn    *isa.Func
}

// stepper passes steps to a function.
type stepper struct {
	step func(*Step) bool
	s    Step
}

// Step implements interp.Stepper.
func (st *stepper) Step(w interp.Warp, split divergence.Split) (halt bool) {
	st.s = Step{w, split, w.Func(split.Frame)}
	if split.PC >= len(st.s.fn.Code) { // the end of the code, which ends the lanes
		return false
	}
	return !st.step(&st.s)
}

// CTA returns the index of the warp's CTA in the grid.
func (s *Step) CTA() Dim { return Dim(s.w.CTA()) }

// Warp returns the warp's index in its CTA.
func (s *Step) Warp() int { return s.w.ID() }

// Func returns the name of the executing function.
func (s *Step) Func() string { return s.fn.Name }

// PC returns the index of the instruction in the function.
func (s *Step) PC() int { return s.split.PC }

// Line returns the instruction's line in its source file.
func (s *Step) Line() int { return int(s.fn.Code[s.split.PC].Pos.Line) }

// Text returns the text of the instruction.
func (s *Step) Text() string { return s.fn.Text(s.split.PC) }

// Active returns the active mask, before the guard.
func (s *Step) Active() Mask { return Mask(s.split.Mask) }

// Executing returns the active lanes for which the instruction's guard holds.
func (s *Step) Executing() Mask { return Mask(s.w.Active(&s.split)) }

// Live returns the lanes of the warp that have not exited.
func (s *Step) Live() Mask { return Mask(s.w.Control().Live()) }

// Reg returns the value of a register in all lanes; a predicate is 0 or 1. ok is false if the function has no
// register of that name.
func (s *Step) Reg(name string) (values [Width]uint64, ok bool) {
	id := slices.IndexFunc(s.fn.Regs, func(r isa.Reg) bool { return r.Name == name })
	if id < 0 {
		return values, false
	}
	return s.w.Reg(s.split.Frame, isa.RegID(id)), true
}

// Shared returns the shared memory of the warp's CTA.
func (s *Step) Shared() []byte { return s.w.Shared().Data }
