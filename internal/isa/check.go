package isa

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/sorted"
)

// Names resolves names in operands for Check.
type Names interface {
	// Reg is a register of the function.
	Reg(id RegID) Reg
	// Var returns the variable or parameter with a name, or nil.
	Var(name string) *Var
	// Func returns the function with a name, or nil.
	Func(name string) *Func
}

// Check compares the operands of in with its row: their number, kinds and types. It returns an error that suggests a
// correction, or nil.
func (in *Instr) Check(n Names) *Error {
	s := in.Spec
	if in.Guard != NoReg {
		if r := n.Reg(in.Guard); r.Type != Pred {
			return Errorf(in.Pos, "guard %s is .%s; a guard is a predicate", r.Name, r.Type)
		}
	}
	in.openGap()
	in.openLanes()
	in.openOffset(n)
	in.openTensor()
	in.openLong()
	if n := in.given(); n < s.needed || len(in.Args) > len(s.formals) {
		text := s.FormText()
		if s.Kind == Return {
			text += ": store a function's result to the parameter before its name"
		}
		return Errorf(in.Pos, "%s has %s; it takes %s", in.Mnemonic(), plural(n, "operand"), text)
	}
	for i := range in.Args {
		p, a := &s.formals[i], &in.Args[i]
		if a.Kind == NoOperand {
			if !p.Optional {
				return Errorf(in.Pos, "%s: no operand %c; it takes %s", in.Mnemonic(), p.Name, s.FormText())
			}
			continue
		}
		msg := in.checkArg(n, p, a)
		if msg == "" && (a.Select != 0 || a.Neg) {
			msg = in.checkSelector(p, a)
		}
		if msg != "" {
			return Errorf(in.PosOf(a), "%s: %s", in.Mnemonic(), msg)
		}
	}
	if s.Check != nil {
		if msg := s.Check(in); msg != "" {
			return Errorf(in.Pos, "%s: %s", in.Mnemonic(), msg)
		}
	}
	return nil
}

// openGap inserts an absent operand where the source left one out before others.
func (in *Instr) openGap() {
	if s := in.Spec; s.gap > 0 && in.Mods[TensorG] == 0 && len(in.Args) == len(s.formals)-1 && s.formals[s.gap].Kind != LaneMask {
		in.Args = sorted.Insert(in.Args, s.gap, Operand{Reg: NoReg})
	}
	if s := in.Spec; s.policy > 0 && len(in.Args) == s.policy && in.Mods[CacheHint] != 0 {
		in.Args = sorted.Insert(in.Args, s.policy-1, Operand{Reg: NoReg})
	}
}

// openLong splits the constant of a mov.b128 into a vector of two halves. Constants in the source have 64 bits.
func (in *Instr) openLong() {
	if in.Types[0] != B128 || !in.Spec.Takes(AnyMove) || len(in.Args) != 2 {
		return
	}
	if a := &in.Args[1]; a.Kind == ImmOperand && a.Lit == IntLit && int64(a.Bits) >= 0 {
		low, high := *a, *a
		high.Bits, high.Hex = 0, false
		in.Args[1] = Operand{Kind: VecOperand, Reg: NoReg, Line: a.Line, Col: a.Col, Elems: []Operand{low, high}}
	}
}

// openLanes inserts an absent mask of lanes where the source has another operand in its place. The mask is a vector,
// so they can be distinguished.
func (in *Instr) openLanes() {
	for i, p := range in.Spec.formals {
		if p.Kind == LaneMask && p.Optional && i < len(in.Args) && in.Args[i].Kind != VecOperand && in.Args[i].Kind != NoOperand {
			in.Args = sorted.Insert(in.Args, i, Operand{Reg: NoReg})
			return
		}
	}
}

// given returns the number of operands in the source. Args also has those left out in the middle.
func (in *Instr) given() int {
	n := 0
	for i := range in.Args {
		if in.Args[i].Kind != NoOperand {
			n++
		}
	}
	return n
}

// FormText is the row's operands as a user would write them.
func (s *Spec) FormText() string {
	if len(s.formals) == 0 {
		return "none"
	}
	text, closing := "", ""
	for i, p := range s.formals {
		one := string(p.Name)
		switch {
		case p.Kind == Address:
			one = "[" + one + "]"
		case p.Kind == LaneMask:
			one = "{" + one + ", ...}"
		case p.Select != SelectNothing || p.Negates:
			one = p.selectText()
		case p.Fixed == Pred && !p.Result:
			one = "{!}" + one
		case p.Kind == Target:
			one = "label"
		case p.Kind == Table:
			one = "targets"
		case p.Kind == Image && s.Kind == QueryKind:
			one = "[" + one + "]"
		case p.Kind == Image && s.formals[0].Kind != Image && s.ntypes == 2:
			one = "[" + one + "{, sampler}, {coordinates}]"
		case p.Kind == Image:
			one = "[" + one + ", {coordinates}]"
		case p.Kind == TensorAt:
			one = "[" + one + ", {coordinates}]"
		case p.Kind == Pixels:
			one = "{offsets}"
		case p.Kind == Callee:
			one = "(results), function, (arguments)"
		}
		switch {
		case i == 0:
			text = one
		case s.formals[i].Name == 'q':
			text += "{|q}"
		case i == s.gap:
			text += "{, " + one + "}"
		case p.Optional:
			text += "{, " + one
			closing += "}"
		default:
			text += ", " + one
		}
	}
	return text + closing
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (in *Instr) checkArg(n Names, p *Formal, a *Operand) string {
	t := p.Type(in.Types, in.Mods)
	if p.OrLong && a.Kind == RegOperand && n.Reg(a.Reg).Type.Bits() == 64 {
		return in.checkValue(n, p, a, U64)
	}
	if p.OrPred && a.Kind == RegOperand && n.Reg(a.Reg).Type == Pred {
		t = Pred
	}
	switch p.Kind {
	case Address:
		if p.Tensor {
			return in.checkTensorAddress(n, a)
		}
		return in.checkAddress(n, a, in.SpaceOf(p))
	case Image:
		return in.checkImage(n, a)
	case Offset:
		return in.checkOffset(n, p, a)
	case TensorAt:
		return in.checkTensor(n, a)
	case Pixels:
		return in.checkPixels(n, p, a)
	case Target, Table, Immediate:
		return checkConstant(p, a)
	case Callee:
		return in.checkCallee(n, a)
	case Pointer:
		if a.Kind == RegOperand {
			return checkPointer(n.Reg(a.Reg))
		}
	case Fragment:
		return in.checkFragment(n, p, a, t)
	case Multiplicand:
		if a.Kind == VecOperand {
			_, t := p.fragment(in.Mods, p.Name)
			return in.checkFragment(n, p, a, t)
		}
	case TensorMatrix:
		if a.Kind == AddrOperand {
			return in.checkTensorAddress(n, a)
		}
	case LaneMask:
		want := 4
		if in.Mods[CTAGroup] == TwoCTAs {
			want = 8
		}
		return in.checkVector(n, p, a, t, want)
	case Four:
		if in.Types[0].isFour() {
			return in.checkVector(n, p, a, t, 4)
		}
	case Vector, AnyMove:
		if len := in.Mods.VecLen(); len > 1 {
			return in.checkVector(n, p, a, t, len)
		}
	}
	if p.Kind == AnyMove {
		return in.checkMoved(n, p, a, t)
	}
	return in.checkValue(n, p, a, t)
}

// checkConstant checks an operand that is known before the kernel runs: the target of a branch, or an integer.
func checkConstant(p *Formal, a *Operand) string {
	switch {
	case p.Kind == Target && a.Kind != LabelOperand:
		return notALabel(a)
	case p.Kind == Table && a.Kind != TableOperand:
		return "the targets are not a list: name a .branchtargets"
	case p.Kind == Immediate && (a.Kind != ImmOperand || a.Lit != IntLit):
		return fmt.Sprintf("operand %c must be an integer constant", p.Name)
	}
	return ""
}

// notALabel says that the target of a branch is not a label, and what to write instead.
func notALabel(a *Operand) string {
	switch a.Kind {
	case SymOperand:
		return "the target is not a label; call is for functions"
	case RegOperand:
		return "the target is not a label; brx.idx branches to one of a list, by a register"
	}
	return "the target is not a label"
}

// checkMoved checks an operand of mov, which may also be the address of a symbol, or a vector that is packed from or
// into a value of type t.
func (in *Instr) checkMoved(n Names, p *Formal, a *Operand, t Type) string {
	switch a.Kind {
	case SymOperand:
		if t.Class() == Float || t.Bits() < 32 {
			return fmt.Sprintf("the address of %s does not fit .%s; take .u64", a.Sym, t)
		}
		if n.Var(a.Sym) == nil && n.Func(a.Sym) == nil {
			return fmt.Sprintf("%s is not declared", a.Sym)
		}
		return ""
	case VecOperand:
		if p.Result && len(in.Args) > 1 && in.Args[1].Kind == VecOperand {
			return "only one side of a move can be a vector"
		}
		k := len(a.Elems)
		if a.Special != NoSpecial {
			return fmt.Sprintf("%s is a vector; did you mean %s?", a.Special.vectorName(), a.Special)
		}
		if (k != 2 && k != 4) || t.Bits()%k != 0 || t.Bits()/k < 8 || t.Class() != Untyped || t == B128 && k != 2 {
			return fmt.Sprintf(".%s cannot be packed from or into %s", t, plural(k, "element"))
		}
		return in.checkVector(n, p, a, t.Element(k), k)
	}
	return in.checkValue(n, p, a, t)
}

// checkFragment checks an operand that is a matrix fragment: it must have as many elements as the form, in braces
// unless there is only one.
func (in *Instr) checkFragment(n Names, p *Formal, a *Operand, t Type) string {
	want := p.Registers(in.Mods)
	elems := a.Elems
	switch {
	case a.Kind == VecOperand && a.Special == NoSpecial:
	case want > 1:
		return fmt.Sprintf("operand %c must be a vector {…}: it takes %s of .%s", p.Name, plural(want, "register"), t)
	default:
		elems = []Operand{*a}
	}
	if len(elems) != want {
		return fmt.Sprintf("operand %c has %s; it takes %s of .%s", p.Name, plural(len(elems), "register"), plural(want, "register"), t)
	}
	for i := range elems {
		if msg := in.checkElement(n, p, &elems[i], t); msg != "" {
			return msg
		}
	}
	return ""
}

// checkElement checks an element of a fragment: a register; _, which drops an element of a result; or a constant
// of the element's type as a source.
func (in *Instr) checkElement(n Names, p *Formal, e *Operand, t Type) string {
	switch {
	case e.Kind == SinkOperand && p.Result && in.Spec.Accumulates != nil:
		return fmt.Sprintf("operand %c cannot have _, since it is read too", p.Name)
	case e.Kind == SinkOperand && p.Result, e.Kind == ImmOperand && !p.Result:
		return in.checkValue(n, p, e, t)
	case e.Kind == RegOperand && !e.Not && e.Bits == 0:
		r := n.Reg(e.Reg)
		return in.checkReg(r.Name, r.Type, p, t)
	case p.Result:
		return fmt.Sprintf("an element of operand %c is a register of .%s, or _", p.Name, t)
	}
	return fmt.Sprintf("an element of operand %c is a register or constant of .%s", p.Name, t)
}

func (in *Instr) checkVector(n Names, p *Formal, a *Operand, t Type, want int) string {
	if a.Kind != VecOperand {
		return fmt.Sprintf("operand %c must be a vector {…} of %d", p.Name, want)
	}
	if len(a.Elems) != want {
		return fmt.Sprintf("operand %c has %s; it takes %d", p.Name, plural(len(a.Elems), "element"), want)
	}
	for i := range a.Elems {
		if msg := in.checkValue(n, p, &a.Elems[i], t); msg != "" {
			return msg
		}
	}
	return ""
}

// checkValue checks a scalar operand against its type by the rules of PTX ISA 9.4: a register must have the type's
// size and a compatible type. Untyped .b is compatible with every type, and signed with unsigned.
func (in *Instr) checkValue(n Names, p *Formal, a *Operand, t Type) string {
	if a.Not && (t != Pred || p.Result) {
		return "only a predicate source can be complemented with !"
	}
	switch a.Kind {
	case SinkOperand:
		if !p.Result {
			return "_ can only take a result"
		}
		return ""
	case RegOperand:
		r := n.Reg(a.Reg)
		return in.checkReg(r.Name, r.Type, p, t)
	case SpecialOperand:
		if p.Result {
			return fmt.Sprintf("%s cannot be written", a.Special)
		}
		return in.checkReg(a.Special.String(), a.Special.Type(), p, t)
	case ImmOperand:
		switch {
		case p.Result:
			return "a constant cannot be written"
		case t == Pred:
			return "" // 0 and 1
		case t == B128 && p.Kind == AnyMove:
			return fmt.Sprintf("operand %c is a constant that does not say what its upper 64 bits are; write both halves, as in mov.b128 %%q, {low, high}", p.Name)
		case t == B128:
			return fmt.Sprintf("operand %c is a constant, which .b128 cannot be; take its halves into registers, and pack them with mov.b128", p.Name)
		case t.Class() == Float && t != F32 && t != F64:
			return fmt.Sprintf("operand %c is a constant, which .%s cannot be; take its bits into a register with mov.b%d", p.Name, t, t.Bits())
		case t.Class() == Float && a.Lit == IntLit:
			return fmt.Sprintf("operand %c is an integer constant; .%s takes one like 1.0 or 0f3F800000", p.Name, t)
		case t.IsInt() && a.Lit != IntLit, t.Class() == Untyped && a.Lit == F64Lit && t.Bits() != 64, t.Class() == Untyped && a.Lit == F32Lit && t.Bits() != 32:
			return fmt.Sprintf("operand %c is a floating-point constant; .%s takes an integer", p.Name, t)
		}
		return ""
	case SymOperand:
		v := n.Var(a.Sym)
		switch {
		case v == nil && n.Func(a.Sym) == nil:
			return fmt.Sprintf("%s is not declared", a.Sym)
		case in.Spec.Syntax.takesAddress:
			return in.checkNamed(a.Sym, v)
		case v != nil && v.Space == Param:
			return wrongSpace(a.Sym, v, Param)
		}
		return fmt.Sprintf("the address of %s must be taken with mov", a.Sym)
	case VecOperand:
		return fmt.Sprintf("operand %c is a vector, but there is no .v2 or .v4", p.Name)
	case AddrOperand:
		if in.swapped() {
			return in.inAnotherOrder(n)
		}
		if p.Result {
			return fmt.Sprintf("operand %c is an address; only st, atom and red write memory", p.Name)
		}
		return fmt.Sprintf("operand %c is an address; load the value there into a register first, with ld", p.Name)
	case LabelOperand:
		return fmt.Sprintf("operand %c is a label; it takes a register or constant", p.Name)
	case TableOperand:
		return fmt.Sprintf("operand %c is a list of branch targets; it takes a register or constant", p.Name)
	}
	return fmt.Sprintf("operand %c is missing", p.Name)
}

func (in *Instr) checkReg(name string, have Type, p *Formal, t Type) string {
	ok := have.Bits() == t.Bits()
	switch {
	case have == Pred || t == Pred, have == B128 || t == B128:
		ok = have == t
	case t.Class() == Float:
		// Only ld and st move floats through wider registers of .b types.
		ok = have == t || have.Class() == Untyped && (ok || in.widens() && have.Bits() > t.Bits())
	case have.Class() == Float:
		ok = (ok || in.Spec.Wide && have.Bits() > t.Bits()) && t.Class() == Untyped
	case in.Spec.Wide:
		ok = have.Bits() >= t.Bits()
	}
	if ok {
		return ""
	}
	return fmt.Sprintf("%s is .%s; operand %c takes %s", name, have, p.Name, in.acceptable(t))
}

// widens reports whether in moves a value of any type between memory and a
// register that may be wider (PTX ISA 9.4.1).
func (in *Instr) widens() bool {
	return in.Spec.Wide && (in.Spec.Kind == Load || in.Spec.Kind == Store)
}

// acceptable lists the register types that go with an operand type.
func (in *Instr) acceptable(t Type) string {
	bits := t.Bits()
	var s string
	if t == B128 {
		return ".b128"
	}
	switch t.Class() {
	case Predicate:
		return ".pred"
	case Float:
		if t.Storage() != t {
			return "." + t.Storage().String()
		}
		if in.widens() && bits < 64 {
			return fmt.Sprintf(".%s, .b%d or a wider .b type", t, bits)
		}
		return fmt.Sprintf(".%s or .b%d", t, bits)
	case Untyped:
		s = fmt.Sprintf("any type of %d bits", bits)
	default:
		s = fmt.Sprintf(".b%d .u%d .s%d", bits, bits, bits)
	}
	if in.Spec.Wide && bits < 64 {
		s += " or wider"
	}
	return s
}

// checkCallee checks the target of a call. Its arguments are compared with the function's parameters only when the
// kernel is lowered, because the function may be defined in another module.
func (in *Instr) checkCallee(n Names, a *Operand) string {
	switch a.Kind {
	case SymOperand:
		if n.Func(a.Sym) == nil {
			return fmt.Sprintf("%s is not a function", a.Sym)
		}
		return ""
	case RegOperand:
		if r := n.Reg(a.Reg); r.Type.Bits() < 32 || r.Type.Class() == Float {
			return fmt.Sprintf("%s is .%s; a function's address takes a 32- or 64-bit integer register", r.Name, r.Type)
		}
		if in.Call == nil || in.Call.Proto == "" {
			return "a call through a register needs a prototype: (results), register, (arguments), prototype"
		}
		return ""
	}
	return "the target of a call is a function or a register"
}
