package divergence

import "github.com/simtrun/simtrun/isa"

// Origin is where the values come from that an instruction's lanes part by.
type Origin uint8

const (
	Constant Origin = iota // the same for all threads: constants and parameters
	Boundary               // the thread's and CTA's indices, with constants and parameters: it goes with the edges of the data
	Data                   // memory, or what a function returned: it goes with the data themselves
)

var originNames = [...]string{"constant", "boundary", "data"}

// String is the origin's name.
func (o Origin) String() string { return originNames[o] }

// Origins are, by PC, the origins of what decides where lanes go: of a branch,
// exit, return or call its guard and, where a register says where to, that
// register; of other instructions Constant. Only values are followed, not the
// branches that decide which of them are computed.
func Origins(f *isa.Func) []Origin {
	w := originWalk{f: f, regs: make([]Origin, len(f.Regs))}
	if !f.Entry {
		for id, r := range f.Regs { // a function's parameters may be anything
			for _, p := range f.Params {
				if p.Space == isa.RegSpace && p.Name == r.Name {
					w.regs[id] = Data
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for pc := range f.Code {
			changed = w.flow(&f.Code[pc]) || changed
		}
	}
	origins := make([]Origin, len(f.Code))
	for pc := range f.Code {
		origins[pc] = w.decides(&f.Code[pc])
	}
	return origins
}

// originWalk knows the worst origin of each register so far.
type originWalk struct {
	f    *isa.Func
	regs []Origin
}

// flow passes origins on from the sources of an instruction to its results, and
// reports whether that changed anything.
func (w *originWalk) flow(in *isa.Instr) bool {
	if in.Later != "" || in.Spec == nil {
		return false
	}
	o := w.guard(in)
	switch {
	case in.Spec.Kind == isa.Atomic, in.Spec.Kind == isa.CallKind, in.Spec.Kind == isa.Load && !w.loadsParam(in):
		o = Data
	}
	formals := in.Spec.Formals()
	for i := range in.Args {
		if !formals[i].Result {
			o = max(o, w.operand(&in.Args[i]))
		}
	}
	changed := false
	for i := range in.Args {
		if formals[i].Result {
			changed = w.raise(&in.Args[i], o) || changed
		}
	}
	if in.Call != nil {
		for i := range in.Call.Rets {
			changed = w.raise(&in.Call.Rets[i], Data) || changed
		}
	}
	return changed
}

// loadsParam reports whether a load reads a kernel's parameter.
func (w *originWalk) loadsParam(in *isa.Instr) bool {
	return w.f.Entry && in.Mods.MemSpace() == isa.Param
}

func (w *originWalk) guard(in *isa.Instr) Origin {
	if in.Guard == isa.NoReg {
		return Constant
	}
	return w.regs[in.Guard]
}

// operand is the origin of a source.
func (w *originWalk) operand(a *isa.Operand) Origin {
	o := Constant
	switch a.Kind {
	case isa.RegOperand:
		o = w.regs[a.Reg]
	case isa.AddrOperand:
		if a.Reg != isa.NoReg {
			o = w.regs[a.Reg]
		}
	case isa.SpecialOperand:
		o = specialOrigin(a.Special)
	case isa.VecOperand:
		for i := range a.Elems {
			o = max(o, w.operand(&a.Elems[i]))
		}
	}
	return o
}

// specialOrigin is that of a special register: those of the launch's shape are
// constants, and nobody knows what a clock says.
func specialOrigin(s isa.Special) Origin {
	switch {
	case s.IsClock():
		return Data
	case s >= isa.NtidX && s <= isa.NtidZ, s >= isa.NctaidX && s <= isa.NctaidZ, s == isa.NWarpID, s == isa.NSMID:
		return Constant
	}
	return Boundary
}

// raise makes the origin of a result at least o.
func (w *originWalk) raise(a *isa.Operand, o Origin) bool {
	changed := false
	switch a.Kind {
	case isa.RegOperand:
		changed = o > w.regs[a.Reg]
		w.regs[a.Reg] = max(w.regs[a.Reg], o)
	case isa.VecOperand:
		for i := range a.Elems {
			changed = w.raise(&a.Elems[i], o) || changed
		}
	}
	return changed
}

// decides is the origin of what an instruction's lanes part by.
func (w *originWalk) decides(in *isa.Instr) Origin {
	if in.Later != "" || in.Spec == nil {
		return Constant
	}
	switch in.Spec.Kind {
	case isa.Branch, isa.CallKind:
		o := w.guard(in)
		for i := range in.Args {
			if in.Args[i].Kind == isa.RegOperand {
				o = max(o, w.regs[in.Args[i].Reg])
			}
		}
		return o
	case isa.Exit, isa.Return, isa.Barrier, isa.Vote, isa.Shuffle:
		return w.guard(in)
	}
	return Constant
}
