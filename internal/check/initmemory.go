package check

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// initSpace is the shadow of a piece of memory.
type initSpace struct {
	undefined []byte // bits by byte; nil if all are defined
	// from has the origin of the undefined bits of a word, if they were stored.
	from   map[uint64]*unwritten
	region *memory.Region // of global memory, else nil
	stale  bool           // not written since a CTA or warp has started
}

// fill makes n bytes undefined.
func (sp *initSpace) fill(n int) {
	sp.from, sp.stale = nil, false
	if len(sp.undefined) != n {
		sp.undefined = make([]byte, n, n+interp.ShadowPad)
	}
	for i := range sp.undefined {
		sp.undefined[i] = 0xff
	}
}

// refill is fill at the first access after a start.
func (sp *initSpace) refill(n int) {
	if sp.stale || len(sp.undefined) != n {
		sp.fill(n)
	}
}

// sized returns the shadow of n bytes.
func (sp *initSpace) sized(n int) []byte {
	if len(sp.undefined) != n {
		sp.fill(n)
	}
	return sp.undefined
}

// resize is refill for memory with an equal part for each lane, which may grow.
func (sp *initSpace) resize(n int) {
	if sp.stale || len(sp.undefined) == 0 {
		sp.fill(n)
		return
	}
	if len(sp.undefined) == n {
		return
	}
	old, from, to := sp.undefined, len(sp.undefined)/lanes.Width, n/lanes.Width
	sp.fill(n)
	for lane := range lanes.Width {
		copy(sp.undefined[lane*to:][:to], old[lane*from:][:min(from, to)])
	}
}

// enter makes the local variables of an activation undefined in the lanes of m; the warp has n bytes of local memory.
func (sp *initSpace) enter(n int, w *interp.Window, m lanes.Mask) {
	if w.Func.LocalBytes == 0 || sp.stale || len(sp.undefined) == 0 {
		return
	}
	sp.resize(n)
	for ; m != 0; m &= m - 1 {
		part := sp.undefined[firstLane(m)*(n/lanes.Width):][:n/lanes.Width]
		for i := w.Local; i < min(w.Local+uint64(w.Func.LocalBytes), uint64(len(part))); i++ {
			part[i] = 0xff
		}
	}
}

// wordBits is log2 of the bytes of a word of initSpace.from.
const wordBits = 2

// comeFrom records where the undefined bits of some bytes come from.
func (sp *initSpace) comeFrom(off, size uint64, from *unwritten) {
	if from == nil {
		return
	}
	if sp.from == nil {
		sp.from = make(map[uint64]*unwritten)
	}
	for word := off >> wordBits; word <= (off+size-1)>>wordBits; word++ {
		sp.from[word] = from
	}
}

// perLane returns where undefined bits at an offset in the parts of the lanes of m come from; nil if there are none.
func (sp *initSpace) perLane(off, size uint64, m lanes.Mask) *unwritten {
	part := uint64(len(sp.undefined) / lanes.Width)
	for ; m != 0 && part > 0; m &= m - 1 {
		at := uint64(firstLane(m))*part + off
		if anySet(sp.undefined[at:][:min(size, part-off)]) {
			if from := sp.origin(at, size); from != nil {
				return from
			}
			return unsetParam
		}
	}
	return nil
}

// comePerLane records where undefined bits at an offset in the parts of the lanes of m come from.
func (sp *initSpace) comePerLane(off, size uint64, m lanes.Mask, from *unwritten) {
	part := uint64(len(sp.undefined) / lanes.Width)
	if from == unsetParam { // the reader knows the call, and names it
		from = nil
	}
	for ; m != 0; m &= m - 1 {
		at := uint64(firstLane(m))*part + off
		if sp.comeFrom(at, size, from); from == nil {
			for word := at >> wordBits; word <= (at+size-1)>>wordBits; word++ {
				delete(sp.from, word)
			}
		}
	}
}

// origin returns the origin of the undefined bits of some bytes; nil if they were never stored.
func (sp *initSpace) origin(off, size uint64) *unwritten {
	for word := off >> wordBits; word <= (off+size-1)>>wordBits; word++ {
		if from := sp.from[word]; from != nil {
			return from
		}
	}
	return nil
}

// lanes returns the lanes of an access that read undefined bits.
func (sp *initSpace) lanes(a *interp.Access) (m lanes.Mask) {
	for left := a.Lanes; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if anySet(sp.undefined[a.At(lane):][:a.Size]) {
			m |= 1 << lane
		}
	}
	return m
}

// undefinedLanes is lanes for memory that may be defined as a whole.
func (sp *initSpace) undefinedLanes(a *interp.Access) lanes.Mask {
	if sp.undefined == nil {
		return 0
	}
	return sp.lanes(a)
}

// anySet reports whether any byte is not 0.
func anySet(b []byte) bool {
	switch len(b) {
	case 4:
		return binary.LittleEndian.Uint32(b) != 0
	case 8:
		return binary.LittleEndian.Uint64(b) != 0
	}
	for _, x := range b {
		if x != 0 {
			return true
		}
	}
	return false
}

// define makes the bytes of an access defined.
func (sp *initSpace) define(a *interp.Access) {
	if sp.undefined == nil {
		return
	}
	for left := a.Lanes; left != 0; left &= left - 1 {
		at := sp.undefined[a.At(firstLane(left)):]
		switch a.Size {
		case 4:
			binary.LittleEndian.PutUint32(at, 0)
		case 8:
			binary.LittleEndian.PutUint64(at, 0)
		default:
			clear(at[:a.Size])
		}
	}
}

// need allocates the shadow of global memory that was all written.
func (sp *initSpace) need(a *interp.Access) {
	if n := len(a.Mem); sp.undefined == nil {
		sp.undefined = make([]byte, n, n+interp.ShadowPad)
		sp.region.Unwritten = sp.undefined
		a.Shadowed()
	}
}

// seeHost makes bytes defined that the host has written by its own stores, before an access to memory that it shares.
func (sp *initSpace) seeHost(a *interp.Access) {
	if sp == nil || sp.undefined == nil || a.CompleteTx || !sp.region.IsShared() {
		return
	}
	for left := a.Lanes; left != 0; left &= left - 1 {
		sp.region.SeeHost(a.At(firstLane(left)), a.Size)
	}
}

// Accessed implements interp.AccessObserver.
func (c *Init) Accessed(at *interp.Place, a *interp.Access) {
	w := a.Window()
	in, info := &w.Func.Src.Code[a.PC], &w.Func.Info[a.PC]
	sp := c.space(at, a)
	if info.Copy != nil {
		c.copy(at, sp, a, info.Copy)
		if !a.More {
			c.copied = initCopy{}
		}
		return
	}
	if a.Background {
		c.background(at, sp, a)
		return
	}
	if sp == nil || a.CompleteTx {
		return
	}
	switch kind := in.Spec.Kind; {
	case a.Kind == isa.Store && kind != isa.Store:
		sp.define(a)
	case a.Kind == isa.Store:
		c.store(at, sp, a)
	case kind == isa.Load && info.Image == nil:
		c.load(at, sp, a)
	case kind == isa.Load:
		c.loadTexels(at, sp, a)
	case kind == isa.Atomic && info.Image == nil && info.Mbarrier == nil:
		c.atomic(at, sp, a)
	}
}

// load makes the registers that a load writes as undefined as what it reads.
func (c *Init) load(at *interp.Place, sp *initSpace, a *interp.Access) {
	if sp.undefined == nil {
		return
	}
	m := sp.lanes(a)
	if m == 0 {
		return
	}
	f := c.warp(at).frame(c, a.Window())
	f.needFile()
	from := c.memory(at, sp, a, m)
	a.On(f.shadow.File, sp.undefined)
	results := a.Lanes
	if a.Window().Func.Src.Code[a.PC].Spec.WholeWarp {
		results = lanes.AllLanes
	}
	for _, r := range f.plan[a.PC].writes {
		f.recount(r, results, from)
	}
}

// loadTexels makes the results of lanes undefined that read undefined texels.
func (c *Init) loadTexels(at *interp.Place, sp *initSpace, a *interp.Access) {
	if m := sp.undefinedLanes(a); m != 0 {
		f, w := c.warp(at).frame(c, a.Window()), a.Window()
		from := c.memory(at, sp, a, m)
		for _, r := range f.plan[a.PC].writes {
			f.undefine(w, r, m, from)
		}
	}
}

// store makes memory as undefined as the registers that are stored.
func (c *Init) store(at *interp.Place, sp *initSpace, a *interp.Access) {
	u, from := lanes.Mask(0), (*unwritten)(nil)
	w, x := a.Window(), c.warp(at)
	var f *initFrame
	if x.dirty > 0 {
		f = x.frame(c, w)
		u, from = f.union(f.plan[a.PC].reads, lanes.AllLanes)
		if !w.Func.Src.Code[a.PC].Spec.WholeWarp {
			u &= a.Lanes
		}
	}
	if u == 0 {
		sp.define(a)
		return
	}
	sp.need(a)
	before := sp.before(a, u)
	sp.define(a)
	if info := &w.Func.Info[a.PC]; info.Around || info.Image != nil {
		sp.undefine(a, u)
	} else {
		a.On(f.shadow.File, sp.undefined)
	}
	u = sp.lanes(a) // perhaps the undefined bits were not stored
	if from != nil && from.region == sp.region {
		u &^= sp.unchanged(a, before)
	}
	if u != 0 {
		c.stored(at, sp, a, u, from)
	}
}

// before returns the undefined bits of the bytes of an access in the lanes of u, in the format of Access.Stored; nil if
// the memory is not global.
func (sp *initSpace) before(a *interp.Access, u lanes.Mask) []byte {
	if sp.region == nil || a.Size > maxStored {
		return nil
	}
	all := make([]byte, lanes.Width*a.Size)
	for ; u != 0; u &= u - 1 {
		lane := firstLane(u)
		copy(all[uint64(lane)*a.Size:][:a.Size], sp.undefined[a.At(lane):])
	}
	return all
}

// maxStored is the largest number of bytes of a lane in Access.Stored.
const maxStored = 32

// unchanged returns the lanes that write back what they have read: neither the undefined bits nor the values of bytes
// that stay undefined change, as when a thread copies a structure, works on some members, and stores all of it.
func (sp *initSpace) unchanged(a *interp.Access, before []byte) (m lanes.Mask) {
	stored := a.Stored()
	for left := a.Lanes; left != 0 && before != nil && stored != nil; left &= left - 1 {
		lane := firstLane(left)
		at, first := a.At(lane), uint64(lane)*a.Size
		m |= 1 << lane
		for i := range a.Size {
			if u := sp.undefined[at+i]; u != 0 && (before[first+i] != u || stored[first+i] != a.Mem[at+i]) {
				m &^= 1 << lane
			}
		}
	}
	return m
}

// stored records where undefined bits that lanes store come from.
func (c *Init) stored(at *interp.Place, sp *initSpace, a *interp.Access, u lanes.Mask, from *unwritten) {
	for left := u; left != 0; left &= left - 1 {
		sp.comeFrom(a.At(firstLane(left)), a.Size, from)
		if sp.region != nil {
			sp.region.StoresUndefined(a.At(firstLane(left)), a.Size)
		}
	}
	if sp.region != nil {
		c.leave(c.useAt(at, a.Window(), a.PC, u), sp, a, from)
	}
}

// undefine makes the bytes of the lanes of u undefined.
func (sp *initSpace) undefine(a *interp.Access, u lanes.Mask) {
	for ; u != 0; u &= u - 1 {
		part := sp.undefined[a.At(firstLane(u)):][:a.Size]
		for i := range part {
			part[i] = 0xff
		}
	}
}

// atomic makes results as undefined as memory, and memory as undefined as operands. Memory that was undefined stays so,
// except after exch: as a stored value it is a use if the host reads it.
func (c *Init) atomic(at *interp.Place, sp *initSpace, a *interp.Access) {
	w, x := a.Window(), c.warp(at)
	if x.dirty == 0 && sp.undefined == nil {
		return
	}
	f := x.frame(c, w)
	replaces := w.Func.Src.Code[a.PC].Mods[isa.AtomOp] == isa.AtomExch
	if m := sp.undefinedLanes(a); m != 0 {
		from := c.memory(at, sp, a, m)
		for _, r := range f.plan[a.PC].writes {
			f.undefine(w, r, m, from)
		}
		if !replaces {
			c.counted(at, sp, a, m, from)
			c.stored(at, sp, a, m, from)
		}
	}
	u, from := f.union(f.plan[a.PC].reads, a.Lanes)
	if replaces {
		sp.define(a)
	}
	if u != 0 {
		sp.need(a)
		sp.undefine(a, u)
		c.stored(at, sp, a, u, from)
	}
}

// counted reports an atomic operation on words that were never written, in memory that the host shares: the host reads
// the result without a call.
func (c *Init) counted(at *interp.Place, sp *initSpace, a *interp.Access, m lanes.Mask, from *unwritten) {
	for left := m; left != 0 && sp.region != nil && sp.region.IsShared(); left &= left - 1 {
		if sp.region.IsFresh(a.At(firstLane(left)), a.Size) {
			c.use(c.useAt(at, a.Window(), a.PC, m), from, "an atomic operation")
			return
		}
	}
}
