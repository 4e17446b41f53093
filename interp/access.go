package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// locator is an Engine in its role as the lanes.Memory of lanes.Path.Exec.
type locator Engine

// moving is the state of an access under way.
type moving struct {
	acc     lanes.Access
	event   Access        // passed to observers
	loads   Loads         // the same
	place   Place         // passed to observers of a CTA's events
	variant *lanes.Op     // makes the access in acc instead of the Op at its PC; nil for most
	piece   *lanes.Op     // makes an access of the whole warp
	values  *lanes.Access // scratch space for the values of stores that observers ask for; nil before the first asks
}

// Locate implements lanes.Memory. It finds the place if all lanes are in one region: the region that the
// instruction's space names, or the one in which its lanes were last. accessByLane has checked that the instruction
// may use that region.
func (l *locator) Locate(pc int, m lanes.Mask) *lanes.Access {
	e := (*Engine)(l)
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	ok := false
	switch in.Space {
	case isa.Shared:
		ok = e.locate(op, in, &e.cta.Shared, 0, m) || in.Wide && e.locateLow(op, in, &e.cta.Shared, nil, m)
	case isa.Local:
		ok = e.locateLocal(e.warp.Local, isa.Local, op, in, m) || in.Wide && e.locateLow(op, in, nil, e.warp.Local, m)
	case isa.Param:
		if in.Frame {
			ok = e.locateLocal(e.window.Params, isa.Param, op, in, m)
		} else if isa.Kind(op.Kind) == isa.Load {
			if ok = e.locate(op, in, &e.grid.params, 0, m); ok && e.native.ctx != nil {
				e.native.now.hints[pc] = hintOf(&e.grid.params)
			}
		}
	default:
		// A generic address in shared or local memory cannot be in the hinted region, nor can one outside of them be in
		// these.
		if r := e.hint[pc]; r != nil {
			ok = e.locate(op, in, r, 0, m)
		} else if in.Space == isa.Generic {
			ok = e.locate(op, in, &e.cta.Shared, isa.SharedWindow, m) || !in.OnlyShared && e.locateGenericLocal(op, in, m)
		}
	}
	if !ok {
		return nil
	}
	return &e.acc
}

// access executes a load, store or atomic that Exec cannot execute, for the lanes of m, which must not be empty: an
// observed one, or one for which Locate does not find the place.
func (e *Engine) access(pc int, m lanes.Mask) error {
	if (e.path.Memory == nil || e.mayConflict(pc)) && (*locator)(e).Locate(pc, m) != nil || e.locatePeer(pc, m) {
		e.moveObserved(pc, m, false)
		return nil
	}
	if e.fn.Info[pc].Image != nil {
		return e.accessImage(pc, m)
	}
	return e.accessByLane(pc, m)
}

// moveObserved moves the data of the access in e.acc and notifies its observers.
func (e *Engine) moveObserved(pc int, m lanes.Mask, more bool) {
	if e.watcher != nil {
		e.watch(pc, m)
	}
	op := e.accessOp(pc)
	conflicts := e.watchesConflict(pc)
	if conflicts {
		e.beforeConflict(pc, isa.Kind(op.Kind), m)
	}
	e.notifyAccessed(isa.Kind(op.Kind), pc, m, more)
	if e.defers() {
		e.log(pc, m)
		e.effect.addAccess(&e.acc, m)
		return
	}
	op.Mem(e.path.File, op, m, &e.acc)
	if conflicts {
		e.afterConflict(pc, isa.Kind(op.Kind), m)
	}
	if len(e.observers.completion) > 0 {
		e.notifyCompleted()
	}
	if e.effect != nil {
		e.effect.addAccess(&e.acc, m)
		if isa.Kind(op.Kind) == isa.Atomic && !e.effect.Changed {
			e.effect.Changed = op.Vec != nil || changed(e.path.File, op.D, m, &e.acc)
		}
	}
}

// addAccess appends an access by the lanes of m.
func (e *Effect) addAccess(a *lanes.Access, m lanes.Mask) {
	n := len(e.Access)
	if n == cap(e.Access) {
		e.Access = append(e.Access, Moved{})
	}
	e.Access = e.Access[:n+1]
	to := &e.Access[n]
	copyAccess(&to.Access, a)
	to.Lanes = m
}

// copyAccess copies an access. Of a strided one it copies no offsets but the two that count.
func copyAccess(to, a *lanes.Access) {
	if !a.Strided {
		*to = *a
		return
	}
	to.Mem, to.Base, to.Region, to.Space, to.Size = a.Mem, a.Base, a.Region, a.Space, a.Size
	to.Strided, to.Stride = true, a.Stride
	to.Off[0], to.Off[lanes.Width/2] = a.Off[0], a.Off[lanes.Width/2]
}

// changed reports whether an atomic by the lanes of m, with its result in a slot, has changed memory: whether memory
// now differs from the value that one of the lanes found.
func changed(f *lanes.File, result uint32, m lanes.Mask, a *lanes.Access) bool {
	for ; m != 0; m &= m - 1 {
		lane := firstLane(m)
		same := false
		switch at := a.Mem[a.At(lane):]; a.Size {
		case 16:
			low, high := lanes.Long(f, result)
			same = binary.LittleEndian.Uint64(at) == low[lane] && binary.LittleEndian.Uint64(at[8:]) == high[lane]
		case 8:
			same = binary.LittleEndian.Uint64(at) == lanes.Reg[uint64](f, result)[lane]
		case 4:
			same = binary.LittleEndian.Uint32(at) == lanes.Reg[uint32](f, result)[lane]
		default: // 2
			same = uint32(binary.LittleEndian.Uint16(at)) == lanes.Reg[uint32](f, result)[lane]
		}
		if !same {
			return true
		}
	}
	return false
}

// maxAccess is the largest number of bytes that one lane moves in an access.
const maxAccess = 32

// scratchValues returns scratch space for the values of stores that observers ask for.
func (e *Engine) scratchValues() *lanes.Access {
	if e.values == nil {
		e.values = &lanes.Access{Mem: make([]byte, lanes.Width*maxAccess)}
	}
	return e.values
}

// stored returns the bytes that the lanes of m are about to store at pc, as many for each lane as the instruction
// moves. It executes the store into a buffer instead of memory.
func (e *Engine) stored(pc int, m lanes.Mask) []byte {
	op, in, size := e.accessOp(pc), &e.fn.Info[pc], uint64(e.fn.Info[pc].Size)
	if in.Image != nil {
		size = e.acc.Size
	}
	if in.Copy != nil || in.Mbarrier != nil || in.Tensor != nil || in.Answer != nil || e.fn.Clears[pc] != nil {
		return e.copying.bytes[:]
	}
	v := e.scratchValues()
	if v.Size, v.Strided = size, e.variant == nil && e.piece == nil && in.Image == nil; v.Strided {
		v.Off[lanes.Width/2], v.Stride = lanes.Width/2*size, [2]uint64{size, size}
		v.Off[0] = 0
	} else {
		for lane := range v.Off {
			v.Off[lane] = uint64(lane) * size
		}
	}
	op.Mem(e.path.File, op, m, e.values)
	return e.values.Mem
}

// locate finds the addresses of the lanes of m in r. The instruction's addresses are higher than those in the region
// by window.
func (e *Engine) locate(op *lanes.Op, in *program.Info, r *memory.Region, window uint64, m lanes.Mask) bool {
	e.acc.Base, e.acc.Region, e.acc.Space = r.Base, r.Number, uint8(r.Space)
	if in.Wide {
		return memory.Locate(&e.acc, r.Data, r.Base+window, lanes.Reg[uint64](e.path.File, op.A), op.Imm, uint64(in.Size), m)
	}
	return memory.Locate(&e.acc, r.Data, r.Base+window, lanes.Reg[uint32](e.path.File, op.A), op.Imm, uint64(in.Size), m)
}

// locateLocal is locate for memory that is divided into equal parts, one for each lane.
func (e *Engine) locateLocal(data []byte, space isa.Space, op *lanes.Op, in *program.Info, m lanes.Mask) bool {
	perLane := uint64(len(data) / lanes.Width)
	e.acc.Space = uint8(space)
	if in.Wide {
		return memory.LocateLocal(&e.acc, data, perLane, lanes.Reg[uint64](e.path.File, op.A), op.Imm, uint64(in.Size), m)
	}
	return memory.LocateLocal(&e.acc, data, perLane, lanes.Reg[uint32](e.path.File, op.A), op.Imm, uint64(in.Size), m)
}

// locateGenericLocal is locateLocal of the warp's local memory by generic addresses.
func (e *Engine) locateGenericLocal(op *lanes.Op, in *program.Info, m lanes.Mask) bool {
	moved := *op
	moved.Imm -= isa.LocalWindow
	return e.locateLocal(e.warp.Local, isa.Local, &moved, in, m)
}

// locateLow is locate or locateLocal by the low 32 bits of addresses in 64-bit registers, because the hardware uses
// no more in shared and local memory. Compilers rely on that: they widen indices after 32-bit sums have wrapped. It
// searches region r, or local memory if r is nil.
func (e *Engine) locateLow(op *lanes.Op, in *program.Info, r *memory.Region, data []byte, m lanes.Mask) bool {
	var low [lanes.Width]uint32
	for lane, addr := range lanes.Reg[uint64](e.path.File, op.A) {
		low[lane] = uint32(addr)
	}
	if r == nil {
		e.acc.Space = uint8(isa.Local)
		return memory.LocateLocal(&e.acc, data, uint64(len(data)/lanes.Width), &low, op.Imm, uint64(in.Size), m)
	}
	e.acc.Base, e.acc.Region, e.acc.Space = r.Base, r.Number, uint8(r.Space)
	return memory.Locate(&e.acc, r.Data, r.Base, &low, op.Imm, uint64(in.Size), m)
}

// accessByLane executes an access for which Locate does not find the place: by generic addresses, to several regions,
// or to a region for the first time. It checks all lanes for faults before it moves any data.
func (e *Engine) accessByLane(pc int, m lanes.Mask) error {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	switch {
	case in.Copy != nil:
		return e.copy(pc, m)
	case in.Mbarrier != nil:
		e.cta.nextInterval()
		return e.mbarrier(pc, m)
	}
	var regions [lanes.Width]*memory.Region
	var windows [lanes.Width]uint64
	if fault, at := e.regionsOf(&regions, &windows, op, in, isa.Kind(op.Kind), m); fault != nil {
		return e.fault(pc, at, fault)
	}
	for m != 0 {
		r, window := regions[firstLane(m)], windows[firstLane(m)]
		var group lanes.Mask
		for lane := range lanes.Width {
			if m>>lane&1 != 0 && regions[lane] == r && windows[lane] == window {
				group |= 1 << lane
			}
		}
		m &^= group
		if data := e.perLane(r); data != nil {
			e.movePerLane(data, pc, r.Space, group, m != 0)
			continue
		}
		if !e.locateIn(op, in, r, window, group) {
			panic("simtrun bug: an access that was checked cannot be made")
		}
		if r.Space == isa.Global || r.Space == isa.Const {
			e.setHint(pc, r)
		}
		e.moveObserved(pc, group, m != 0)
	}
	return nil
}

// regionsOf finds the region that each lane of m accesses, and by how much the lane's address is higher than the
// address in the region; or the first fault and the lanes that have it.
func (e *Engine) regionsOf(regions *[lanes.Width]*memory.Region, windows *[lanes.Width]uint64, op *lanes.Op, in *program.Info, kind isa.Kind, m lanes.Mask) (fault *memory.AccessError, at lanes.Mask) {
	for lane := range lanes.Width {
		if m>>lane&1 == 0 {
			continue
		}
		addr, size := e.laneAddr(op, in, lane), uint64(in.Size)
		place := e.find(in, narrowed(in.Space, addr))
		err := e.check(in, kind, size, place)
		if err != nil { // the fault reports the address that the program used
			err = e.check(in, kind, size, e.find(in, addr))
		}
		if err != nil {
			if fault == nil {
				fault = err
			}
			if err.Err == fault.Err && (err.Region == fault.Region || samePeer(err, fault)) {
				at |= 1 << lane
			}
			continue
		}
		if regions[lane], windows[lane] = place.region, place.window; place.peer != nil {
			e.accessesPeer(place.peer)
		}
	}
	if fault != nil {
		e.nameRegion(fault)
	}
	return fault, at
}

// perLane returns the memory of all lanes if r is one lane's part of it, else nil.
func (e *Engine) perLane(r *memory.Region) []byte {
	switch r {
	case &e.laneLocal:
		return e.warp.Local
	case &e.laneParams:
		return e.window.Params
	}
	return nil
}

// movePerLane executes an access to memory that is divided among the lanes.
func (e *Engine) movePerLane(data []byte, pc int, space isa.Space, m lanes.Mask, more bool) {
	op, in := &e.fn.Ops[pc], &e.fn.Info[pc]
	moved := *op
	if in.Space == isa.Generic {
		moved.Imm -= isa.LocalWindow
	}
	if !e.locateLocal(data, space, &moved, in, m) {
		panic("simtrun bug: an access that was checked cannot be made")
	}
	e.moveObserved(pc, m, more)
}

// laneAddr returns the address that a lane accesses.
func (e *Engine) laneAddr(op *lanes.Op, in *program.Info, lane int) uint64 {
	if in.Wide {
		return lanes.Reg[uint64](e.path.File, op.A)[lane] + op.Imm
	}
	return uint64(lanes.Reg[uint32](e.path.File, op.A)[lane] + uint32(op.Imm))
}

// narrowed returns the address that the hardware uses in a space: only the low 32 bits in shared and local memory.
func narrowed(space isa.Space, addr uint64) uint64 {
	if space == isa.Shared || space == isa.SharedCluster || space == isa.Local {
		return uint64(uint32(addr))
	}
	return addr
}

// target is the memory to which an address refers.
type target struct {
	space  isa.Space
	addr   uint64         // in space
	region *memory.Region // the region that addr is in, or the nearest one; nil if none is near
	window uint64         // difference between the instruction's addresses and those in the region's space
	// For an address of .shared::cluster space outside the executing CTA's own window: the CTA of the cluster that owns
	// this shared memory, or nil, and the address in .shared::cluster space. addr is then an address in that CTA's
	// shared memory.
	peer  *CTA
	shown uint64
}

// isGlobal reports whether the address is in global or constant memory, or in no region.
func (t *target) isGlobal() bool {
	return t.space != isa.Shared && t.space != isa.Local && t.space != isa.Param
}

// find returns the target of an address in the space of an instruction.
func (e *Engine) find(in *program.Info, addr uint64) target {
	space, window := in.Space, uint64(0)
	if space == isa.Generic {
		switch addr / isa.WindowBytes * isa.WindowBytes {
		case isa.SharedWindow, isa.SharedWindow + isa.WindowBytes:
			return e.findShared(addr-isa.SharedWindow, isa.SharedWindow)
		case isa.LocalWindow:
			space, window = isa.Local, isa.LocalWindow
		case isa.ParamWindow:
			space, window = isa.Param, isa.ParamWindow
		}
		addr -= window
	}
	t := target{space: space, addr: addr, window: window}
	switch space {
	case isa.Shared:
		t.region = &e.cta.Shared
	case isa.SharedCluster:
		return e.findShared(addr, 0)
	case isa.Param:
		t.region = &e.grid.params
		if in.Frame && in.Space == isa.Param {
			e.laneParams.Data = e.window.Params[:len(e.window.Params)/lanes.Width]
			t.region = &e.laneParams
		}
	case isa.Local:
		e.laneLocal.Data = e.warp.Local[:len(e.warp.Local)/lanes.Width]
		t.region = &e.laneLocal
	default:
		t.region = e.m.global.Nearest(addr)
	}
	return t
}

// check returns the error of an access of size bytes to a target, or nil. The address must be a multiple of the
// instruction's size.
func (e *Engine) check(in *program.Info, kind isa.Kind, size uint64, p target) *memory.AccessError {
	switch {
	case p.space == isa.SharedCluster:
		return e.checkPeer(in, kind, size, &p)
	case p.region == nil || p.addr < p.region.Base || p.addr >= p.region.End() || p.region.End()-p.addr < size:
		return e.outOfBounds(in, kind, p)
	case in.OnlyShared && p.region != &e.cta.Shared:
		err := accessError(in, kind, p, memory.ErrSpace)
		err.Actual = inRegion(p.region, p.addr)
		return err
	case in.Space == isa.Global && p.region.Space != isa.Global, in.Space == isa.Const && p.region.Space != isa.Const:
		err := accessError(in, kind, p, memory.ErrSpace)
		err.Actual = inRegion(p.region, p.addr)
		return err
	case kind != isa.Load && p.region.ReadOnly:
		return accessError(in, kind, p, memory.ErrReadOnly)
	case p.addr%uint64(in.Size) != 0:
		return accessError(in, kind, p, memory.ErrMisaligned)
	}
	return nil
}

// outOfBounds returns the fault of an access to a target that does not lie within one region.
func (e *Engine) outOfBounds(in *program.Info, kind isa.Kind, p target) *memory.AccessError {
	err := accessError(in, kind, p, memory.ErrBounds)
	if freed, ok := e.m.global.Freed(p.addr); ok && p.isGlobal() && e.m.global.At(p.addr) == nil {
		err.Err, err.Region, err.Actual = memory.ErrFreed, nil, freed
		return err
	}
	if err.Actual = e.misplaced(in, p); err.Actual != "" {
		err.Err, err.Region = memory.ErrSpace, nil
		return err
	}
	if p.isGlobal() && p.region == nil {
		err.Hint = e.m.hint(p.addr, uint64(in.Size))
	}
	return err
}

// hint explains an address in global memory that is not near any region: it is a host address, or an index was wrong.
func (m *Machine) hint(addr, size uint64) string {
	if m.cfg.Foreign != nil {
		if what := m.cfg.Foreign(addr); what != "" {
			return what
		}
	}
	return m.global.IndexHint(addr, size)
}

func accessError(in *program.Info, kind isa.Kind, p target, why error) *memory.AccessError {
	return &memory.AccessError{What: kind.String(), Space: p.space, Addr: p.addr, Size: int(in.Size), Region: p.region, Err: why}
}
