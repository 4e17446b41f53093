package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Unfinished finds what is a mistake in PTX that people write, but not in a compiler's: ends of functions that threads
// can reach, where a compiler knows that none does, and registers that no instruction writes, which compilers read
// where a value does not matter.
func Unfinished(m *isa.Module) []*isa.Error { return append(openEnds(m), neverWritten(m)...) }

// openEnds finds functions in which threads can reach the end without an instruction such as ret. PTX does not define
// this case; simtrun takes the end for a ret.
func openEnds(m *isa.Module) []*isa.Error {
	var all []*isa.Error
	for _, f := range m.Funcs {
		if n := len(f.Code); n == 0 || !continues(&f.Code[n-1]) && !reaches(f, n) {
			continue
		}
		all = append(all, isa.Errorf(f.End, "%s has no ret at its end, which threads can reach; the end is taken for one", f.Name))
	}
	return all
}

// continues reports whether threads can go from an instruction to the next. After a call they may not, even if nothing
// says that the function does not return.
func continues(in *isa.Instr) bool {
	ends := in.Is(isa.Branch) || in.Is(isa.Exit) || in.Is(isa.Return) || in.Is(isa.Trap) || in.Is(isa.CallKind)
	return in.Guard != isa.NoReg || !ends
}

// reaches reports whether a branch of f goes to a position in its code.
func reaches(f *isa.Func, pc int) bool {
	isTarget := func(op isa.Operand) bool {
		return op.Kind == isa.LabelOperand && f.Labels[op.Bits].PC == pc
	}
	return slices.ContainsFunc(f.Code, func(in isa.Instr) bool {
		return in.Is(isa.Branch) && slices.ContainsFunc(in.Args, func(op isa.Operand) bool {
			return isTarget(op) || slices.ContainsFunc(op.Elems, isTarget)
		})
	})
}

// shortAddresses finds registers of 32 bits with generic addresses or those of global memory, where addresses have 64
// bits: the upper half is 0 (PTX ISA 6.4.1). There is one warning for a function, at the first.
func shortAddresses(m *isa.Module) []*isa.Error {
	if m.AddressSize == 32 {
		return nil
	}
	var all []*isa.Error
	for _, f := range m.Funcs {
		var first *isa.Error
		n := 0
		for pc := range f.Code {
			in := &f.Code[pc]
			if in.Spec == nil || in.Later != "" {
				continue
			}
			if reg, pos := shortAddress(f, in); reg != "" {
				if n++; n == 1 {
					first = isa.Errorf(pos, "%s: %s has 32 bits, and the address 64: the upper half is taken as 0", in.Mnemonic(), reg)
				}
			}
		}
		if n > 1 {
			first.Msg += fmt.Sprintf(" (%d times in %s, first here)", n, f.Name)
		}
		if n > 0 {
			all = append(all, first)
		}
	}
	return all
}

// shortAddress returns the name and place of a register of 32 bits that is the address of global memory, or a generic
// address; "" if an instruction has none.
func shortAddress(f *isa.Func, in *isa.Instr) (reg string, pos isa.Pos) {
	formals := in.Spec.Formals()
	for i := range in.Args {
		a := &in.Args[i]
		if i >= len(formals) || formals[i].Kind != isa.Address || formals[i].Tensor || a.Kind != isa.AddrOperand || a.Reg == isa.NoReg {
			continue
		}
		if space := in.SpaceOf(&formals[i]); (space == isa.Global || space == isa.Generic) && f.Regs[a.Reg].Type.Bits() == 32 {
			return f.Regs[a.Reg].Name, in.PosOf(a)
		}
	}
	return "", isa.Pos{}
}

// mostNamed is how many registers a warning names.
const mostNamed = 4

// neverWritten finds registers that instructions read and none writes, with one warning for a function.
func neverWritten(m *isa.Module) []*isa.Error {
	var all []*isa.Error
	for _, f := range m.Funcs {
		notes := (&uses{f: f}).unwritten()
		if len(notes) < 2 {
			all = append(all, notes...)
			continue
		}
		var names []string
		for _, n := range notes[:min(len(notes), mostNamed)] {
			names = append(names, strings.Fields(n.Msg)[1])
		}
		more := ""
		if n := len(notes) - mostNamed; n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		all = append(all, isa.Errorf(notes[0].Pos, "registers %s%s are read, but no instruction of %s writes them", strings.Join(names, ", "), more, f.Name))
	}
	return all
}
