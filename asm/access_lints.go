package asm

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// maxThreads is how many threads a block has at most, on all GPUs since sm_20.
const maxThreads = 1024

// badLimits finds kernels that no launch can have: their blocks are too large.
func badLimits(m *isa.Module) []*isa.Error {
	var all errorLog
	for _, f := range m.Funcs {
		if n := f.ReqNTID.Count(); n > maxThreads {
			all.addf(f.Pos, ".reqntid of %s has %d threads; a block has at most %d", f.Name, n, maxThreads)
		}
	}
	return all.errs.List
}

// badAccesses finds loads, stores and atomics by the name of a variable that are outside of it, misaligned, or write a
// parameter of a kernel.
func badAccesses(m *isa.Module) []*isa.Error {
	var all errorLog
	for _, f := range m.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Later != "" || in.Spec == nil || in.Spec.Operation() != isa.OpAccess || len(in.Types) == 0 {
				continue
			}
			for i := range in.Args {
				a := &in.Args[i]
				if a.Kind != isa.AddrOperand || a.Sym == "" || a.Reg != isa.NoReg {
					continue
				}
				if v := variableOf(m, f, a.Sym); v != nil {
					badAccess(&all, f, in, a, v)
				}
			}
		}
	}
	return all.errs.List
}

// badAccess adds a warning on an access to v, if there is one. An instruction accesses as many bytes as its type has,
// or more: matrices.
func badAccess(all *errorLog, f *isa.Func, in *isa.Instr, a *isa.Operand, v *isa.Var) {
	bytes, at := int64(in.Types[0].Bytes()*in.Mods.VecLen()), int64(a.Bits)
	switch pos := in.PosOf(a); {
	case in.Is(isa.Store) && f.Entry && slices.Contains(f.Params, v):
		all.addf(pos, "%s: %s is a parameter of a kernel, which can only be read", in.Mnemonic(), a.Sym)
	case v.Size() > 0 && v.Linkage != isa.Extern && (at < 0 || at+bytes > v.Size()):
		all.addf(pos, "%s: the access has bytes %d to %d of %s, which has %s", in.Mnemonic(), at, at+bytes-1, a.Sym, count(int(v.Size()), "byte"))
	case bytes > 0 && int64(v.Align)%bytes == 0 && at%bytes != 0:
		all.addf(pos, "%s: byte %d of %s is misaligned; an access of %d bytes is at a multiple of %d", in.Mnemonic(), at, a.Sym, bytes, bytes)
	}
}

// variableOf returns the variable or parameter with a name in the code of a function, or nil.
func variableOf(m *isa.Module, f *isa.Func, name string) *isa.Var {
	for _, vars := range [][]*isa.Var{f.Vars, f.Params, f.Returns, m.Vars} {
		if i := slices.IndexFunc(vars, func(v *isa.Var) bool { return v.Name == name }); i >= 0 {
			return vars[i]
		}
	}
	return nil
}

// longShifts finds shifts by a constant that is the width of the value or more, which leave nothing of it.
func longShifts(m *isa.Module) []*isa.Error {
	var all errorLog
	for _, f := range m.Funcs {
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Later != "" || in.Spec == nil || in.Spec.Arith != isa.ArithShiftLeft && in.Spec.Arith != isa.ArithShiftRight || len(in.Args) < 3 {
				continue
			}
			if by := &in.Args[2]; by.Kind == isa.ImmOperand && by.Bits >= uint64(in.Types[0].Bits()) {
				all.addf(in.PosOf(by), "%s: a shift by %d of %d bits leaves no bit of the value", in.Mnemonic(), int64(by.Bits), in.Types[0].Bits())
			}
		}
	}
	return all.errs.List
}
