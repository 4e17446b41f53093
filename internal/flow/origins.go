package flow

import "github.com/simtrun/simtrun/internal/isa"

// Origins says where the values of a register come from, as far as generic addresses in local memory are concerned.
type Origins uint8

// Bits of Origins.
const (
	FromLocal Origins = 1 << iota // cvta.local, and sums with its results
	FromElse                      // anything else
)

// TakesLocal reports whether an instruction has a generic address in local memory as its result.
func TakesLocal(in *isa.Instr) bool {
	return in.Later == "" && in.Spec != nil && in.Spec.Arith == isa.ArithCopy && in.Mods[isa.To] == 0 && in.Mods.MemSpace() == isa.Local
}

// OriginsOf returns the origins of the values of f's registers; nil if none is from local memory. g is the graph of f.
//
// It is an estimate: each instruction is visited twice, because loops may define a register after its use. Origins may
// be missed in cycles of several registers that are defined after their uses.
func OriginsOf(f *isa.Func, g *Graph) []Origins {
	any := false
	for pc := range f.Code {
		any = any || TakesLocal(&f.Code[pc])
	}
	if !any {
		return nil
	}
	all := make([]Origins, len(f.Regs))
	for range 2 {
		for pc := range f.Code {
			from := originsOf(&f.Code[pc], all)
			for _, ref := range g.Refs(pc) {
				if ref.Role.Writes() {
					all[ref.Reg] |= from
				}
			}
		}
	}
	return all
}

// originsOf returns the origins of the results of an instruction.
func originsOf(in *isa.Instr, all []Origins) (from Origins) {
	if TakesLocal(in) {
		return FromLocal
	}
	s := in.Sum()
	of := s.Of[0]
	if in.Spec != nil && in.Spec.Arith == isa.ArithProduct && len(in.Args) == 4 { // mad, which may widen its factors
		of = 3
	}
	selects := s.Of[1] != 0
	for _, i := range [...]int{of, s.Of[1], s.By[0], s.By[1]} {
		if i == 0 || in.Args[i].Kind != isa.RegOperand {
			continue
		}
		if o := all[in.Args[i].Reg]; o&FromLocal != 0 || selects { // the offsets in a sum do not matter
			from |= o
		}
	}
	if from == 0 {
		return FromElse
	}
	return from
}

// OriginsOfAddress returns the origins of the address of an access, given those of registers.
func OriginsOfAddress(in *isa.Instr, all []Origins) Origins {
	for i := range in.Args {
		if a := &in.Args[i]; all != nil && a.Kind == isa.AddrOperand && a.Reg != isa.NoReg {
			return all[a.Reg]
		}
	}
	return FromElse
}
