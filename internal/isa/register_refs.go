package isa

// Ref is a register that an instruction reads or writes.
type Ref struct {
	Reg  RegID
	Role Role
	// Sure is true for a write that every executing lane makes. A guarded instruction does not write in lanes in which
	// the guard is false.
	Sure bool
}

// Role is how an instruction uses a register.
type Role uint8

const (
	ReadGuard       Role = iota // @%p
	ReadSource                  // an operand, or an element of a vector; also a function called through a register
	ReadAddress                 // the base of an address: [%rd1+4]
	ReadArgument                // an argument of a call
	WriteResult                 // a result, or an element of a vector of results
	WriteCallResult             // a result of a call
)

// Writes reports whether the register is written, and not read.
func (r Role) Writes() bool { return r >= WriteResult }

// Refs yields the registers that the instruction reads, and then those that it writes, in the order of the text. A
// register is yielded once for each time that it appears. The carry flag is not included: see Spec.CarryIn and the
// modifier group CC. For an unsupported instruction only the guard is known.
func (in *Instr) Refs(yield func(Ref) bool) {
	var memory [usualRefs]Ref
	for _, r := range in.AppendRefs(memory[:0]) {
		if !yield(r) {
			return
		}
	}
}

// usualRefs is how many registers nearly every instruction has at most.
const usualRefs = 12

// AppendRefs appends what Refs yields.
func (in *Instr) AppendRefs(all []Ref) []Ref {
	sure, results := in.Guard == NoReg, 0
	if !sure {
		all = append(all, Ref{Reg: in.Guard, Role: ReadGuard})
	}
	if in.Spec != nil {
		results = min(in.Spec.results, len(in.Args))
	}
	all = appendRefs(all, in.Args[results:], Ref{Role: ReadSource})
	if in.Spec != nil && in.Spec.Accumulates != nil && in.Spec.Accumulates(in) {
		all = appendRefs(all, in.Args[:results], Ref{Role: ReadSource})
	}
	if in.Call != nil {
		all = appendRefs(all, in.Call.Args, Ref{Role: ReadArgument})
	}
	all = appendRefs(all, in.Args[:results], Ref{Role: WriteResult, Sure: sure})
	if in.Call != nil {
		all = appendRefs(all, in.Call.Rets, Ref{Role: WriteCallResult, Sure: sure})
	}
	return all
}

// appendRefs appends the registers of operands, as copies of r with Reg set and, for the base of an address, Role.
func appendRefs(all []Ref, operands []Operand, r Ref) []Ref {
	for i := range operands {
		switch a := &operands[i]; a.Kind {
		case RegOperand:
			r.Reg = a.Reg
			all = append(all, r)
		case AddrOperand:
			if a.Reg != NoReg {
				all = append(all, Ref{Reg: a.Reg, Role: ReadAddress})
			}
		case VecOperand:
			all = appendRefs(all, a.Elems, r)
		case ImageOperand:
			all = appendRefs(all, a.Elems[:ImageCoords], Ref{Role: ReadAddress})
			all = appendRefs(all, a.Elems[ImageCoords:], r)
		}
	}
	return all
}

// Specials yields the special registers that the instruction reads, in the order of the text.
func (in *Instr) Specials(yield func(Special) bool) { specials(in.Args, yield) }

func specials(operands []Operand, yield func(Special) bool) bool {
	for i := range operands {
		ok := true
		switch a := &operands[i]; a.Kind {
		case SpecialOperand:
			ok = yield(a.Special)
		case VecOperand, ImageOperand:
			ok = specials(a.Elems, yield)
		}
		if !ok {
			return false
		}
	}
	return true
}
