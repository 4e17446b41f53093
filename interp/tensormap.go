package interp

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/tensor"
	"github.com/simtrun/simtrun/memory"
)

// boxCopy is one lane's copy of a box of a tensor.
type boxCopy struct {
	m      *tensor.Map
	shape  tensor.Shape
	place  tensor.Place
	shared []target // its places in shared memory: one in each CTA that receives the box
	// mbarriers count the bytes of the copy.
	mbarriers []target
	region    *memory.Region // region of the tensor; nil if the box is entirely outside
	last      int            // the last row that is partly inside the tensor; -1 if none is
	reduce    lanes.Reduce   // applied to the tensor; nil for a plain copy
}

// mapScratch is the tensor map that was used last: usually it is also the next one.
type mapScratch struct {
	bytes [tensor.Bytes]byte
	m     *tensor.Map
}

// box executes the copy of a box of a tensor at pc, one lane of m after the other, row by row, and then updates the
// mbarrier.
func (e *Engine) box(c *program.Copy, pc int, m lanes.Mask) error {
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		b, err := e.boxOf(c, pc, lane)
		if err != nil {
			return err
		}
		for i := range b.mbarriers {
			if _, err := e.completeTx(&b.mbarriers[i], pc, lane, b.bytes()); err != nil {
				return err
			}
		}
	}
	for left := m; left != 0; left &= left - 1 {
		lane, last := firstLane(left), left&(left-1) == 0
		b, err := e.boxOf(c, pc, lane)
		if err != nil { // an earlier lane has overwritten the tensor map
			return err
		}
		if !c.Box.Loads {
			e.storeBox(&b, pc, lane, !last)
			continue
		}
		e.loadBox(&b, pc, lane)
		for i := range b.mbarriers {
			if err := e.tell(&b.mbarriers[i], pc, lane, b.bytes(), !last || i+1 < len(b.mbarriers)); err != nil {
				return err
			}
		}
	}
	return nil
}

// bytes returns the number of bytes by which an mbarrier's tx-count changes.
func (b *boxCopy) bytes() uint64 { return uint64(b.shape.Bytes()) }

// boxOf returns a lane's copy, or its fault. It is valid until the next call.
func (e *Engine) boxOf(c *program.Copy, pc, lane int) (b boxCopy, err error) {
	t := c.Box
	if b.m, err = e.mapAt(&t.Map, pc, lane); err != nil {
		return b, err
	}
	for i, slot := range t.Coords {
		b.place.Coords[i] = int64(lanes.Reg[int32](e.path.File, slot)[lane])
	}
	for i, slot := range t.Offsets {
		b.place.Offsets[i] = int64(uint16(lanes.Reg[uint32](e.path.File, slot)[lane]))
	}
	if msg := b.wrong(t); msg != "" {
		return b, e.fault(pc, 1<<lane, violated(RuleTensorMap, "%s", msg))
	}
	if t.Reduces != 0 {
		b.reduce = tensorReduction(t.Reduces, b.m.Type)
	}
	b.shape = b.m.Shape(wayOf(t.Mode))
	if err := e.checkRows(&b, t.Loads, pc, lane); err != nil {
		return b, err
	}
	side, kind, what := &c.To, isa.Store, "destination of a copy"
	if !t.Loads {
		side, kind, what = &c.From, isa.Load, "source of a copy"
	}
	k := e.copyScratch()
	if k.targets, err = e.receivers(k.targets[:0], c, side, pc, lane, kind, uint64(b.shape.Extent()), what); err != nil {
		return b, err
	}
	b.shared = k.targets
	if c.Mbarrier != nil {
		k.mbarriers, err = e.receivers(k.mbarriers[:0], c, c.Mbarrier, pc, lane, isa.Atomic, lanes.MbarrierBytes, "mbarrier")
		b.mbarriers = k.mbarriers
	}
	return b, err
}

// wayOf returns which elements a mode copies.
func wayOf(mode isa.Mod) tensor.Way {
	switch mode {
	case isa.ModeIm2col, isa.ModeIm2colNoOffsets:
		return tensor.Im2col
	case isa.ModeGather4, isa.ModeScatter4:
		return tensor.FourRows
	}
	return tensor.Tile
}

// wrong explains why the instruction cannot copy by the map, or returns "" (PTX ISA, restrictions on tensor copy
// instructions).
func (b *boxCopy) wrong(t *program.Box) string {
	m, way := b.m, wayOf(t.Mode)
	switch {
	case m.Rank != t.Rank:
		return fmt.Sprintf("a tensor map of %d dimensions; .%dd takes one of %d", m.Rank, t.Rank, t.Rank)
	case way == tensor.Im2col && !m.Im2col:
		return "a tensor map of boxes; .im2col takes one of pixels"
	case way != tensor.Im2col && m.Im2col:
		return "a tensor map of pixels; .tile takes one of boxes"
	case way == tensor.FourRows && (m.Box[1] != 1 || m.Interleave != tensor.NoInterleave):
		return fmt.Sprintf("a tensor map with a box of %d in dimension 1; loads of four rows need a box of 1 there, and a map without interleave", m.Box[1])
	}
	if t.Loads {
		for i := range t.Offsets {
			if n := b.place.Offsets[i]; n >= int64(m.OffsetLimit()) {
				return fmt.Sprintf("an offset of %d; for a tensor of %d dimensions the largest is %d", n, m.Rank, m.OffsetLimit()-1)
			}
		}
		return ""
	}
	if t.Reduces != 0 && tensorReduction(t.Reduces, m.Type) == nil {
		return fmt.Sprintf("a tensor of type %s, whose elements the operation does not take", m.Type)
	}
	for i := range t.Coords {
		if n := b.place.Coords[i]; n < 0 {
			return fmt.Sprintf("coordinate %d is %d; a copy to a tensor takes none below 0", i, n)
		}
	}
	if m.Atom == tensor.Atom32Flip {
		return "a swizzle with halves of 16 bytes exchanged, which only copies to shared memory have"
	}
	for d := range max(m.Rank-2, 0) {
		if m.Im2col && (m.Lower[d] < 0 || m.Upper[d] > 0) {
			return fmt.Sprintf("corners of %d and %d, beyond the tensor; a copy to a tensor stays in it", m.Lower[d], m.Upper[d])
		}
	}
	return ""
}

// reducedAs maps types of elements to those of reductions. PTX does not say which types the operations support: these
// are the ones that compilers accept.
var reducedAs = map[tensor.Type][]isa.Type{
	tensor.U32: {isa.U32, isa.B32}, tensor.S32: {isa.S32, isa.B32}, tensor.U64: {isa.U64, isa.B64}, tensor.S64: {isa.S64, isa.B64},
	tensor.F16: {isa.F16}, tensor.BF16: {isa.BF16}, tensor.F32: {isa.F32},
}

// addFlushed adds .f32 values, with subnormal numbers flushed to zero.
var addFlushed = lanes.Reducing(lanes.AddedF32)

// tensorReduction returns how an operation changes elements of a tensor; nil if it does not support their type.
func tensorReduction(op isa.Mod, t tensor.Type) lanes.Reduce {
	if t == tensor.F32FTZ && op == isa.AtomAdd {
		return addFlushed
	}
	for _, as := range reducedAs[t] {
		if reduce := isa.Reduction(op, as); reduce != nil {
			return reduce
		}
	}
	return nil
}

// checkRows finds the region of the box, or the fault of a row outside it.
func (e *Engine) checkRows(b *boxCopy, loads bool, pc, lane int) error {
	in, kind, what := &program.Info{Space: isa.Global, Size: 1}, isa.Load, "source of a copy"
	if !loads {
		kind, what = isa.Store, "destination of a copy"
	}
	b.last = -1
	for i := range b.shape.Rows {
		r := b.m.Row(&b.shape, &b.place, i)
		size := uint64(r.To - r.From)
		if size == 0 {
			continue
		}
		b.last = i
		if g := b.region; g != nil && r.Address >= g.Base && r.Address < g.End() && g.End()-r.Address >= size {
			continue
		}
		p := e.find(in, r.Address)
		if err := e.check(in, kind, size, p); err != nil {
			err.What = what
			if err.Err == memory.ErrBounds {
				err.Size = int(size)
			}
			e.nameRegion(err)
			return e.fault(pc, 1<<lane, err)
		}
		b.region = p.region
	}
	return nil
}

// pieceOf returns the size of one access to a row at an address: a power of two that does not cross a sector.
func pieceOf(addr uint64, left int) uint64 {
	size := uint64(maxAccess)
	for addr%size != 0 || size > uint64(left) {
		size /= 2
	}
	return size
}

// rowScratch returns a buffer of n bytes for a row.
func (k *copying) rowScratch(n int) []byte {
	if cap(k.row) < n {
		k.row = make([]byte, n)
	}
	return k.row[:n]
}

// loadBox copies a lane's box to shared memory.
func (e *Engine) loadBox(b *boxCopy, pc, lane int) {
	k, m := e.copyScratch(), lanes.Mask(1)<<lane
	row := k.rowScratch(b.shape.Row)
	for i := range b.shape.Rows {
		r := b.m.Row(&b.shape, &b.place, i)
		b.m.FillRow(row)
		e.beginUndefined(row)
		for at := r.From; at < r.To; {
			addr := r.Address + uint64(at-r.From)
			n := pieceOf(addr, r.To-at)
			e.acc = accessTo(b.region, addr, lane, n)
			e.notifyMoving(isa.Load, pc, m, true)
			copy(k.undefined[min(at, len(k.undefined)):], e.undefinedBytes(lane))
			if seen := e.seen(m); seen != nil {
				copy(row[at:], seen.Mem[seen.At(lane):][:n])
			} else {
				for t := range b.shared {
					e.deferAccess(e.lateRow(b, &b.shared[t], i*b.shape.Pitch+at), m)
					e.journal.Defer(e.effect.Deferred)
				}
			}
			e.notifyMoved(m)
			at += int(n)
		}
		if r.To > r.From {
			b.m.Round(row[r.From:r.To])
		}
		for t := range b.shared {
			e.storeShared(b, &b.shared[t], row, i, pc, lane)
		}
	}
}

// storeShared stores a row in shared memory.
func (e *Engine) storeShared(b *boxCopy, to *target, row []byte, i, pc, lane int) {
	m := lanes.Mask(1) << lane
	for at := 0; at < len(row); {
		addr := to.addr + uint64(i*b.shape.Pitch+at)
		n := pieceOf(addr, len(row)-at)
		bytes := e.copying.bytes[uint64(lane)*n:][:n]
		for k := uint64(0); k < n; k += swizzleUnit {
			copy(bytes[b.m.Swizzled(addr+k)%n:][:swizzleUnit], row[at+int(k):])
		}
		e.acc = accessTo(to.region, b.m.Swizzled(addr)/n*n, lane, n)
		if all := e.copying.undefined; all != nil {
			e.event.Undefined = make([]byte, n)
			for k := uint64(0); k < n; k += swizzleUnit {
				copy(e.event.Undefined[b.m.Swizzled(addr+k)%n:][:swizzleUnit], all[at+int(k):])
			}
		}
		e.notifyMoving(isa.Store, pc, m, true)
		e.event.Undefined = nil
		copy(e.acc.Mem[e.acc.At(lane):][:n], bytes)
		e.notifyMoved(m)
		at += int(n)
	}
}

// swizzleUnit is the number of bytes that every swizzle keeps together. Swizzles exchange pieces of 16 and 32 bytes,
// and parts within these.
const swizzleUnit = 8

// accessTo is a lane's access to bytes of a region.
func accessTo(r *memory.Region, addr uint64, lane int, size uint64) lanes.Access {
	p := target{region: r, addr: addr}
	return p.access(lane, 0, size)
}

// lateRow returns an operation that copies bytes of a tensor to shared memory at the exchange, behind bytes after the
// start of the destination, which the tensor map swizzles. It does nothing if the CTA has ended by then.
func (e *Engine) lateRow(b *boxCopy, at *target, behind int) *lanes.Op {
	cta, to, m := e.owner(at.region.Number), *at, *b.m
	place := cta.At
	return &lanes.Op{Mem: func(_ *lanes.File, _ *lanes.Op, mask lanes.Mask, from *lanes.Access) {
		if cta.At != place || cta.Live == 0 {
			return
		}
		var piece [maxAccess]byte
		n := copy(piece[:from.Size], from.Mem[from.At(firstLane(mask)):])
		m.Round(piece[:n])
		for k, value := range piece[:n] {
			to.region.Data[m.Swizzled(to.addr+uint64(behind+k))-to.region.Base] = value
		}
	}}
}

// storeBox copies a lane's box from shared memory to the tensor, or reduces the tensor by it: the part that is inside
// the tensor.
func (e *Engine) storeBox(b *boxCopy, pc, lane int, more bool) {
	m, kind := lanes.Mask(1)<<lane, isa.Store
	if b.reduce != nil {
		kind = isa.Atomic
	}
	row := e.copyScratch().rowScratch(b.shape.Row)
	for i := range b.last + 1 {
		r := b.m.Row(&b.shape, &b.place, i)
		if r.From == r.To {
			continue
		}
		e.loadShared(b, row, i, pc, lane)
		for at := r.From; at < r.To; {
			addr := r.Address + uint64(at-r.From)
			n := pieceOf(addr, r.To-at)
			bytes := e.copying.bytes[uint64(lane)*n:][:n]
			copy(bytes, row[at:])
			at += int(n)
			e.acc = accessTo(b.region, addr, lane, n)
			if all := e.copying.undefined; all != nil {
				e.event.Undefined = all[at-int(n):][:n]
			}
			e.notifyMoving(kind, pc, m, more || i < b.last || at < r.To)
			e.event.Undefined = nil
			switch {
			case b.reduce != nil:
				e.reduceBy(b.reduce, lane, bytes)
			case e.defers():
				to := e.journal.Store(&e.acc, m)
				copy(to.Mem[to.At(lane):][:n], bytes)
			default:
				copy(e.acc.Mem[e.acc.At(lane):][:n], bytes)
			}
			e.notifyMoved(m)
		}
	}
}

// loadShared reads a row from shared memory.
func (e *Engine) loadShared(b *boxCopy, row []byte, i, pc, lane int) {
	m := lanes.Mask(1) << lane
	e.beginUndefined(row)
	for at := 0; at < len(row); {
		addr := b.shared[0].addr + uint64(i*b.shape.Pitch+at)
		n := pieceOf(addr, len(row)-at)
		e.acc = accessTo(b.shared[0].region, b.m.Swizzled(addr)/n*n, lane, n)
		e.notifyMoving(isa.Load, pc, m, true)
		for k := uint64(0); k < n; k += swizzleUnit {
			copy(row[at+int(k):][:swizzleUnit], e.acc.Mem[uint64(e.acc.At(lane))+b.m.Swizzled(addr+k)%n:])
		}
		if undefined := e.undefinedBytes(lane); undefined != nil {
			for k := uint64(0); k < n; k += swizzleUnit {
				copy(e.copying.undefined[at+int(k):][:swizzleUnit], undefined[b.m.Swizzled(addr+k)%n:])
			}
		}
		e.notifyMoved(m)
		at += int(n)
	}
}

// mapAt returns the tensor map that a lane names, or the fault. PTX makes a map visible after a fence of its proxy;
// here it is the present contents of memory.
func (e *Engine) mapAt(s *program.Side, pc, lane int) (*tensor.Map, error) {
	p := e.find(&s.Info, e.laneAddr(&s.Op, &s.Info, lane))
	if err := e.check(&s.Info, isa.Load, tensor.Bytes, p); err != nil {
		err.What, err.Size = "tensor map", tensor.Bytes
		if err.Err == memory.ErrMisaligned {
			err.Size = tensor.Align
		}
		e.nameRegion(err)
		return nil, e.fault(pc, 1<<lane, err)
	}
	if p.region.Space != isa.Global && p.region.Space != isa.Const && p.region != &e.grid.params {
		return nil, e.fault(pc, 1<<lane, violated(RuleTensorMap, "%s; a tensor map is a parameter of the kernel, or in .const or .global space", inRegion(p.region, p.addr)))
	}
	k := &e.copyScratch().tensorMap
	var now [tensor.Bytes]byte
	if !e.peek(now[:], &p, lane) {
		return nil, e.fault(pc, 1<<lane, errMapLate)
	}
	if k.m != nil && bytes.Equal(k.bytes[:], now[:]) {
		return k.m, nil
	}
	m, err := tensor.Decode(now[:])
	switch {
	case err == tensor.ErrNoMap:
		return nil, e.fault(pc, 1<<lane, violated(RuleTensorMap, "%v: %s", err, inRegion(p.region, p.addr)))
	case err != nil:
		return nil, e.fault(pc, 1<<lane, violated(RuleTensorMap, "a tensor map that the driver would not make: %v", err))
	}
	k.bytes, k.m = now, m
	return m, nil
}

// errMapLate says that the contents of a tensor map are known only at the exchange.
var errMapLate = errors.New("a tensor map that atomics change, or threads of other blocks of the cluster, is not supported yet with a clock; --functional does")

// peek reads bytes at a target, maxAccess at a time, as memory and the changes in the journal have them. It returns
// false if they are not known before the exchange.
func (e *Engine) peek(to []byte, p *target, lane int) bool {
	for at := uint64(0); at < uint64(len(to)); at += maxAccess {
		e.acc = p.access(lane, at, maxAccess)
		from, m := &e.acc, lanes.Mask(1)<<lane
		if e.defers() && e.journal.Changes(from, m) {
			seen, ok := e.journal.View(from, m, false)
			if !ok {
				return false
			}
			from = seen
		}
		if e.defers() && e.acquired && e.grid.Clustered() {
			return false
		}
		copy(to[at:], from.Mem[from.At(lane):][:maxAccess])
	}
	return true
}

// replace executes the tensormap.replace at pc for the lanes of m, one after the other.
func (e *Engine) replace(c *program.Copy, pc int, m lanes.Mask) error {
	for left := m; left != 0; left &= left - 1 {
		if err := e.replaceOf(c, pc, firstLane(left), left&(left-1) != 0); err != nil {
			return err
		}
	}
	return nil
}

// replaceOf replaces a field of a tensor map for a lane. If more is set, another lane follows.
func (e *Engine) replaceOf(c *program.Copy, pc, lane int, more bool) error {
	r := c.Replace
	value := uint64(lanes.Reg[uint32](e.path.File, r.Value)[lane])
	if r.Wide {
		value = lanes.Reg[uint64](e.path.File, r.Value)[lane]
	}
	p, err := e.bulkSide(&c.To, pc, lane, isa.Store, tensor.Bytes, "tensormap.replace")
	switch {
	case err != nil:
		return err
	case p.region.Space != isa.Global && p.region.Space != isa.Shared:
		return e.fault(pc, 1<<lane, violated(RuleTensorMap, "%s; tensormap.replace takes a tensor map in global or shared memory", inRegion(p.region, p.addr)))
	}
	var b [tensor.Bytes]byte
	if !e.peek(b[:], &p, lane) {
		return e.fault(pc, 1<<lane, errMapLate)
	}
	if err := tensor.Replace(b[:], tensor.Field(r.Field-isa.FieldAddress), r.Ordinal, value); err != nil {
		return e.fault(pc, 1<<lane, violated(RuleTensorMap, "%v", err))
	}
	k, m := e.copyScratch(), lanes.Mask(1)<<lane
	for at := uint64(0); at < tensor.Bytes; at += maxAccess {
		e.acc = p.access(lane, at, maxAccess)
		e.notifyMoving(isa.Load, pc, m, true)
		e.notifyMoved(m)
	}
	for at := uint64(0); at < tensor.Bytes; at += maxAccess {
		copy(k.bytes[lane*maxAccess:], b[at:][:maxAccess])
		e.acc = p.access(lane, at, maxAccess)
		e.notifyMoving(isa.Store, pc, m, more || at+maxAccess < tensor.Bytes)
		to := &e.acc
		if e.defers() {
			to = e.journal.Store(&e.acc, m)
		}
		copy(to.Mem[to.At(lane):], b[at:][:maxAccess])
		e.notifyMoved(m)
	}
	return nil
}

// onePerPlace returns the lanes of m that do not write to the place of a lane before them.
func (e *Engine) onePerPlace(s *program.Side, m lanes.Mask) (first lanes.Mask) {
	for left := m; left != 0; left &= left - 1 {
		lane, same := firstLane(left), false
		for before := first; before != 0; before &= before - 1 {
			same = same || e.laneAddr(&s.Op, &s.Info, firstLane(before)) == e.laneAddr(&s.Op, &s.Info, lane)
		}
		if !same {
			first |= 1 << lane
		}
	}
	return first
}
