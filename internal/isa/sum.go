package isa

// Sum describes the result of an instruction as, modulo 2^Bits, one of the operands Of, plus or minus the product of
// the operands By. Operands are identified by their index in Args; 0, the index of the result, means no operand. If
// Bits is 0, nothing is known.
type Sum struct {
	Bits  int
	Of    [2]int
	By    [2]int
	Minus bool
}

// Sum describes the result of a checked instruction as a sum of operands. It applies to operands that are registers or
// integers.
func (in *Instr) Sum() Sum {
	switch {
	case in.Later != "" || in.Spec == nil:
		return Sum{}
	case in.Spec.Copies != nil && in.Spec.Copies(in):
		return Sum{Bits: in.Types[0].Bits(), Of: [2]int{1}}
	case in.Spec.Sum == nil:
		return Sum{}
	}
	return in.Spec.Sum(in)
}

// wraps reports whether an instruction computes on one integer per register, modulo a power of two.
func (in *Instr) wraps() bool {
	t := in.Types[0]
	return t.IsInt() && !t.isPacked() && in.Mods[Sat] == 0
}

// sumOf returns a row's Sum: s for integers.
func sumOf(s Sum) func(in *Instr) Sum {
	return func(in *Instr) Sum {
		if !in.wraps() {
			return Sum{}
		}
		s := s
		s.Bits = in.Types[0].Bits()
		return s
	}
}

// madSum is the Sum of mad.
func madSum(in *Instr) Sum {
	if !in.wraps() || in.Mods[Part] != Lo {
		return Sum{}
	}
	return Sum{Bits: in.Types[0].Bits(), Of: [2]int{3}, By: [2]int{1, 2}}
}

// selpSum is the Sum of selp.
func selpSum(in *Instr) Sum { return Sum{Bits: in.Types[0].Bits(), Of: [2]int{1, 2}} }

// cvtSum is the Sum of cvt: integers are truncated or extended.
func cvtSum(in *Instr) Sum {
	if !in.wraps() || !in.Types[1].IsInt() {
		return Sum{}
	}
	return Sum{Bits: min(in.Types[0].Bits(), in.Types[1].Bits()), Of: [2]int{1}}
}

// Shrinks reports whether the result of a checked instruction is operand 1 moved towards 0: shifted right, or
// divided. 0 stays 0; -1 stays -1 if keepsOnes is true.
func (in *Instr) Shrinks() (keepsOnes, ok bool) {
	if in.Later != "" || in.Spec == nil || in.Spec.Shrinks == nil || in.Args[2].Kind != ImmOperand {
		return false, false
	}
	return in.Spec.Shrinks(in)
}

// shiftShrinks is the Shrinks of shr, by a constant.
func shiftShrinks(in *Instr) (keepsOnes, ok bool) {
	return in.Types[0].Class() == Signed, uint32(in.Args[2].Bits) != 0
}

// quotientShrinks is the Shrinks of div, by a constant.
func quotientShrinks(in *Instr) (keepsOnes, ok bool) {
	t := in.Types[0]
	spare := 64 - t.Bits()
	by := in.Args[2].Bits << spare
	if t.Class() == Signed {
		return false, int64(by)>>spare > 1
	}
	return false, t.IsInt() && by>>spare > 1
}
