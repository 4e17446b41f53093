package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// A strong read acquires only if another value would have changed the thread's behaviour: a thread that polls a flag,
// takes a lock or asks for the last ticket decides by the value. If nothing depends on the value, the read, and
// everything after it, might as well come before the write in another execution of the program. If such reads
// acquired, the order in which warps happened to run would hide races.

// decisions finds the registers and state spaces with values that may decide what a thread does: guards, targets,
// addresses, operands of barriers and calls, and everything that these are computed from, including through memory.
// It does not follow control flow. It may include registers that decide nothing, but misses none that do.
type decisions struct {
	fns    []*isa.Func
	regs   [][]bool // by function and register
	spaces [isa.SharedCluster + 1]bool
	more   bool // the present pass has found more
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

// look marks the sources of an instruction if its results decide something, or if the instruction itself decides by
// them.
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

// decides reports whether the sources of an instruction decide something: its results do, or it is control flow, a
// barrier, a call or a store to such a space.
func (d *decisions) decides(regs []bool, in *isa.Instr) bool {
	switch in.Spec.Kind {
	case isa.Branch, isa.Exit, isa.Return, isa.Barrier, isa.ClusterBarrier, isa.CallKind, isa.Trap:
		return true
	case isa.Store, isa.Clear:
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

// spaceOf returns the space of the instruction's address; shared memory of a cluster counts as shared memory.
func spaceOf(in *isa.Instr) isa.Space {
	if s := in.Mods.MemSpace(); s != isa.SharedCluster {
		return s
	}
	return isa.Shared
}

// read records that values loaded from a space decide something.
func (d *decisions) read(space isa.Space) {
	d.mark(&d.spaces[space])
	if space == isa.Shared || space == isa.SharedCluster { // they are one memory
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

// writesAny reports whether something holds for a register that the instruction itself writes, not a called function.
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

// of returns the registers of a function that decide something.
func (d *decisions) of(fn *isa.Func) []bool { return d.regs[slices.Index(d.fns, fn)] }
