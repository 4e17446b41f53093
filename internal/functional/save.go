package functional

import (
	"slices"

	"github.com/simtrun/simtrun/interp"
)

// State is a copy of a Session, and of its machine's memory, between two instructions.
type State struct {
	machine interp.MachineState
	engine  interp.EngineState
	ctas    []savedCTA // by slot, including those that have ended, because their registers can be inspected
	session Session    // its scalar fields
	// CTAs by slot: those in session.resident and session.free.
	resident, free []int
	regs, params   []byte // of the detector's mark
}

// savedCTA is a copy of a CTA, and of its schedule.
type savedCTA struct {
	*interp.CTA
	slice ctaSlice
	warps []schedule
	stuck bool
}

// Save copies the session into to. It fails when the host's memory does not suffice.
func (s *Session) Save(to *State) error {
	for len(to.ctas) < len(s.made) {
		c, err := s.grid.NewCopy()
		if err != nil {
			return err
		}
		to.ctas = append(to.ctas, savedCTA{CTA: c})
	}
	to.ctas = to.ctas[:len(s.made)]
	for slot := range to.ctas {
		c, r := &to.ctas[slot], s.made[slot]
		r.CTA.CopyTo(c.CTA)
		c.slice, c.warps, c.stuck = r.slice, append(c.warps[:0], r.warps...), r.stuck
	}
	s.grid.Machine().Save(&to.machine)
	s.engine.Save(&to.engine)
	to.session = *s
	to.resident, to.free = slots(to.resident, s.resident), slots(to.free, s.free)
	to.regs = append(to.regs[:0], s.detector.mark.regs...)
	to.params = append(to.params[:0], s.detector.mark.params...)
	return nil
}

// Restore restores the session to its state when it, not another one, was saved. It keeps its present observers.
func (s *Session) Restore(from *State) {
	s.grid.Machine().Restore(&from.machine)
	s.engine.Restore(&from.engine)
	is := from.session
	s.grid.Drop(len(s.made) - len(from.ctas))
	is.made, is.steppers, is.single, is.effect = s.made[:len(from.ctas)], s.steppers, s.single, s.effect
	is.resident, is.free = s.resident[:0], s.free[:0]
	is.turns.fresh, is.order = nil, inOrder{}
	is.detector.plain, is.detector.all, is.detector.made = s.detector.plain, s.detector.all, s.detector.made
	is.detector.mark.regs, is.detector.mark.params = slices.Clone(from.regs), slices.Clone(from.params)
	*s = is
	for _, slot := range from.resident {
		s.resident = append(s.resident, s.made[slot])
	}
	for _, slot := range from.free {
		s.free = append(s.free, s.made[slot])
	}
	for slot := range from.ctas {
		c, r := &from.ctas[slot], s.made[slot]
		c.CTA.CopyTo(r.CTA)
		r.slice, r.stuck = c.slice, c.stuck
		copy(r.warps, c.warps)
	}
	s.engine.Yield(s.contention)
	s.detector.reattach()
}

// slots returns the slots of CTAs.
func slots(to []int, of []*resident) []int {
	to = to[:0]
	for _, r := range of {
		to = append(to, r.Slot)
	}
	return to
}
