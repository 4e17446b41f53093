package interp

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// ShadowObserver is a ValueObserver that keeps a shadow of memory: a byte for each byte, 0 if that is defined. Of warps
// that it does not follow it needs to see only accesses to undefined memory, and is an AccessObserver and an
// ExitObserver of nothing else. If all other observers that see instructions are selective, compiled code executes such
// warps, makes memory defined where it stores, and leaves reads of undefined memory to lane functions.
//
// The shadow of global memory is memory.Region.Unwritten. Others have room for ShadowPad more bytes.
type ShadowObserver interface {
	ValueObserver
	// FollowsAny reports whether the observer follows a warp of the CTA in a slot.
	FollowsAny(slot int) bool
	// SharedShadow, LocalShadow and ParamShadow return the shadows, of n bytes, of the CTA's shared memory, of the warp's
	// local memory, and of an activation's .param variables. They are valid until the next notification.
	SharedShadow(at *Place, n int) []byte
	LocalShadow(at *Place, n int) []byte
	ParamShadow(at *Place, w *Window, n int) []byte
	// Multiplied: the warp has executed its part of the product of its warpgroup at pc.
	Multiplied(at *Place, w *Window, pc int, g *GroupProduct)
}

// GroupProduct is a warp's part of a product of its warpgroup (wgmma).
type GroupProduct struct {
	Product *lanes.Product
	// A and B are the undefined bits of the matrices in shared memory, as rows of A and columns of B. A is nil if it is in
	// registers.
	A, B [][16]uint32
	Anew bool // D is replaced, and not added to
}

// ShadowPad is the number of bytes after a shadow that compiled code may access.
const ShadowPad = jit.SharedUnit

// Shadowed says that the region of the access has a shadow from now on.
func (a *Access) Shadowed() { a.e.renewHints(a.Region) }

// findShadow finds the observer that lets compiled code keep a shadow.
func (os *Observers) findShadow() {
	if len(os.whole) != 1 || len(os.Steppers) > 0 {
		return
	}
	for _, o := range os.whole {
		os.shadow, _ = o.(ShadowObserver)
	}
	if os.shadow != nil {
		os.whole = list[Observer]{}
	}
}

// followsAny reports whether an observer needs to see each instruction of a warp of a CTA.
func (e *Engine) followsAny(c *CTA) bool {
	return e.observers.shadow != nil && e.observers.shadow.FollowsAny(c.Slot)
}

// shadowOf returns the first byte of a shadow; nil if there is none.
func shadowOf(undefined []byte) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(undefined))
}

// renewHints makes the hints for code for a region again.
func (e *Engine) renewHints(region int32) {
	for i := range e.native.funcs {
		for pc, r := range e.hints[i] {
			if r != nil && r.Number == region {
				e.native.funcs[i].hints[pc] = e.hintAt(e.p.Funcs[i], pc, r)
			}
		}
	}
}

// shadower returns the observer that keeps a shadow of memory; nil if there is none.
func (e *Engine) shadower() ShadowObserver {
	for _, o := range e.observers.value {
		if s, ok := o.(ShadowObserver); ok {
			return s
		}
	}
	return nil
}

// beginUndefined makes all bytes of the row of a box defined.
func (e *Engine) beginUndefined(row []byte) {
	k := e.copying
	if len(e.observers.value) == 0 {
		k.undefined = nil
		return
	}
	k.undefined = append(k.undefined[:0], make([]byte, len(row))...)
}

// undefinedBytes returns the undefined bits of the bytes of a lane in e.acc; nil if all are defined.
func (e *Engine) undefinedBytes(lane int) []byte {
	s := e.shadower()
	if s == nil {
		return nil
	}
	var all []byte
	if isa.Space(e.acc.Space) == isa.Shared {
		c := e.owner(e.acc.Region)
		all = s.SharedShadow(&Place{CTA: c.At, Slot: c.Slot}, len(c.Shared.Data))
	} else if r := e.m.global.At(e.acc.Base); r != nil {
		r.SeeHost(e.acc.At(lane), e.acc.Size)
		all = r.Unwritten
	}
	if all == nil {
		return nil
	}
	return all[e.acc.At(lane):][:e.acc.Size]
}
