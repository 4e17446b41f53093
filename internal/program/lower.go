package program

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// lowering turns one instruction into an Op: operands become slots.
type lowering struct {
	p    *Program
	f    *Func
	pc   int
	in   *isa.Instr
	op   *lanes.Op
	info *Info
	// Computations before and after an access to memory: they add constants to stored values, and convert elements of
	// vectors. Both are empty for most.
	before, behind []*lanes.Op
}

func (l *lowering) instruction() error {
	in := l.in
	if in.Later != "" {
		return isa.Errorf(in.Pos, "%s", in.Later)
	}
	l.begin()
	kind := in.Spec.Kind
	var err error
	switch {
	case l.f.copies.moves != nil && l.f.copies.moves[l.pc]:
		kind = isa.Nop
	case l.f.loadsParam(in):
		kind = isa.Compute
		err = l.loadParam()
	case kind == isa.CallKind:
		err = l.call()
	case kind == isa.Copy:
		err = l.copy()
	case kind == isa.TensorMemory:
		err = l.tensor()
	case kind == isa.CancelLaunch:
		err = l.cancelLaunch()
	case kind == isa.Clear:
		err = l.clear()
	case kind == isa.Warpgroup:
		err = l.warpgroup()
	case kind != isa.Return:
		err = l.general()
	}
	l.op.Kind = uint8(l.kind(kind))
	l.info.Learns = l.info.Polls && (kind != isa.Atomic || l.resultIsRead())
	return err
}

// resultIsRead reports whether any instruction may read a result of the instruction.
func (l *lowering) resultIsRead() bool {
	for _, ref := range l.f.Graph.Refs(l.pc) {
		if ref.Role.Writes() && l.f.isRead(ref.Reg) {
			return true
		}
	}
	return false
}

// begin makes the Op one without operands: missing results go to a sink, and missing predicates read as false.
func (l *lowering) begin() {
	in, op, layout := l.in, l.op, l.f.Layout
	*op = lanes.Op{
		Mode: in.Mods.Mode(), To: in.Types[0].Elem(), From: in.Types[1].Elem(),
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
	if in.Spec.Stack {
		op.E = layout.stack()
	}
	if in.Mods[isa.CC] != 0 {
		op.D2 = layout.Carry
	}
	if in.Spec.ReadsRank {
		op.E = layout.Special(isa.ClusterCtaRank)
	}
}

// general lowers an instruction by its row of the instruction table.
func (l *lowering) general() error {
	in, op, info := l.in, l.op, l.info
	var v isa.Variant
	formals := in.Spec.Formals()
	for i := range in.Args {
		if err := l.operand(&formals[i], &in.Args[i], &v); err != nil {
			return err
		}
	}
	if info.Clock && in.Spec.Kind != isa.Compute {
		return isa.Errorf(in.Pos, "a clock as an operand of %s is not supported yet; take it into a register with mov", in.Mnemonic())
	}
	v.Third = len(in.Args) == 4
	info.DstBits, info.SrcBits = uint8(v.DstBits), uint8(v.SrcBits)
	var imm uint64
	op.Fn, op.Mem, imm = l.p.bindings.Of(in, v)
	if in.Spec.Kind == isa.Atomic && in.SignedAtomic() == nil {
		l.reduction()
	}
	if len(l.before)+len(l.behind) > 0 {
		op.Mem, info.Around = between(l.before, l.behind, op.Mem), true
	}
	if in.Spec.Imm != nil && (in.Spec.Kind != isa.Alloca || op.Imm < imm) { // an alignment may be more than the minimum
		op.Imm = imm
	}
	l.p.SeesLanes = l.p.SeesLanes || in.Spec.SeesLanes && in.Mods[isa.Sync] == 0
	l.p.TakesLocal = l.p.TakesLocal || flow.TakesLocal(in)
	info.Space = in.Mods.MemSpace()
	info.Size = uint8(in.Types[0].Bytes() * in.Mods.VecLen())
	info.Divides = l.divides()
	if in.MbarrierOp() != 0 && op.Mem == nil && op.Fn == nil {
		l.mbarrier()
		return l.groupOfCTAs()
	}
	if info.Image != nil && in.Spec.Kind != isa.QueryKind {
		if err := l.surface(&v); err != nil {
			return err
		}
	}
	l.ofKind()
	if in.Spec.WholeWarp {
		l.wholeWarp()
	}
	return nil
}

// ofKind sets the facts that the engine needs for instructions of the row's kind.
func (l *lowering) ofKind() {
	in, info := l.in, l.info
	switch in.Spec.Kind {
	case isa.Branch:
		info.Leaves = l.f.Graph.MayLeave(l.pc)
	case isa.Shuffle, isa.Vote:
		info.Sync = in.Mods[isa.Sync] != 0
		info.Members = l.members()
		info.Bits = l.operandBits()
	case isa.Barrier:
		l.barrier()
	case isa.ClusterBarrier:
		info.BarOp = in.Mods[isa.BarOp]
		info.Aligned = in.Mods[isa.Aligned] != 0
		info.Acquires = info.BarOp == isa.BarWait
	case isa.Load:
		info.Polls = in.Mods[isa.Sem] > isa.SemWeak
		info.Acquires = acquires(in)
	case isa.Store:
		info.Strong = in.Mods[isa.Sem] > isa.SemWeak
	case isa.Atomic:
		info.Polls = true
		info.Acquires = acquires(in)
	case isa.Fence:
		info.Acquires = acquires(in)
	}
}

// acquires returns Info.Acquires of a load, an atomic or a fence, even if it names no memory order.
func acquires(in *isa.Instr) bool {
	if in.Mods[isa.Scope] == isa.ScopeCTA || in.Mods[isa.Level] == isa.LevelCTA {
		return false
	}
	sem := in.Mods[isa.Sem]
	return in.Spec.Kind == isa.Fence || sem == isa.SemAcquire || sem == isa.SemAcqRel
}

// flushed reports whether the instruction flushes subnormal numbers for sm_1x: all on .f32 do, except that up to PTX
// 1.4 cvt did not if the other type has 64 bits (PTX ISA, changes in version 1.5).
func (l *lowering) flushed() bool {
	to, from := l.in.Types[0], l.in.Types[1]
	if to != isa.F32 && from != isa.F32 {
		return false
	}
	return l.in.Spec.Kind != isa.Compute || max(to.Bits(), from.Bits()) <= 32 || l.p.mod.Src.Version != "1.4"
}

// divides reports whether the instruction divides integers by a value that may be zero.
func (l *lowering) divides() bool {
	in := l.in
	if !in.Spec.Divides || !in.Types[0].IsInt() {
		return false
	}
	by := &in.Args[2]
	return by.Kind != isa.ImmOperand || by.Bits == 0
}

// operandBits returns the widths of the operands of a collective.
func (l *lowering) operandBits() (w OperandBits) {
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

// members returns the mask of a .sync instruction if it is constant, else 0.
func (l *lowering) members() lanes.Mask {
	for i, formal := range l.in.Spec.Formals() {
		if formal.Name == 'e' && i < len(l.in.Args) && l.in.Args[i].Kind == isa.ImmOperand {
			return lanes.Mask(l.in.Args[i].Bits)
		}
	}
	return 0
}

// barrier sets the facts about a barrier: its number, if it is constant, and whether it has a number of threads.
// bar.warp.sync is a collective without a result.
func (l *lowering) barrier() {
	l.info.BarOp = l.in.Mods[isa.BarOp]
	l.info.Aligned = l.in.Spec.Aligned || l.in.Mods[isa.Aligned] != 0
	if l.info.BarOp == isa.BarWarp {
		l.op.Fn, l.info.Sync = func(*lanes.File, *lanes.Op, lanes.Mask) {}, true
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
