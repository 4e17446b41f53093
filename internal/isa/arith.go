package isa

// Arith is the integer operation of an instruction, for analyses of addresses. Operations
// that Sum describes are not included.
type Arith uint8

const (
	NoArith         Arith = iota
	ArithCopy             // operand 1, in another address space
	ArithNegative         // minus operand 1
	ArithProduct          // operand 1 times operand 2, plus operand 3 if there is one
	ArithQuotient         // operand 1 divided by operand 2
	ArithRemainder        // the remainder of that division
	ArithShiftLeft        // operand 1 shifted by operand 2
	ArithShiftRight       // operand 1 shifted by operand 2
	ArithAnd              // bitwise and of operands 1 and 2
	ArithOr               // bitwise or of operands 1 and 2
)

// Arith returns the operation of a checked instruction, if it is on integers that wrap or on bits.
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
