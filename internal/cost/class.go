package cost

import "github.com/simtrun/simtrun/internal/isa"

// classOf is the class of an instruction of f: that of its variant, but for what depends
// on the operands or on the function.
func classOf(f *isa.Func, in *isa.Instr) isa.CostClass {
	switch {
	case in.Later != "" || in.Spec == nil: // it ends the launch
		return isa.CostExit
	case in.Is(isa.Return):
		return classOfReturn(f)
	}
	class := in.Spec.CostClass(&isa.Variant{Types: in.Types, Mods: in.Mods})
	switch {
	case class != isa.CostInteger:
	case reads(in, isa.Special.IsClock):
		return isa.CostReadClock
	case reads(in, func(s isa.Special) bool { return !launchConstant(s) }):
		return isa.CostReadSpecial
	}
	return class
}

// reads reports whether an instruction reads a special register of a kind.
func reads(in *isa.Instr, kind func(isa.Special) bool) bool {
	for s := range in.Specials {
		if kind(s) {
			return true
		}
	}
	return false
}

// classOfReturn is the class of leaving f: a kernel's threads end.
func classOfReturn(f *isa.Func) isa.CostClass {
	if f.Entry {
		return isa.CostExit
	}
	return isa.CostCall
}

// launchConstant reports whether a special register is the same for all threads of a
// launch, and so in the bank of constants.
func launchConstant(s isa.Special) bool {
	switch {
	case s >= isa.NtidX && s <= isa.NtidZ, s >= isa.NctaidX && s <= isa.NctaidZ,
		s >= isa.NClusterIDX && s <= isa.NClusterIDZ, s >= isa.ClusterNctaidX && s <= isa.ClusterNctaidZ,
		s == isa.ClusterNctaRank, s == isa.IsExplicitCluster, s == isa.NWarpID, s == isa.NSMID, s == isa.GridID,
		s >= isa.DynamicSharedSize && s <= isa.ReservedShared1, s >= isa.CurrentGraphExec && s <= isa.EnvReg31:
		return true
	}
	return false
}

// nothing reports whether an instruction becomes no machine instruction for its operands: it
// only names a register or a constant anew, or has it as an operand of what reads it.
func (l *lowering) nothing(in *isa.Instr) bool {
	switch {
	case in.Guard != isa.NoReg:
		return false
	case in.Spec.Takes(isa.AnyMove):
		return renames(in) && !l.sets(in) && !reads(in, func(s isa.Special) bool { return !launchConstant(s) })
	case in.Is(isa.Load): // of a kernel it is a constant, of a function in a register
		return in.Mods.MemSpace() == isa.Param && in.Args[1].Reg == isa.NoReg
	case in.Is(isa.Store): // what a call passes is computed where it is passed
		return in.Mods.MemSpace() == isa.Param && in.Args[0].Reg == isa.NoReg
	}
	return false
}

// sets reports whether a move brings a constant to a register that something else writes
// too, so that what reads it cannot have the constant as its operand.
func (l *lowering) sets(in *isa.Instr) bool {
	to, from := &in.Args[0], &in.Args[1]
	return to.Kind == isa.RegOperand && from.Kind == isa.ImmOperand && len(l.values.writes[to.Reg]) > 1
}

// renames reports whether a move only names what it moves: whole registers, one of 64 bits
// being two of 32.
func renames(in *isa.Instr) bool {
	for i := range in.Args {
		if n := len(in.Args[i].Elems); n > 0 && in.Mods[isa.Vec] == 0 && in.Types[0].Bits()/n < 32 {
			return false
		}
	}
	return true
}
