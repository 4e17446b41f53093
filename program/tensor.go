package program

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Tensor is what is known of an instruction that works on tensor memory.
type Tensor struct {
	Op isa.Mod // of isa.TensorOp
	// At is the address in tensor memory that the instruction is given, if it is.
	At TensorAddress
	// Columns is the slot with the number of columns that are taken or given back, To where in
	// shared memory the address goes of those that are taken.
	Columns uint32
	To      *Side
	// Access is what a load or store moves. Its upper half is so far behind the lower.
	Access *lanes.TensorAccess
	Upper  uint32
}

// TensorAddress is a slot with an address in tensor memory, and what is added to it.
type TensorAddress struct{ Slot, Disp uint32 }

var tensorShapes = [...]lanes.TensorShape{isa.Tensor32x32b: lanes.Tensor32x32, isa.Tensor16x64b: lanes.Tensor16x64, isa.Tensor16x128b: lanes.Tensor16x128,
	isa.Tensor16x256b: lanes.Tensor16x256, isa.Tensor16x32bx2: lanes.Tensor16x32x2}

// tensor lowers an instruction that works on tensor memory.
func (l *lowering) tensor() error {
	in := l.in
	x := &Tensor{Op: in.Mods[isa.TensorOp]}
	if x.Op == isa.TensorLoad || x.Op == isa.TensorStore {
		x.Access = &lanes.TensorAccess{Shape: tensorShapes[in.Mods[isa.TensorShape]], Halves: in.Mods[isa.TensorPack] != 0}
	}
	for i := range in.Args {
		a := &in.Args[i]
		if a.Kind == isa.NoOperand {
			continue
		}
		if err := l.tensorOperand(x, &in.Spec.Formals()[i], a); err != nil {
			return err
		}
	}
	l.info.Tensor = x
	l.info.Space = isa.RegSpace // it is in none of those in which accesses are looked for
	l.p.Tensor = true
	return nil
}

// tensorOperand sets an operand of an instruction that works on tensor memory.
func (l *lowering) tensorOperand(x *Tensor, formal *isa.Formal, a *isa.Operand) (err error) {
	switch {
	case formal.Kind == isa.Address && formal.Tensor:
		x.At = l.tensorAddress(a)
	case formal.Kind == isa.Address:
		x.To = &Side{}
		x.To.Info.Size = tensorAddressBytes
		err = l.side(x.To, a, l.in.Mods.MemSpace())
	case formal.Kind == isa.Fragment:
		for i := range a.Elems {
			x.Access.Registers = append(x.Access.Registers, l.f.Layout.Reg(a.Elems[i].Reg))
		}
		if a.Kind == isa.RegOperand {
			x.Access.Registers = append(x.Access.Registers, l.f.Layout.Reg(a.Reg))
		}
	case formal.Kind == isa.Immediate:
		x.Upper = uint32(a.Bits)
	case formal.Name == 'a':
		x.At.Slot, err = l.slot(a, isa.U32, false)
	default:
		x.Columns, err = l.slot(a, isa.U32, false)
	}
	return err
}

// tensorAddressBytes is the size of an address in tensor memory.
const tensorAddressBytes = 4

// tensorAddress is an operand that is an address in tensor memory.
func (l *lowering) tensorAddress(a *isa.Operand) TensorAddress {
	if a.Reg == isa.NoReg {
		return TensorAddress{Slot: l.f.Layout.Const(a.Bits, false)}
	}
	return TensorAddress{l.f.Layout.Reg(a.Reg), uint32(a.Bits)}
}
