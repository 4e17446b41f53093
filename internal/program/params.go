package program

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// ParamSlot is a read-only slot that holds a kernel's parameter in every lane.
type ParamSlot struct {
	Off  uint32
	Bits int   // width of the register that is loaded
	at   int64 // in the parameter block
	typ  isa.Type
}

// Value returns the slot's value for a parameter block: extended to the register's width as by a load.
func (s *ParamSlot) Value(params []byte) uint64 {
	var b [8]byte
	copy(b[:], params[s.at:s.at+int64(s.typ.Bytes())])
	v := binary.LittleEndian.Uint64(b[:])
	if s.typ.Class() == isa.Signed {
		spare := 64 - s.typ.Bits()
		v = uint64(int64(v<<spare) >> spare)
	}
	return v & (1<<s.Bits - 1)
}

// loadsParam reports whether the instruction reads a kernel's parameter at a constant address: its value is then the
// same for the whole launch.
func (f *Func) loadsParam(in *isa.Instr) bool {
	if in.Spec.Kind != isa.Load || in.Mods.MemSpace() != isa.Param || in.Mods.VecLen() > 1 || in.Types[0] == isa.B128 || in.Args[1].Reg != isa.NoReg {
		return false
	}
	base, ok := f.kernel[in.Args[1].Sym]
	at, size := base+int64(in.Args[1].Bits), int64(in.Types[0].Bytes())
	return ok && at >= 0 && at%size == 0 && at+size <= f.ParamBytes
}

// loadParam replaces a load of a parameter by a move from a read-only slot.
func (l *lowering) loadParam() error {
	t, dst := l.in.Types[0], &l.in.Args[0]
	off, err := l.slot(dst, t, t.Bits() > 32)
	if err != nil {
		return err
	}
	s := l.paramSlot()
	l.info.LoadsParam = true
	l.op.D, l.op.A, l.op.Fn = off, s.Off, lanes.Mov[uint32]
	if s.Bits > 32 {
		l.op.Fn = lanes.Mov[uint64]
	}
	return nil
}

// paramSlot returns a new slot with the parameter that the instruction loads.
func (l *lowering) paramSlot() ParamSlot {
	t := l.in.Types[0]
	s := ParamSlot{
		at:  l.f.kernel[l.in.Args[1].Sym] + int64(l.in.Args[1].Bits),
		typ: t, Bits: l.f.bits(&l.in.Args[0], t),
	}
	s.Off = l.f.Layout.newSlot(s.Bits > 32)
	l.f.ParamSlots = append(l.f.ParamSlots, s)
	return s
}
