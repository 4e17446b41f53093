package isa

// Operation is the operation of a row, as far as an assembler distinguishes operations when it fuses two PTX
// instructions into one machine instruction, or moves one (package cost). Values are bits, so that they can be combined
// to a set. A row has at most one, and most rows have none.
type Operation uint32

const (
	OpSum        Operation = 1 << iota // a + b
	OpDifference                       // a - b
	OpNegative                         // -a
	OpMagnitude                        // |a|
	OpProduct                          // a * b
	OpProductSum                       // a * b + c
	OpFused                            // a * b + c with one rounding
	OpExtremum                         // the smaller or larger of a and b
	OpShift                            // a << b
	OpLogic                            // a and b, or, exclusive or
	OpComplement                       // not a
	OpComparison                       // whether a and b compare so, as a predicate
	OpSelection                        // a or b, by a predicate
	OpConversion                       // a in another type
	OpVote                             // a predicate of all lanes
	OpBranch                           // a branch to a label
	OpAccess                           // an access to memory at a register and a constant
)

// Operation returns the operation of the row; 0 for none. Loads, stores and atomics of the load-store unit have an
// address that is a register and a constant.
func (s *Spec) Operation() Operation {
	if s.Cost.operation == 0 && (s.Kind == Load || s.Kind == Store || s.Kind == Atomic) && s.Unit(&Variant{Mods: new(Mods)}) == LSU {
		return OpAccess
	}
	return s.Cost.operation
}
