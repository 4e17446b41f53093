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
}

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
			if _, err := e.told(&b.mbarriers[i], pc, lane, b.size); err != nil {
				return err
			}
		}
	}
	for left := m; left != 0; left &= left - 1 {
		lane, last := firstLane(left), left&(left-1) == 0
		b, _ := e.bulkOf(c, pc, lane)
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

// told returns the new value of an mbarrier that counts n bytes copied by a lane.
func (e *Engine) told(b *target, pc, lane int, n uint64) (lanes.Mbarrier, error) {
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
	after, err := e.told(b, pc, lane, n) // lanes before this one may have changed it
	if err != nil {
		return err
	}
	e.acc = b.access(lane, 0, lanes.MbarrierBytes)
	e.event.Told = true
	e.notifyMoving(isa.Atomic, pc, 1<<lane, more)
	binary.LittleEndian.PutUint64(e.acc.Mem[e.acc.At(lane):], uint64(after))
	if e.effect != nil {
		e.effect.Changed = true
		e.effect.Mbarriers = append(e.effect.Mbarriers, AtMbarrier{Region: e.acc.Region, Addr: b.addr, Parity: before.Parity()})
	}
	e.notifyMoved(1 << lane)
	e.event.Told = false
	return nil
}

// bulkOf returns a lane's copy, or its fault. It is valid until the next call.
func (e *Engine) bulkOf(c *program.Copy, pc, lane int) (b bulkCopy, err error) {
	k := e.copyScratch()
	if b.size = uint64(lanes.Reg[uint32](e.path.File, c.SizeSlot)[lane]); b.size%program.BulkUnit != 0 {
		return b, e.fault(pc, 1<<lane, violated(RuleCopySize, "%d bytes; a bulk copy has a multiple of %d", b.size, program.BulkUnit))
	}
	if b.from, err = e.bulkSide(&c.From, pc, lane, isa.Load, b.size, "source of a copy"); err != nil {
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
	for at := uint64(0); at < b.size && len(b.to) > 0; {
		piece := b.piece(at)
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
			e.notifyMoving(kind, pc, m, more || at+piece < b.size || i+1 < len(b.to))
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
		at += piece
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

// piece returns the size of the piece that begins at an offset in bytes from the copy's start.
func (b *bulkCopy) piece(at uint64) uint64 {
	if b.size-at >= maxAccess && (b.to[0].addr+at)%maxAccess == 0 && (b.from.addr+at)%maxAccess == 0 {
		return maxAccess
	}
	return program.BulkUnit
}

// access is a lane's access to size bytes at an offset from the target.
func (p *target) access(lane int, behind, size uint64) (a lanes.Access) {
	r := p.region
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), size
	a.Off[lane] = p.addr - r.Base + behind
	return a
}
