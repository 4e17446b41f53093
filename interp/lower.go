package interp

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// lowering turns one instruction into an Op: operands become slots.
type lowering struct {
	m    *Machine
	p    *program
	in   *isa.Instr
	op   *lanes.Op
	code *instr
}

func (l *lowering) instruction() error {
	in, op, layout := l.in, l.op, l.p.layout
	if in.Later != "" {
		return isa.Errorf(in.Pos, "%s", in.Later)
	}
	*op = lanes.Op{
		Kind: uint8(in.Spec.Kind), Mode: in.Mods.Mode(), To: in.Types[0].Elem(), From: in.Types[1].Elem(),
		// What an instruction does not have, it writes nowhere and reads as false.
		D: layout.Sink, D2: layout.SinkPred, E: layout.True | 1,
		Guard: layout.True,
	}
	if in.Guard != isa.NoReg {
		op.Guard = layout.Reg(in.Guard)
		if in.GuardNot {
			op.Guard |= 1
		}
	}
	if in.Spec.CarryIn {
		op.E = layout.Carry
	}
	if in.Mods[isa.CC] != 0 {
		op.D2 = layout.Carry
	}
	if l.loadsParam() {
		return l.paramLoad()
	}
	var v isa.Variant
	for i := range in.Args {
		if err := l.operand(&in.Spec.Formals()[i], &in.Args[i], &v); err != nil {
			return err
		}
	}
	var imm uint64
	op.Fn, l.code.mem, imm = in.Bind(v)
	if in.Spec.Imm != nil {
		op.Imm = imm
	}
	l.code.sync = in.Mods[isa.Sync] != 0 && (in.Spec.Kind == isa.Shuffle || in.Spec.Kind == isa.Vote)
	l.code.space = in.Mods.MemSpace()
	l.code.size = uint8(in.Types[0].Bytes() * in.Mods.VecLen())
	return nil
}

// operand puts one operand where its formal says, and its width into v.
func (l *lowering) operand(formal *isa.Formal, a *isa.Operand, v *isa.Variant) error {
	if a.Kind == isa.NoOperand {
		return nil
	}
	t := formal.Type(l.in.Types, &l.in.Mods)
	switch formal.Kind {
	case isa.Target:
		l.code.target = int32(l.p.fn.Labels[a.Label].PC)
		return nil
	case isa.Immediate:
		l.op.Imm = a.Bits
		return nil
	case isa.Address:
		return l.address(a)
	}
	first := a
	if a.Kind == isa.VecOperand {
		first = &a.Elems[0]
		if formal.Kind == isa.AnyMove {
			n := len(a.Elems)
			t = [...]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32}[t.Bits()/n]
			if formal.Result {
				v.Unpack = n
			} else {
				v.Pack = n
			}
		}
		if err := l.vector(formal, a, t); err != nil {
			return err
		}
	} else {
		off, err := l.slot(a, t, formal.Result)
		if err != nil {
			return err
		}
		l.set(formal.Name, off)
	}
	switch {
	case formal.Result:
		v.DstBits = l.bits(first, t)
	case v.SrcBits == 0:
		v.SrcBits = l.bits(first, t)
	}
	return nil
}

func (l *lowering) set(name byte, off uint32) {
	switch name {
	case 'd':
		l.op.D = off
	case 'q':
		l.op.D2 = off
	case 'a':
		l.op.A = off
	case 'b':
		l.op.B = off
	case 'c':
		l.op.C = off
	case 'e':
		l.op.E = off
	default:
		panic("simtrun bug: no place in an Op for operand " + string(name))
	}
}

// bits is the width of the register that an operand is; the type's otherwise.
func (l *lowering) bits(a *isa.Operand, t isa.Type) int {
	if a.Kind == isa.RegOperand {
		return l.p.fn.Regs[a.Reg].Type.Bits()
	}
	return t.Bits()
}

func (l *lowering) vector(formal *isa.Formal, a *isa.Operand, t isa.Type) error {
	l.op.Vec = new([8]uint32)
	for i := range a.Elems {
		if l.bits(&a.Elems[i], t) > 32 != (l.bits(&a.Elems[0], t) > 32) && a.Elems[i].Kind == isa.RegOperand {
			return isa.Errorf(a.Pos, "a vector of registers of different widths is not supported yet")
		}
		off, err := l.slot(&a.Elems[i], t, formal.Result)
		if err != nil {
			return err
		}
		l.op.Vec[i] = off
	}
	return nil
}

// slot is where a scalar operand of type t is found, or a result goes.
func (l *lowering) slot(a *isa.Operand, t isa.Type, result bool) (uint32, error) {
	layout, wide := l.p.layout, t.Bits() > 32
	switch a.Kind {
	case isa.RegOperand:
		off := layout.Reg(a.Reg)
		if a.Not {
			off |= 1
		}
		return off, nil
	case isa.SinkOperand:
		if t == isa.Pred {
			return layout.SinkPred, nil
		}
		return layout.Sink, nil
	case isa.SpecialOperand:
		return layout.Special(a.Special), nil
	case isa.ImmOperand:
		if t == isa.Pred {
			if (a.Bits != 0) != a.Not {
				return layout.True, nil
			}
			return layout.True | 1, nil
		}
		return layout.Const(a.Bits&(1<<t.Bits()-1), wide), nil
	case isa.SymOperand:
		addr, err := l.m.address(l.p, a.Sym)
		if err != nil {
			return 0, isa.Errorf(a.Pos, "%v", err)
		}
		return layout.Const(addr+a.Bits, wide), nil
	}
	panic("simtrun bug: operand that Check should have refused")
}

// address puts the base of an address into A and its displacement into Imm.
func (l *lowering) address(a *isa.Operand) error {
	if a.Reg != isa.NoReg {
		l.op.A = l.p.layout.Reg(a.Reg)
		l.op.Imm = a.Bits
		l.code.wide = l.p.fn.Regs[a.Reg].Type.Bits() > 32
		return nil
	}
	addr := a.Bits
	if a.Sym != "" {
		base, err := l.m.address(l.p, a.Sym)
		if err != nil {
			return isa.Errorf(a.Pos, "%v", err)
		}
		addr += base
	}
	l.op.A = l.p.layout.Const(addr, true)
	l.code.wide = true
	return nil
}

// loadsParam reports whether the instruction reads a parameter at an address
// that is known now: then its value is the same for the whole launch.
func (l *lowering) loadsParam() bool {
	in := l.in
	if in.Spec.Kind != isa.Load || in.Mods.MemSpace() != isa.Param || in.Mods.VecLen() > 1 {
		return false
	}
	at := in.Args[1].Bits + l.p.places[in.Args[1].Sym]
	size := uint64(in.Types[0].Bytes())
	return in.Args[1].Reg == isa.NoReg && at%size == 0 && at+size <= uint64(l.p.paramBytes)
}

// paramLoad makes a load of a parameter a move from a read-only slot.
func (l *lowering) paramLoad() error {
	t, dst := l.in.Types[0], &l.in.Args[0]
	off, err := l.slot(dst, t, true)
	if err != nil {
		return err
	}
	s := paramSlot{
		at:  int64(l.in.Args[1].Bits + l.p.places[l.in.Args[1].Sym]),
		typ: t, bits: l.bits(dst, t),
	}
	s.off = l.p.layout.Uniform(s.bits > 32)
	l.p.params = append(l.p.params, s)
	l.op.Kind, l.op.D, l.op.A = uint8(isa.Compute), off, s.off
	l.op.Fn = lanes.Mov[uint32]
	if s.bits > 32 {
		l.op.Fn = lanes.Mov[uint64]
	}
	return nil
}
