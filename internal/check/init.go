package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// Init finds uses of unwritten values: registers, shared and local memory, .param variables of calls, and
// global memory with memory.Region.Unwritten. A load, a copy or an operation on such a value is no use; it makes its
// result undefined. A use is a branch, an address, an argument of printf, or a store to global memory that is still
// there at the end of the launch.
//
// A shadow has a bit for each bit of a register or of memory, which is set if the bit is undefined. Shadows of
// registers have the layout of the register files themselves, so that instructions that only move bits are executed on
// them as they are. An observer cannot see all instructions at an acceptable cost: Init follows a warp, instruction by
// instruction, only while one of its registers is undefined. Otherwise compiled code executes the warp, and keeps the
// shadow of memory (interp.ShadowObserver).
type Init struct {
	machine   *interp.Machine
	plans     map[*program.Func][]initPlan
	warps     [][]*initWarp      // by slot and warp
	shared    []*initSpace       // by slot
	global    []*initSpace       // by number of the region
	variables []program.Variable // in shared and local memory
	copied    initCopy
	read      *unwritten  // undefined shared memory that a product reads; else nil
	table     *lanes.File // scratch space of moved
	initFindings
}

// Interfaces of observers that Init implements.
var (
	_ interp.AccessObserver = (*Init)(nil)
	_ interp.ExitObserver   = (*Init)(nil)
	_ interp.ShadowObserver = (*Init)(nil)
)

// initWarp is the shadow of a warp.
type initWarp struct {
	frames map[*interp.Window]*initFrame
	local  *initSpace
	// dirty is the number of registers and carry flags with undefined bits.
	dirty int
}

// initFrame is the shadow of an activation.
type initFrame struct {
	warp *initWarp
	plan []initPlan
	// shadow has the undefined bits of registers and .param variables. Its File is nil if no register has had any.
	shadow interp.Window
	params *initSpace   // of the .param variables
	lanes  []lanes.Mask // by register: lanes with undefined bits
	from   []*unwritten // by register: where they come from
	carry  lanes.Mask
	by     *unwritten // of the carry flag
}

// AttachInit makes an Init check l, a launch on m. It returns the errors of interp.Machine.Variables.
func AttachInit(m *interp.Machine, l *interp.Launch) (*Init, error) {
	c := &Init{machine: m, plans: make(map[*program.Func][]initPlan), initFindings: newInitFindings()}
	var err error
	if c.variables, err = m.Variables(l); err != nil {
		return nil, err
	}
	l.Precise = true
	l.Observe(c)
	return c, nil
}

// warp returns the shadow of a warp.
func (c *Init) warp(at *interp.Place) *initWarp {
	for len(c.warps) <= at.Slot {
		c.warps = append(c.warps, nil)
		c.shared = append(c.shared, &initSpace{})
	}
	for len(c.warps[at.Slot]) <= at.Warp {
		c.warps[at.Slot] = append(c.warps[at.Slot], &initWarp{frames: make(map[*interp.Window]*initFrame), local: &initSpace{}})
	}
	return c.warps[at.Slot][at.Warp]
}

// Follows implements interp.ValueObserver.
func (c *Init) Follows(at *interp.Place) bool { return c.warps[at.Slot][at.Warp].dirty > 0 }

// FollowsAny implements interp.ShadowObserver.
func (c *Init) FollowsAny(slot int) bool {
	return slot < len(c.warps) && slices.ContainsFunc(c.warps[slot], func(x *initWarp) bool { return x.dirty > 0 })
}

// SharedShadow implements interp.ShadowObserver.
func (c *Init) SharedShadow(at *interp.Place, n int) []byte {
	c.warp(at)
	sp := c.shared[at.Slot]
	sp.refill(n)
	return sp.undefined
}

// LocalShadow implements interp.ShadowObserver.
func (c *Init) LocalShadow(at *interp.Place, n int) []byte {
	sp := c.warp(at).local
	sp.resize(n)
	return sp.undefined
}

// ParamShadow implements interp.ShadowObserver.
func (c *Init) ParamShadow(at *interp.Place, w *interp.Window, n int) []byte {
	return c.warp(at).frame(c, w).params.sized(n)
}

// Entered implements interp.ValueObserver: the registers, .param variables and local variables of an activation are
// undefined, and with the first warp of a CTA its shared memory.
func (c *Init) Entered(at *interp.Place, w *interp.Window, e interp.Entry, m lanes.Mask) {
	x := c.warp(at)
	if e.Kernel {
		for _, f := range x.frames {
			f.reset()
		}
		x.local.stale = true
		if at.Warp == 0 {
			c.shared[at.Slot].stale = true
		}
	} else {
		x.local.enter(e.Local, w, m)
	}
	if f := x.frames[w]; f != nil {
		f.reset()
	}
	if w.Func.FrameBytes > 0 {
		x.frame(c, w).params.fill(len(w.Params))
	}
	for _, r := range w.Func.LiveIn {
		x.frame(c, w).undefine(w, r, m, c.register(w.Func, r))
	}
}

// frame returns the shadow of an activation.
func (x *initWarp) frame(c *Init, w *interp.Window) *initFrame {
	f := x.frames[w]
	if f == nil {
		f = &initFrame{warp: x, plan: c.planOf(w.Func), params: &initSpace{}, lanes: make([]lanes.Mask, len(w.Func.Src.Regs)), from: make([]*unwritten, len(w.Func.Src.Regs))}
		f.shadow.Func = w.Func
		x.frames[w] = f
	}
	return f
}

// Passed implements interp.ValueObserver.
func (c *Init) Passed(at *interp.Place, from *interp.Window, a *program.Location, to *interp.Window, b *program.Location, m lanes.Mask) {
	x := c.warp(at)
	if x.frames[from] == nil && x.frames[to] == nil {
		return
	}
	f, t := x.frame(c, from), x.frame(c, to)
	source := f.at(a, m)
	if source == nil && t.at(b, m) == nil {
		return
	}
	f.needFile()
	t.needFile()
	f.shadow.Params, t.shadow.Params = f.params.sized(len(from.Params)), t.params.sized(len(to.Params))
	interp.CopyValue(&f.shadow, a, &t.shadow, b, m)
	if !b.InReg {
		t.params.comePerLane(uint64(b.At), uint64(b.Size), m, source)
		return
	}
	for r := range to.Func.Src.Regs {
		if id := isa.RegID(r); to.Func.Layout.Reg(id) == b.Slot {
			t.recount(id, m, source)
		}
	}
}

// at returns where undefined bits of a value at a place come from; nil if there are none.
func (f *initFrame) at(a *program.Location, m lanes.Mask) *unwritten {
	if !a.InReg {
		return f.params.perLane(uint64(a.At), uint64(a.Size), m)
	}
	for r := range f.lanes {
		if f.lanes[r]&m != 0 && f.shadow.Func.Layout.Reg(isa.RegID(r)) == a.Slot {
			return f.from[r]
		}
	}
	return nil
}

// Exited implements interp.ExitObserver.
func (c *Init) Exited(at *interp.Place, _ int, m lanes.Mask) {
	x := c.warps[at.Slot][at.Warp]
	if x.dirty == 0 {
		return
	}
	for _, f := range x.frames {
		for r := range f.lanes {
			f.define(isa.RegID(r), m)
		}
		f.setCarry(f.carry&^m, f.by)
	}
}

// reset makes all registers defined.
func (f *initFrame) reset() {
	for r := range f.lanes {
		f.define(isa.RegID(r), lanes.AllLanes)
	}
	f.setCarry(0, nil)
}

// needFile gives the shadow a register file.
func (f *initFrame) needFile() {
	if f.shadow.File == nil {
		f.shadow.File = lanes.NewFile(f.shadow.Func.Layout.Bytes())
	}
}

// setCarry sets the lanes in which the carry flag is undefined.
func (f *initFrame) setCarry(m lanes.Mask, from *unwritten) {
	f.count(f.carry, m)
	f.carry, f.by = m, from
}

// count updates the number of registers with undefined bits for one that had them in the lanes of was.
func (f *initFrame) count(was, now lanes.Mask) {
	switch {
	case was == 0 && now != 0:
		f.warp.dirty++
	case was != 0 && now == 0:
		f.warp.dirty--
	}
}

// define makes a register defined in the lanes of m.
func (f *initFrame) define(r isa.RegID, m lanes.Mask) {
	was := f.lanes[r]
	if was&m == 0 {
		return
	}
	f.setBits(r, was&m, &[lanes.Width]uint64{}, &[lanes.Width]uint64{})
	f.lanes[r] = was &^ m
	f.count(was, f.lanes[r])
}

// undefine makes all bits of a register undefined in the lanes of m.
func (f *initFrame) undefine(w *interp.Window, r isa.RegID, m lanes.Mask, from *unwritten) {
	if m == 0 {
		return
	}
	f.needFile()
	n := w.Func.Src.Regs[r].Type.Bits()
	var low, high [lanes.Width]uint64
	for lane := range low {
		low[lane] = ones(min(n, 64))
		high[lane] = ones(max(n-64, 0))
	}
	f.setBits(r, m, &low, &high)
	f.recount(r, m, from)
}

// ones returns n one bits.
func ones(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return ^uint64(0) >> (64 - n)
}

// setBits sets the undefined bits of a register in the lanes of m; high is for a register of 128 bits.
func (f *initFrame) setBits(r isa.RegID, m lanes.Mask, low, high *[lanes.Width]uint64) {
	off, t := f.shadow.Func.Layout.Reg(r), f.shadow.Func.Src.Regs[r].Type
	writeSlot(f.shadow.File, off, t.Bits(), m, low)
	if t.Bits() > 64 {
		writeSlot(f.shadow.File, off+lanes.Slot64, 64, m, high)
	}
}

// recount determines in which lanes of m a register has undefined bits, after its shadow has changed.
func (f *initFrame) recount(r isa.RegID, m lanes.Mask, from *unwritten) {
	off, t := f.shadow.Func.Layout.Reg(r), f.shadow.Func.Src.Regs[r].Type
	now := nonzero(f.shadow.File, off, t.Bits()) & m
	if t.Bits() > 64 {
		now |= nonzero(f.shadow.File, off+lanes.Slot64, 64) & m
	}
	was := f.lanes[r]
	f.lanes[r] = was&^m | now
	f.count(was, f.lanes[r])
	if now != 0 && from != nil {
		f.from[r] = from
	}
}

// readSlot returns the value of a slot of that many bits in each lane: 1 for a predicate.
func readSlot(f *lanes.File, off uint32, bits int) (v [lanes.Width]uint64) {
	switch {
	case bits == 1:
		p := *lanes.Pred(f, off&^1)
		for lane := range v {
			v[lane] = uint64(p >> lane & 1)
		}
	case bits <= 32:
		for lane, x := range lanes.Reg[uint32](f, off) {
			v[lane] = uint64(x)
		}
	default:
		v = *lanes.Reg[uint64](f, off)
	}
	return v
}

// writeSlot sets a slot in the lanes of m.
func writeSlot(f *lanes.File, off uint32, bits int, m lanes.Mask, v *[lanes.Width]uint64) {
	for ; m != 0; m &= m - 1 {
		switch lane := firstLane(m); {
		case bits == 1:
			p := lanes.Pred(f, off&^1)
			*p = *p&^(1<<lane) | lanes.Mask(v[lane]&1)<<lane
		case bits <= 32:
			lanes.Reg[uint32](f, off)[lane] = uint32(v[lane])
		default:
			lanes.Reg[uint64](f, off)[lane] = v[lane]
		}
	}
}

// nonzero returns the lanes in which a slot is not 0.
func nonzero(f *lanes.File, off uint32, bits int) (m lanes.Mask) {
	for lane, v := range readSlot(f, off, bits) {
		if v != 0 {
			m |= 1 << lane
		}
	}
	return m
}

// space returns the shadow of the memory of an access; nil if all of it is written.
func (c *Init) space(at *interp.Place, a *interp.Access) *initSpace {
	switch isa.Space(a.Space) {
	case isa.Shared, isa.SharedCluster:
		sp := c.shared[a.Owner()]
		sp.refill(len(a.Mem))
		return sp
	case isa.Local:
		sp := c.warp(at).local
		sp.resize(len(a.Mem))
		return sp
	case isa.Param:
		if a.Region != lanes.NoRegion {
			return nil // the kernel's parameters
		}
		sp := c.warp(at).frame(c, a.Window()).params
		sp.sized(len(a.Mem))
		return sp
	case isa.Global:
		sp := c.globalSpace(a)
		sp.seeHost(a)
		return sp
	}
	return nil
}

// globalSpace returns the shadow of a region of global memory.
func (c *Init) globalSpace(a *interp.Access) *initSpace {
	for len(c.global) <= int(a.Region) {
		c.global = append(c.global, nil)
	}
	sp := c.global[a.Region]
	if sp == nil {
		r := c.machine.Region(a.Base)
		if r == nil {
			return nil
		}
		sp = &initSpace{region: r, undefined: r.Unwritten}
		c.global[a.Region] = sp
	}
	return sp
}

// Printed implements interp.ValueObserver.
func (c *Init) Printed(at *interp.Place, a *interp.Access) {
	sp := c.space(at, a)
	if sp == nil || sp.undefined == nil {
		return
	}
	if m := sp.lanes(a); m != 0 {
		c.use(c.useAt(at, a.Window(), a.PC, m), c.memory(at, sp, a, m), "an argument of printf")
	}
}
