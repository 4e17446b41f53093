package check

import (
	"slices"

	"github.com/simtrun/simtrun/isa"
)

// A strong read orders what comes after it behind what it has read only if the
// thread would have done something else, had it read something else: whoever polls a
// flag, takes a lock or asks for the last ticket decides by the value. Where
// nothing depends on the value, the read might as well have come first, and what
// comes after it too. Otherwise the order in which warps happened to run would
// hide races.

// decisions finds the registers, and the state spaces, whose values may decide
// what a thread does: guards, targets, addresses, what goes to barriers and calls,
// and whatever these are computed from, through memory as well. Flow is not
// followed, so that the answer may be yes too often, never no.
type decisions struct {
	fns    []*isa.Func
	regs   [][]bool // by function and register
	spaces [isa.RegSpace + 1]bool
	more   bool // something was found since it was false
}

func findDecisions(fns []*isa.Func) *decisions {
	d := &decisions{fns: fns}
	for _, fn := range fns {
		regs, vars := make([]bool, len(fn.Regs)), slices.Concat(fn.Params, fn.Returns)
		for id, r := range fn.Regs {
			for _, v := range vars {
				regs[id] = regs[id] || v.Space == isa.RegSpace && v.Name == r.Name
			}
		}
		d.regs = append(d.regs, regs)
	}
	for d.more = true; d.more; {
		d.more = false
		for i, fn := range fns {
			for pc := range fn.Code {
				d.look(d.regs[i], &fn.Code[pc])
			}
		}
	}
	return d
}

// look passes on what is known, from the results of an instruction to its sources.
func (d *decisions) look(regs []bool, in *isa.Instr) {
	if in.Guard != isa.NoReg {
		d.mark(&regs[in.Guard])
	}
	if in.Later != "" || in.Spec == nil {
		return
	}
	sources := d.decides(regs, in)
	formals := in.Spec.Formals()
	for i := range in.Args {
		switch a := &in.Args[i]; {
		case a.Kind == isa.AddrOperand && a.Reg != isa.NoReg:
			d.mark(&regs[a.Reg])
		case sources && !formals[i].Result:
			d.markOperand(regs, a)
		}
	}
	if in.Call != nil {
		for i := range in.Call.Args {
			d.markOperand(regs, &in.Call.Args[i])
		}
	}
}

// decides reports whether the sources of an instruction decide something.
func (d *decisions) decides(regs []bool, in *isa.Instr) bool {
	switch in.Spec.Kind {
	case isa.Branch, isa.Exit, isa.Return, isa.Barrier, isa.CallKind, isa.Trap:
		return true
	case isa.Store:
		return d.spaces[in.Mods.MemSpace()]
	case isa.Load, isa.Atomic:
		if !d.result(regs, in) {
			return in.Spec.Kind == isa.Atomic && d.spaces[in.Mods.MemSpace()]
		}
		d.read(in.Mods.MemSpace())
		return true
	}
	return in.Mods[isa.CC] != 0 || d.result(regs, in) // who reads the carry flag is not known
}

// read notes that what was loaded from a space decides something.
func (d *decisions) read(space isa.Space) {
	d.mark(&d.spaces[space])
	if space != isa.Generic {
		d.mark(&d.spaces[isa.Generic]) // a generic store may be to that space
		return
	}
	for s := range d.spaces {
		d.mark(&d.spaces[s])
	}
}

// result reports whether a result of the instruction decides something.
func (d *decisions) result(regs []bool, in *isa.Instr) bool {
	formals := in.Spec.Formals()
	for i := range in.Args {
		if formals[i].Result && anyReg(&in.Args[i], func(r isa.RegID) bool { return regs[r] }) {
			return true
		}
	}
	return false
}

// anyReg reports whether something holds of a register of an operand.
func anyReg(a *isa.Operand, holds func(isa.RegID) bool) bool {
	if a.Kind == isa.RegOperand {
		return holds(a.Reg)
	}
	for i := range a.Elems {
		if a.Kind == isa.VecOperand && anyReg(&a.Elems[i], holds) {
			return true
		}
	}
	return false
}

func (d *decisions) markOperand(regs []bool, a *isa.Operand) {
	anyReg(a, func(r isa.RegID) bool {
		d.mark(&regs[r])
		return false
	})
}

func (d *decisions) mark(b *bool) {
	d.more = d.more || !*b
	*b = true
}

// of are the registers of a function that decide something.
func (d *decisions) of(fn *isa.Func) []bool { return d.regs[slices.Index(d.fns, fn)] }
