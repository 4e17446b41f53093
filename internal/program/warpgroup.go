package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Warpgroup describes an instruction that a warpgroup executes.
type Warpgroup struct {
	// Product is one warp's part of it; nil for instructions that order others, which have only Order and Latest.
	Product *lanes.Product
	// Registers is the number of registers per thread after setmaxnreg; More says that it has .inc. It is 0 for other
	// instructions.
	Registers int
	More      bool
	Order     isa.Mod  // isa.WarpgroupFence, WarpgroupCommit or WarpgroupWait
	Latest    int      // the number of latest groups of products that a wait leaves pending
	D, A      []uint32 // slots of the registers; A is nil if it is in shared memory
	// Slots of the descriptors, of the metadata of a sparse A, and of the predicate that says that D counts.
	DescriptorA, DescriptorB, Metadata, ScaleD uint32
	Selector                                   int
	NegateA, NegateB, TransposeA, TransposeB   bool
}

// warpgroup lowers an instruction that a warpgroup executes.
func (l *lowering) warpgroup() (err error) {
	in, x := l.in, &Warpgroup{}
	if l.f.Warpgroups == nil {
		l.f.Warpgroups = make(map[int]*Warpgroup)
	}
	l.f.Warpgroups[l.pc] = x
	if action := in.Mods[isa.RegistersG]; action != 0 {
		x.Registers, x.More = int(in.Args[0].Bits), action == isa.RegistersInc
		l.p.AdjustsRegisters = true
		return nil
	}
	if x.Order = in.Mods[isa.WarpgroupG]; x.Order != isa.WarpgroupMMA {
		if x.Order == isa.WarpgroupWait {
			x.Latest = int(in.Args[0].Bits)
		}
		return nil
	}
	p, at := in.GroupProduct(), in.GroupOperands()
	x.Product = &p
	if x.D, err = l.elements(&in.Args[at.D], isa.B32); err != nil {
		return err
	}
	if a := &in.Args[at.A]; a.Kind == isa.VecOperand {
		x.A, err = l.elements(a, isa.B32)
	} else {
		x.DescriptorA, err = l.slot(a, isa.B64, true)
	}
	if err != nil {
		return err
	}
	if x.DescriptorB, err = l.slot(&in.Args[at.B], isa.B64, true); err != nil {
		return err
	}
	if x.ScaleD, err = l.slot(&in.Args[at.ScaleD], isa.Pred, false); err != nil {
		return err
	}
	if p.Sparse {
		x.Selector = int(in.Args[at.Selector].Bits)
		if x.Metadata, err = l.slot(&in.Args[at.Metadata], isa.B32, false); err != nil {
			return err
		}
	}
	x.NegateA, x.NegateB, x.TransposeA, x.TransposeB = in.GroupImmediates()
	return nil
}
