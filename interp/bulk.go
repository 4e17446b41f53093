package interp

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// bulkCopy is one lane's part of a bulk copy: to one place, or with .multicast::cluster to the same place in several
// CTAs, each with an mbarrier that counts the bytes.
type bulkCopy struct {
	from          target
	to, mbarriers []target
	size          uint64
	bytes         uint32 // of each BulkUnit: those that are copied
	first, last   uint64 // offsets of the first byte that is copied, and after the last one
}

// mostEdge is the largest number of bytes at an end of a copy that may be out of bounds.
const mostEdge = program.BulkUnit - 1

// bulk executes the bulk copy at pc, one lane of m after the other, in pieces that are accesses of the lane, and then
// updates the mbarriers.
func (e *Engine) bulk(c *program.Copy, pc int, m lanes.Mask) error {
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		b, err := e.bulkOf(c, pc, lane)
		if err != nil {
			return err
		}
		for i := range b.mbarriers {
			if _, err := e.completeTx(&b.mbarriers[i], pc, lane, b.size); err != nil {
				return err
			}
		}
	}
	for left := m; left != 0; left &= left - 1 {
		lane, last := firstLane(left), left&(left-1) == 0
		b, err := e.bulkOf(c, pc, lane)
		if err != nil {
			return err
		}
		e.moveBulk(&b, c.Reduce, pc, lane, len(b.mbarriers) > 0 || !last)
		for i := range b.mbarriers {
			if err := e.tell(&b.mbarriers[i], pc, lane, b.size, !last || i+1 < len(b.mbarriers)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mbarrier returns the mbarrier in the 8 bytes at the target.
func (p *target) mbarrier() lanes.Mbarrier {
	return lanes.Mbarrier(binary.LittleEndian.Uint64(p.region.Data[p.addr-p.region.Base:]))
}

// completeTx returns the new value of an mbarrier that counts n bytes copied by a lane.
func (e *Engine) completeTx(b *target, pc, lane int, n uint64) (lanes.Mbarrier, error) {
	before := b.mbarrier()
	if !before.IsValid() {
		return 0, e.fault(pc, 1<<lane, violated(RuleMbarrier, "no mbarrier is at shared 0x%x%s: it was not initialised, or something else was written there", b.addr, e.inBlock(b.region.Number)))
	}
	after, err := before.Expect(-int64(n))
	if err != nil {
		return 0, e.fault(pc, 1<<lane, violated(RuleMbarrierOver, "%v: %d bytes, of an mbarrier at shared 0x%x%s with a tx-count of %d", err, n, b.addr, e.inBlock(b.region.Number), before.Tx()))
	}
	return after, nil
}

// tell subtracts n bytes that a lane has copied from the tx-count of an mbarrier. If more is set, another access of
// the instruction follows.
func (e *Engine) tell(b *target, pc, lane int, n uint64, more bool) error {
	before := b.mbarrier()
	after, err := e.completeTx(b, pc, lane, n) // lanes before this one may have changed it
	if err != nil {
		return err
	}
	e.acc = b.access(lane, 0, lanes.MbarrierBytes)
	e.event.CompleteTx = true
	e.notifyMoving(isa.Atomic, pc, 1<<lane, more)
	binary.LittleEndian.PutUint64(e.acc.Mem[e.acc.At(lane):], uint64(after))
	if e.effect != nil {
		e.effect.Changed = true
		e.effect.Mbarriers = append(e.effect.Mbarriers, AtMbarrier{Region: e.acc.Region, Addr: b.addr, Parity: before.Parity()})
	}
	e.notifyMoved(1 << lane)
	e.event.CompleteTx = false
	return nil
}

// bulkOf returns a lane's copy, or its fault. It is valid until the next call.
func (e *Engine) bulkOf(c *program.Copy, pc, lane int) (b bulkCopy, err error) {
	k := e.copyScratch()
	if b.size = uint64(lanes.Reg[uint32](e.path.File, c.SizeSlot)[lane]); b.size%program.BulkUnit != 0 {
		return b, e.fault(pc, 1<<lane, violated(RuleCopySize, "%d bytes; a bulk copy has a multiple of %d", b.size, program.BulkUnit))
	}
	b.bytes, b.last = 1<<program.BulkUnit-1, b.size
	if c.Masked {
		b.bytes = lanes.Reg[uint32](e.path.File, c.BytesSlot)[lane]
	}
	if c.Edged {
		err = e.edgesOf(&b, c, pc, lane)
	} else {
		b.from, err = e.bulkSide(&c.From, pc, lane, isa.Load, b.size, "source of a copy")
	}
	if err != nil {
		return b, err
	}
	if k.targets, err = e.receivers(k.targets[:0], c, &c.To, pc, lane, isa.Store, b.size, "destination of a copy"); err != nil {
		return b, err
	}
	b.to = k.targets
	if c.Mbarrier != nil {
		k.mbarriers, err = e.receivers(k.mbarriers[:0], c, c.Mbarrier, pc, lane, isa.Atomic, lanes.MbarrierBytes, "mbarrier")
		b.mbarriers = k.mbarriers
	}
	return b, err
}

// edgesOf sets the source of a copy whose ends may be out of bounds, or returns its fault.
func (e *Engine) edgesOf(b *bulkCopy, c *program.Copy, pc, lane int) error {
	var edges [2]uint64
	for i, slot := range c.EdgeSlots {
		if edges[i] = uint64(lanes.Reg[uint32](e.path.File, slot)[lane]); edges[i] > mostEdge {
			return e.fault(pc, 1<<lane, violated(RuleCopySize, "%d bytes at an end of a copy may be out of bounds; at most %d may", edges[i], mostEdge))
		}
	}
	if edges[0]+edges[1] >= b.size {
		b.last = 0
		return nil
	}
	b.first, b.last = edges[0], b.size-edges[1]
	side := c.From
	side.Info.Size = 1 // the part within bounds begins anywhere
	at := narrowed(side.Info.Space, e.laneAddr(&side.Op, &side.Info, lane))
	if at%program.BulkUnit != 0 {
		return e.checkSide(&c.From, pc, lane, isa.Load, b.size, "source of a copy", e.find(&c.From.Info, at))
	}
	b.from = e.find(&side.Info, at+b.first)
	err := e.checkSide(&side, pc, lane, isa.Load, b.last-b.first, "source of a copy", b.from)
	b.from.addr -= b.first
	return err
}

// receivers appends the place of a side of a lane's copy in each CTA that receives it: one CTA, or with a mask of
// CTAs the same place in the shared memory of each.
func (e *Engine) receivers(all []target, c *program.Copy, s *program.Side, pc, lane int, kind isa.Kind, size uint64, what string) ([]target, error) {
	p, err := e.bulkSide(s, pc, lane, kind, size, what)
	if err != nil || !c.Multicast {
		return append(all, p), err
	}
	for mask := lanes.Reg[uint32](e.path.File, c.MaskSlot)[lane]; mask != 0; mask &= mask - 1 {
		rank := bits.TrailingZeros32(mask)
		if c.Pair && s == c.Mbarrier {
			rank = rank&^1 | e.owner(p.region.Number).Rank&1
		}
		at := e.findShared(isa.PeerAddress(rank, p.addr), 0)
		if err := e.checkSide(s, pc, lane, kind, size, what, at); err != nil {
			return all, err
		}
		all = append(all, at)
	}
	return all, nil
}

// bulkSide returns the place of one side of a lane's copy, or its fault.
func (e *Engine) bulkSide(s *program.Side, pc, lane int, kind isa.Kind, size uint64, what string) (target, error) {
	p := e.find(&s.Info, narrowed(s.Info.Space, e.laneAddr(&s.Op, &s.Info, lane)))
	return p, e.checkSide(s, pc, lane, kind, size, what, p)
}

// checkSide returns the fault of a lane's copy with one side at p, or nil.
func (e *Engine) checkSide(s *program.Side, pc, lane int, kind isa.Kind, size uint64, what string, p target) error {
	if size == 0 {
		return nil
	}
	err := e.check(&s.Info, kind, size, p)
	if err == nil {
		return nil
	}
	err.What = what
	if err.Err == memory.ErrBounds {
		err.Size = int(size)
	}
	e.nameRegion(err)
	return e.fault(pc, 1<<lane, err)
}

// moveBulk copies a lane's data in pieces, or reduces the destination by it. If more is set, another access of the
// lane follows.
func (e *Engine) moveBulk(b *bulkCopy, reduce lanes.Reduce, pc, lane int, more bool) {
	k, m, kind := e.copyScratch(), lanes.Mask(1)<<lane, isa.Store
	if reduce != nil {
		kind = isa.Atomic
	}
	for at := b.skipped(b.first); at < b.last && len(b.to) > 0; {
		piece := b.piece(at)
		next := b.skipped(at + piece)
		k.to = b.to[0].access(lane, at, piece)
		p := part{acc: b.from.access(lane, at, piece), mask: m}
		bytes, late := k.bytes[uint64(lane)*piece:][:piece], false
		e.acc = p.acc
		e.notifyMoving(isa.Load, pc, m, true)
		if seen := e.sourceOf(&p); seen != nil {
			copy(bytes, seen.Mem[seen.At(lane):][:piece])
		} else {
			late = true
		}
		e.notifyMoved(m)
		for i := range b.to {
			k.to = b.to[i].access(lane, at, piece)
			if late && i > 0 {
				e.acc = p.acc
				e.copyLate(&p)
			}
			e.acc = k.to
			e.notifyMoving(kind, pc, m, more || next < b.last || i+1 < len(b.to))
			switch {
			case late:
			case reduce != nil:
				e.reduceBy(reduce, lane, bytes)
			case e.defers():
				to := e.journal.Store(&e.acc, m)
				copy(to.Mem[to.At(lane):][:piece], bytes)
			default:
				copy(e.acc.Mem[e.acc.At(lane):][:piece], bytes)
			}
			e.notifyMoved(m)
		}
		at = next
	}
}

// reduceBy combines the bytes at a lane's place in e.acc with other bytes.
func (e *Engine) reduceBy(reduce lanes.Reduce, lane int, by []byte) {
	if !e.defers() {
		reduce(e.acc.Mem[e.acc.At(lane):][:len(by)], by)
		return
	}
	held := slices.Clone(by)
	e.deferAccess(&lanes.Op{Mem: func(_ *lanes.File, _ *lanes.Op, _ lanes.Mask, to *lanes.Access) {
		reduce(to.Mem[to.At(lane):][:len(held)], held)
	}}, 1<<lane)
	e.journal.DeferChange(e.effect.Deferred, &e.acc, 1<<lane)
}

// skipped returns the first offset from at on of a byte that is copied.
func (b *bulkCopy) skipped(at uint64) uint64 {
	for at < b.last && b.bytes>>(at%program.BulkUnit)&1 == 0 {
		at++
	}
	return at
}

// piece returns the size of the piece that begins at an offset in bytes from the copy's start.
func (b *bulkCopy) piece(at uint64) uint64 {
	if whole := uint32(1<<program.BulkUnit - 1); b.bytes&whole != whole || at%program.BulkUnit != 0 || b.last-at < program.BulkUnit {
		return b.partOfUnit(at)
	}
	if b.last-at >= maxAccess && (b.to[0].addr+at)%maxAccess == 0 && (b.from.addr+at)%maxAccess == 0 {
		return maxAccess
	}
	return program.BulkUnit
}

// partOfUnit returns the size of a piece of a unit that is not copied as a whole: a power of two at a multiple of it.
func (b *bulkCopy) partOfUnit(at uint64) uint64 {
	size := uint64(1)
	for size < program.BulkUnit/2 && at%(2*size) == 0 && at+2*size <= b.last {
		mask := uint32(1<<(2*size)-1) << (at % program.BulkUnit)
		if b.bytes&mask != mask {
			break
		}
		size *= 2
	}
	return size
}

// access is a lane's access to size bytes at an offset from the target.
func (p *target) access(lane int, behind, size uint64) (a lanes.Access) {
	r := p.region
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), size
	a.Off[lane] = p.addr - r.Base + behind
	return a
}
