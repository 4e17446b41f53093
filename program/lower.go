package program

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// lowering turns one instruction into an Op: operands become slots.
type lowering struct {
	p    *Program
	f    *Func
	in   *isa.Instr
	op   *lanes.Op
	info *Info
	// aliased says that the instruction's result is an alias of its source.
	aliased bool
	// plus adds a constant to the value that the instruction stores; usually nil.
	plus *lanes.Op
}

func (l *lowering) instruction() error {
	in, op, layout := l.in, l.op, l.f.Layout
	if in.Later != "" {
		return isa.Errorf(in.Pos, "%s", in.Later)
	}
	*op = lanes.Op{
		Kind: uint8(in.Spec.Kind), Mode: in.Mods.Mode(), To: in.Types[0].Elem(), From: in.Types[1].Elem(),
		// What an instruction does not have, it writes nowhere and reads as false.
		D: layout.Sink, D2: layout.SinkPred, E: layout.True | 1,
		Guard: layout.True,
	}
	if l.p.mod.flushes && l.flushed() {
		op.Mode |= lanes.FTZ
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
	switch {
	case l.aliased:
		op.Kind = uint8(isa.Nop)
		return nil
	case l.loadsParam():
		return l.paramLoad()
	case in.Spec.Kind == isa.CallKind:
		return l.call()
	case in.Spec.Kind == isa.Return:
		op.Kind = uint8(l.f.endKind())
		return nil
	}
	var v isa.Variant
	for i := range in.Args {
		if err := l.operand(&in.Spec.Formals()[i], &in.Args[i], &v); err != nil {
			return err
		}
	}
	l.p.SeesLanes = l.p.SeesLanes || in.Spec.SeesLanes && in.Mods[isa.Sync] == 0
	var imm uint64
	op.Fn, l.info.Mem, imm = in.Bind(v)
	if l.plus != nil {
		l.info.Mem = after(l.plus, l.info.Mem)
	}
	if in.Spec.Imm != nil {
		op.Imm = imm
	}
	switch in.Spec.Kind {
	case isa.Shuffle, isa.Vote:
		l.info.Sync = in.Mods[isa.Sync] != 0
		l.info.Members = l.members()
		l.info.Widths = l.widths()
	case isa.Barrier:
		l.barrier()
	case isa.Load:
		l.info.Polls = in.Mods[isa.Sem] > isa.SemWeak
	case isa.Atomic:
		l.info.Polls = true
	}
	if l.info.Divides = l.divides(); l.info.Divides {
		op.Kind = uint8(isa.Vote) // out of the fast path
	}
	if l.info.Clock {
		if in.Spec.Kind != isa.Compute {
			return isa.Errorf(in.Pos, "a clock as an operand of %s is not supported yet; take it into a register with mov", in.Mnemonic())
		}
		op.Kind = uint8(isa.Vote) // out of the fast path
	}
	l.info.Space = in.Mods.MemSpace()
	l.info.Size = uint8(in.Types[0].Bytes() * in.Mods.VecLen())
	return nil
}

// flushed reports whether the instruction flushes subnormal numbers for sm_1x:
// all on .f32 do, except that up to PTX 1.4 cvt did not where the other type has
// 64 bits (PTX ISA, changes in version 1.5).
func (l *lowering) flushed() bool {
	to, from := l.in.Types[0], l.in.Types[1]
	if to != isa.F32 && from != isa.F32 {
		return false
	}
	return l.in.Spec.Kind != isa.Compute || max(to.Bits(), from.Bits()) <= 32 || l.p.mod.Src.Version != "1.4"
}

// operand puts one operand where its formal says, and its width into v.
func (l *lowering) operand(formal *isa.Formal, a *isa.Operand, v *isa.Variant) error {
	if a.Kind == isa.NoOperand {
		return nil
	}
	t := formal.Type(l.in.Types, l.in.Mods)
	switch formal.Kind {
	case isa.Target:
		l.info.Target = l.labelled(a)
		return nil
	case isa.Table:
		l.info.ByIndex = true
		targets := make([]int32, len(a.Elems))
		for i := range a.Elems {
			targets[i] = l.labelled(&a.Elems[i])
		}
		l.info.Targets = &targets
		return nil
	case isa.Immediate:
		l.op.Imm = a.Bits
		return nil
	case isa.Address:
		return l.address(a)
	}
	if a.Kind == isa.VecOperand && formal.Kind == isa.AnyMove && l.in.Mods.VecLen() == 1 {
		n := len(a.Elems)
		t = [...]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32}[t.Bits()/n]
		if formal.Result {
			v.Unpack = n
		} else {
			v.Pack = n
		}
	}
	bits := l.bits(a, t)
	if a.Kind == isa.VecOperand {
		var err error
		if bits, err = l.vector(formal, a, t); err != nil {
			return err
		}
	} else {
		off, err := l.slot(a, t, t.Bits() > 32)
		if err != nil {
			return err
		}
		l.set(formal.Name, off)
	}
	if a.Kind == isa.RegOperand && a.Bits != 0 {
		l.plus = l.addend(a, bits > 32)
	}
	switch {
	case formal.Result:
		v.DstBits = bits
	case v.SrcBits == 0:
		v.SrcBits = bits
	}
	return nil
}

// addend is the addition that makes the value to be stored, in a slot of its
// own that the store then reads.
func (l *lowering) addend(a *isa.Operand, wide bool) *lanes.Op {
	add := &lanes.Op{A: l.f.Layout.Reg(a.Reg), D: l.f.Layout.Uniform(wide), Imm: a.Bits, Fn: lanes.AddImm[uint32]}
	if wide {
		add.Fn = lanes.AddImm[uint64]
	}
	l.op.B = add.D
	return add
}

// after is mem after the addition that add makes.
func after(add *lanes.Op, mem lanes.MemFunc) lanes.MemFunc {
	return func(f *lanes.File, in *lanes.Op, m lanes.Mask, a *lanes.Access) {
		add.Fn(f, add, m)
		mem(f, in, m, a)
	}
}

// divides reports whether the instruction divides integers by something that
// may be zero.
func (l *lowering) divides() bool {
	in := l.in
	if !in.Spec.Divides || !in.Types[0].IsInt() {
		return false
	}
	by := &in.Args[2]
	return by.Kind != isa.ImmOperand || by.Bits == 0
}

// widths are those of the operands of a collective.
func (l *lowering) widths() (w Widths) {
	for i, formal := range l.in.Spec.Formals() {
		if i >= len(l.in.Args) || l.in.Args[i].Kind == isa.NoOperand {
			continue
		}
		bits := uint8(32)
		switch t := formal.Type(l.in.Types, l.in.Mods); {
		case t == isa.Pred:
			bits = 1
		case t.Bits() > 32:
			bits = 64
		}
		switch formal.Name {
		case 'a':
			w.A = bits
		case 'b':
			w.B = bits
		case 'c':
			w.C = bits
		case 'd':
			w.D = bits
		}
	}
	return w
}

// members is the mask of a .sync instruction if the text has it, else 0.
func (l *lowering) members() lanes.Mask {
	for i, formal := range l.in.Spec.Formals() {
		if formal.Name == 'e' && i < len(l.in.Args) && l.in.Args[i].Kind == isa.ImmOperand {
			return lanes.Mask(l.in.Args[i].Bits)
		}
	}
	return 0
}

// barrier notes which barrier it is, if the text says so, and whether it has a
// count. That of a warp is a collective that does nothing but meet.
func (l *lowering) barrier() {
	l.info.BarOp = l.in.Mods[isa.BarOp]
	l.info.Aligned = l.in.Spec.Aligned || l.in.Mods[isa.Aligned] != 0
	if l.info.BarOp == isa.BarWarp {
		l.op.Kind, l.op.Fn, l.info.Sync = uint8(isa.Vote), func(*lanes.File, *lanes.Op, lanes.Mask) {}, true
		l.info.Members = l.members()
	}
	l.info.Barrier = AnyBarrier
	for i := range l.in.Args {
		switch a := &l.in.Args[i]; l.in.Spec.Formals()[i].Name {
		case 'a':
			if a.Kind == isa.ImmOperand {
				l.info.Barrier = uint32(a.Bits)
			}
		case 'b':
			l.info.Counted = a.Kind != isa.NoOperand
		}
	}
}

// labelled is the PC of a label.
func (l *lowering) labelled(a *isa.Operand) int32 { return int32(l.f.Src.Labels[a.Label()].PC) }

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
		return l.f.Src.Regs[a.Reg].Type.Bits()
	}
	return t.Bits()
}

// vector puts the elements of a vector of type t into Vec. It returns the width
// of its registers, which must be one; constants among them take that too.
func (l *lowering) vector(formal *isa.Formal, a *isa.Operand, t isa.Type) (bits int, err error) {
	for i := range a.Elems {
		if e := &a.Elems[i]; e.Kind == isa.RegOperand {
			if bits != 0 && bits != l.bits(e, t) {
				return 0, isa.Errorf(l.in.PosOf(a), "a vector of registers of different widths is not supported yet")
			}
			bits = l.bits(e, t)
		}
	}
	if bits == 0 {
		bits = t.Bits()
	}
	first := 0
	if l.op.Vec == nil {
		l.op.Vec = new([2 * lanes.MaxVec]uint32)
	} else { // a source behind the result
		first = len(l.in.Args[0].Elems)
	}
	for i := range a.Elems {
		e := &a.Elems[i]
		if e.Kind == isa.SpecialOperand && bits > 32 {
			return 0, isa.Errorf(l.in.PosOf(e), "%s beside 64-bit registers is not supported yet", e.Special)
		}
		if l.op.Vec[first+i], err = l.slot(e, t, bits > 32); err != nil {
			return 0, err
		}
	}
	return bits, nil
}

// slot is where a scalar operand of type t is found, or a result goes. A
// constant gets a slot of 64 bits per lane if wide.
func (l *lowering) slot(a *isa.Operand, t isa.Type, wide bool) (uint32, error) {
	layout := l.f.Layout
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
		l.info.Clock = l.info.Clock || a.Special.IsClock()
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
		sym, err := l.symbol(a)
		if err != nil {
			return 0, err
		}
		return l.addressSlot(sym, a.Bits, wide), nil
	}
	panic("simtrun bug: operand that Check should have refused")
}

func (l *lowering) symbol(a *isa.Operand) (symbol, error) {
	sym, err := l.p.symbol(l.f, a.Sym)
	if err != nil {
		return sym, isa.Errorf(l.in.PosOf(a), "%v", err)
	}
	return sym, nil
}

// addressSlot is a slot with the address of a symbol plus disp. That of a
// local variable changes from activation to activation.
func (l *lowering) addressSlot(sym symbol, disp uint64, wide bool) uint32 {
	if !sym.local {
		return l.f.Layout.Const(sym.addr+disp, wide)
	}
	at := sym.addr + disp
	for _, s := range l.f.LocalSlots {
		if s.At == at && s.Wide == wide {
			return s.Off
		}
	}
	s := LocalSlot{l.f.Layout.Uniform(wide), at, wide}
	l.f.LocalSlots = append(l.f.LocalSlots, s)
	return s.Off
}

// address puts the base of an address into A and its displacement into Imm.
func (l *lowering) address(a *isa.Operand) error {
	if a.Reg != isa.NoReg {
		l.op.A = l.f.Layout.Reg(a.Reg)
		l.op.Imm = a.Bits
		l.info.Wide = l.f.Src.Regs[a.Reg].Type.Bits() > 32
		l.info.Frame = !l.f.Src.Entry
		return nil
	}
	sym := symbol{}
	if a.Sym != "" {
		var err error
		if sym, err = l.symbol(a); err != nil {
			return err
		}
	}
	l.op.A = l.addressSlot(sym, a.Bits, true)
	l.info.Wide, l.info.Frame = true, sym.frame
	return nil
}

// loadsParam reports whether the instruction reads a kernel's parameter at an
// address that is known now: then its value is the same for the whole launch.
func (l *lowering) loadsParam() bool {
	in := l.in
	if in.Spec.Kind != isa.Load || in.Mods.MemSpace() != isa.Param || in.Mods.VecLen() > 1 || in.Args[1].Reg != isa.NoReg {
		return false
	}
	base, ok := l.f.kernel[in.Args[1].Sym]
	at, size := base+int64(in.Args[1].Bits), int64(in.Types[0].Bytes())
	return ok && at >= 0 && at%size == 0 && at+size <= l.f.ParamBytes
}

// paramLoad makes a load of a parameter a move from a read-only slot.
func (l *lowering) paramLoad() error {
	t, dst := l.in.Types[0], &l.in.Args[0]
	off, err := l.slot(dst, t, t.Bits() > 32)
	if err != nil {
		return err
	}
	s := l.paramSlot()
	l.op.Kind, l.op.D, l.op.A = uint8(isa.Compute), off, s.Off
	l.op.Fn = lanes.Mov[uint32]
	if s.Bits > 32 {
		l.op.Fn = lanes.Mov[uint64]
	}
	return nil
}

// paramSlot is a new slot with the parameter that the instruction loads.
func (l *lowering) paramSlot() ParamSlot {
	t := l.in.Types[0]
	s := ParamSlot{
		at:  l.f.kernel[l.in.Args[1].Sym] + int64(l.in.Args[1].Bits),
		typ: t, Bits: l.bits(&l.in.Args[0], t),
	}
	s.Off = l.f.Layout.Uniform(s.Bits > 32)
	l.f.ParamSlots = append(l.f.ParamSlots, s)
	return s
}
