package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// A strong read acquires only if the thread would have done something else, had it
// read something else: a thread that polls a flag, takes a lock or asks for the last
// ticket decides by the value. Where nothing depends on the value, the read might as
// well have come before the write, in another execution of the program, and what is
// after the read too. If such reads acquired, the order in which warps happened to run
// would hide races.

// decisions finds the registers, and the state spaces, whose values may decide
// what a thread does: guards, targets, addresses, operands of barriers and calls, and
// whatever these are computed from, through memory as well. Control flow is not
// followed: a register may be found that decides nothing, and none is missed that does.
type decisions struct {
	fns    []*isa.Func
	regs   [][]bool // by function and register
	spaces [isa.SharedCluster + 1]bool
	more   bool // the present pass has found something
}

func findDecisions(fns []*isa.Func) *decisions {
	d := &decisions{fns: fns}
	for _, fn := range fns {
		regs := make([]bool, len(fn.Regs))
		for _, id := range fn.RegsOf(slices.Concat(fn.Params, fn.Returns)) {
			regs[id] = true
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

// look marks the sources of an instruction if its results decide something, or if the
// instruction itself does something with them.
func (d *decisions) look(regs []bool, in *isa.Instr) {
	if in.Later != "" || in.Spec == nil {
		return
	}
	sources := d.decides(regs, in)
	for ref := range in.Refs {
		switch ref.Role {
		case isa.ReadGuard, isa.ReadAddress, isa.ReadArgument:
			d.mark(&regs[ref.Reg])
		case isa.ReadSource:
			if sources {
				d.mark(&regs[ref.Reg])
			}
		}
	}
}

// decides reports whether the sources of an instruction decide something: its results
// do, or it is itself control flow, a barrier, a call or a store to such a space.
func (d *decisions) decides(regs []bool, in *isa.Instr) bool {
	switch in.Spec.Kind {
	case isa.Branch, isa.Exit, isa.Return, isa.Barrier, isa.ClusterBarrier, isa.CallKind, isa.Trap:
		return true
	case isa.Store:
		return d.spaces[spaceOf(in)]
	case isa.Copy:
		if d.spaces[spaceOf(in)] {
			d.read(in.Mods.FromSpace())
		}
		return d.spaces[spaceOf(in)]
	case isa.Load, isa.Atomic:
		if !d.result(regs, in) {
			return in.Spec.Kind == isa.Atomic && d.spaces[spaceOf(in)]
		}
		d.read(spaceOf(in))
		return true
	}
	return in.Mods[isa.CC] != 0 || d.result(regs, in) // readers of the carry flag are not followed
}

// spaceOf is the space of the instruction's address; shared memory of a cluster is shared memory.
func spaceOf(in *isa.Instr) isa.Space {
	if s := in.Mods.MemSpace(); s != isa.SharedCluster {
		return s
	}
	return isa.Shared
}

// read notes that what was loaded from a space decides something.
func (d *decisions) read(space isa.Space) {
	d.mark(&d.spaces[space])
	if space == isa.Shared || space == isa.SharedCluster { // one memory
		d.mark(&d.spaces[isa.Shared])
		d.mark(&d.spaces[isa.SharedCluster])
	}
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
	return writesAny(in, func(r isa.RegID) bool { return regs[r] })
}

// writesAny reports whether something holds of a register that the instruction
// itself writes: not what it calls.
func writesAny(in *isa.Instr, holds func(isa.RegID) bool) bool {
	for ref := range in.Refs {
		if ref.Role == isa.WriteResult && holds(ref.Reg) {
			return true
		}
	}
	return false
}

func (d *decisions) mark(b *bool) {
	d.more = d.more || !*b
	*b = true
}

// of are the registers of a function that decide something.
func (d *decisions) of(fn *isa.Func) []bool { return d.regs[slices.Index(d.fns, fn)] }
