package hazard

import (
	"fmt"
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
)

// result returns the value of a register after the instruction at pc.
func (v *values) result(pc int, r isa.RegID) *affine {
	if known := v.results.at(pc, r); known != nil {
		return known
	}
	if v.tooFar() {
		return v.unknown()
	}
	v.depth++
	value := v.compute(pc, r)
	v.depth--
	if len(value.terms) > mostTerms {
		value = v.pureOf("sum", -1, value)
	}
	v.results.set(pc, r, value)
	return value
}

func (v *values) compute(pc int, r isa.RegID) *affine {
	in := &v.f.Code[pc]
	if in.Spec == nil || in.Later != "" {
		return v.unknown()
	}
	if in.Guard != isa.NoReg { // one of two values
		return v.pureOf(fmt.Sprint("guarded ", pc), v.block(pc), v.before(pc, in.Guard), v.before(pc, r), v.plain(pc, in, r))
	}
	return v.plain(pc, in, r)
}

func (v *values) block(pc int) int32 { return int32(v.g.BlockOf(pc)) }

// plain returns the value of a register in lanes that execute the instruction.
func (v *values) plain(pc int, in *isa.Instr, r isa.RegID) *affine {
	if in.Is(isa.Load) {
		return v.load(pc, in, r)
	}
	if !in.Is(isa.Compute) || in.Mods[isa.CC] != 0 || in.Spec.CarryIn || len(in.Args) == 0 {
		return v.unknown()
	}
	if a := v.sum(pc, in); a != nil {
		return a
	}
	parts, ok := v.operands(pc, in)
	if !ok {
		return v.unknown()
	}
	what := in.Mnemonic()
	if in.Args[0].Kind != isa.RegOperand || in.Args[0].Reg != r { // not its first result
		what = fmt.Sprint(what, " of ", pc, " ", r)
	}
	a := v.pureOp(what, in.Arith(), -1, parts)
	if s, ok := a.only(); ok && v.symbols[s].cmp == nil {
		v.symbols[s].cmp = v.comparison(pc, in, r)
	}
	return a
}

// sum returns the result of an instruction that adds, multiplies or copies integers; nil for others.
func (v *values) sum(pc int, in *isa.Instr) *affine {
	if s := in.Sum(); s.Bits > 0 && s.Bits <= 64 && s.Of[1] == 0 {
		value := v.operand(pc, in, s.Of[0])
		factor, factors := constant(1), 0
		for _, i := range s.By {
			if i != 0 {
				factor, factors = v.multiply(factor, v.operand(pc, in, i)), factors+1
			}
		}
		switch {
		case factors == 0:
			return value
		case s.Minus:
			return value.plus(factor, -1)
		}
		return value.plus(factor, 1)
	}
	switch in.Arith() {
	case isa.ArithCopy:
		return v.operand(pc, in, 1)
	case isa.ArithNegative:
		return v.operand(pc, in, 1).times(-1)
	case isa.ArithProduct:
		value := v.multiply(v.operand(pc, in, 1), v.operand(pc, in, 2))
		if len(in.Args) > 3 {
			value = value.plus(v.operand(pc, in, 3), 1)
		}
		return value
	case isa.ArithShiftLeft:
		if by := v.operand(pc, in, 2); by.isConstant() && by.c >= 0 && by.c < 63 {
			return v.operand(pc, in, 1).times(1 << by.c)
		}
	case isa.ArithOr:
		return v.disjoint(pc, in)
	}
	return nil
}

// disjoint returns the result of an or with operands that have no bit in common, which compilers use as a sum.
func (v *values) disjoint(pc int, in *isa.Instr) *affine {
	a, b := v.operand(pc, in, 1), v.operand(pc, in, 2)
	if a.isConstant() {
		a, b = b, a
	}
	if !b.isConstant() || b.c < 0 {
		return nil
	}
	low := uint64(a.c)
	for _, t := range a.terms {
		low |= uint64(t.factor)
	}
	if bits.Len64(uint64(b.c)) > bits.TrailingZeros64(low) {
		return nil
	}
	return a.plus(b, 1)
}

// operands returns the values of an instruction's sources; false if one of them is not an integer.
func (v *values) operands(pc int, in *isa.Instr) (all []*affine, ok bool) {
	formals := in.Spec.Formals()
	for i := range in.Args {
		if in.Args[i].Kind == isa.NoOperand || i < len(formals) && formals[i].Result {
			continue
		}
		switch in.Args[i].Kind {
		case isa.RegOperand, isa.ImmOperand, isa.SpecialOperand, isa.SymOperand:
			all = append(all, v.operand(pc, in, i))
		default:
			return nil, false
		}
	}
	return all, true
}

// operand returns the value of one operand.
func (v *values) operand(pc int, in *isa.Instr, i int) *affine {
	a := &in.Args[i]
	switch a.Kind {
	case isa.RegOperand:
		value := v.before(pc, a.Reg)
		switch {
		case a.Select != 0:
			return v.pureOf(fmt.Sprint("select ", a.Select), -1, value)
		case a.Not:
			return v.pureOf("complement", -1, value)
		case a.Neg:
			value = value.times(-1)
		}
		return value.plus(constant(int64(a.Bits)), 1)
	case isa.ImmOperand:
		if a.Lit != isa.IntLit {
			return v.pureOf(fmt.Sprint("float ", a.Bits), -1)
		}
		if in.Types[0].Bits() == 32 {
			return constant(int64(int32(a.Bits)))
		}
		return constant(int64(a.Bits))
	case isa.SpecialOperand:
		return v.special(a.Special)
	case isa.SymOperand:
		return v.variable(a.Sym).plus(constant(int64(a.Bits)), 1)
	}
	return v.unknown()
}

func (v *values) special(s isa.Special) *affine {
	kind, apart := own, false
	switch {
	case s >= isa.TidX && s <= isa.TidZ:
		return &affine{terms: []term{{1, one, tidX + dimension(s-isa.TidX)}}}
	case s.IsClock():
		return v.unknown()
	case s == isa.LaneID, s == isa.WarpID, s >= isa.LaneMaskEq && s <= isa.LaneMaskGt:
	case s >= isa.NtidX && s <= isa.NtidZ, s >= isa.NctaidX && s <= isa.NctaidZ:
		kind = same
	default:
		kind, apart = same, true
	}
	return of(v.named(fmt.Sprint("special ", s), symbolInfo{kind: kind, block: -1, apart: apart}))
}

// load returns the result of a load. Parameters of kernels are the same in all threads, and so are values that all
// threads load from one place.
func (v *values) load(pc int, in *isa.Instr, r isa.RegID) *affine {
	if len(in.Args) < 2 || in.Args[1].Kind != isa.AddrOperand {
		return v.unknown()
	}
	a := &in.Args[1]
	if in.Mods.MemSpace() == isa.Param {
		offset, known := v.params[a.Sym]
		if !known || a.Reg != isa.NoReg || in.Args[0].Kind != isa.RegOperand {
			return of(v.named(fmt.Sprint("loaded ", pc, " ", r), symbolInfo{kind: same, block: v.block(pc), apart: true}))
		}
		offset += int64(a.Bits)
		kind := same
		if v.f.Entry && in.Types[0].Bits() == 64 {
			kind = pointer
		}
		return of(v.named(fmt.Sprint("param ", offset, " ", in.Types[0].Bits()), symbolInfo{kind: kind, block: -1, param: offset}))
	}
	kind := pure
	if in.Types[0].Bits() == 64 {
		kind = loaded
	}
	return of(v.named(fmt.Sprint("loaded ", pc, " ", r), symbolInfo{kind: kind, block: v.block(pc), apart: true, parts: []*affine{v.address(pc, a)}}))
}

// comparison returns the comparison that makes the predicate set at pc true; nil if it is not a comparison of
// integers.
func (v *values) comparison(pc int, in *isa.Instr, r isa.RegID) *comparison {
	c, ok := in.Comparison()
	if !ok || !c.Type.IsInt() && c.Type.Class() != isa.Untyped {
		return nil
	}
	if in.Args[0].Kind != isa.RegOperand || in.Args[0].Reg != r {
		c = c.Not()
	}
	return &comparison{c.Op, v.operand(pc, in, 2), v.operand(pc, in, 3)}
}
