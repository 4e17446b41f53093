package jit

import (
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Code may leave a trail of what it executes: the accesses and branches of which observers are notified later. An
// entry is a TrailHead, followed for the accesses of a region by the places of each of its areas: for affine addresses
// those of the first lanes of subvectors, for others the offset of each lane, of the first byte of the area's accesses.
// After that each access that changes memory has columns of a value for each lane (see native.TrailSite). The end of a
// turn is an entry, too.

// TrailHead begins an entry of a trail.
type TrailHead struct {
	Site uint32     // a number that the compiler has given to the entry; or TrailTurn + the event of a turn
	Mask lanes.Mask // the lanes that execute it; of a turn TurnEnd.Number
}

// TrailTurn is a bit of TrailHead.Site for the end of a turn.
const TrailTurn = 1 << 31

// TrailPlaces and TrailOffsets follow the head.
type (
	TrailPlaces  [subvectors]uintptr
	TrailOffsets [lanes.Width]uint32
)

// Sizes of the parts of an entry, in bytes.
const (
	TrailHeadBytes    = int(unsafe.Sizeof(TrailHead{}))
	TrailPlacesBytes  = int(unsafe.Sizeof(TrailPlaces{}))
	TrailOffsetsBytes = int(unsafe.Sizeof(TrailOffsets{}))
)

// TrailRoom is how many bytes code may add from Context.TrailEnd on; TrailTurnRoom, how many the ends of turns may add
// in a round, in addition.
const (
	TrailRoom     = 56 << 10
	TrailTurnRoom = 64 * TrailHeadBytes
)

// trailRound is how many bytes must be free before Context.TrailEnd at the start of a round over the warps of a CTA:
// it seldom needs more, and to exit between two rounds costs less than within one.
const trailRound = 16 << 10

// TrailColumn is the number of bytes of a column with values of so many bits, 32 or 64.
func TrailColumn(bits uint8) int32 { return lanes.Width * int32(bits/8) }

// TrailValues writes a subvector of a value, or of a predicate as words of equal bits, into a column that is at bytes
// from the end of the trail. It uses RAX.
func (e *Emit) TrailValues(v Val, at int32) {
	e.Load(W64, RAX, memAt(regCtx, ctxTrailAt))
	if v.Bits != 64 {
		l, _ := e.shape(32)
		e.vStore(vmovdqu, l, e.atSubvector(RAX, 1, at), v.Lo)
		return
	}
	l, _ := e.shape(64)
	e.vStore(vmovdqu, l, e.atSubvector(RAX, 2, at), v.Lo)
	e.vStore(vmovdqu, l, e.atSubvector(RAX, 2, at+e.vectorBytes()), v.Hi)
}

// TrailFull jumps to full if the trail has no room for TrailRoom bytes. It uses RAX.
func (e *Emit) TrailFull(full Label) {
	e.Load(W64, RAX, memAt(regCtx, ctxTrailAt))
	e.opLoad(cmp, W64, RAX, memAt(regCtx, ctxTrailEnd))
	e.jcc(condAE, full)
}

// trailNearlyFull jumps to full if the trail has not enough room for a round. It uses RCX.
func (e *Emit) trailNearlyFull(full Label) {
	e.Load(W64, RCX, memAt(regCtx, ctxTrailAt))
	e.opImm(add, W64, RCX, trailRound)
	e.opLoad(cmp, W64, RCX, memAt(regCtx, ctxTrailEnd))
	e.jcc(condAE, full)
}

// trailTurn adds the end of a turn, with its event and number in RDX. It uses RCX.
func (e *Emit) trailTurn() {
	e.Load(W64, RCX, memAt(regCtx, ctxTrailAt))
	e.store(W64, memAt(RCX, 0), RDX)
	e.opStoreImm(or, W32, memAt(RCX, 0), -TrailTurn)
	e.opStoreImm(add, W64, memAt(regCtx, ctxTrailAt), int32(TrailHeadBytes))
}

// TrailArea adds the places of an area, at bytes from the end of the trail, and returns their end. BeginTrail comes
// first, and EndTrail last. It uses RAX.
func (e *Emit) TrailArea(a *Area, affine bool, at int32) int32 {
	from, n := memAt(regCtx, ctxPointers+int32(a.Number)*8*subvectors), TrailPlacesBytes
	if !affine {
		from, n = memAt(regCtx, ctxOffsets+4*lanes.Width*int32(a.Number)), TrailOffsetsBytes
	}
	for i := int32(0); i < int32(n); i += 8 {
		e.Load(W64, RAX, from.plus(i))
		e.store(W64, memAt(RDX, at+i), RAX)
	}
	return at + int32(n)
}

func (e *Emit) trailHead(m Mem, masked bool, site uint32) {
	if masked {
		e.storeImm(W32, m, int32(site))
		e.Load(W32, RAX, memAt(regCtx, ctxMask))
		e.store(W32, m.plus(4), RAX)
		return
	}
	e.movImm(RAX, uint64(lanes.AllLanes)<<32|uint64(site))
	e.store(W64, m, RAX)
}

// BeginTrail sets RDX to the end of the trail, and adds the head of an entry. It uses RAX.
func (e *Emit) BeginTrail(masked bool, site uint32) {
	e.Load(W64, RDX, memAt(regCtx, ctxTrailAt))
	e.trailHead(memAt(RDX, 0), masked, site)
}

// EndTrail makes n bytes part of the trail.
func (e *Emit) EndTrail(n int32) { e.opStoreImm(add, W64, memAt(regCtx, ctxTrailAt), n) }

// TrailBranch adds the entry of a branch, or jumps to full. It uses RAX and RDX.
func (e *Emit) TrailBranch(masked bool, site uint32, full Label) {
	e.TrailFull(full)
	e.BeginTrail(masked, site)
	e.EndTrail(int32(TrailHeadBytes))
}

// UntrailBranch removes the entry of a branch, which is the latest one. It keeps all registers.
func (e *Emit) UntrailBranch() {
	e.opStoreImm(sub, W64, memAt(regCtx, ctxTrailAt), int32(TrailHeadBytes))
}
