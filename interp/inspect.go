package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Warp is a warp of a CTA that resides, to be looked at, and changed, between
// instructions. It is valid until its launch goes on.
type Warp struct {
	x *executor
	c *cta
	w *warp.State
}

// Warps are the warps of the CTAs that reside, in order.
func (s *Session) Warps() []Warp {
	var all []Warp
	for i, c := range s.resident {
		if i >= s.kept && i < s.pass { // done, or moved up
			continue
		}
		for _, w := range c.warps {
			all = append(all, Warp{s.x, c, w})
		}
	}
	return all
}

// CTA is the place of the warp's CTA in the grid.
func (w Warp) CTA() isa.Dim { return w.c.at }

// Slot is that of the warp's CTA, as Place has it.
func (w Warp) Slot() int { return w.c.slot }

// ID is the warp's number in its CTA.
func (w Warp) ID() int { return w.w.ID }

// Threads are the lanes that the warp started with.
func (w Warp) Threads() lanes.Mask { return w.w.Threads }

// Control is the warp's control state: its splits, and which lanes live. It must
// not be changed.
func (w Warp) Control() divergence.Warp { return w.w.Control }

// Executed is how many instructions the warp has executed.
func (w Warp) Executed() uint64 { return w.w.Steps }

// Func is the function that an activation runs.
func (w Warp) Func(fr *divergence.Frame) *isa.Func { return w.x.p.Funcs[fr.Func].Src }

// Active is the lanes of a split for which the guard of its instruction holds.
func (w Warp) Active(s *divergence.Split) lanes.Mask {
	return w.x.p.Funcs[s.Frame.Func].Ops[s.PC].Active(s.Frame.File, s.Mask)
}

// Reg is a register of an activation in all lanes: its bits, or 0 and 1 of a
// predicate.
func (w Warp) Reg(fr *divergence.Frame, id isa.RegID) (values [lanes.Width]uint64) {
	f := w.x.p.Funcs[fr.Func]
	off, t := f.Layout.Reg(id), f.Src.Regs[id].Type
	for lane := range values {
		switch {
		case t == isa.Pred:
			values[lane] = uint64(*lanes.Pred(fr.File, off) >> lane & 1)
		case t.Bits() > 32:
			values[lane] = lanes.Reg[uint64](fr.File, off)[lane]
		default:
			values[lane] = uint64(lanes.Reg[uint32](fr.File, off)[lane])
		}
	}
	return values
}

// Touched tells that somebody has changed memory or registers from outside: what
// the launch did before says nothing of what it will do. Without a launch, for the
// zero Warp, it does nothing.
func (w Warp) Touched() {
	if w.x == nil {
		return
	}
	w.x.quiet = false
	w.x.spin.noteChange()
}

// SetReg sets a register of an activation in the lanes of m. What does not fit
// is cut off.
func (w Warp) SetReg(fr *divergence.Frame, id isa.RegID, m lanes.Mask, value uint64) {
	w.Touched()
	f := w.x.p.Funcs[fr.Func]
	off, t := f.Layout.Reg(id), f.Src.Regs[id].Type
	value &= 1<<t.Bits() - 1
	for ; m != 0; m &= m - 1 {
		switch lane := firstLane(m); {
		case t == isa.Pred:
			p := lanes.Pred(fr.File, off)
			*p = *p&^(1<<lane) | lanes.Mask(value&1)<<lane
		case t.Bits() > 32:
			lanes.Reg[uint64](fr.File, off)[lane] = value
		default:
			lanes.Reg[uint32](fr.File, off)[lane] = uint32(value)
		}
	}
}

// Special is a special register in all lanes. A clock is what an instruction
// would read now.
func (w Warp) Special(s isa.Special) [lanes.Width]uint64 {
	if !s.IsClock() {
		return w.w.Special(s)
	}
	now := w.x.stats.WarpInstrs
	switch {
	case s == isa.ClockHi || s == isa.GlobalTimerHi:
		now >>= 32
	case s.Type().Bits() <= 32:
		now = uint64(uint32(now))
	}
	var values [lanes.Width]uint64
	for lane := range values {
		values[lane] = now
	}
	return values
}

// Shared is the shared memory of the warp's CTA.
func (w Warp) Shared() *memory.Region { return &w.c.shared }

// Local is the local memory of one lane.
func (w Warp) Local(lane int) []byte {
	per := len(w.w.Local) / lanes.Width
	return w.w.Local[lane*per:][:per]
}

// Waiting is what parked lanes of a warp wait for.
type Waiting struct {
	Lanes   lanes.Mask
	Frame   int        // number of the function that they are in
	PC      int        // of the instruction
	Barrier int        // of the CTA, or -1
	Missing lanes.Mask // those of the warp that are to come, if it is no barrier
}

// Waiting lists what lanes of the warp wait for.
func (w Warp) Waiting() []Waiting {
	var all []Waiting
	for id := range w.c.barriers {
		for _, p := range w.c.barriers[id].at(w.x, w.w) {
			all = append(all, Waiting{Lanes: p.mask, Frame: p.fn.Number, PC: p.pc, Barrier: id})
		}
	}
	for _, mt := range w.c.meetings[w.w.ID] {
		for _, p := range mt.parts {
			all = append(all, Waiting{Lanes: p.mask, Frame: p.fn.Number, PC: p.pc, Barrier: -1,
				Missing: mt.members & w.w.Control.Live() &^ mt.came})
		}
	}
	return all
}

// once is a Stepper that lets one instruction pass.
type once struct{ passed bool }

func (o *once) Step(Warp, divergence.Split) bool {
	halt := o.passed
	o.passed = true
	return halt
}

// Step executes one instruction of a warp, out of turn, and nothing else. It is
// false if no lane of the warp can run. Errors are those of Continue, and end
// the launch.
func (s *Session) Step(w Warp) (ok bool, err error) {
	if !w.w.Control.Next(&s.x.split) || s.done {
		return false, s.err
	}
	x, steppers, singly := s.x, s.x.observers.steppers, s.x.singly
	x.observers.steppers, x.singly, x.quiet = []Stepper{&once{}}, true, false
	err = x.turnOfWarp(w.c, w.w)
	x.observers.steppers, x.singly = steppers, singly
	if err != nil && err != errHalted {
		s.done, s.err = true, err
		return true, err
	}
	return true, nil
}

// Region is the region of global or constant memory that an address is in, or
// nil.
func (m *Machine) Region(addr uint64) *memory.Region { return m.global.At(addr) }
