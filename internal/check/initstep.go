package check

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// initPlan is what Init needs to know about an instruction.
type initPlan struct {
	reads     []isa.RegID // sources, without addresses and the guard
	addresses []isa.RegID
	writes    []isa.RegID
	spread    spread // nil: a result is undefined if any source is
}

// planOf returns the plans of a function's instructions.
func (c *Init) planOf(fn *program.Func) []initPlan {
	all := c.plans[fn]
	if all != nil {
		return all
	}
	all = make([]initPlan, len(fn.Src.Code)+1)
	for pc := range fn.Src.Code {
		in, p := &fn.Src.Code[pc], &all[pc]
		for ref := range in.Refs {
			switch {
			case ref.Role.Writes():
				p.writes = append(p.writes, ref.Reg)
			case ref.Role == isa.ReadAddress:
				p.addresses = append(p.addresses, ref.Reg)
			case ref.Role != isa.ReadGuard:
				p.reads = append(p.reads, ref.Reg)
			}
		}
		if in.Spec != nil {
			p.spread = spreads[in.Spec.Spread.Rule]
		}
	}
	c.plans[fn] = all
	return all
}

// initStep is an instruction that a followed warp is about to execute.
type initStep struct {
	*initFrame
	c       *Init
	at      *interp.Place
	w       *interp.Window
	pc      int
	in      *isa.Instr
	op      *lanes.Op
	active  lanes.Mask // lanes for which the guard holds
	lanes   lanes.Mask // those with an undefined source
	guarded lanes.Mask // lanes with an undefined guard
	source  *unwritten
}

// union returns the lanes of m in which one of the registers has undefined bits, and where those come from.
func (f *initFrame) union(regs []isa.RegID, m lanes.Mask) (u lanes.Mask, from *unwritten) {
	for _, r := range regs {
		if at := f.lanes[r] & m; at != 0 {
			if u |= at; from == nil {
				from = f.from[r]
			}
		}
	}
	return u, from
}

// Executes implements interp.ValueObserver.
func (c *Init) Executes(at *interp.Place, w *interp.Window, pc int, m lanes.Mask) {
	if pc >= len(w.Func.Src.Code) {
		return
	}
	f := c.warp(at).frame(c, w)
	s := initStep{initFrame: f, c: c, at: at, w: w, pc: pc, in: &w.Func.Src.Code[pc], op: &w.Func.Ops[pc]}
	p := &f.plan[pc]
	s.active = s.op.Active(w.File, m)
	s.lanes, s.source = f.union(p.reads, s.active)
	if s.in.Spec != nil && s.in.Spec.CarryIn && f.carry&s.active != 0 {
		s.lanes |= f.carry & s.active
		s.source = firstUnwritten(s.source, f.by)
	}
	addresses, base := f.union(p.addresses, s.active)
	if s.in.Guard != isa.NoReg {
		s.guarded = f.lanes[s.in.Guard] & m
	}
	if s.lanes|addresses|s.guarded == 0 {
		s.define(p, s.active)
		return
	}
	for _, from := range []*unwritten{s.source, base} {
		if from != nil && from.reader == nil { // a register
			u := c.useAt(at, w, pc, s.lanes|addresses)
			from.reader, from.place, from.text, from.where = u.in, u.place, u.text, u.where
		}
	}
	if addresses != 0 {
		s.use(addresses, base, "an address")
	}
	s.execute(p)
}

func firstUnwritten(a, b *unwritten) *unwritten {
	if a != nil {
		return a
	}
	return b
}

// define makes the results defined in the lanes of m.
func (s *initStep) define(p *initPlan, m lanes.Mask) {
	for _, r := range p.writes {
		s.initFrame.define(r, m)
	}
	if s.in.Mods != nil && s.in.Mods[isa.CC] != 0 {
		s.setCarry(s.carry&^m, s.by)
	}
}

// use reports that the instruction uses undefined values.
func (s *initStep) use(m lanes.Mask, from *unwritten, how string) {
	if m != 0 && from != nil {
		s.c.use(s.c.useAt(s.at, s.w, s.pc, m), from, how)
	}
}

// execute reports uses of undefined values by the instruction, and sets the undefined bits of its results.
func (s *initStep) execute(p *initPlan) {
	if s.in.Spec == nil {
		return
	}
	switch s.in.Spec.Kind {
	case isa.Compute, isa.Shuffle, isa.Vote, isa.Alloca, isa.QueryKind:
		s.compute(p)
	case isa.Matrix:
		s.matrix(p)
	case isa.Load:
		s.define(p, s.active)
	case isa.CallKind:
		s.useGuard("a call")
		return // Passed and Called follow its values
	case isa.Nop, isa.Fence:
	case isa.Store, isa.Atomic:
		s.useGuard("an access")
		s.define(p, s.active)
		return
	case isa.Copy, isa.Warpgroup, isa.TensorMemory, isa.CancelLaunch, isa.Clear: // their sources may be matrices that are not read
		s.useGuard("a branch")
		if x := s.w.Func.Warpgroups[s.pc]; x == nil || x.Product == nil { // Multiplied follows products
			s.define(p, s.active)
		}
		return
	default: // they have an effect on which lanes run
		s.useGuard("a branch")
		s.use(s.lanes, s.source, "control flow")
		s.define(p, s.active)
		return
	}
	if s.guarded != 0 {
		for _, r := range p.writes {
			s.undefine(s.w, r, s.guarded, s.from[s.in.Guard])
		}
	}
}

// matrix is for an instruction on matrices in registers.
func (s *initStep) matrix(p *initPlan) {
	if s.lanes == 0 {
		s.define(p, s.active)
		return
	}
	s.needFile()
	if x := s.w.Func.Products[s.pc]; x != nil {
		s.multiplies(x)
	} else {
		s.moves()
	}
}

// useGuard reports the use of an undefined guard.
func (s *initStep) useGuard(how string) {
	if s.guarded != 0 {
		s.use(s.guarded, s.from[s.in.Guard], how)
	}
}

// compute sets the undefined bits of results.
func (s *initStep) compute(p *initPlan) {
	if s.lanes == 0 {
		s.define(p, s.active)
		return
	}
	s.needFile()
	if p.spread != nil {
		p.spread(s)
	} else {
		s.wholly()
	}
	if s.in.Mods[isa.CC] != 0 {
		s.setCarry(s.carry&^s.active|s.lanes, s.source)
	}
}

// Called implements interp.ValueObserver: the results of a function of libdevice are undefined in the lanes in which an
// argument is.
func (c *Init) Called(at *interp.Place, w *interp.Window, pc int, m lanes.Mask) {
	f := c.warp(at).frames[w]
	if f == nil {
		return
	}
	p, site := &f.plan[pc], w.Func.Info[pc].Call
	u, from := f.union(p.reads, m)
	for i := range site.Args {
		for left := m; left != 0; left &= left - 1 {
			if a := f.at(&site.Args[i], left&-left); a != nil {
				u, from = u|left&-left, firstUnwritten(from, a)
			}
		}
	}
	if site.External != "" && u != 0 {
		c.use(c.useAt(at, w, pc, u), from, "an argument of "+site.External)
		u = 0
	}
	for i := range site.Rets {
		r := &site.Rets[i]
		if !r.InReg {
			f.params.setLanes(uint64(r.At), uint64(r.Size), m, u)
			f.params.comePerLane(uint64(r.At), uint64(r.Size), m, from)
		}
	}
	for _, r := range p.writes {
		f.define(r, m)
		f.undefine(w, r, u, from)
	}
}

// setLanes makes bytes in the parts of the lanes of m defined, except in those of u.
func (sp *initSpace) setLanes(off, size uint64, m, u lanes.Mask) {
	part := uint64(len(sp.undefined) / lanes.Width)
	for left := m; left != 0 && part > 0; left &= left - 1 {
		lane := firstLane(left)
		at := sp.undefined[uint64(lane)*part+off:][:size]
		for i := range at {
			at[i] = byte(-(u >> lane & 1))
		}
	}
}
