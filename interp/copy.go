package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// An asynchronous copy may take effect at any time between its instruction and the end of the wait for it (PTX ISA,
// cp.async). Here it takes effect at once: it reads the present contents of memory. Whether a program waits for it is
// for observers to find out.

// copying is the scratch state of a copy, or of an operation on mbarriers, during its execution.
type copying struct {
	from   []part
	to     lanes.Access
	before [lanes.Width]lanes.Mbarrier   // by lane
	bytes  [lanes.Width * maxAccess]byte // in the format of Access.Stored

	targets, mbarriers []target // of a bulk copy

	row       []byte // row of a box of a tensor map
	undefined []byte // undefined bits of the bytes of row; nil if no observer keeps a shadow
	tensorMap mapScratch

	hints map[*program.Copy]*memory.Region // regions in which the sources of an instruction were last
}

// part is a part of a copy's source: bytes that lanes have in one region.
type part struct {
	acc  lanes.Access
	mask lanes.Mask
	at   int // offset of the bytes in the lane's
}

// copy executes the copy at pc, in which each lane of m, which is not empty, copies its own data.
func (e *Engine) copy(pc int, m lanes.Mask) error {
	c := e.fn.Info[pc].Copy
	switch {
	case c.Box != nil:
		return e.box(c, pc, m)
	case c.Replace != nil:
		return e.replace(c, pc, m)
	case c.Bulk && e.fn.Src.Code[pc].Mods[isa.FenceCopy] != 0: // executed once for the warp
		return e.bulk(c, pc, e.onePerPlace(&c.To, m))
	case c.Store != nil:
		return e.storeAsync(c, pc, m)
	case c.Bulk:
		return e.bulk(c, pc, m)
	}
	k, size := e.copyScratch(), uint64(c.To.Info.Size)
	// all lanes access their own CTA's shared memory
	if _, err := e.locateShared(&c.To, pc, m, "destination of a copy"); err != nil {
		return err
	}
	k.to, k.from = e.acc, k.from[:0]
	whole, err := e.wholeSources(c, pc, m)
	if err != nil {
		return err
	}
	if err := e.addSources(c, pc, whole); err != nil {
		return err
	}
	if m != whole {
		clear(k.bytes[:])
	}
	for i := range k.from {
		p := &k.from[i]
		e.acc = p.acc
		e.notifyMoving(isa.Load, pc, p.mask, true)
		if seen := e.sourceOf(p); seen != nil {
			for left := p.mask; left != 0; left &= left - 1 {
				lane := firstLane(left)
				copy(k.bytes[lane*int(size)+p.at:], seen.Mem[seen.At(lane):][:seen.Size])
			}
		}
		e.notifyMoved(p.mask)
	}
	e.acc = k.to
	e.notifyMoving(isa.Store, pc, m, false)
	conflicts := e.watchesConflict(pc)
	if conflicts {
		e.beforeConflict(pc, isa.Store, m)
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		copy(k.to.Mem[k.to.At(lane):][:size], k.bytes[lane*int(size):])
	}
	if conflicts {
		e.afterConflict(pc, isa.Store, m)
	}
	e.notifyMoved(m)
	return nil
}

// copyScratch returns the engine's state for copies and mbarriers, which it creates at the first call.
func (e *Engine) copyScratch() *copying {
	if e.copying == nil {
		e.copying = &copying{hints: make(map[*program.Copy]*memory.Region)}
	}
	return e.copying
}

// notifyMoving notifies observers of a part of a copy, the access in e.acc, before it takes effect.
func (e *Engine) notifyMoving(kind isa.Kind, pc int, m lanes.Mask, more bool) {
	if e.watcher != nil && isa.Space(e.acc.Space) == isa.Global {
		e.watcher.Access(kind, &e.fn.Info[pc], &e.acc, m)
	}
	e.notifyAccessed(kind, pc, m, more)
}

// notifyMoved notifies observers of the part after it has taken effect.
func (e *Engine) notifyMoved(m lanes.Mask) {
	if len(e.observers.completion) > 0 {
		e.notifyCompleted()
	}
	if e.effect != nil {
		e.effect.Access = append(e.effect.Access, Moved{e.acc, m})
	}
}

// locateShared finds the shared memory that lanes of m access by an operand of a copy; what names the operand in
// faults. It returns the lanes that access the same CTA's memory as the first lane.
func (e *Engine) locateShared(s *program.Side, pc int, m lanes.Mask, what string) (group lanes.Mask, err error) {
	op, in, r := &s.Op, &s.Info, &e.cta.Shared
	window := uint64(0)
	if in.Space == isa.Generic {
		window = isa.SharedWindow
	}
	if e.locate(op, in, r, window, m) || in.Wide && in.Space == isa.Shared && e.locateLow(op, in, r, nil, m) {
		return m, nil
	}
	var regions [lanes.Width]*memory.Region
	var windows [lanes.Width]uint64
	fault, at := e.regionsOf(&regions, &windows, op, in, isa.Store, m)
	if fault == nil {
		fault, at = e.notShared(s, &regions, m)
	}
	if fault != nil {
		fault.What = what
		return 0, e.fault(pc, at, fault)
	}
	first := firstLane(m)
	for left := m; left != 0; left &= left - 1 {
		if regions[firstLane(left)] == regions[first] {
			group |= left & -left
		}
	}
	if !e.locate(op, in, regions[first], windows[first], group) {
		panic("simtrun bug: an access that was checked cannot be made")
	}
	return group, nil
}

// notShared returns the fault of the first lane of m with a generic address outside shared memory, and the lanes that
// fail alike; nil if there is none.
func (e *Engine) notShared(s *program.Side, regions *[lanes.Width]*memory.Region, m lanes.Mask) (*memory.AccessError, lanes.Mask) {
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if regions[lane].Space == isa.Shared {
			continue
		}
		p := e.find(&s.Info, e.laneAddr(&s.Op, &s.Info, lane))
		fault := accessError(&s.Info, isa.Store, p, memory.ErrSpace)
		fault.Space, fault.Actual = isa.Shared, inRegion(p.region, p.addr)
		return fault, left & -left
	}
	return nil, 0
}

// wholeSources returns the lanes of m that read all bytes of their source. It adds the sources of which lanes read
// only some bytes to the parts.
func (e *Engine) wholeSources(c *program.Copy, pc int, m lanes.Mask) (whole lanes.Mask, err error) {
	switch {
	case c.Ignored:
		return m &^ lanes.Predicate(e.path.File, c.IgnoreSlot), nil
	case !c.Sized:
		return m, nil
	}
	size := uint32(c.From.Info.Size)
	bytes := lanes.Reg[uint32](e.path.File, c.SizeSlot)
	more := lanes.Mask(0)
	for left := m; left != 0; left &= left - 1 {
		switch n := bytes[firstLane(left)]; {
		case n == size:
			whole |= left & -left
		case n > size:
			more |= left & -left
		}
	}
	if more != 0 {
		return 0, e.fault(pc, more, violated(RuleCopySize, "%d bytes of the source for %d that are copied", bytes[firstLane(more)], size))
	}
	for left := m &^ whole; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if n := bytes[lane]; n > 0 {
			if err := e.addSome(c, pc, lane, uint64(n)); err != nil {
				return 0, err
			}
		}
	}
	return whole, nil
}

// addSome adds the n bytes of its source that one lane reads, fewer than the copy's size.
func (e *Engine) addSome(c *program.Copy, pc, lane int, n uint64) error {
	in := &c.From.Info
	p := e.find(in, e.laneAddr(&c.From.Op, in, lane))
	if err := e.check(in, isa.Load, n, p); err != nil {
		err.What = "source of a copy"
		e.nameRegion(err)
		return e.fault(pc, 1<<lane, err)
	}
	r, at := p.region, 0
	for n > 0 { // sizes of accesses are powers of two
		piece := part{mask: 1 << lane, at: at}
		piece.acc.Mem, piece.acc.Base, piece.acc.Region, piece.acc.Space = r.Data, r.Base, r.Number, uint8(r.Space)
		piece.acc.Size = 1 << (bits.Len64(n) - 1)
		piece.acc.Off[lane] = p.addr - r.Base + uint64(at)
		e.copying.from = append(e.copying.from, piece)
		at, n = at+int(piece.acc.Size), n-piece.acc.Size
	}
	return nil
}

// addSources adds the sources of the lanes of m, which read all bytes, to the parts.
func (e *Engine) addSources(c *program.Copy, pc int, m lanes.Mask) error {
	if m == 0 {
		return nil
	}
	op, in, k := &c.From.Op, &c.From.Info, e.copying
	if r := k.hints[c]; r != nil && e.locate(op, in, r, 0, m) {
		k.from = append(k.from, part{acc: e.acc, mask: m})
		return nil
	}
	var regions [lanes.Width]*memory.Region
	var windows [lanes.Width]uint64
	if fault, at := e.regionsOf(&regions, &windows, op, in, isa.Load, m); fault != nil {
		fault.What = "source of a copy"
		return e.fault(pc, at, fault)
	}
	for m != 0 {
		r := regions[firstLane(m)]
		var group lanes.Mask
		for left := m; left != 0; left &= left - 1 {
			if regions[firstLane(left)] == r {
				group |= left & -left
			}
		}
		m &^= group
		if !e.locate(op, in, r, 0, group) {
			panic("simtrun bug: a copy that was checked cannot be made")
		}
		k.hints[c] = r
		k.from = append(k.from, part{acc: e.acc, mask: group})
	}
	return nil
}

// sourceOf returns the place to read a part of a copy, the access in e.acc, or nil if the part is copied at the
// exchange.
func (e *Engine) sourceOf(p *part) *lanes.Access {
	if seen := e.seen(p.mask); seen != nil {
		return seen
	}
	e.copyLate(p)
	return nil
}

// seen returns the place where lanes read the access in e.acc: memory itself, or values from the journal. It is nil
// if the values are not known before the exchange.
func (e *Engine) seen(m lanes.Mask) *lanes.Access {
	switch {
	case !e.defers():
		return &e.acc
	case e.acquired: // as for loads, see log
		return nil
	case !e.journal.Changes(&e.acc, m):
		return &e.acc
	}
	if seen, ok := e.journal.View(&e.acc, m, false); ok {
		return seen
	}
	return nil
}

// copyLate defers a part of a copy, with the access in e.acc as its source, to the exchange. The part is then copied
// if the CTA with the destination still exists.
func (e *Engine) copyLate(p *part) {
	cta := e.owner(e.copying.to.Region)
	at, to, first := cta.At, e.copying.to, uint64(p.at)
	e.deferAccess(&lanes.Op{Mem: func(_ *lanes.File, _ *lanes.Op, m lanes.Mask, from *lanes.Access) {
		if cta.At != at || cta.Live == 0 {
			return
		}
		for ; m != 0; m &= m - 1 {
			lane := firstLane(m)
			copy(to.Mem[to.At(lane)+first:], from.Mem[from.At(lane):][:from.Size])
		}
	}}, p.mask)
	e.journal.Defer(e.effect.Deferred)
}
