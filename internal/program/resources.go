package program

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// The registers that an assembler takes in addition to those that are live at once. NVIDIA's reserves three (R1, the
// stack's, and two at the end of the file from sm_70 on) and moves loads away from their uses; with three more, as
// many of the repository's kernels have more registers than estimated as have fewer (internal/gpu/measure,
// TestRegisterEstimatesMatchPtxas). A kernel that calls functions has at least the 24 that its callees may use, even if
// .maxnreg is less.
const (
	besideLive    = 6
	leastIfCalled = 24
)

// estimateRegisters returns the estimated number of 32-bit registers of a thread that an assembler takes.
func (p *Program) estimateRegisters() int {
	pressure, calls := 0, len(p.Funcs) > 1
	for _, f := range p.Funcs {
		pressure = max(pressure, f.Graph.Pressure(f.Src, p.fixed(f)))
	}
	n := pressure + besideLive
	if calls {
		n = max(n, leastIfCalled)
	}
	return n
}

// fixed returns the registers of f that only ever hold a copy of a parameter, a constant or an address. Machine
// instructions have these as operands.
func (p *Program) fixed(f *Func) []bool {
	c := f.copies
	if p.Env.Precise {
		c = p.findCopies(f)
	}
	fixed := slices.Clone(c.regs)
	for pc, moves := range c.moves {
		if !moves {
			continue
		}
		in := &f.Src.Code[pc]
		if a := &in.Args[1]; a.Kind == isa.SpecialOperand || a.Kind == isa.RegOperand && !fixed[a.Reg] {
			fixed[in.Args[0].Reg] = false // a copy of a special register
		}
	}
	return fixed
}

// barriersOf returns how many named barriers the code of f needs: all that PTX has if a barrier number is in a
// register.
func barriersOf(f *Func) int {
	const all = 16
	n := 0
	for pc := range f.Ops {
		if isa.Kind(f.Ops[pc].Kind) == isa.Barrier {
			n = max(n, int(min(f.Info[pc].Barrier, all-1))+1)
		}
	}
	return n
}
