package isa

// Arith is what an instruction computes of integers, for who reasons about addresses. What
// Sum says is not said again.
type Arith uint8

const (
	NoArith         Arith = iota
	ArithCopy             // operand 1, in another address space
	ArithNegative         // minus operand 1
	ArithProduct          // operand 1 times operand 2, plus operand 3 if there is one
	ArithQuotient         // operand 1 divided by operand 2
	ArithRemainder        // what is left of that
	ArithShiftLeft        // operand 1 shifted by operand 2
	ArithShiftRight       // likewise
	ArithAnd              // the bits that operands 1 and 2 have in common
	ArithOr               // the bits that one of them has
)

// Arith is what a checked instruction computes, if it is of integers that wrap, or of bits.
func (in *Instr) Arith() Arith {
	if in.Later != "" || in.Spec == nil || in.Spec.Arith == NoArith {
		return NoArith
	}
	t := in.Types[0]
	if t.Class() != Untyped && !in.wraps() || in.Mods[CC] != 0 || in.Spec.CarryIn || in.Mods[Part] == Hi {
		return NoArith
	}
	return in.Spec.Arith
}
