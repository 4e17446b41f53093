package cost

import "github.com/simtrun/simtrun/internal/isa"

// classOf returns the class of an instruction of f: that of its variant, unless it depends on the operands or on the
// function.
func classOf(f *isa.Func, in *isa.Instr) isa.CostClass {
	switch {
	case in.Later != "" || in.Spec == nil: // the launch ends with an error here
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

// classOfReturn returns the class of leaving f; in a kernel this ends the threads.
func classOfReturn(f *isa.Func) isa.CostClass {
	if f.Entry {
		return isa.CostExit
	}
	return isa.CostCall
}

// launchConstant reports whether a special register is the same for all threads of a launch, and so is in the
// constant bank.
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

// nothing reports whether an instruction with its operands becomes no machine instruction: it only renames a register
// or a constant, or becomes an operand of its reader.
func (l *lowering) nothing(in *isa.Instr) bool {
	switch {
	case in.Guard != isa.NoReg:
		return false
	case in.Spec.Takes(isa.AnyMove):
		return renames(in) && !l.sets(in) && !reads(in, func(s isa.Special) bool { return !launchConstant(s) })
	case in.Is(isa.Load): // a kernel's parameter is a constant, a function's is in a register
		return in.Mods.MemSpace() == isa.Param && in.Args[1].Reg == isa.NoReg
	case in.Is(isa.Store): // an argument of a call is computed in place
		return in.Mods.MemSpace() == isa.Param && in.Args[0].Reg == isa.NoReg
	}
	return false
}

// sets reports whether a move puts a constant into a register that other instructions also write, so that readers
// cannot use the constant as their operand.
func (l *lowering) sets(in *isa.Instr) bool {
	to, from := &in.Args[0], &in.Args[1]
	return to.Kind == isa.RegOperand && from.Kind == isa.ImmOperand && len(l.values.writes[to.Reg]) > 1
}

// renames reports whether a move only renames its source: it moves whole registers, where one of 64 bits is two of
// 32.
func renames(in *isa.Instr) bool {
	for i := range in.Args {
		if n := len(in.Args[i].Elems); n > 0 && in.Mods[isa.Vec] == 0 && in.Types[0].Bits()/n < 32 {
			return false
		}
	}
	return true
}
