package asm

import "github.com/simtrun/simtrun/internal/isa"

// cutConstants finds the integer constants of a module that lose bits: each use converts a constant to the size of the
// operand's or variable's type and drops the higher bits (PTX ISA 4.5.1).
func cutConstants(m *isa.Module) []*isa.Error {
	var all errorLog
	for _, v := range m.Vars {
		for i := range v.Init {
			if in := &v.Init[i]; in.Cut {
				all.addf(in.Pos, "the value of %s does not fit .%s: its low %d bits are %s", v.Name, v.Type, v.Type.Bits(), v.Type.IntText(in.Bits))
			}
		}
	}
	for _, f := range m.Funcs {
		for pc := range f.Code {
			cutOperands(&all, &f.Code[pc])
		}
	}
	return all.errs.List
}

// cutOperands adds the constants of an instruction that lose bits.
func cutOperands(all *errorLog, in *isa.Instr) {
	if in.Later != "" || in.Spec == nil || in.Call != nil {
		return
	}
	formals := in.Spec.Formals()
	for i := range in.Args {
		if i >= len(formals) {
			return
		}
		p := &formals[i]
		switch p.Kind {
		case isa.Value, isa.AnyMove, isa.Vector, isa.Four, isa.Offset:
		default:
			continue // an address, a label, or a constant that is not a number
		}
		t := p.Type(in.Types, in.Mods)
		elems := in.Args[i].Elems
		if in.Args[i].Kind != isa.VecOperand {
			elems = in.Args[i : i+1]
		} else if p.Kind == isa.AnyMove && len(elems) > 0 && t.Bits()%len(elems) == 0 {
			t = t.Element(len(elems))
		}
		for j := range elems {
			if op := &elems[j]; op.Kind == isa.ImmOperand && op.Lit == isa.IntLit && !t.Holds(op.Bits) {
				all.addf(in.PosOf(op), "%s: the constant does not fit .%s: its low %d bits are %s", in.Mnemonic(), t, t.Bits(), t.IntText(op.Bits))
			}
		}
	}
}
