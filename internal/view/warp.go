package view

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

const (
	mostRegisters = 16  // that one answer shows
	mostNames     = 512 // registers whose names an answer lists
)

// warp returns the state of the warp in focus.
func (s *Session) warp(r *StateRequest) (*Warp, error) {
	if len(r.Registers) > mostRegisters {
		return nil, fmt.Errorf("%d registers; a view shows at most %d", len(r.Registers), mostRegisters)
	}
	at, id := s.record.launches[r.Launch].blockAt(r.Warp)
	out := &Warp{Warp: r.Warp, ID: id, Block: dim(at), Model: s.program.Model, Splits: []Split{}, Meetings: []Meeting{}, Lanes: []Lanes{}, Registers: []Register{}, Names: []string{}}
	w, ok := s.focused(r)
	if !ok {
		out.Absent = true
		return out, nil
	}
	c := w.Control()
	out.Threads, out.Live, out.Waiting = uint32(w.Threads()), uint32(c.Live()), uint32(debugger.Parked(w))
	out.Lanes = lanesOf(func(lane int) string { return s.d.LaneState(w, lane) })
	for split := range c.Splits() {
		out.Splits = append(out.Splits, s.split(w, &split))
	}
	for _, m := range divergence.ReconvergencePoints(c) {
		out.Meetings = append(out.Meetings, Meeting{s.placeAt(w.Frame(m.Frame).Func, m.PC), uint32(m.Lanes), uint32(m.Arrived), m.Parent})
	}
	next, runs := debugger.Running(w)
	if !runs {
		if len(out.Splits) == 0 {
			return out, nil
		}
		for next = range c.Splits() {
			break // registers are shown as the lanes see them that wait
		}
	}
	fn := w.Func(next.Frame)
	if runs {
		place := s.placeAt(w.Frame(next.Frame).Func, next.PC)
		out.Next, out.Active, out.Guarded = &place, uint32(next.Mask), uint32(next.Mask)
		if next.PC < len(fn.Code) {
			out.Guarded = uint32(w.Active(&next))
		}
	}
	out.Names = namesOf(fn)
	out.Registers = s.registers(w, &next, r.Registers)
	return out, nil
}

// namesOf returns the names of a function's registers.
func namesOf(fn *isa.Func) []string {
	names := make([]string, 0, min(len(fn.Regs), mostNames))
	for i := range fn.Regs[:min(len(fn.Regs), mostNames)] {
		names = append(names, fn.Regs[i].Name)
	}
	return names
}

// registers returns the registers with some names, or those of the next instruction. Unknown names are left out: a
// callee has other registers.
func (s *Session) registers(w interp.Warp, at *divergence.Split, names []string) []Register {
	fn, all := w.Func(at.Frame), []Register{}
	var ids []isa.RegID
	for _, name := range names {
		if i := slices.IndexFunc(fn.Regs, func(r isa.Reg) bool { return r.Name == name }); i >= 0 {
			ids = append(ids, isa.RegID(i))
		}
	}
	if len(names) == 0 && at.PC < len(fn.Code) {
		for ref := range fn.Code[at.PC].Refs {
			if !slices.Contains(ids, ref.Reg) && len(ids) < mostRegisters {
				ids = append(ids, ref.Reg)
			}
		}
	}
	for _, id := range ids {
		typ, values := s.d.RegisterText(w, at.Frame, id)
		all = append(all, Register{fn.Regs[id].Name, typ, values[:]})
	}
	return all
}

// split describes a split of a warp.
func (s *Session) split(w interp.Warp, split *divergence.Split) Split {
	f := w.Frame(split.Frame)
	out := Split{Mask: uint32(split.Mask), At: s.placeAt(f.Func, split.PC), State: "masked", Calls: f.Depth}
	if f.Depth > 0 {
		out.Frame = cxx.Short(w.Func(split.Frame).Name)
	}
	now, runs := debugger.Running(w)
	switch {
	case split.Mask&debugger.Parked(w) != 0:
		out.State = "waiting"
	case s.d.AtReconvergence(w, split):
		out.State = "reconverging"
	case runs && split.Mask == now.Mask:
		out.State = "running"
	}
	if split.Stop != flow.None {
		stop := s.placeAt(f.Func, split.Stop)
		out.Stop = &stop
	}
	out.Side = s.side(w, split)
	return out
}

// side returns the side of the latest branch at which the lanes of a split and lanes that are elsewhere now have gone
// different ways; nil if there is none.
func (s *Session) side(w interp.Warp, split *divergence.Split) *Side {
	all := s.d.Branchings(w)
	elsewhere := w.Control().Live() &^ split.Mask
	for _, b := range slices.Backward(all) {
		own, other := -1, lanes.Mask(0)
		for i, g := range b.To {
			switch {
			case split.Mask&^g.Mask == 0:
				own = i
			case split.Mask&g.Mask == 0:
				other |= g.Mask
			}
		}
		if own < 0 || other&elsewhere == 0 {
			continue
		}
		out := &Side{Branch: s.placeAt(b.Func, b.PC), Side: "target", Mask: uint32(b.To[own].Mask), Other: uint32(other)}
		switch last := b.To[len(b.To)-1]; {
		case last.PC == b.PC+1 && own == len(b.To)-1:
			out.Side = "fall-through"
		case last.PC == b.PC+1 && len(b.To) == 2:
			out.Side = "taken"
		}
		if b.Reconvergence != flow.None && s.program.Model != "minpc" {
			meets := s.placeAt(b.Func, b.Reconvergence)
			out.Meets = &meets
		}
		return out
	}
	return nil
}
