package interp

import "github.com/simtrun/simtrun/internal/program"

// ChangeKernels changes the lowered kernels of m. Functions that are compiled already keep their code.
func (m *Machine) ChangeKernels(change func(f *program.Func)) {
	for _, p := range m.programs {
		change(p.Kernel())
	}
}

// Compiled returns how many functions of m were compiled, and how many of those with the rest of their code.
func (m *Machine) Compiled() (funcs, whole int) {
	for _, f := range m.code.natives.funcs {
		if f != nil {
			funcs++
			if f.HasPartial() {
				whole++
			}
		}
	}
	return funcs, whole
}

// CodeOf reports whether a kernel of m's module was compiled, and whether the rest of its code was.
func (m *Machine) CodeOf(kernel string) (some, whole bool) {
	for key, f := range m.code.natives.funcs {
		if key.f.Src.Name == kernel && f != nil {
			some, whole = true, whole || f.HasPartial()
		}
	}
	return some, whole
}
