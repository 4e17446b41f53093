package program

import (
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// MatrixAccess is an access to memory that all lanes of a warp make together, to load or store matrices. Its Op in
// Func.Ops has no Mem, so that it is not taken for a per-lane access; it has the addresses in A.
type MatrixAccess struct {
	Ops    []lanes.Op // with Mem: one, or one for each piece
	Lanes  lanes.Mask // lanes with addresses that count
	Pieces *Pieces    // nil if each lane has its own address
}

// product records the product of matrices, if the instruction computes one.
func (l *lowering) product() {
	p, ok := l.in.Product()
	if !ok {
		return
	}
	setAt(&l.f.Products, l.pc, &p)
}

// Pieces are the parts in which wmma moves a matrix. Before each of them is moved, its addresses go to slot A of the
// Op.
type Pieces struct {
	Places       []lanes.Piece
	Base, Stride uint32 // slots of the address, and of the distance of rows or columns in elements
	Wide         bool   // the address is 64 bits
	Disp         uint64 // added to the address
	ElementBits  int
	Align        uint64 // bytes of a lane's fragment; addresses must be multiples of it
}

// fragment puts the elements of a matrix fragment into the Op.
func (l *lowering) fragment(formal *isa.Formal, a *isa.Operand) error {
	if l.op.Vec == nil {
		l.op.Vec = new(lanes.Fragments).Vec()
	}
	matrix := map[byte]int{'d': lanes.FragmentD, 'a': lanes.FragmentA, 'b': lanes.FragmentB, 'c': lanes.FragmentC, 'e': lanes.FragmentA, 'f': lanes.FragmentA, 'g': lanes.FragmentB, 'h': lanes.FragmentB, 's': lanes.FragmentA, 't': lanes.FragmentA, 'u': lanes.FragmentB, 'v': lanes.FragmentB}[formal.Name]
	first := 0
	if formal.Name >= 'e' { // scales, and which of them
		first = lanes.ScaleOperand(strings.IndexByte("fhtv", formal.Name) >= 0)
	}
	slots, err := l.elements(a, formal.Type(l.in.Types, l.in.Mods))
	copy(l.op.Fragments()[matrix][first:], slots)
	return err
}

// elements returns the slots of the elements of a matrix fragment of type t: registers, constants, or, for _, a slot
// that nothing reads.
func (l *lowering) elements(a *isa.Operand, t isa.Type) ([]uint32, error) {
	elems := a.Elems
	if a.Kind != isa.VecOperand {
		elems = []isa.Operand{*a}
	}
	slots := make([]uint32, len(elems))
	for i := range elems {
		var err error
		if slots[i], err = l.slot(&elems[i], t, t.Bits() > 32); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// wholeWarp sets the facts about an instruction that the lanes of a warp execute together.
func (l *lowering) wholeWarp() {
	if l.op.Mem == nil {
		l.product()
		return
	}
	if l.f.Matrices == nil {
		l.f.Matrices = make(map[int]*MatrixAccess)
	}
	if l.in.Mods[isa.WarpMatrix] != 0 {
		l.f.Matrices[l.pc] = l.pieces()
	} else {
		l.info.Size, l.info.OnlyShared = lanes.RowBytes, true
		op := *l.op
		op.Kind = uint8(l.in.Spec.Kind)
		l.f.Matrices[l.pc] = &MatrixAccess{Ops: []lanes.Op{op}, Lanes: 1<<l.in.Mods.MatrixRows() - 1}
	}
	l.op.Mem = nil
}

// pieces returns the access of wmma.load or wmma.store.
func (l *lowering) pieces() *MatrixAccess {
	p, matrix, _ := l.in.Mods.MovedMatrix()
	byRows, load := l.in.Mods[isa.ALayout] == isa.LayoutRow, l.in.Spec.Kind == isa.Load
	rows, cols := [...]int{p.M, p.M, p.K, p.M}[matrix], [...]int{p.N, p.K, p.N, p.N}[matrix]
	if !byRows {
		rows, cols = cols, rows
	}
	t := [...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix]
	x := &Pieces{Places: p.Pieces(matrix, byRows), Base: l.op.A, Wide: l.info.Wide, Disp: l.op.Imm, ElementBits: t.Bits()}
	x.Align = uint64(p.FragmentRegisters(matrix) * max(t.Bits(), 32) / 8)
	x.Stride = l.f.Layout.Const(uint64(cols), false)
	if n := len(l.in.Args) - 1; n == 2 {
		if x.Stride = l.op.B; !load {
			x.Stride = l.op.C
		}
	}
	regs := &l.op.Fragments()[lanes.FragmentD]
	if !load {
		regs = &l.op.Fragments()[lanes.FragmentB]
	}
	all := &MatrixAccess{Lanes: lanes.AllLanes, Pieces: x}
	for _, piece := range x.Places {
		op := *l.op
		op.Kind, op.Imm, op.D, op.B = uint8(l.in.Spec.Kind), uint64(piece.Shift), regs[piece.Register], regs[piece.Register]
		l.info.Size = uint8(piece.Bits / 8)
		op.Mem = pieceMem(load, piece.Bits)
		all.Ops = append(all.Ops, op)
	}
	l.op.A, l.op.Imm, l.info.Wide = l.f.Layout.newSlot(true), 0, true
	return all
}

// pieceMem moves a piece of a number of bits.
func pieceMem(load bool, bits int) lanes.MemFunc {
	if load {
		return map[int]lanes.MemFunc{8: lanes.LoadPart[uint8], 16: lanes.LoadPart[uint16], 32: lanes.Load[uint32, uint32, uint32], 64: lanes.Load[uint64, uint64, uint64]}[bits]
	}
	return map[int]lanes.MemFunc{8: lanes.StorePart[uint8], 16: lanes.StorePart[uint16], 32: lanes.Store[uint32, uint32], 64: lanes.Store[uint64, uint64]}[bits]
}
