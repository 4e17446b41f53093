package flow

import "github.com/simtrun/simtrun/internal/isa"

// Uniformity is the kind of value that can differ from thread to thread. (Compilers call a value uniform if it is the
// same in all threads that hold it, otherwise divergent: Karrenberg and Hack, Improving Performance of OpenCL on
// CPUs, 2012.)
type Uniformity uint8

const (
	Uniform         Uniformity = iota // the same in all threads of a launch: it comes from constants and parameters
	ThreadDependent                   // it comes from the indices of threads and CTAs too: branches by it go with the edges of the data
	DataDependent                     // it comes from memory, or a function returned it: branches by it depend on the data themselves
)

var uniformityNames = [...]string{"uniform", "thread-dependent", "data-dependent"}

// String returns the uniformity in words.
func (u Uniformity) String() string { return uniformityNames[u] }

// Uniformities returns by PC the uniformity of the value that decides where lanes go: for a branch, exit, return or
// call its guard and, for an indirect one, the register with the target; for other instructions Uniform. It follows
// only values, not the branches that decide which values are computed.
func Uniformities(f *isa.Func) []Uniformity {
	w := uniformityWalk{f: f, regs: make([]Uniformity, len(f.Regs))}
	for _, id := range f.RegsOf(f.Params) { // a function's parameters may have any value
		w.regs[id] = DataDependent
	}
	for changed := true; changed; {
		changed = false
		for pc := range f.Code {
			changed = w.flow(&f.Code[pc]) || changed
		}
	}
	by := make([]Uniformity, len(f.Code))
	for pc := range f.Code {
		by[pc] = w.decides(&f.Code[pc])
	}
	return by
}

// uniformityWalk has for each register the least uniform value found so far that it may hold.
type uniformityWalk struct {
	f    *isa.Func
	regs []Uniformity
}

// flow propagates the uniformity of an instruction's sources to its results, and reports whether that changed
// anything.
func (w *uniformityWalk) flow(in *isa.Instr) bool {
	if in.Later != "" || in.Spec == nil {
		return false
	}
	u := Uniform
	for special := range in.Specials {
		u = max(u, ofSpecial(special))
	}
	switch {
	case in.Spec.Stack, in.Spec.Kind == isa.Atomic, in.Spec.Kind == isa.CallKind, in.Spec.Kind == isa.Matrix, in.Spec.Kind == isa.Warpgroup, in.Spec.Kind == isa.TensorMemory, in.Spec.Kind == isa.Load && !w.loadsParam(in):
		u = DataDependent
	}
	changed := false
	for ref := range in.Refs { // sources come before results
		if r := &w.regs[ref.Reg]; !ref.Role.Writes() {
			u = max(u, *r)
		} else if u > *r {
			*r, changed = u, true
		}
	}
	return changed
}

// loadsParam reports whether a load reads a kernel's parameter.
func (w *uniformityWalk) loadsParam(in *isa.Instr) bool {
	return w.f.Entry && in.Mods.MemSpace() == isa.Param
}

// ofSpecial returns the uniformity of a special register: the launch's shape is the same for all threads, and a clock
// may have any value.
func ofSpecial(s isa.Special) Uniformity {
	switch {
	case s.IsClock():
		return DataDependent
	case s >= isa.NtidX && s <= isa.NtidZ, s >= isa.NctaidX && s <= isa.NctaidZ, s == isa.NWarpID, s == isa.NSMID:
		return Uniform
	}
	return ThreadDependent
}

// decides returns the uniformity of the value that decides where an instruction's lanes go.
func (w *uniformityWalk) decides(in *isa.Instr) Uniformity {
	if in.Later != "" || in.Spec == nil {
		return Uniform
	}
	u, to := Uniform, false // to is the register with the target, if there is one
	switch in.Spec.Kind {
	case isa.Branch, isa.CallKind:
		to = true
	case isa.Exit, isa.Return, isa.Barrier, isa.ClusterBarrier, isa.Vote, isa.Shuffle:
	default:
		if !in.Spec.WholeWarp {
			return Uniform
		}
	}
	for ref := range in.Refs {
		if ref.Role == isa.ReadGuard || to && ref.Role == isa.ReadSource {
			u = max(u, w.regs[ref.Reg])
		}
	}
	return u
}
