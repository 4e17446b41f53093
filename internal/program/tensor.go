package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Tensor describes an instruction on tensor memory.
type Tensor struct {
	Op   isa.Mod // of isa.TensorOp
	Pair bool    // two CTAs take part
	// At is the instruction's address in tensor memory, if it has one.
	At TensorAddress
	// Columns is the slot with the number of columns to allocate or free; To is the place in shared memory for the
	// address of the allocated ones.
	Columns uint32
	To      *Side
	// Access is the data of a load or store. Upper is the distance of its upper half from the lower.
	Access *lanes.TensorAccess
	Upper  uint32
	// Reduce combines the columns that a lane has loaded, into slot Reduced; nil for none.
	Reduce  *lanes.TensorReduction
	Reduced uint32
	// Narrow is how many bits the elements of a copied matrix have that become bytes; 0 if none do.
	Narrow int
	// Descriptor is the slot with the descriptor of the copied matrix in shared memory; Copy is the distribution of its
	// rows over lanes.
	Descriptor uint32
	Copy       lanes.TensorCopy
	Product    *TensorProduct // nil unless the instruction is one
}

// TensorProduct describes a product in tensor memory, except the address of D.
type TensorProduct struct {
	Kind       lanes.TensorKind
	Stationary bool
	Blocks     int // scales of a row of A
	// A is in shared memory, with its descriptor in slot A, or at InTensor if IsInTensor.
	A, B       uint32
	IsInTensor bool
	InTensor   TensorAddress
	Descriptor uint32 // slot of the instruction descriptor
	// Disabled are the slots with the lanes that keep their values, for each CTA; empty if there are none.
	Disabled       []uint32
	Accumulates    uint32 // slot of a predicate
	Masked         bool   // slot Zeros has the mask of columns that are zero
	Zeros          uint32
	ScaleD         int
	ScaleA, ScaleB TensorAddress
}

// TensorAddress is a slot with an address in tensor memory, and a displacement.
type TensorAddress struct{ Slot, Disp uint32 }

var tensorShapes = [...]lanes.TensorShape{isa.Tensor32x32b: lanes.Tensor32x32, isa.Tensor16x64b: lanes.Tensor16x64, isa.Tensor16x128b: lanes.Tensor16x128,
	isa.Tensor16x256b: lanes.Tensor16x256, isa.Tensor16x32bx2: lanes.Tensor16x32x2}

var tensorCopies = [...]lanes.TensorCopy{isa.Copy128x256b: lanes.Copy128x256, isa.Copy4x256b: lanes.Copy4x256, isa.Copy128x128b: lanes.Copy128x128,
	isa.Copy64x128b: lanes.Copy64x128, isa.Copy32x128b: lanes.Copy32x128}

// tensor lowers an instruction on tensor memory.
func (l *lowering) tensor() error {
	in := l.in
	x := &Tensor{Op: in.Mods[isa.TensorOp], Pair: in.Mods[isa.CTAGroup] == isa.TwoCTAs}
	if err := l.groupOfCTAs(); err != nil {
		return err
	}
	switch x.Op {
	case isa.TensorLoad, isa.TensorStore:
		x.Reduce = in.TensorReduction()
		x.Access = &lanes.TensorAccess{Shape: tensorShapes[in.Mods[isa.TensorShape]], Halves: in.Mods[isa.TensorPack] != 0}
	case isa.TensorCopy:
		x.Narrow = in.Mods.NarrowBits()
		x.Copy = tensorCopies[in.Mods[isa.CopyShape]]
		if in.Mods[isa.CopyTwice] == isa.CopyWarps01And23 {
			x.Copy = lanes.Copy64x128Pairs
		}
	case isa.TensorMMA:
		x.Product = &TensorProduct{Kind: lanes.TensorKind(in.Mods[isa.TensorKind] - isa.TensorF16), Stationary: in.Mods[isa.Weights] != 0, Blocks: in.Mods.TensorScales()}
	}
	for i := range in.Args {
		a := &in.Args[i]
		if a.Kind == isa.NoOperand {
			continue
		}
		set := l.tensorOperand
		if x.Product != nil && i > 0 {
			set = l.productOperand
		}
		if err := set(x, &in.Spec.Formals()[i], a); err != nil {
			return err
		}
	}
	l.info.Tensor = x
	l.info.Space = isa.RegSpace // not in a space in which accesses are located
	l.p.Tensor = true
	return nil
}

// groupOfCTAs fails if another instruction of the kernel has a different .cta_group.
func (l *lowering) groupOfCTAs() error {
	group := l.in.Mods[isa.CTAGroup]
	if group == 0 {
		return nil
	}
	if l.p.ctaGroup == 0 {
		l.p.ctaGroup = group
	}
	if l.p.ctaGroup != group {
		return isa.Errorf(l.in.Pos, "%s: the kernel has instructions of tcgen05 with the other .cta_group, too; PTX wants the same in all", l.in.Mnemonic())
	}
	return nil
}

// tensorOperand sets an operand of an instruction on tensor memory.
func (l *lowering) tensorOperand(x *Tensor, formal *isa.Formal, a *isa.Operand) (err error) {
	switch {
	case formal.Kind == isa.Address && formal.Tensor:
		x.At = l.tensorAddress(a)
	case formal.Kind == isa.Address:
		x.To = &Side{}
		x.To.Info.Size = tensorAddressBytes
		err = l.side(x.To, a, l.in.Mods.MemSpace())
	case formal.Kind == isa.Fragment:
		x.Access.Registers, err = l.elements(a, formal.Type(l.in.Types, l.in.Mods))
	case formal.Name == 'z':
		x.Reduced, err = l.slot(a, isa.B32, false)
	case formal.Kind == isa.Immediate:
		x.Upper = uint32(a.Bits)
	case formal.Fixed == isa.B64:
		x.Descriptor, err = l.slot(a, isa.B64, true)
	case formal.Name == 'a':
		x.At.Slot, err = l.slot(a, isa.U32, false)
	default:
		x.Columns, err = l.slot(a, isa.U32, false)
	}
	return err
}

// productOperand sets an operand of a product in tensor memory after the first.
func (l *lowering) productOperand(x *Tensor, formal *isa.Formal, a *isa.Operand) (err error) {
	p := x.Product
	switch formal.Name {
	case 'b':
		if p.IsInTensor = a.Kind == isa.AddrOperand; p.IsInTensor {
			p.InTensor = l.tensorAddress(a)
			return nil
		}
		p.A, err = l.slot(a, isa.B64, true)
	case 'c':
		p.B, err = l.slot(a, isa.B64, true)
	case 'e':
		p.Descriptor, err = l.slot(a, isa.B32, false)
	case 'v':
		p.Disabled, err = l.slots(a.Elems, isa.B32)
	case 'p':
		p.Accumulates, err = l.slot(a, isa.Pred, false)
	case 'i':
		p.ScaleD = int(a.Bits)
	case 'f':
		if p.Stationary {
			p.Masked = true
			p.Zeros, err = l.slot(a, isa.B64, true)
			return err
		}
		p.ScaleA = l.tensorAddress(a)
	case 'g':
		p.ScaleB = l.tensorAddress(a)
	}
	return err
}

// tensorAddressBytes is the size of an address in tensor memory.
const tensorAddressBytes = 4

// tensorAddress returns an operand that is an address in tensor memory.
func (l *lowering) tensorAddress(a *isa.Operand) TensorAddress {
	if a.Reg == isa.NoReg {
		return TensorAddress{Slot: l.f.Layout.Const(a.Bits, false)}
	}
	return TensorAddress{l.f.Layout.Reg(a.Reg), uint32(a.Bits)}
}
