package simtrun

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Step is a warp about to execute an instruction. It is valid during the call
// that it is given to.
type Step struct {
	w     interp.Warp
	split divergence.Split
	fn    *isa.Func
}

// stepper hands steps to a function.
type stepper struct {
	step func(*Step) bool
	s    Step
}

// Step implements interp.Stepper.
func (st *stepper) Step(w interp.Warp, split divergence.Split) (halt bool) {
	st.s = Step{w, split, w.Func(split.Frame)}
	if split.PC >= len(st.s.fn.Code) { // the end of the text, which ends the lanes
		return false
	}
	return !st.step(&st.s)
}

// CTA is the place of the warp's CTA in the grid.
func (s *Step) CTA() Dim { return Dim(s.w.CTA()) }

// Warp is the warp's number in its CTA.
func (s *Step) Warp() int { return s.w.ID() }

// Func is the name of the function that runs.
func (s *Step) Func() string { return s.fn.Name }

// PC is the index of the instruction in the function.
func (s *Step) PC() int { return s.split.PC }

// Line is the instruction's line in its source file.
func (s *Step) Line() int { return int(s.fn.Code[s.split.PC].Pos.Line) }

// Text is the instruction.
func (s *Step) Text() string { return s.fn.Text(s.split.PC) }

// Active is the lanes on this path.
func (s *Step) Active() Mask { return Mask(s.split.Mask) }

// Executing is those of them for which the instruction's guard holds.
func (s *Step) Executing() Mask { return Mask(s.w.Active(&s.split)) }

// Live is the lanes of the warp that have not ended.
func (s *Step) Live() Mask { return Mask(s.w.Control().Live()) }

// Reg is a register in all lanes: its bits, or 0 and 1 of a predicate. It is
// false if the function has no register of that name.
func (s *Step) Reg(name string) (values [Width]uint64, ok bool) {
	id := slices.IndexFunc(s.fn.Regs, func(r isa.Reg) bool { return r.Name == name })
	if id < 0 {
		return values, false
	}
	return s.w.Reg(s.split.Frame, isa.RegID(id)), true
}

// Shared is the shared memory of the warp's CTA.
func (s *Step) Shared() []byte { return s.w.Shared().Data }
