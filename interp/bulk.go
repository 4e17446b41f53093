package interp

import (
	"encoding/binary"

	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/program"
)

// bulkCopy is what one lane copies by a bulk copy.
type bulkCopy struct {
	to, from target
	size     uint64
}

// bulk executes the bulk copy at pc, one lane of m after the other, in pieces that are accesses
// of the lane; and then tells the mbarrier.
func (e *Engine) bulk(c *program.Copy, pc int, m lanes.Mask) error {
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		if _, err := e.bulkOf(c, pc, lane); err != nil {
			return err
		}
		if _, err := e.told(c, pc, lane); err != nil {
			return err
		}
	}
	for left := m; left != 0; left &= left - 1 {
		lane, last := firstLane(left), left&(left-1) == 0
		b, _ := e.bulkOf(c, pc, lane)
		e.moveBulk(&b, pc, lane, c.Mbarrier != nil || !last)
		if c.Mbarrier == nil {
			continue
		}
		after, err := e.told(c, pc, lane) // lanes before it may have told it of bytes
		if err != nil {
			return err
		}
		e.notifyMoving(isa.Atomic, pc, 1<<lane, !last)
		binary.LittleEndian.PutUint64(e.acc.Mem[e.acc.At(lane):], uint64(after))
		if e.effect != nil {
			e.effect.Changed = true
		}
		e.notifyMoved(1 << lane)
	}
	return nil
}

// told finds the mbarrier of a lane's copy, at the place in e.acc, and is what it becomes when it is
// told of the bytes; 0 without one.
func (e *Engine) told(c *program.Copy, pc, lane int) (lanes.Mbarrier, error) {
	if c.Mbarrier == nil {
		return 0, nil
	}
	if _, err := e.locateShared(c.Mbarrier, pc, 1<<lane, "mbarrier"); err != nil {
		return 0, err
	}
	b, n := lanes.Mbarrier(binary.LittleEndian.Uint64(e.acc.Mem[e.acc.At(lane):])), e.bulkSize(c, lane)
	if !b.IsValid() {
		return 0, e.fault(pc, 1<<lane, violated(RuleMbarrier, "no mbarrier is at shared 0x%x: it was not initialised, or something else was written there", e.acc.At(lane)))
	}
	after, err := b.Expect(-int64(n))
	if err != nil {
		return 0, e.fault(pc, 1<<lane, violated(RuleMbarrierOver, "%v: %d bytes, of an mbarrier at shared 0x%x with a tx-count of %d", err, n, e.acc.At(lane), b.Tx()))
	}
	return after, nil
}

// bulkSize is how many bytes a lane copies.
func (e *Engine) bulkSize(c *program.Copy, lane int) uint64 {
	return uint64(lanes.Reg[uint32](e.path.File, c.SizeSlot)[lane])
}

// bulkOf is what a lane copies, or its fault.
func (e *Engine) bulkOf(c *program.Copy, pc, lane int) (b bulkCopy, err error) {
	if b.size = e.bulkSize(c, lane); b.size%program.BulkUnit != 0 {
		return b, e.fault(pc, 1<<lane, violated(RuleCopySize, "%d bytes; a bulk copy has a multiple of %d", b.size, program.BulkUnit))
	}
	if b.to, err = e.bulkSide(&c.To, pc, lane, isa.Store, b.size, "destination of a copy"); err != nil {
		return b, err
	}
	b.from, err = e.bulkSide(&c.From, pc, lane, isa.Load, b.size, "source of a copy")
	return b, err
}

// bulkSide is where one side of a lane's copy is, or its fault.
func (e *Engine) bulkSide(s *program.Side, pc, lane int, kind isa.Kind, size uint64, what string) (target, error) {
	p := e.find(&s.Info, narrowed(s.Info.Space, e.laneAddr(&s.Op, &s.Info, lane)))
	if size == 0 {
		return p, nil
	}
	if err := e.check(&s.Info, kind, size, p); err != nil {
		err.What = what
		if err.Err == memory.ErrBounds {
			err.Size = int(size)
		}
		e.nameRegion(err)
		return p, e.fault(pc, 1<<lane, err)
	}
	if e.journal != nil && p.region.Space == isa.Shared && p.region != &e.cta.Shared {
		return p, e.fault(pc, 1<<lane, errPeerLate)
	}
	return p, nil
}

// moveBulk copies what a lane copies, in pieces. More says that another access of the lane
// follows.
func (e *Engine) moveBulk(b *bulkCopy, pc, lane int, more bool) {
	k, m := e.copyScratch(), lanes.Mask(1)<<lane
	for at := uint64(0); at < b.size; {
		piece := uint64(program.BulkUnit)
		if b.size-at >= maxAccess && (b.to.addr+at)%maxAccess == 0 && (b.from.addr+at)%maxAccess == 0 {
			piece = maxAccess
		}
		bytes := k.bytes[uint64(lane)*piece:][:piece]
		k.to = b.to.access(lane, at, piece)
		p := part{acc: b.from.access(lane, at, piece), mask: m}
		e.acc = p.acc
		e.notifyMoving(isa.Load, pc, m, true)
		seen := e.sourceOf(&p)
		if seen != nil {
			copy(bytes, seen.Mem[seen.At(lane):][:piece])
		}
		e.notifyMoved(m)
		at += piece
		e.acc = k.to
		e.notifyMoving(isa.Store, pc, m, more || at < b.size)
		switch {
		case seen == nil: // copied late
		case e.defers():
			to := e.journal.Store(&e.acc, m)
			copy(to.Mem[to.At(lane):][:piece], bytes)
		default:
			copy(e.acc.Mem[e.acc.At(lane):][:piece], bytes)
		}
		e.notifyMoved(m)
	}
}

// access is a lane's access to size bytes, so far behind the target.
func (p *target) access(lane int, behind, size uint64) (a lanes.Access) {
	r := p.region
	a.Mem, a.Base, a.Region, a.Space, a.Size = r.Data, r.Base, r.Number, uint8(r.Space), size
	a.Off[lane] = p.addr - r.Base + behind
	return a
}
