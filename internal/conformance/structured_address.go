package conformance

import (
	"math"
	"slices"
)

// addressing is how the address of an access to scratch memory is computed.
type addressing struct {
	displacement int32
	narrow       bool // in a register of 32 bits
	into         int  // a result of the access whose register has the address, plus 1
}

// addressing chooses how the address of an access is computed.
func (g *structuredGrower) addressing(in *instruction) (a addressing) {
	if g.IntN(3) == 0 {
		a.displacement = []int32{16, -16, 4096, -4096, math.MaxInt32 &^ 31, math.MinInt32}[g.IntN(6)]
	}
	a.narrow = in.space == sharedScratch && !in.access.generic() && g.IntN(3) == 0
	bits := 64
	if a.narrow {
		bits = 32
	}
	if g.IntN(3) > 0 || in.guard >= 0 {
		return a
	}
	for i, reg := range in.dst {
		isSource := func(s argument) bool { return s.reg == reg }
		if reg != sink && registers[reg].bits == bits && !slices.ContainsFunc(in.src, isSource) {
			a.into = i + 1
		}
	}
	return a
}

// address writes what computes the address of place %v, and returns the register and the displacement.
func (w *structuredText) address(s *step) (reg string, displacement int) {
	reg = map[bool]string{false: "%y", true: "%z"}[s.narrow]
	if s.into > 0 {
		reg = registers[s.in.dst[s.into-1]].name
	}
	if s.narrow {
		w.line("cvt.u32.u64 %%z, %%shared;")
		w.line("mad.lo.u32 %s, %%v, %d, %%z;", reg, s.in.size())
	} else {
		w.line("mad.wide.u32 %s, %%v, %d, %s;", reg, s.in.size(), s.in.base())
	}
	if s.displacement != 0 {
		w.line("sub.u%d %s, %[2]s, %d;", map[bool]int{false: 64, true: 32}[s.narrow], reg, s.displacement)
	}
	return reg, int(s.displacement)
}
