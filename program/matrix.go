package program

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// MatrixAccess is an access to memory that all lanes of a warp make together, to load or
// store matrices. Its Op in Func.Ops has no Mem, so that nothing takes it for an access
// of each lane.
type MatrixAccess struct {
	Op    lanes.Op   // with Mem
	Lanes lanes.Mask // those whose addresses count
}

// fragment puts the registers of a lane's part of matrices into the Op.
func (l *lowering) fragment(formal *isa.Formal, a *isa.Operand) {
	if l.op.Vec == nil {
		l.op.Vec = new(lanes.Fragments).Vec()
	}
	matrix := map[byte]int{'d': lanes.FragmentD, 'a': lanes.FragmentA, 'b': lanes.FragmentB, 'c': lanes.FragmentC}[formal.Name]
	elems := a.Elems
	if a.Kind == isa.RegOperand {
		elems = []isa.Operand{*a}
	}
	for i := range elems {
		l.op.Fragments()[matrix][i] = l.f.Layout.Reg(elems[i].Reg)
	}
}

// wholeWarp sets what is known of an instruction that the lanes of a warp execute together.
func (l *lowering) wholeWarp() {
	if l.op.Mem == nil {
		return
	}
	l.info.Size, l.info.OnlyShared = lanes.RowBytes, true
	op := *l.op
	op.Kind = uint8(l.in.Spec.Kind)
	if l.f.Matrices == nil {
		l.f.Matrices = make(map[int]*MatrixAccess)
	}
	l.f.Matrices[l.pc] = &MatrixAccess{Op: op, Lanes: 1<<(8*l.in.Mods.Matrices()) - 1}
	l.op.Mem = nil
}
