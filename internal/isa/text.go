package isa

import (
	"fmt"
	"strings"
)

// Text returns instruction pc in canonical PTX, without a label and with its semicolon.
func (f *Func) Text(pc int) string { return f.TextOf(&f.Code[pc]) }

// TextOf returns the text of an instruction of the function, or of a changed copy.
func (f *Func) TextOf(in *Instr) string {
	var b strings.Builder
	b.WriteString(f.GuardText(in))
	if in.Later != "" {
		b.WriteString(in.Raw + ";")
		return b.String()
	}
	b.WriteString(in.Mnemonic())
	if in.Call != nil {
		f.writeCall(&b, in)
		return b.String()
	}
	for i := range in.Args {
		a := &in.Args[i]
		if a.Kind == NoOperand {
			continue
		}
		switch {
		case i == 0:
			b.WriteByte(' ')
		case in.Spec.formals[i].Name == 'q':
			b.WriteByte('|')
		default:
			b.WriteString(", ")
		}
		f.writeOperand(&b, a)
	}
	b.WriteByte(';')
	return b.String()
}

// GuardText returns the guard of an instruction and a blank, as in "@!%p1 "; "" if it has none.
func (f *Func) GuardText(in *Instr) string {
	switch {
	case in.Guard == NoReg:
		return ""
	case in.GuardNot:
		return "@!" + f.Regs[in.Guard].Name + " "
	}
	return "@" + f.Regs[in.Guard].Name + " "
}

// writeCall writes "(results), function, (arguments), prototype;".
func (f *Func) writeCall(b *strings.Builder, in *Instr) {
	b.WriteByte(' ')
	if len(in.Call.Rets) > 0 {
		b.WriteByte('(')
		f.writeOperands(b, in.Call.Rets)
		b.WriteString("), ")
	}
	f.writeOperand(b, &in.Args[0])
	if len(in.Call.Rets)+len(in.Call.Args) > 0 || in.Call.Proto != "" {
		b.WriteString(", (")
		f.writeOperands(b, in.Call.Args)
		b.WriteByte(')')
	}
	if in.Call.Proto != "" {
		b.WriteString(", " + in.Call.Proto)
	}
	b.WriteByte(';')
}

// OperandText returns an operand of an instruction of f as source text.
func (f *Func) OperandText(a *Operand) string {
	var b strings.Builder
	f.writeOperand(&b, a)
	return b.String()
}

func (f *Func) writeOperands(b *strings.Builder, ops []Operand) {
	for i := range ops {
		if i > 0 {
			b.WriteString(", ")
		}
		f.writeOperand(b, &ops[i])
	}
}

func (f *Func) writeOperand(b *strings.Builder, a *Operand) {
	if a.Not {
		b.WriteByte('!')
	}
	if a.Neg {
		b.WriteByte('-')
	}
	switch a.Kind {
	case RegOperand:
		b.WriteString(f.Regs[a.Reg].Name + a.Select.String())
		if a.Bits != 0 {
			fmt.Fprintf(b, "%+d", int64(a.Bits))
		}
	case ImmOperand:
		b.WriteString(a.constantText())
	case SpecialOperand:
		b.WriteString(a.Special.String() + a.Select.String())
	case SymOperand:
		b.WriteString(a.Sym)
		if a.Bits != 0 {
			fmt.Fprintf(b, "%+d", int64(a.Bits))
		}
	case AddrOperand:
		b.WriteByte('[')
		switch {
		case a.Reg != NoReg:
			b.WriteString(f.Regs[a.Reg].Name)
		case a.Sym != "":
			b.WriteString(a.Sym)
		default:
			b.WriteString(a.constantText() + "]")
			return
		}
		switch {
		case a.Hex:
			fmt.Fprintf(b, "+%#x", a.Bits)
		case a.Bits != 0:
			fmt.Fprintf(b, "+%d", int64(a.Bits)) // PTX writes [r+-4]
		}
		b.WriteByte(']')
	case VecOperand:
		if a.Special != NoSpecial {
			b.WriteString(a.Special.vectorName())
			return
		}
		b.WriteByte('{')
		f.writeOperands(b, a.Elems)
		b.WriteByte('}')
	case ImageOperand:
		f.writeImage(b, a)
	case TableOperand:
		b.WriteString(a.Sym)
	case LabelOperand:
		b.WriteString(f.Labels[a.Label()].Name)
	case SinkOperand:
		b.WriteByte('_')
	}
}

// writeImage writes "[t, s, {x, y}]".
func (f *Func) writeImage(b *strings.Builder, a *Operand) {
	b.WriteByte('[')
	f.writeOperand(b, &a.Elems[ImageName])
	if s := &a.Elems[ImageSampler]; s.Kind != NoOperand {
		b.WriteString(", ")
		f.writeOperand(b, s)
	}
	if coords := a.Elems[ImageCoords:]; len(coords) > 0 {
		b.WriteString(", {")
		f.writeOperands(b, coords)
		b.WriteByte('}')
	}
	b.WriteByte(']')
}

// constantText returns an immediate as PTX writes it.
func (a *Operand) constantText() string {
	if a.Hex {
		return fmt.Sprintf("%#x", a.Bits)
	}
	return a.Lit.Text(a.Bits)
}

// Text returns the literal as PTX writes it.
func (l Lit) Text(bits uint64) string {
	switch l {
	case F32Lit:
		return fmt.Sprintf("0f%08X", uint32(bits))
	case F64Lit:
		return fmt.Sprintf("0d%016X", bits)
	}
	return fmt.Sprintf("%d", int64(bits))
}
