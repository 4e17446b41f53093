package native

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// place finds the address of an access. It returns false for an access that compiled code does not make.
func (st *step) place(s *slots, in *isa.Instr) bool {
	info := st.info
	if info.Image != nil || info.Copy != nil || info.Mbarrier != nil || info.Tensor != nil || info.Answer != nil || info.Around || in.Spec.WholeWarp || info.OnlyShared {
		return false
	}
	switch info.Space {
	case isa.Global, isa.Shared, isa.Generic:
	case isa.Local:
		st.own = jit.OwnLocal
	case isa.Const, isa.Param:
		if info.Space == isa.Param && info.Frame {
			st.own = jit.OwnParams
		} else if isa.Kind(st.op.Kind) != isa.Load {
			return false
		}
	default:
		return false
	}
	a := s.lookup(st.op.A)
	if a == noSlot || st.op.Mem == nil || (s.all[a].bits == 64) != info.Wide {
		return false
	}
	st.src[0], st.nsrc = operand{slot: a}, 1
	return true
}

// access finds the operands of a load or a store. It returns false for an access that compiled code does not make.
func (st *step) access(f *program.Func, s *slots, in *isa.Instr) bool {
	if !st.place(s, in) {
		return false
	}
	info, t := st.info, in.Types[0]
	st.elems = max(1, in.Mods.VecLen())
	if st.elems > maxElems || t.Bits() > 64 || !in.Spec.Wide { // only ld, ldu and st allow registers wider than the type
		return false
	}
	register := max(int(info.DstBits), t.Bits())
	st.elem = jit.Element{Bytes: uint8(t.Bits() / 8), Signed: t.Class() == isa.Signed && register > 8, Half: register <= 16}
	slotOf := func(i int) uint32 {
		switch {
		case st.elems > 1:
			return st.op.Vec[i]
		case isa.Kind(st.op.Kind) == isa.Store:
			return st.op.B
		}
		return st.op.D
	}
	for i := range st.elems {
		off := slotOf(i)
		id := s.lookup(off)
		if id == noSlot || !st.elem.Fills(s.all[id].bits) {
			return false
		}
		if isa.Kind(st.op.Kind) == isa.Load {
			if s.all[id].fixed {
				return false
			}
			st.dst[st.ndst] = operand{slot: id}
			st.ndst++
			continue
		}
		st.src[st.nsrc] = operand{slot: id}
		st.nsrc++
	}
	return true
}

// change finds the operands of an atomic. It returns false for an atomic that compiled code does not make.
func (st *step) change(f *program.Func, s *slots, in *isa.Instr) bool {
	t := in.Types[0]
	bits := uint8(t.Bits())
	st.atomic = atomicOf(in)
	if st.atomic == jit.NoAtomic || st.op.Vec != nil || !st.place(s, in) {
		return false
	}
	st.elem, st.elems = jit.Element{Bytes: bits / 8, Signed: t.Class() == isa.Signed}, 1
	sources := []uint32{st.op.B}
	if st.atomic == jit.AtomicCas {
		sources = append(sources, st.op.C)
	}
	for _, off := range sources {
		id := s.lookup(off)
		if id == noSlot || s.all[id].bits != bits {
			return false
		}
		st.src[st.nsrc] = operand{slot: id}
		st.nsrc++
	}
	return st.op.D == f.Layout.Sink || st.result(s, 'd', st.op.D, bits)
}

// atomicOf returns the operation of an atomic, if compiled code supports it.
func atomicOf(in *isa.Instr) jit.Atomic {
	t := in.Types[0]
	switch op := in.Mods[isa.AtomOp]; {
	case t == isa.F32 && op == isa.AtomAdd:
		switch in.Mods.MemSpace() { // generic addresses may go to either space
		case isa.Shared:
			return jit.AtomicAddF32
		case isa.Global:
			return jit.AtomicAddF32Flushed
		}
	case t.Class() == isa.Float || t.Bits() != 32 && t.Bits() != 64:
	default:
		return atomics[op]
	}
	return jit.NoAtomic
}

// atomics are the operations on integers and bits.
var atomics = map[isa.Mod]jit.Atomic{
	isa.AtomAdd: jit.AtomicAdd, isa.AtomMin: jit.AtomicMin, isa.AtomMax: jit.AtomicMax, isa.AtomInc: jit.AtomicInc, isa.AtomDec: jit.AtomicDec,
	isa.AtomAnd: jit.AtomicAnd, isa.AtomOr: jit.AtomicOr, isa.AtomXor: jit.AtomicXor, isa.AtomExch: jit.AtomicExch, isa.AtomCas: jit.AtomicCas,
}
