package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

// Variable is a variable in shared or local memory.
type Variable struct {
	*isa.Var
	Func  *isa.Func // whose it is; nil: of the module, one for each CTA
	Addr  uint64    // in shared memory, or from the start of the activation's part of local memory
	Bytes int64     // of an unsized array too
}

// Variables are the shared and local variables of a launch, those of its
// functions first. Errors are those of Run.
func (m *Machine) Variables(l *Launch) ([]Variable, error) {
	p, err := m.program(l.Kernel, l.Inspected)
	if err != nil {
		return nil, err
	}
	return m.variables(p, p.sharedBytes(l)), nil
}

// variables are those of a program whose CTAs have so many bytes of shared memory.
func (m *Machine) variables(p *program, shared int64) []Variable {
	var all []Variable
	for _, f := range p.funcs {
		for _, v := range f.fn.Vars {
			switch v.Space {
			case isa.Shared:
				all = append(all, Variable{v, f.fn, uint64(p.shared[sharedName(f.fn, v)]), v.Size()})
			case isa.Local:
				all = append(all, Variable{v, f.fn, uint64(f.local[v.Name]), v.Size()})
			}
		}
	}
	for _, v := range m.mod.Vars {
		at, used := p.shared[sharedName(nil, v)]
		switch {
		case v.Space == isa.Local:
			for _, f := range p.funcs {
				all = append(all, Variable{v, f.fn, uint64(f.local[v.Name]), v.Size()})
			}
		case v.Space != isa.Shared || !used:
		case v.Linkage == isa.Extern && v.Count == 0:
			all = append(all, Variable{v, nil, uint64(at), max(shared-at, 0)})
		default:
			all = append(all, Variable{v, nil, uint64(at), v.Size()})
		}
	}
	return all
}

// nearVariable is, of an address in shared or local memory, the variable that it
// is in or nearest to, as a region; r, which stands for all of that memory, if
// there is none.
func (x *executor) nearVariable(fr *divergence.Frame, r *memory.Region, addr uint64) *memory.Region {
	near, distance := r, ^uint64(0)
	for _, v := range x.m.variables(x.p, int64(len(r.Data))) {
		if v.Space != r.Space || v.Func != nil && v.Func != x.p.funcs[fr.Func].fn {
			continue
		}
		base := v.Addr
		if v.Space == isa.Local {
			base += fr.Local
		}
		end := base + uint64(v.Bytes)
		if end > uint64(len(r.Data)) {
			continue
		}
		away := uint64(0)
		switch {
		case addr < base:
			away = base - addr
		case addr >= end:
			away = addr - end
		}
		if away < distance {
			near, distance = &memory.Region{Name: v.Name, Space: v.Space, Base: base, Data: r.Data[base:end]}, away
		}
	}
	return near
}

// nameRegion names, in a fault, the variable of shared or local memory that it is
// about.
func (x *executor) nameRegion(fault *memory.AccessError, shared *memory.Region) {
	if r := fault.Region; r != nil && (r == shared || r == &x.localPart) {
		fault.Region = x.nearVariable(x.frame, r, fault.Addr)
	}
}
