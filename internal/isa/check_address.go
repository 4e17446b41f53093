package isa

import (
	"fmt"
	"slices"
	"strings"
)

// SpaceOf returns the state space of the address that is the operand of a formal.
func (in *Instr) SpaceOf(p *Formal) Space {
	switch {
	case p.Mbar:
		return in.Mods.MemSpace() // of the destination
	case p.From:
		return in.Mods.FromSpace()
	}
	return in.Mods.MemSpace()
}

func (in *Instr) checkAddress(n Names, a *Operand, space Space) string {
	switch a.Kind {
	case AddrOperand:
	case RegOperand, SymOperand, ImmOperand:
		switch {
		case !slices.ContainsFunc(in.Args, func(o Operand) bool { return o.Kind == AddrOperand }):
			return in.inBrackets(n)
		case in.Spec.Syntax.instead != "":
			return in.Spec.Syntax.instead
		}
		return in.inAnotherOrder(n)
	default:
		return "an address is [register+offset], [variable+offset] or [constant]"
	}
	if a.Reg != NoReg {
		if msg := checkPointer(n.Reg(a.Reg)); msg != "" {
			return msg
		}
	}
	if a.Sym != "" {
		v := n.Var(a.Sym)
		if v == nil {
			return fmt.Sprintf("%s is not declared", a.Sym)
		}
		if space != v.Space && space != Generic && (space != SharedCluster || v.Space != Shared) {
			return wrongSpace(a.Sym, v, space)
		}
	}
	return ""
}

// inBrackets says which operands belong in brackets: all addresses of the row.
func (in *Instr) inBrackets(n Names) string {
	args := slices.Clone(in.Args)
	for i := range args {
		if in.Spec.formals[i].Kind != Address {
			continue
		}
		if args[i].Kind != RegOperand {
			args[i].Reg = NoReg
		}
		args[i].Kind = AddrOperand
		if msg := in.checkAddress(n, &args[i], in.SpaceOf(&in.Spec.formals[i])); msg != "" {
			return msg
		}
	}
	if text := in.textWith(n, args); text != "" {
		return "write the address in brackets: " + text
	}
	return "write the address in brackets" + in.Spec.asIn()
}

// inAnotherOrder says which order the operands have, with those of the instruction if two of them are exchanged.
func (in *Instr) inAnotherOrder(n Names) string {
	at, address := -1, -1 // where an address belongs, and where one is
	for i := range in.Args {
		switch is, belongs := in.Args[i].Kind == AddrOperand, in.Spec.formals[i].Kind == Address; {
		case belongs && !is && at < 0:
			at = i
		case is && !belongs && address < 0:
			address = i
		case is != belongs:
			return "the operands are in the wrong order: expected " + in.Spec.FormText() + in.Spec.asIn()
		}
	}
	if args := slices.Clone(in.Args); at >= 0 && address >= 0 {
		args[at], args[address] = args[address], args[at]
		fits := in.checkArg(n, &in.Spec.formals[at], &args[at]) == "" && in.checkArg(n, &in.Spec.formals[address], &args[address]) == ""
		if text := in.textWith(n, args); fits && text != "" {
			return "the operands are in the wrong order: expected " + text
		}
	}
	return "the operands are in the wrong order: expected " + in.Spec.FormText() + in.Spec.asIn()
}

// textWith returns the text of an instruction with other operands, without its guard and semicolon; "" if one of them
// is not a register, a name, a number or an address.
func (in *Instr) textWith(n Names, args []Operand) string {
	f := &Func{}
	for i := range args {
		switch a := &args[i]; {
		case a.Kind == NoOperand:
		case a.Kind != RegOperand && a.Kind != SymOperand && a.Kind != ImmOperand && a.Kind != AddrOperand:
			return ""
		case a.Reg != NoReg && (a.Kind == RegOperand || a.Kind == AddrOperand):
			for len(f.Regs) <= int(a.Reg) {
				f.Regs = append(f.Regs, n.Reg(RegID(len(f.Regs))))
			}
		}
	}
	changed := *in
	changed.Args, changed.Guard = args, NoReg
	return strings.TrimSuffix(f.TextOf(&changed), ";")
}

// asIn returns an example as the end of a message; "" if there is none.
func (s *Spec) asIn() string {
	if examples := s.Examples(); len(examples) > 0 {
		return ", as in " + strings.TrimSuffix(examples[0], ";")
	}
	return ""
}

// swapped reports whether an address stands where there is none, and something else where an address belongs.
func (in *Instr) swapped() bool {
	for i := range in.Args {
		if i < len(in.Spec.formals) && in.Spec.formals[i].Kind == Address && in.Args[i].Kind != AddrOperand {
			return true
		}
	}
	return false
}

// checkNamed checks the space of a variable whose generic address an instruction computes. V is nil for a function.
func (in *Instr) checkNamed(name string, v *Var) string {
	if space := in.Mods.MemSpace(); v != nil && in.Spec.Syntax.widens && in.Mods[To] == 0 && v.Space != space && (space != SharedCluster || v.Space != Shared) {
		return wrongSpace(name, v, space)
	}
	return ""
}

// wrongSpace says that a variable is not in the instruction's state space, and what to write instead.
func wrongSpace(name string, v *Var, space Space) string {
	if v.Space == Param {
		return fmt.Sprintf("%s is a parameter: load its value with ld.param.%s first", name, v.Type)
	}
	return fmt.Sprintf("%s is in .%s space, not in .%s", name, v.Space, space)
}

// checkTensorAddress checks an address in tensor memory, which has 32 bits and no names.
func (in *Instr) checkTensorAddress(n Names, a *Operand) string {
	switch {
	case a.Kind != AddrOperand:
		return "write the address in brackets: " + in.Spec.FormText()
	case a.Sym != "":
		return fmt.Sprintf("%s cannot be an address in tensor memory, which has no variables", a.Sym)
	case a.Reg == NoReg:
		return ""
	}
	if r := n.Reg(a.Reg); r.Type.Bits() != 32 || r.Type.Class() == Float {
		return fmt.Sprintf("%s is .%s; an address in tensor memory takes a 32-bit integer register", r.Name, r.Type)
	}
	return ""
}

// checkPointer checks a register that holds an address.
func checkPointer(r Reg) string {
	if r.Type.Bits() < 32 || r.Type.Bits() > 64 || r.Type.Class() == Float {
		return fmt.Sprintf("%s is .%s; an address takes a 32- or 64-bit integer register", r.Name, r.Type)
	}
	return ""
}
