package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Copy describes an instruction that copies memory.
type Copy struct {
	To, From Side
	// Sized says that a slot of the register file has the number of bytes of the source that each lane reads; the rest
	// of Size is filled with zeros.
	Sized    bool
	SizeSlot uint32
	// Ignored says that a predicate has the lanes that read nothing of the source.
	Ignored    bool
	IgnoreSlot uint32
	// Bulk says that a lane copies the number of bytes in a slot, in pieces. Mbarrier is the mbarrier that counts them;
	// nil for none.
	Bulk     bool
	Mbarrier *Side
	// Multicast says that a slot has the CTAs of the cluster that receive the copy, a bit for each rank.
	Multicast bool
	// Pair says that the mbarriers of a multicast copy are in the CTAs of the receivers' pairs that have even ranks, or
	// odd ones, like the CTA that the mbarrier's address names.
	Pair     bool
	MaskSlot uint32
	// Masked says that a slot has the bytes of each BulkUnit that are copied. Edged says that slots have how many bytes
	// at the start and at the end of the source are not.
	Masked    bool
	BytesSlot uint32
	Edged     bool
	EdgeSlots [2]uint32
	// Box describes a copy of a box of a tensor, which replaces one of the sides; nil for others. Replace is set for a
	// change of a tensor map, which is both sides.
	Box     *Box
	Replace *Replace
	// Reduce is the reduction of the destination; nil for a plain copy.
	Reduce lanes.Reduce
	// Store stores registers of lanes instead of a source: the copy is an asynchronous store or reduction.
	Store lanes.MemFunc
}

// BulkUnit is the unit in bytes of the addresses and sizes of bulk copies.
const BulkUnit = 16

// Side is one of the places between which an instruction copies: Op has its address, as in a load; Info has its space
// and the bytes of each lane.
type Side struct {
	Op   lanes.Op
	Info Info
}

// copy lowers an instruction that copies memory.
func (l *lowering) copy() error {
	in := l.in
	if in.Mods[isa.ReplaceG] != 0 {
		return l.replace()
	}
	c := &Copy{Reduce: in.Reduce()}
	var v isa.Variant
	for i := range in.Args {
		if a := &in.Args[i]; a.Kind != isa.NoOperand {
			if err := l.copyOperand(c, &in.Spec.Formals()[i], a, &v); err != nil {
				return err
			}
		}
	}
	switch c.Bulk = in.Mods[isa.Bulk] != 0 || in.Mods[isa.FenceCopy] != 0; {
	case c.Box != nil:
		c.To.Info.Size = tensorAlign
	case in.Mods[isa.FenceCopy] != 0:
		c.To.Info.Size = mapAlign
		c.Sized, c.SizeSlot = true, l.f.Layout.Const(mapBytes, false)
	case c.Bulk:
		c.To.Info.Size = BulkUnit
	}
	c.From.Info.Size = c.To.Info.Size
	if _, c.Store, _ = in.Bind(v); c.Store != nil && len(l.before) > 0 {
		c.Store = between(l.before, l.behind, c.Store)
	}
	l.info.Copy = c
	l.notOneAccess()
	return nil
}

// copyOperand lowers one operand of a copy. The bytes of each lane go to the side To.
func (l *lowering) copyOperand(c *Copy, formal *isa.Formal, a *isa.Operand, v *isa.Variant) (err error) {
	mods := l.in.Mods
	switch formal.Name {
	case 'a':
		return l.side(&c.To, a, mods.MemSpace())
	case 'b':
		if formal.From {
			return l.side(&c.From, a, mods.FromSpace())
		}
		c.To.Info.Size = uint8(l.in.Types[0].Bytes() * mods.VecLen())
		return l.operand(formal, a, v)
	case 'g':
		c.Mbarrier = &Side{Info: Info{Size: lanes.MbarrierBytes}}
		return l.side(c.Mbarrier, a, mods.MemSpace())
	case 't':
		return l.box(c, a)
	case 'o':
		c.Box.Offsets, err = l.slots(a.Elems, isa.U16)
	case 'i':
		c.To.Info.Size = uint8(a.Bits)
	case 'h':
		c.Multicast, c.Pair = true, mods[isa.CTAGroup] == isa.TwoCTAs
		c.MaskSlot, err = l.slot(a, isa.U16, false)
	case 'k':
		c.Masked = true
		c.BytesSlot, err = l.slot(a, isa.B16, false)
	case 'l', 'r':
		c.Edged = true
		c.EdgeSlots[map[byte]int{'l': 0, 'r': 1}[formal.Name]], err = l.slot(a, isa.U32, false)
	case 'c':
		return l.copiedSize(c, a)
	}
	return err
}

// notOneAccess leaves the instruction to the engine, although it has a Mem.
func (l *lowering) notOneAccess() {
	l.info.Space = isa.RegSpace // not in a space in which one access is located
	l.op.Mem = func(*lanes.File, *lanes.Op, lanes.Mask, *lanes.Access) {
		panic("simtrun bug: an instruction that is no plain access was executed as one")
	}
}

// mbarrier sets the place of the mbarrier, which general has lowered as an access.
func (l *lowering) mbarrier() {
	l.info.Mbarrier = &Side{*l.op, Info{Space: l.info.Space, Size: lanes.MbarrierBytes, Wide: l.info.Wide}}
	l.info.Polls = l.in.Spec.Kind == isa.Load
	l.notOneAccess()
}

// side sets the address of one side of a copy.
func (l *lowering) side(s *Side, a *isa.Operand, space isa.Space) error {
	l.op.Imm = 0 // it is that of another side
	if err := l.address(a, space); err != nil {
		return err
	}
	s.Op.A, s.Op.Imm = l.op.A, l.op.Imm
	s.Info.Space, s.Info.Wide = space, l.info.Wide
	return nil
}

// copiedSize sets how much of the source lanes read.
func (l *lowering) copiedSize(c *Copy, a *isa.Operand) (err error) {
	if a.Kind == isa.RegOperand && l.f.Src.Regs[a.Reg].Type == isa.Pred {
		c.Ignored = true
		c.IgnoreSlot, err = l.slot(a, isa.Pred, false)
		return err
	}
	c.Sized = true
	c.SizeSlot, err = l.slot(a, isa.U32, false)
	return err
}

// cancelLaunch lowers clusterlaunchcontrol.try_cancel.
func (l *lowering) cancelLaunch() error {
	space := l.in.Mods.MemSpace()
	l.info.Answer, l.info.Mbarrier = &Side{}, &Side{}
	l.info.Answer.Info.Size, l.info.Mbarrier.Info.Size = lanes.AnswerBytes, lanes.MbarrierBytes
	if err := l.side(l.info.Answer, &l.in.Args[0], space); err != nil {
		return err
	}
	if err := l.side(l.info.Mbarrier, &l.in.Args[1], space); err != nil {
		return err
	}
	l.info.Space = isa.RegSpace
	return nil
}

// Clear describes an instruction that fills shared memory with zeros: a number of bytes in a slot, of 64 bits if it is
// Wide.
type Clear struct {
	To       Side
	SizeSlot uint32
	Wide     bool
}

// ClearUnit is the unit in bytes of the address and size of a Clear.
const ClearUnit = 8

// clear lowers st.bulk.
func (l *lowering) clear() (err error) {
	size := &l.in.Args[1]
	c := &Clear{Wide: size.Kind == isa.RegOperand && l.f.Src.Regs[size.Reg].Type.Bits() == 64}
	c.To.Info.Size = ClearUnit
	if err = l.side(&c.To, &l.in.Args[0], l.in.Mods.MemSpace()); err != nil {
		return err
	}
	c.SizeSlot, err = l.slot(size, isa.U32, c.Wide)
	setAt(&l.f.Clears, l.pc, c)
	l.info.Space = isa.RegSpace
	return err
}
