package program

import "slices"

// Executing says, by number of function, whether an activation of it, or of a function that it calls, may execute an
// instruction of some kind.
type Executing []bool

// Executing finds the functions that may execute an instruction for which a condition holds.
func (p *Program) Executing(holds func(f *Func, pc int) bool) Executing {
	t := make(Executing, len(p.Funcs))
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			for pc := range f.Src.Code {
				if !t[i] && (holds(f, pc) || t.ByCall(f.Info[pc].Call)) {
					t[i], changed = true, true
				}
			}
		}
	}
	return t
}

// ByCall reports whether a call, if it is not nil, may lead to such an instruction.
func (t Executing) ByCall(call *CallSite) bool {
	if call == nil || call.External != "" || call.Served != nil {
		return false
	}
	if call.Callee < 0 {
		return slices.Contains(t, true)
	}
	return t[call.Callee]
}
