package program

import "github.com/simtrun/simtrun/isa"

// Variable is a variable in shared or local memory.
type Variable struct {
	*isa.Var
	Func  *isa.Func // whose it is; nil: of the module, one for each CTA
	Addr  uint64    // in shared memory, or from the start of the activation's part of local memory
	Bytes int64     // of an unsized array too
}

// Variables are the shared and local variables of a program whose CTAs have so
// many bytes of shared memory, those of its functions first.
func (p *Program) Variables(shared int64) []Variable {
	var all []Variable
	for _, f := range p.Funcs {
		for _, v := range f.Src.Vars {
			switch v.Space {
			case isa.Shared:
				all = append(all, Variable{v, f.Src, uint64(p.shared[sharedName(f.Src, v)]), v.Size()})
			case isa.Local:
				all = append(all, Variable{v, f.Src, uint64(f.local[v.Name]), v.Size()})
			}
		}
	}
	for _, v := range p.mod.Src.Vars {
		at, used := p.shared[sharedName(nil, v)]
		switch {
		case v.Space == isa.Local:
			for _, f := range p.Funcs {
				all = append(all, Variable{v, f.Src, uint64(f.local[v.Name]), v.Size()})
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
