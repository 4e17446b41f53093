package interp

import (
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// VerifyBudgets makes code be entered with every budget up to most each time, if Config.Verify is set.
func (m *Machine) VerifyBudgets(most int64) { m.code.natives.budgets = most }

// Miscompilation returns the difference with which a run panics (see Config.Verify), or nil.
func Miscompilation(run func()) (wrong *Miscompiled) {
	defer func() {
		if p := recover(); p != nil {
			ok := false
			if wrong, ok = p.(*Miscompiled); !ok {
				panic(p)
			}
		}
	}()
	run()
	return nil
}

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

// CutEvery makes all functions of m's module be compiled in parts of n instructions.
func (m *Machine) CutEvery(n int) { m.code.natives.cut = n }

// BeforeCompiling sets a function that is called before a function of m's module, or the rest of its code, is compiled.
func (m *Machine) BeforeCompiling(before func(s native.Subject, rest bool)) {
	m.code.natives.compiler.Before = before
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
