package program

import "github.com/simtrun/simtrun/internal/isa"

// reachable returns the kernel and all functions that it can call, directly or through others. If one of them has an
// indirect call, these include all functions whose address an initialiser or any code of the module takes, because
// another kernel may have stored the address.
func (m *Module) reachable(kernel *isa.Func) []*isa.Func {
	fns, known := []*isa.Func{kernel}, map[*isa.Func]bool{kernel: true}
	add := func(name string) {
		if fn := m.funcs[name]; fn != nil && fn.Defined && !fn.Entry && !known[fn] {
			fns = append(fns, fn)
			known[fn] = true
		}
	}
	addressed := false // functions with addresses that are taken were added
	for i := 0; i < len(fns); i++ {
		indirect := false
		for pc := range fns[i].Code {
			in := &fns[i].Code[pc]
			for k := range in.Args {
				if in.Args[k].Kind == isa.SymOperand {
					add(in.Args[k].Sym)
				}
			}
			indirect = indirect || in.Indirect()
		}
		if !indirect || addressed {
			continue
		}
		addressed = true
		m.eachAddress(add)
	}
	return fns
}

// eachAddress calls do with the names for which an initialiser or an instruction takes the address.
func (m *Module) eachAddress(do func(name string)) {
	for _, v := range m.Src.Vars {
		for _, init := range v.Init {
			if init.Sym != "" {
				do(init.Sym)
			}
		}
	}
	for _, f := range m.Src.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Call != nil {
				continue
			}
			for k := range in.Args {
				if in.Args[k].Kind == isa.SymOperand {
					do(in.Args[k].Sym)
				}
			}
		}
	}
}
