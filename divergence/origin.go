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
	o := Constant
	for special := range in.Specials {
		o = max(o, specialOrigin(special))
	}
	switch {
	case in.Spec.Kind == isa.Atomic, in.Spec.Kind == isa.CallKind, in.Spec.Kind == isa.Load && !w.loadsParam(in):
		o = Data
	}
	changed := false
	for ref := range in.Refs { // what it reads comes first
		if r := &w.regs[ref.Reg]; !ref.Role.Writes() {
			o = max(o, *r)
		} else if o > *r {
			*r, changed = o, true
		}
	}
	return changed
}

// loadsParam reports whether a load reads a kernel's parameter.
func (w *originWalk) loadsParam(in *isa.Instr) bool {
	return w.f.Entry && in.Mods.MemSpace() == isa.Param
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

// decides is the origin of what an instruction's lanes part by.
func (w *originWalk) decides(in *isa.Instr) Origin {
	if in.Later != "" || in.Spec == nil {
		return Constant
	}
	o, to := Constant, false // to: a register may say where lanes go
	switch in.Spec.Kind {
	case isa.Branch, isa.CallKind:
		to = true
	case isa.Exit, isa.Return, isa.Barrier, isa.Vote, isa.Shuffle:
	default:
		return Constant
	}
	for ref := range in.Refs {
		if ref.Role == isa.ReadGuard || to && ref.Role == isa.ReadSource {
			o = max(o, w.regs[ref.Reg])
		}
	}
	return o
}
