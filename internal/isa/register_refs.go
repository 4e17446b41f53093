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
	sure, results := in.Guard == NoReg, 0
	if in.Spec != nil {
		results = min(in.Spec.results, len(in.Args))
	}
	ok := (sure || yield(Ref{Reg: in.Guard, Role: ReadGuard})) &&
		refs(in.Args[results:], Ref{Role: ReadSource}, yield)
	if in.Spec != nil && in.Spec.Accumulates != nil && in.Spec.Accumulates(in) {
		ok = ok && refs(in.Args[:results], Ref{Role: ReadSource}, yield)
	}
	if in.Call != nil {
		ok = ok && refs(in.Call.Args, Ref{Role: ReadArgument}, yield)
	}
	ok = ok && refs(in.Args[:results], Ref{Role: WriteResult, Sure: sure}, yield)
	if in.Call != nil && ok {
		refs(in.Call.Rets, Ref{Role: WriteCallResult, Sure: sure}, yield)
	}
}

// refs yields the registers of operands, as copies of r with Reg set and, for the base of an address, Role. It
// returns false when yield does.
func refs(operands []Operand, r Ref, yield func(Ref) bool) bool {
	for i := range operands {
		ok := true
		switch a := &operands[i]; a.Kind {
		case RegOperand:
			r.Reg = a.Reg
			ok = yield(r)
		case AddrOperand:
			ok = a.Reg == NoReg || yield(Ref{Reg: a.Reg, Role: ReadAddress})
		case VecOperand:
			ok = refs(a.Elems, r, yield)
		case ImageOperand:
			ok = refs(a.Elems[:ImageCoords], Ref{Role: ReadAddress}, yield) && refs(a.Elems[ImageCoords:], r, yield)
		}
		if !ok {
			return false
		}
	}
	return true
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
