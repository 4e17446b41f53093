package program

import "github.com/simtrun/simtrun/internal/isa"

// Undefined returns an error for each function and variable that the module's kernels need and no module defines, at
// its first use. It searches functions that kernels, initialisers of variables, or other such functions name.
// Functions of libdevice and of the system are not undefined.
func (m *Module) Undefined(system func(name string) bool) (errs []*isa.Error) {
	missing := make(map[string]bool)
	for name, fn := range m.funcs {
		if !fn.Defined && m.served[name] == nil && !system(name) {
			missing[name] = true
		}
	}
	seen := make(map[string]bool)
	var next []*isa.Func
	reach := func(name string) {
		if fn := m.funcs[name]; fn != nil && !seen[name] {
			seen[name] = true
			next = append(next, fn)
		}
	}
	for _, v := range m.Src.Vars {
		if v.Linkage == isa.Extern && (v.Space == isa.Global || v.Space == isa.Const) {
			missing[v.Name] = true
		}
		for i := range v.Init {
			reach(v.Init[i].Sym)
		}
	}
	for _, fn := range m.Src.Entries() {
		reach(fn.Name)
	}
	for len(next) > 0 {
		fn := next[0]
		next = next[1:]
		for pc := range fn.Code {
			in := &fn.Code[pc]
			eachSymbol(in.Args, func(a *isa.Operand) {
				if missing[a.Sym] {
					errs = append(errs, isa.Errorf(in.PosOf(a), "%s is declared but not defined in any module", a.Sym))
					missing[a.Sym] = false
				}
				reach(a.Sym)
			})
		}
	}
	return errs
}

// eachSymbol visits the operands that are names of variables or functions, or addresses in them.
func eachSymbol(operands []isa.Operand, visit func(a *isa.Operand)) {
	for i := range operands {
		if operands[i].Sym != "" {
			visit(&operands[i])
		}
		eachSymbol(operands[i].Elems, visit)
	}
}
