package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// Layout has the places in a lanes.File of a function's registers, and of its read-only slots: constants, parameters
// and special registers. All are offsets in bytes. It is built while a kernel is lowered and does not change
// afterwards.
type Layout struct {
	Carry uint32 // the carry flag: a predicate
	Stack uint32 // the stack pointer, of 64 bits; 0 if no instruction uses it
	True  uint32 // a predicate that holds in every lane
	// Sink is the slot of a discarded result, SinkPred that of a discarded predicate.
	Sink, SinkPred uint32

	// Constants are the slots with the same value in every lane of every warp.
	Constants []ConstantSlot
	// PerCTA are the special registers in use that differ between CTAs.
	PerCTA []isa.Special

	regs     []uint32 // by isa.RegID: the slot
	next     uint32   // offset of the next slot
	nextPred uint32   // offset of the next predicate in the newest slot of predicates
	constant map[constant]uint32
	special  [isa.NumSpecials]uint32 // 0: not used
}

type constant struct {
	bits uint64
	wide bool
}

// ConstantSlot is a slot with the value Bits in all lanes.
type ConstantSlot struct {
	Off  uint32
	Bits uint64
	Wide bool
}

// NewLayout gives every register of f a slot of its own.
func NewLayout(f *isa.Func) *Layout { return newLayout(f, nil) }

// newLayout gives every register of f a slot: its own, unless slots, which may be nil, has another one.
func newLayout(f *isa.Func, slots allocation) *Layout {
	l := &Layout{next: lanes.ScratchBytes, constant: make(map[constant]uint32)}
	l.Sink = l.take(lanes.Slot64)
	l.SinkPred, l.Carry, l.True = l.pred(), l.pred(), l.pred()
	l.regs = make([]uint32, len(f.Regs))
	var shared [numWidths][]uint32 // by number: the slot; 0 for those that no register has yet
	for id, r := range f.Regs {
		number := ownSlot
		if slots != nil {
			number = slots[id]
		}
		of := &shared[widthOf(r.Type)]
		switch {
		case number == noSlot:
		case number > 0 && number < len(*of) && (*of)[number] != 0:
			l.regs[id] = (*of)[number]
		case r.Type == isa.Pred:
			l.regs[id] = l.pred()
		default:
			l.regs[id] = l.take(slotBytes(r.Type))
		}
		if number > 0 {
			for len(*of) <= number {
				*of = append(*of, 0)
			}
			(*of)[number] = l.regs[id]
		}
	}
	return l
}

// Widths of slots, except those of predicates.
const (
	width32 = iota
	width64
	width128
	numWidths
)

func widthOf(t isa.Type) int {
	switch bits := t.Bits(); {
	case bits > 64:
		return width128
	case bits > 32:
		return width64
	}
	return width32
}

// slotBytes returns the size of a slot for values of type t, which must not be a predicate.
func slotBytes(t isa.Type) uint32 {
	return [numWidths]uint32{lanes.Slot32, lanes.Slot64, lanes.Slot128}[widthOf(t)]
}

// take allocates n bytes; all slots except predicates are multiples of a cache line.
func (l *Layout) take(n uint32) uint32 {
	off := l.next
	l.next += n
	return off
}

// pred allocates a predicate: 32 of them share a slot.
func (l *Layout) pred() uint32 {
	if l.nextPred%lanes.Slot32 == 0 {
		l.nextPred = l.take(lanes.Slot32)
	}
	off := l.nextPred
	l.nextPred += lanes.SlotPred
	return off
}

// Reg returns the slot of a register.
func (l *Layout) Reg(id isa.RegID) uint32 { return l.regs[id] }

// share makes off, a read-only slot, also that of a register.
func (l *Layout) share(id isa.RegID, off uint32) { l.regs[id] = off }

// Const returns a slot with bits in every lane, as 64-bit values if wide.
func (l *Layout) Const(bits uint64, wide bool) uint32 {
	c := constant{bits, wide}
	if !wide {
		c.bits = uint64(uint32(bits))
	}
	off, ok := l.constant[c]
	if !ok {
		off = l.newSlot(wide)
		l.constant[c] = off
		l.Constants = append(l.Constants, ConstantSlot{off, c.bits, c.wide})
	}
	return off
}

// stack returns the slot of the stack pointer, which it allocates at the first call.
func (l *Layout) stack() uint32 {
	if l.Stack == 0 {
		l.Stack = l.newSlot(true)
	}
	return l.Stack
}

// newSlot allocates a slot of 32 or 64 bits per lane.
func (l *Layout) newSlot(wide bool) uint32 {
	if wide {
		return l.take(lanes.Slot64)
	}
	return l.take(lanes.Slot32)
}

// Special returns the slot of a special register, which it allocates at the first call.
func (l *Layout) Special(s isa.Special) uint32 {
	if l.special[s] == 0 {
		l.special[s] = l.newSlot(s.Type().Bits() > 32)
		switch s {
		case isa.CtaidX, isa.CtaidY, isa.CtaidZ, isa.ClusterIDX, isa.ClusterIDY, isa.ClusterIDZ,
			isa.ClusterCtaidX, isa.ClusterCtaidY, isa.ClusterCtaidZ, isa.ClusterCtaRank, isa.SMID, isa.WarpID:
			l.PerCTA = append(l.PerCTA, s)
		}
	}
	return l.special[s]
}

// LookupSpecial returns the slot of a special register, if there is one.
func (l *Layout) LookupSpecial(s isa.Special) (off uint32, ok bool) {
	return l.special[s], l.special[s] != 0
}

// spillShare is the size of a slot relative to its spill slot, which has one lane for each eight of the slot.
const spillShare = 8

// SpillSlot returns the spill slot of compiled code for the slot at off: it holds the values of the first lane of each
// subvector of eight.
func (l *Layout) SpillSlot(off uint32) uint32 { return l.next + off/spillShare }

// Bytes returns the size of the file.
func (l *Layout) Bytes() int { return int(l.next + l.next/spillShare) }
