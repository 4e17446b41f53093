package view

import (
	"errors"
	"slices"

	"github.com/simtrun/simtrun/internal/sm"
)

// sm returns the state of the SM of the warp in focus: the warps that can issue, and what the others wait for.
func (s *Session) sm(r *StateRequest) (*SM, error) {
	if s.program.Clock == nil {
		return nil, errors.New("the launches have no clock; the view of the SM needs one")
	}
	out := &SM{Schedulers: []Scheduler{}, Absent: true}
	w, ok := s.focused(r)
	if !ok {
		return out, nil
	}
	on, _ := s.d.ResidenceOf(w)
	if on == nil {
		return out, nil
	}
	out.Absent, out.SM, out.Blocks = false, on.ID, on.CTAs
	for i := range on.Schedulers {
		c := &on.Schedulers[i]
		one := Scheduler{Issued: c.Issued, Slots: c.Slots, Queued: c.Queued, Busy: s.d.BusyText(c.Busy), Warps: []SMWarp{}}
		for j := range c.Warps {
			one.Warps = append(one.Warps, s.smWarp(r.Launch, &c.Warps[j]))
		}
		out.Schedulers = append(out.Schedulers, one)
	}
	return out, nil
}

// smWarp describes a warp in its slot.
func (s *Session) smWarp(launch int, w *sm.Resident) SMWarp {
	number := s.d.NumberOf(w.Warp)
	out := SMWarp{Warp: number, Block: number / s.record.launches[launch].PerBlock, ID: w.Warp.ID(), Slot: w.Slot,
		Eligible: w.State == sm.Selected && w.Start <= s.d.Cycle(), State: w.State.String(), Text: s.d.StallText(w)}
	if fn := slices.Index(s.d.Functions(), w.Func); fn >= 0 && w.State != sm.Drain {
		next := s.placeAt(fn, w.PC)
		out.Next = &next
	}
	return out
}
