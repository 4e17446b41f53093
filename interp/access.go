package interp

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
	"github.com/simtrun/simtrun/warp"
)

// access executes a load, store or atomic for the lanes of m, which is not
// empty. The common case is that all lanes are in one region, and that it is
// the one that the instruction found the last time. A region gets here only
// if the instruction may use it: what is not sure of that goes by accessByLane,
// which checks spaces and permissions too.
func (x *executor) access(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	ok := false
	switch in.Space {
	case isa.Shared:
		ok = x.locate(op, in, &c.shared, 0, m) || in.Wide && x.locateLow(op, in, &c.shared, nil, m)
	case isa.Local:
		ok = x.locateLocal(w.Local, isa.Local, op, in, m) || in.Wide && x.locateLow(op, in, nil, w.Local, m)
	case isa.Param:
		if in.Frame {
			ok = x.locateLocal(x.frame.Params, isa.Param, op, in, m)
		} else if isa.Kind(op.Kind) == isa.Load {
			ok = x.locate(op, in, &x.params, 0, m)
		}
	default:
		// A generic address in shared memory cannot be in the hinted region,
		// nor the other way round.
		if r := x.hint[pc]; r != nil {
			ok = x.locate(op, in, r, 0, m)
		} else if in.Space == isa.Generic {
			ok = x.locate(op, in, &c.shared, isa.SharedWindow, m)
		}
	}
	if !ok {
		return x.accessByLane(c, w, pc, m)
	}
	if len(x.observers.access) > 0 || x.spin.on {
		x.observedMove(pc, m, false)
		return nil
	}
	in.Mem(x.file, op, m, &x.acc)
	return nil
}

// observedMove makes an access whose place is in x.acc, and notifies who observes
// it.
func (x *executor) observedMove(pc int, m lanes.Mask, more bool) {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	x.notifyAccessed(pc, m, more)
	if x.spin.on {
		x.spin.move(x.file, op, in, m, &x.acc)
	} else {
		in.Mem(x.file, op, m, &x.acc)
	}
}

// maxAccess is the most bytes that one lane moves at once.
const maxAccess = 32

// stored is what the lanes of m are about to store at pc, as many bytes each as
// the instruction moves; nil if it is no store. The store itself says so: it is
// made to another place.
func (x *executor) stored(pc int, m lanes.Mask) []byte {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	if isa.Kind(op.Kind) != isa.Store {
		return nil
	}
	if x.values == nil {
		x.values = &lanes.Access{Mem: make([]byte, lanes.Width*maxAccess)}
	}
	for lane := range x.values.Off {
		x.values.Off[lane] = uint64(lane) * uint64(in.Size)
	}
	in.Mem(x.file, op, m, x.values)
	return x.values.Mem
}

// locate finds where the lanes of m go in r, whose addresses the instruction
// sees moved up by window.
func (x *executor) locate(op *lanes.Op, in *program.Info, r *memory.Region, window uint64, m lanes.Mask) bool {
	x.acc.Base, x.acc.Region, x.acc.Space = r.Base, r.Number, uint8(r.Space)
	if in.Wide {
		return memory.Locate(&x.acc, r.Data, r.Base+window, lanes.Reg[uint64](x.file, op.A), op.Imm, uint64(in.Size), m)
	}
	return memory.Locate(&x.acc, r.Data, r.Base+window, lanes.Reg[uint32](x.file, op.A), op.Imm, uint64(in.Size), m)
}

// locateLocal is locate in data, of a space, of which each lane has an equal
// part.
func (x *executor) locateLocal(data []byte, space isa.Space, op *lanes.Op, in *program.Info, m lanes.Mask) bool {
	perLane := uint64(len(data) / lanes.Width)
	x.acc.Space = uint8(space)
	if in.Wide {
		return memory.LocateLocal(&x.acc, data, perLane, lanes.Reg[uint64](x.file, op.A), op.Imm, uint64(in.Size), m)
	}
	return memory.LocateLocal(&x.acc, data, perLane, lanes.Reg[uint32](x.file, op.A), op.Imm, uint64(in.Size), m)
}

// locateLow is locate and locateLocal by the low 32 bits of addresses in 64-bit
// registers: the hardware takes no more in shared and local memory. Compilers
// rely on that, since they widen indices after sums of 32 bits have wrapped.
// It looks in region r, or in local memory if that is nil.
func (x *executor) locateLow(op *lanes.Op, in *program.Info, r *memory.Region, data []byte, m lanes.Mask) bool {
	var low [lanes.Width]uint32
	for lane, addr := range lanes.Reg[uint64](x.file, op.A) {
		low[lane] = uint32(addr)
	}
	if r == nil {
		x.acc.Space = uint8(isa.Local)
		return memory.LocateLocal(&x.acc, data, uint64(len(data)/lanes.Width), &low, op.Imm, uint64(in.Size), m)
	}
	x.acc.Base, x.acc.Region, x.acc.Space = r.Base, r.Number, uint8(r.Space)
	return memory.Locate(&x.acc, r.Data, r.Base, &low, op.Imm, uint64(in.Size), m)
}

// accessByLane handles what access could not: generic addresses, lanes in
// different regions, a region met for the first time, and faults. Every lane
// is checked before anything is done.
func (x *executor) accessByLane(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	var regions [lanes.Width]*memory.Region
	var fault *memory.AccessError
	var at lanes.Mask // the lanes at fault, all in the same way
	for lane := range lanes.Width {
		if m>>lane&1 == 0 {
			continue
		}
		addr := x.laneAddr(op, in, lane)
		place := x.find(c, w, in, narrowed(in.Space, addr))
		err := x.check(c, pc, place)
		if err != nil { // which names the address as the program has it
			err = x.check(c, pc, x.find(c, w, in, addr))
		}
		if err != nil {
			if fault == nil {
				fault = err
			}
			if err.Err == fault.Err && err.Region == fault.Region {
				at |= 1 << lane
			}
			continue
		}
		regions[lane] = place.region
	}
	if fault != nil {
		x.nameRegion(fault, &c.shared)
		return x.fault(c, w, pc, at, fault)
	}
	for m != 0 {
		r := regions[firstLane(m)]
		var group lanes.Mask
		for lane := range lanes.Width {
			if m>>lane&1 != 0 && regions[lane] == r {
				group |= 1 << lane
			}
		}
		m &^= group
		if data := x.perLane(w, r); data != nil {
			x.moveInParts(data, pc, r.Space, group, m != 0)
			continue
		}
		if !x.locate(op, in, r, x.window(in, r), group) {
			panic("simtrun bug: an access that was checked cannot be made")
		}
		if r.Space == isa.Global || r.Space == isa.Const {
			x.hint[pc] = r
		}
		x.observedMove(pc, group, m != 0)
	}
	return nil
}

// window is how far above its addresses in its own space the instruction sees
// region r.
func (x *executor) window(in *program.Info, r *memory.Region) uint64 {
	if in.Space == isa.Generic {
		return r.Space.Window()
	}
	return 0
}

// perLane is the memory behind a region that stands for one lane's part of it;
// nil for a real region.
func (x *executor) perLane(w *warp.State, r *memory.Region) []byte {
	switch r {
	case &x.localPart:
		return w.Local
	case &x.framePart:
		return x.frame.Params
	}
	return nil
}

// moveInParts executes an access to memory of which each lane has its part.
func (x *executor) moveInParts(data []byte, pc int, space isa.Space, m lanes.Mask, more bool) {
	op, in := &x.fn.Ops[pc], &x.fn.Info[pc]
	moved := *op
	if in.Space == isa.Generic {
		moved.Imm -= isa.LocalWindow
	}
	if !x.locateLocal(data, space, &moved, in, m) {
		panic("simtrun bug: an access that was checked cannot be made")
	}
	x.observedMove(pc, m, more)
}

func (x *executor) laneAddr(op *lanes.Op, in *program.Info, lane int) uint64 {
	if in.Wide {
		return lanes.Reg[uint64](x.file, op.A)[lane] + op.Imm
	}
	return uint64(lanes.Reg[uint32](x.file, op.A)[lane] + uint32(op.Imm))
}

// narrowed is as much of an address as the space takes.
func narrowed(space isa.Space, addr uint64) uint64 {
	if space == isa.Shared || space == isa.Local {
		return uint64(uint32(addr))
	}
	return addr
}

// placeOf is where an address is: in a region, at an address of its space.
type placeOf struct {
	space  isa.Space
	addr   uint64 // in space
	region *memory.Region
}

// find is the region that an address of the instruction's space is in, or the
// one that it is near.
func (x *executor) find(c *cta, w *warp.State, in *program.Info, addr uint64) placeOf {
	space := in.Space
	if space == isa.Generic {
		switch addr / isa.WindowBytes * isa.WindowBytes {
		case isa.SharedWindow:
			space, addr = isa.Shared, addr-isa.SharedWindow
		case isa.LocalWindow:
			space, addr = isa.Local, addr-isa.LocalWindow
		case isa.ParamWindow:
			space, addr = isa.Param, addr-isa.ParamWindow
		}
	}
	switch space {
	case isa.Shared:
		return placeOf{space, addr, &c.shared}
	case isa.Param:
		if in.Frame && in.Space == isa.Param {
			x.framePart.Data = x.frame.Params[:len(x.frame.Params)/lanes.Width]
			return placeOf{space, addr, &x.framePart}
		}
		return placeOf{space, addr, &x.params}
	case isa.Local:
		x.localPart.Data = w.Local[:len(w.Local)/lanes.Width]
		return placeOf{space, addr, &x.localPart}
	}
	return placeOf{space, addr, x.m.global.Nearest(addr)}
}

// check is what is wrong with an access to a place, or nil.
func (x *executor) check(c *cta, pc int, p placeOf) *memory.AccessError {
	in, kind := &x.fn.Info[pc], isa.Kind(x.fn.Ops[pc].Kind)
	e := &memory.AccessError{What: kind.String(), Space: p.space, Addr: p.addr, Size: int(in.Size), Region: p.region}
	size := uint64(in.Size)
	switch {
	case p.region == nil || p.addr < p.region.Base || p.addr >= p.region.End() || p.region.End()-p.addr < size:
		e.Err = memory.ErrBounds
		if e.Actual = x.misplaced(c, in, p); e.Actual != "" {
			e.Err, e.Region = memory.ErrSpace, nil
		}
	case in.Space == isa.Global && p.region.Space != isa.Global, in.Space == isa.Const && p.region.Space != isa.Const:
		e.Err, e.Actual = memory.ErrSpace, inRegion(p.region, p.addr)
	case kind != isa.Load && p.region.ReadOnly:
		e.Err = memory.ErrReadOnly
	case p.addr%size != 0:
		e.Err = memory.ErrMisaligned
	default:
		return nil
	}
	return e
}

// fault is the end of a launch by the instruction at pc, at which the running
// split stays.
func (x *executor) fault(c *cta, w *warp.State, pc int, at lanes.Mask, err error) error {
	w.Control.Suspend(pc)
	in := &x.fn.Src.Code[pc]
	return &Fault{Pos: in.Pos, Loc: in.Loc, Text: x.fn.Src.Text(pc), Where: Where{c.at, w.ID, at}, Rule: ruleOf(err), Err: err}
}
