package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Warp gives access to a warp of a resident CTA between instructions. It is valid until its launch continues.
type Warp struct {
	e *Engine
	c *CTA
	w *warp.State
}

// Inspect returns a warp of a CTA that e executes.
func (e *Engine) Inspect(c *CTA, w *warp.State) Warp { return Warp{e, c, w} }

// WhyLeft returns why compiled code leaves an instruction of one of the program's functions to the engine; "" if code
// executes it in launches without observers. It returns false if launches like this one have no compiled code.
func (w Warp) WhyLeft(fn, pc int) (why string, ok bool) {
	g := w.e.grid
	if g.m.cfg.lanes() == jit.None || g.m.cfg.Compile == CompileNever || w.e.Clock != nil {
		return "", false
	}
	f := g.p.Funcs[fn]
	if pc >= len(f.Src.Code) {
		return "it is the end of the code", true
	}
	key := nativeKey{f: f, shape: native.ShapeOf(g.Launch.Block), level: g.m.cfg.lanes(), leave: g.leaves()}
	all, err := g.m.code.natives.left(g.p, key)
	if err != nil {
		return err.Error(), true
	}
	return all[pc], true
}

// CTA returns the position of the warp's CTA in the grid.
func (w Warp) CTA() isa.Dim { return w.c.At }

// Slot returns the slot of the warp's CTA, see Place.Slot.
func (w Warp) Slot() int { return w.c.Slot }

// Rank returns the rank of the warp's CTA in its cluster.
func (w Warp) Rank() int { return w.c.Rank }

// Peers are the warps of the other CTAs of the cluster that have not ended.
func (w Warp) Peers() (all []Warp) {
	for _, c := range w.c.Cluster.CTAs {
		if c == w.c {
			continue
		}
		for _, state := range c.Warps {
			if state.Live != 0 {
				all = append(all, Warp{w.e, c, state})
			}
		}
	}
	return all
}

// ID is the warp's number in its CTA.
func (w Warp) ID() int { return w.w.ID }

// Threads are the lanes that the warp started with.
func (w Warp) Threads() lanes.Mask { return w.w.Threads }

// Control returns the warp's control state: its splits, and which lanes are live. It must not be changed.
func (w Warp) Control() divergence.Control { return w.w.Control }

// Executed is how many instructions the warp has executed.
func (w Warp) Executed() uint64 { return w.w.Steps }

// Func returns the function that an activation runs.
func (w Warp) Func(fr divergence.FrameID) *isa.Func { return w.code(fr).Src }

func (w Warp) code(fr divergence.FrameID) *program.Func { return w.e.p.Funcs[w.Frame(fr).Func] }

// Frame returns an activation of the warp. It must not be changed.
func (w Warp) Frame(fr divergence.FrameID) *divergence.Frame { return w.w.Control.Frames().At(fr) }

// LocalAt returns the address in a lane's local memory at which the local variables of an activation start.
func (w Warp) LocalAt(fr divergence.FrameID) uint64 { return w.w.Windows[fr].Local }

// Active returns the lanes of a split for which the guard of its next instruction holds.
func (w Warp) Active(s *divergence.Split) lanes.Mask {
	return w.code(s.Frame).Ops[s.PC].Active(w.w.Windows[s.Frame].File, s.Mask)
}

// Reg returns a register of an activation in all lanes: its bits, 0 or 1 for a predicate, the low half of a 128-bit
// register.
func (w Warp) Reg(fr divergence.FrameID, id isa.RegID) (values [lanes.Width]uint64) {
	f, file := w.code(fr), w.w.Windows[fr].File
	off, t := f.Layout.Reg(id), f.Src.Regs[id].Type
	for lane := range values {
		switch {
		case t == isa.Pred:
			values[lane] = uint64(*lanes.Pred(file, off) >> lane & 1)
		case t.Bits() > 32:
			values[lane] = lanes.Reg[uint64](file, off)[lane]
		default:
			values[lane] = uint64(lanes.Reg[uint32](file, off)[lane])
		}
	}
	return values
}

// RegHigh returns the high half of a 128-bit register.
func (w Warp) RegHigh(fr divergence.FrameID, id isa.RegID) [lanes.Width]uint64 {
	_, high := lanes.Long(w.w.Windows[fr].File, w.code(fr).Layout.Reg(id))
	return *high
}

// AppendLane appends the state of one lane of an activation: the values of the given registers, the carry flag and the
// lane's .param variables.
func (w Warp) AppendLane(to []byte, fr divergence.FrameID, regs []isa.RegID, lane int) []byte {
	f, win := w.code(fr), w.w.Windows[fr]
	for _, id := range regs {
		off := f.Layout.Reg(id)
		switch t := f.Src.Regs[id].Type; {
		case t == isa.Pred:
			to = append(to, byte(*lanes.Pred(win.File, off)>>lane&1))
		case t == isa.B128:
			low, high := lanes.Long(win.File, off)
			to = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(to, low[lane]), high[lane])
		case t.Bits() > 32:
			to = binary.LittleEndian.AppendUint64(to, lanes.Reg[uint64](win.File, off)[lane])
		default:
			to = binary.LittleEndian.AppendUint32(to, lanes.Reg[uint32](win.File, off)[lane])
		}
	}
	to = append(to, byte(*lanes.Pred(win.File, f.Layout.Carry)>>lane&1))
	per := len(win.Params) / lanes.Width
	return append(to, win.Params[lane*per:][:per]...)
}

// Returned returns the bytes, in one lane, of the only result of the call at pc in an activation, after the call has
// returned; nil if the result is not a .param variable or a register of 32 or 64 bits.
func (w Warp) Returned(fr divergence.FrameID, pc, lane int) []byte {
	site, win := w.code(fr).Info[pc].Call, w.w.Windows[fr]
	if site == nil || len(site.Rets) != 1 {
		return nil
	}
	r := &site.Rets[0]
	switch {
	case !r.InReg:
		per := int64(len(win.Params) / lanes.Width)
		return win.Params[int64(lane)*per+r.At:][:r.Size]
	case r.Pred || r.Size > 8:
		return nil
	case r.Wide:
		return binary.LittleEndian.AppendUint64(nil, lanes.Reg[uint64](win.File, r.Slot)[lane])
	}
	return binary.LittleEndian.AppendUint32(nil, lanes.Reg[uint32](win.File, r.Slot)[lane])
}

// Params returns the parameters of the kernel, which all threads of the launch read.
func (w Warp) Params() []byte { return w.e.grid.params.Data }

// Touched records that memory or registers were changed from outside, so that the detector of livelocks discards
// earlier states. For the zero Warp it does nothing.
func (w Warp) Touched() {
	if w.e == nil {
		return
	}
	w.e.grid.touched++
}

// SetReg sets a register of an activation in the lanes of m. It truncates the value to the register's width; the high
// half of a 128-bit register stays.
func (w Warp) SetReg(fr divergence.FrameID, id isa.RegID, m lanes.Mask, value uint64) {
	w.Touched()
	f, file := w.code(fr), w.w.Windows[fr].File
	off, t := f.Layout.Reg(id), f.Src.Regs[id].Type
	value &= 1<<min(t.Bits(), 64) - 1
	for ; m != 0; m &= m - 1 {
		switch lane := firstLane(m); {
		case t == isa.Pred:
			p := lanes.Pred(file, off)
			*p = *p&^(1<<lane) | lanes.Mask(value&1)<<lane
		case t.Bits() > 32:
			lanes.Reg[uint64](file, off)[lane] = value
		default:
			lanes.Reg[uint32](file, off)[lane] = uint32(value)
		}
	}
}

// Special returns the value of a special register in each lane. A clock has the value that an instruction would read
// now.
func (w Warp) Special(s isa.Special) [lanes.Width]uint64 {
	if !s.IsClock() {
		return w.w.Special(s)
	}
	cycle, ns := w.e.time(0)
	var values [lanes.Width]uint64
	for lane := range values {
		values[lane] = clockValue(s, cycle, ns)
	}
	return values
}

// Shared is the shared memory of the warp's CTA.
func (w Warp) Shared() *memory.Region { return &w.c.Shared }

// Peer returns the shared memory of the cluster's CTA to which an address of .shared::cluster space belongs, and the
// offset in it; ok is false for addresses in the CTA's own window.
func (w Warp) Peer(addr uint64) (shared *memory.Region, offset uint64, ok bool) {
	rank, offset, ok := isa.PeerOf(addr)
	if !ok || rank >= len(w.c.Cluster.CTAs) {
		return nil, 0, false
	}
	return &w.c.Cluster.CTAs[rank].Shared, offset, true
}

// Local is the local memory of one lane.
func (w Warp) Local(lane int) []byte {
	per := len(w.w.Local) / lanes.Width
	return w.w.Local[lane*per:][:per]
}

// Waiting is a group of lanes of a warp that wait at an instruction.
type Waiting struct {
	Lanes   lanes.Mask
	Func    int        // number of the function that has the instruction
	PC      int        // of the instruction
	Barrier int        // number of the CTA's barrier at which the lanes wait, ClusterBarrier, or -1
	Missing lanes.Mask // lanes of the warp for which they wait, if not at a barrier
	For     string     // the event that they wait for, for messages; "" if Barrier or Missing has it
}

// Waiting lists the lanes of the warp that wait at a barrier or for each other.
func (w Warp) Waiting() []Waiting {
	var all []Waiting
	for id := range w.c.barriers {
		for _, a := range w.c.waitingAt(id, w.w) {
			all = append(all, Waiting{Lanes: a.mask, Func: a.fn, PC: a.pc, Barrier: id})
		}
	}
	for _, a := range w.c.atClusterBarrier(w.w) {
		all = append(all, Waiting{Lanes: a.mask, Func: a.fn, PC: a.pc, Barrier: ClusterBarrier})
	}
	w.c.eachSupply(w.w, func(a *arrival, what string) {
		all = append(all, Waiting{Lanes: a.mask, Func: a.fn, PC: a.pc, Barrier: -1, For: what})
	})
	for _, r := range w.c.rendezvous[w.w.ID] {
		for _, a := range r.arrivals {
			all = append(all, Waiting{Lanes: a.mask, Func: a.fn, PC: a.pc, Barrier: -1, Missing: r.members & w.w.Live &^ r.arrived})
		}
	}
	return all
}
