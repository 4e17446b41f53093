package program

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// operand puts one operand into the place that its formal names, and its width into v.
func (l *lowering) operand(formal *isa.Formal, a *isa.Operand, v *isa.Variant) error {
	if a.Kind == isa.NoOperand {
		return nil
	}
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
		return l.address(a, l.in.Mods.MemSpace())
	case isa.Fragment:
		return l.fragment(formal, a)
	case isa.Image:
		return l.image(a)
	case isa.TensorAt, isa.Pixels:
		return nil // of a hint: the only instruction with these operands that is lowered here
	case isa.Offset:
		return l.steps(formal, a)
	}
	return l.value(formal, a, formal.Type(l.in.Types, l.in.Mods), v)
}

// value puts an operand of type t that is a value, or a vector of them, into slots.
func (l *lowering) value(formal *isa.Formal, a *isa.Operand, t isa.Type, v *isa.Variant) error {
	if a.Kind == isa.VecOperand && formal.Kind == isa.AnyMove && l.in.Mods.VecLen() == 1 {
		n := len(a.Elems)
		t = t.Element(n)
		if formal.Result {
			v.Unpack = n
		} else {
			v.Pack = n
		}
	}
	if a.Select != 0 || a.Neg {
		v.Choose(formal, a)
	}
	bits := l.f.bits(a, t)
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
		l.before = append(l.before, l.addend(a, bits > 32))
	}
	switch {
	case formal.Result:
		v.DstBits = bits
	case v.SrcBits == 0:
		v.SrcBits = bits
	}
	return nil
}

// addend returns the addition that computes the stored value, in a new slot that the store then reads.
func (l *lowering) addend(a *isa.Operand, wide bool) *lanes.Op {
	add := &lanes.Op{A: l.f.Layout.Reg(a.Reg), D: l.f.Layout.newSlot(wide), Imm: a.Bits, Fn: lanes.AddImm[uint32]}
	if wide {
		add.Fn = lanes.AddImm[uint64]
	}
	l.op.B = add.D
	return add
}

// between returns mem with computations before and after it.
func between(before, behind []*lanes.Op, mem lanes.MemFunc) lanes.MemFunc {
	return func(f *lanes.File, in *lanes.Op, m lanes.Mask, a *lanes.Access) {
		for _, op := range before {
			op.Fn(f, op, m)
		}
		mem(f, in, m, a)
		for _, op := range behind {
			op.Fn(f, op, m)
		}
	}
}

// labelled returns the PC of a label.
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
	case 'l':
		l.info.Image.LOD = off
	case 'f':
		l.info.Image.Compare = off
	default:
		panic("simtrun bug: no place in an Op for operand " + string(name))
	}
}

// vector puts the elements of a vector of type t into Vec. It returns the width of its registers, the smallest if
// they differ: the others are converted, before a store or after a load. Constants and special registers take that
// width, too.
func (l *lowering) vector(formal *isa.Formal, a *isa.Operand, t isa.Type) (bits int, err error) {
	for i := range a.Elems {
		if e := &a.Elems[i]; e.Kind == isa.RegOperand && (bits == 0 || l.f.bits(e, t) < bits) {
			bits = l.f.bits(e, t)
		}
	}
	if bits == 0 {
		bits = t.Bits()
	}
	special := func(e isa.Operand) bool { return e.Kind == isa.SpecialOperand && e.Special.Type().Bits() <= 32 }
	if slices.ContainsFunc(a.Elems, special) { // they have slots of 32 bits
		bits = min(bits, 32)
	}
	first := 0
	switch {
	case l.in.Spec.Kind == isa.Atomic && !formal.Result:
		first = lanes.MaxVec
	case l.op.Vec != nil: // a source after the result
		first = len(l.in.Args[0].Elems)
	}
	if l.op.Vec == nil {
		l.op.Vec = new([2 * lanes.MaxVec]uint32)
	}
	for i := range a.Elems {
		e := &a.Elems[i]
		slot := &l.op.Vec[first+i]
		if *slot, err = l.slot(e, t, bits > 32); err != nil {
			return 0, err
		}
		if e.Kind == isa.RegOperand && l.f.bits(e, t) != bits {
			*slot = l.converted(formal, e, t, bits)
		}
	}
	return bits, nil
}

// converted returns a new slot, of the given bits, for an element of a vector of type t with a register that is wider.
// Before the instruction a source is truncated to the slot; after it a result is extended from the slot to the
// register, with its sign if t is signed.
func (l *lowering) converted(formal *isa.Formal, e *isa.Operand, t isa.Type, bits int) uint32 {
	unsigned := map[int]lanes.Elem{8: lanes.U8, 16: lanes.U16, 32: lanes.U32, 64: lanes.U64}
	signed := map[int]lanes.Elem{8: lanes.S8, 16: lanes.S16, 32: lanes.S32, 64: lanes.S64}
	of, own := unsigned, l.f.bits(e, t)
	if t.Class() == isa.Signed {
		of = signed
	}
	slot := l.f.Layout.newSlot(bits > 32)
	move := &lanes.Op{A: l.f.Layout.Reg(e.Reg), D: slot, From: of[own], To: of[bits]}
	if formal.Result {
		move = &lanes.Op{A: slot, D: l.f.Layout.Reg(e.Reg), From: of[bits], To: of[own]}
	}
	move.Fn = lanes.CvtFor(move.To, move.From, 0, 0)
	if formal.Result {
		l.behind = append(l.behind, move)
	} else {
		l.before = append(l.before, move)
	}
	return slot
}

// slot returns the slot of a scalar operand of type t, or of a result. A constant gets a slot of 64 bits per lane if
// wide.
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
		switch t {
		case isa.Pred:
			return layout.SinkPred, nil
		case isa.B128:
			return layout.take(lanes.Slot128), nil
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
		if at, ok := l.f.opaqueParam(a.Sym); ok {
			return l.handleParam(at), nil
		}
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

// addressSlot returns a slot with the address of a symbol plus disp. The address of a local variable depends on the
// activation.
func (l *lowering) addressSlot(sym symbol, disp uint64, wide bool) uint32 {
	if !sym.local {
		return l.f.Layout.Const(sym.addr+disp, wide)
	}
	c := constant{sym.addr + disp, wide}
	off, ok := l.f.localSlot[c]
	if !ok {
		off = l.f.Layout.newSlot(wide)
		l.f.localSlot[c] = off
		l.f.LocalSlots = append(l.f.LocalSlots, LocalSlot{off, c.bits, wide})
	}
	return off
}

// address puts the base of an address in a space into A and its displacement into Imm. If the instruction names no
// space, a variable's name means its generic address.
func (l *lowering) address(a *isa.Operand, space isa.Space) error {
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
	disp := a.Bits
	if space == isa.Generic {
		disp += sym.window
	}
	l.op.A = l.addressSlot(sym, disp, true)
	l.info.Wide, l.info.Frame = true, sym.frame
	return nil
}
