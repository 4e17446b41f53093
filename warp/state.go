package warp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// State is one warp of a CTA. It is made once and reused by warp ID of every
// CTA that takes the place of the first.
type State struct {
	ID      int // in the CTA
	Threads lanes.Mask
	File    *lanes.File
	Control divergence.Warp
	Local   []byte // local memory: an equal part for each lane in turn
	Steps   uint64 // warp instructions since the CTA started
	Waiting bool   // at a barrier
	Barrier uint32 // which, while waiting

	layout *Layout
}

// Shape is what the special registers of a launch say.
type Shape struct {
	Grid, Block    isa.Dim
	DynamicShared  uint32 // bytes
	TotalShared    uint32
	WarpsPerCTA    int
	ThreadsPerCTA  int
	LocalPerThread int // bytes
}

// New makes warp id of a CTA: its file with constants and all special
// registers but the CTA's own coordinates.
func New(id int, l *Layout, s *Shape, control divergence.Warp) *State {
	w := &State{ID: id, File: lanes.NewFile(l.Bytes()), Control: control, layout: l}
	if n := s.LocalPerThread * lanes.Width; n > 0 {
		w.Local = make([]byte, n)
	}
	*lanes.Pred(w.File, l.True) = lanes.AllLanes
	for _, c := range l.fixed {
		w.SetUniform(c.off, c.bits, c.wide)
	}
	w.Threads = lanes.AllLanes
	if left := s.ThreadsPerCTA - id*lanes.Width; left < lanes.Width {
		w.Threads = 1<<left - 1
	}
	w.setSpecials(s)
	return w
}

// setSpecials fills the special registers that stay the same from CTA to CTA.
// Threads are numbered with x fastest, then y, then z.
func (w *State) setSpecials(s *Shape) {
	x, y := s.Block.X, s.Block.Y
	first := uint32(w.ID * lanes.Width)
	w.setSpecial(isa.TidX, func(lane uint32) uint32 { return (first + lane) % x })
	w.setSpecial(isa.TidY, func(lane uint32) uint32 { return (first + lane) / x % y })
	w.setSpecial(isa.TidZ, func(lane uint32) uint32 { return (first + lane) / x / y })
	w.setSpecial(isa.LaneID, func(lane uint32) uint32 { return lane })
	w.setSpecial(isa.LaneMaskEq, func(lane uint32) uint32 { return 1 << lane })
	w.setSpecial(isa.LaneMaskLt, func(lane uint32) uint32 { return 1<<lane - 1 })
	w.setSpecial(isa.LaneMaskLe, func(lane uint32) uint32 { return 2<<lane - 1 })
	w.setSpecial(isa.LaneMaskGe, func(lane uint32) uint32 { return -(1 << lane) })
	w.setSpecial(isa.LaneMaskGt, func(lane uint32) uint32 { return -(2 << lane) })
	for _, u := range []struct {
		special isa.Special
		value   uint32
	}{
		{isa.NtidX, s.Block.X}, {isa.NtidY, s.Block.Y}, {isa.NtidZ, s.Block.Z},
		{isa.NctaidX, s.Grid.X}, {isa.NctaidY, s.Grid.Y}, {isa.NctaidZ, s.Grid.Z},
		{isa.WarpID, uint32(w.ID)}, {isa.NWarpID, uint32(s.WarpsPerCTA)},
		{isa.DynamicSharedSize, s.DynamicShared}, {isa.TotalSharedSize, s.TotalShared},
	} {
		w.setSpecialUniform(u.special, u.value)
	}
}

func (w *State) setSpecial(s isa.Special, value func(lane uint32) uint32) {
	if off := w.layout.special[s]; off != 0 {
		r := lanes.Reg[uint32](w.File, off)
		for i := range r {
			r[i] = value(uint32(i))
		}
	}
}

func (w *State) setSpecialUniform(s isa.Special, value uint32) {
	if off := w.layout.special[s]; off != 0 {
		w.SetUniform(off, uint64(value), false)
	}
}

// SetUniform gives all lanes of a slot one value.
func (w *State) SetUniform(off uint32, bits uint64, wide bool) {
	if wide {
		r := lanes.Reg[uint64](w.File, off)
		for i := range r {
			r[i] = bits
		}
		return
	}
	r := lanes.Reg[uint32](w.File, off)
	for i := range r {
		r[i] = uint32(bits)
	}
}

// Start puts the warp at the beginning of the program as part of the CTA at
// the given coordinates. Registers named in unset are those that the program
// may read before it writes them; they start as 0.
func (w *State) Start(cta isa.Dim, unset []isa.RegID, regs []isa.Reg) {
	w.setSpecialUniform(isa.CtaidX, cta.X)
	w.setSpecialUniform(isa.CtaidY, cta.Y)
	w.setSpecialUniform(isa.CtaidZ, cta.Z)
	*lanes.Pred(w.File, w.layout.Carry) = 0
	for _, id := range unset {
		off := w.layout.Reg(id)
		switch {
		case regs[id].Type == isa.Pred:
			*lanes.Pred(w.File, off) = 0
		case regs[id].Type.Bits() > 32:
			*lanes.Reg[uint64](w.File, off) = [lanes.Width]uint64{}
		default:
			*lanes.Reg[uint32](w.File, off) = [lanes.Width]uint32{}
		}
	}
	clear(w.Local)
	w.Steps, w.Waiting = 0, false
	w.Control.Start(0, w.Threads)
}
