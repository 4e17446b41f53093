package interp

import (
	"encoding/binary"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// CopyValue copies a value for each lane of m from one activation to another. A
// value that is wider than its destination is truncated.
func CopyValue(from *warp.Window, a *program.Location, to *warp.Window, b *program.Location, m lanes.Mask) {
	if a.Pred {
		setPred(to.File, b.Slot, m, *lanes.Pred(from.File, a.Slot))
		return
	}
	if a.Size == b.Size && isWord(a) && isWord(b) {
		if a.Size == 4 {
			copyWord[uint32](from, a, to, b, m)
		} else {
			copyWord[uint64](from, a, to, b, m)
		}
		return
	}
	copyBytes(from, a, to, b, m)
}

// isWord reports whether a value is a word of 4 or 8 bytes, which fills its register if it is in one.
func isWord(a *program.Location) bool {
	return a.Size == 4 && !(a.InReg && a.Wide) || a.Size == 8 && (!a.InReg || a.Wide)
}

// copyWord is CopyValue for words of one size.
func copyWord[T uint32 | uint64](from *warp.Window, a *program.Location, to *warp.Window, b *program.Location, m lanes.Mask) {
	if a.InReg && b.InReg {
		lanes.Select(lanes.Reg[T](to.File, b.Slot), lanes.Reg[T](from.File, a.Slot), m)
		return
	}
	src, in := wordsOf[T](from, a)
	dst, out := wordsOf[T](to, b)
	for lane := range uintptr(lanes.Width) {
		if m>>lane&1 != 0 {
			*(*T)(unsafe.Add(dst, lane*out)) = *(*T)(unsafe.Add(src, lane*in))
		}
	}
}

// wordsOf returns where the first lane has a word, and how many bytes the lanes are apart.
func wordsOf[T uint32 | uint64](w *warp.Window, a *program.Location) (first unsafe.Pointer, stride uintptr) {
	size := int64(unsafe.Sizeof(T(0)))
	if a.InReg {
		return unsafe.Pointer(lanes.Reg[T](w.File, a.Slot)), uintptr(size)
	}
	perLane := int64(len(w.Params)) / lanes.Width
	if a.At < 0 || a.At+size > perLane {
		panic("simtrun bug: a parameter is outside of its activation's memory")
	}
	return unsafe.Pointer(&w.Params[a.At]), uintptr(perLane)
}

// copyBytes is CopyValue for values of any size that are not predicates.
func copyBytes(from *warp.Window, a *program.Location, to *warp.Window, b *program.Location, m lanes.Mask) {
	n := min(a.Size, b.Size)
	for lane := range int64(lanes.Width) {
		if m>>lane&1 == 0 {
			continue
		}
		var word [16]byte
		var src []byte
		if a.InReg {
			binary.LittleEndian.PutUint64(word[:], slotValue(from.File, a, lane))
			if a.Size > 8 {
				_, high := lanes.Long(from.File, a.Slot)
				binary.LittleEndian.PutUint64(word[8:], high[lane])
			}
			src = word[:n]
		} else {
			per := int64(len(from.Params)) / lanes.Width
			src = from.Params[lane*per+a.At:][:n]
		}
		if !b.InReg {
			per := int64(len(to.Params)) / lanes.Width
			copy(to.Params[lane*per+b.At:], src)
			continue
		}
		var value [16]byte
		copy(value[:], src)
		setSlot(to.File, b, lane, binary.LittleEndian.Uint64(value[:]))
		if b.Size > 8 {
			_, high := lanes.Long(to.File, b.Slot)
			high[lane] = binary.LittleEndian.Uint64(value[8:])
		}
	}
}

// setPred sets a predicate in the lanes of m to those of v.
func setPred(f *lanes.File, slot uint32, m, v lanes.Mask) {
	p := lanes.Pred(f, slot)
	*p = *p&^m | v&m
}

// slotValue returns the value of a lane in a slot.
func slotValue(f *lanes.File, p *program.Location, lane int64) uint64 {
	if p.Wide {
		return lanes.Reg[uint64](f, p.Slot)[lane]
	}
	return uint64(lanes.Reg[uint32](f, p.Slot)[lane])
}

// setSlot sets the value of a lane in a slot.
func setSlot(f *lanes.File, p *program.Location, lane int64, v uint64) {
	if p.Wide {
		lanes.Reg[uint64](f, p.Slot)[lane] = v
		return
	}
	lanes.Reg[uint32](f, p.Slot)[lane] = uint32(v)
}
