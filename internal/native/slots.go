package native

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// slotID numbers the slots of a function's register file.
type slotID int16

const noSlot slotID = -1

// slot is a place in the register file.
type slot struct {
	off   uint32
	bits  uint8 // 32, 64, or 1 for a predicate; 128 has no templates
	fixed bool  // constant while the function runs
	// Of a fixed slot:
	uniform bool // all lanes hold the same
	known   bool // its value is known: value
	value   uint64
	ramp    bool // an index of threads or lanes, affine in each subvector
	stride  int64
}

// slots are all slots of a function.
type slots struct {
	all   []slot
	count int      // of slots without numbers, too
	used  []bool   // by offset / 4: an instruction of the part uses the slot; nil for a whole function
	at    []slotID // by offset / 4: slot ID plus one; 0 for none
}

func (s *slots) add(v slot) {
	if s.at[v.off/4] != 0 || s.used != nil && !s.used[v.off/4] {
		return // the register file is not laid out slot by slot
	}
	if s.count++; s.count > mostSlots {
		return // the function is compiled in parts
	}
	s.all = append(s.all, v)
	s.at[v.off/4] = slotID(len(s.all))
}

// lookup returns the slot at an offset. The lowest bit of the offset complements a predicate.
func (s *slots) lookup(off uint32) slotID { return s.at[off&^1/4] - 1 }

// find finds the slots of f, or those that a part of it uses.
func (s *slots) find(f *program.Func, shape Shape, part Part) {
	l := f.Layout
	s.all, s.at, s.count, s.used = s.all[:0], zeroed(s.at, l.Bytes()/4), 0, nil
	if part != (Part{}) {
		s.findUsed(f, part)
	}
	for _, c := range l.Constants {
		s.add(slot{off: c.Off, bits: wideBits(c.Wide), fixed: true, uniform: true, known: true, value: c.Bits})
	}
	for _, p := range f.ParamSlots {
		s.add(slot{off: p.Off, bits: wideBits(p.Bits > 32), fixed: true, uniform: true})
	}
	for _, a := range f.LocalSlots {
		s.add(slot{off: a.Off, bits: wideBits(a.Wide), fixed: true, uniform: true})
	}
	for special := range isa.NumSpecials {
		if off, ok := l.LookupSpecial(special); ok {
			s.addSpecial(special, off, shape)
		}
	}
	s.add(slot{off: l.True, bits: 1, fixed: true, uniform: true, known: true, value: 1})
	s.add(slot{off: l.Carry, bits: 1})
	for id, r := range f.Src.Regs {
		bits := uint8(32)
		switch n := r.Type.Bits(); {
		case r.Type == isa.Pred:
			bits = 1
		case n > 64:
			bits = 128
		case n > 32:
			bits = 64
		}
		if off := l.Reg(isa.RegID(id)); off != 0 {
			s.add(slot{off: off, bits: bits})
		}
	}
}

// findUsed finds the slots that a part of f uses, and those that code needs in any case.
func (s *slots) findUsed(f *program.Func, part Part) {
	l := f.Layout
	s.used = make([]bool, l.Bytes()/4)
	use := func(offs ...uint32) {
		for _, off := range offs {
			if at := int(off &^ 1 / 4); at < len(s.used) {
				s.used[at] = true
			}
		}
	}
	use(l.True, l.Carry)
	for special := range isa.NumSpecials {
		if off, ok := l.LookupSpecial(special); ok {
			use(off)
		}
	}
	for pc := part.First; pc < min(part.End, len(f.Src.Code)); pc++ {
		op := &f.Ops[pc]
		use(op.D, op.D2, op.A, op.B, op.C, op.E, op.Guard)
		if op.Vec != nil {
			use(op.Vec[:]...)
		}
		for _, ref := range f.Graph.Refs(pc) {
			use(l.Reg(ref.Reg))
		}
	}
}

func wideBits(wide bool) uint8 {
	if wide {
		return 64
	}
	return 32
}

// addSpecial adds the slot of a special register.
func (s *slots) addSpecial(special isa.Special, off uint32, shape Shape) {
	v := slot{off: off, bits: wideBits(special.Type().Bits() > 32), fixed: true, uniform: true}
	switch {
	case special.IsClock():
		v.fixed, v.uniform = false, false
	case special.Type() == isa.Pred:
		v.bits, v.uniform = 1, false
	default:
		switch special {
		case isa.TidX, isa.TidY, isa.TidZ:
			stride := shape[special-isa.TidX]
			v.uniform, v.ramp, v.stride = false, stride != notAffine, int64(stride)
		case isa.LaneID:
			v.uniform, v.ramp, v.stride = false, true, 1
		case isa.LaneMaskEq, isa.LaneMaskLt, isa.LaneMaskLe, isa.LaneMaskGe, isa.LaneMaskGt:
			v.uniform = false
		}
	}
	s.add(v)
}

// set is a set of slots.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) has(id slotID) bool { return s[id/64]>>(id%64)&1 != 0 }
func (s set) add(id slotID)      { s[id/64] |= 1 << (id % 64) }
func (s set) remove(id slotID)   { s[id/64] &^= 1 << (id % 64) }

// each yields the slots in ascending order.
func (s set) each(yield func(slotID) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !yield(slotID(64*i + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}
