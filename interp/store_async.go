package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// storeAsync executes the asynchronous store or reduction at pc for the lanes of m, which is not empty: each moves
// its registers to shared memory of a CTA of the cluster, and updates an mbarrier there.
func (e *Engine) storeAsync(c *program.Copy, pc int, m lanes.Mask) error {
	k, size := e.copyScratch(), uint64(c.To.Info.Size)
	for left := m; left != 0; left &= left - 1 {
		_, mbarrier, err := e.storedAt(c, pc, firstLane(left))
		if err != nil {
			return err
		}
		if _, err := e.completeTx(&mbarrier, pc, firstLane(left), size); err != nil {
			return err
		}
	}
	from := lanes.Access{Mem: k.bytes[:], Size: size}
	for lane := range from.Off {
		from.Off[lane] = uint64(lane) * size
	}
	c.Store(e.path.File, &e.fn.Ops[pc], m, &from)
	for left := m; left != 0; {
		group, err := e.locateShared(&c.To, pc, left, storeTarget)
		if err != nil {
			return err
		}
		left &^= group
		e.moveStored(c, pc, group)
	}
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		_, mbarrier, _ := e.storedAt(c, pc, lane)
		// lanes before this one may have changed it
		if err := e.tell(&mbarrier, pc, lane, size, left&(left-1) != 0); err != nil {
			return err
		}
	}
	return nil
}

// storeTarget names the destination of asynchronous stores and reductions in faults.
const storeTarget = "destination of an asynchronous store"

// storedAt returns the place where a lane stores and the mbarrier that it updates, or its fault.
func (e *Engine) storedAt(c *program.Copy, pc, lane int) (to, mbarrier target, err error) {
	kind := isa.Store
	if c.Reduce != nil {
		kind = isa.Atomic
	}
	if to, err = e.bulkSide(&c.To, pc, lane, kind, uint64(c.To.Info.Size), storeTarget); err != nil {
		return to, mbarrier, err
	}
	if mbarrier, err = e.bulkSide(c.Mbarrier, pc, lane, isa.Atomic, lanes.MbarrierBytes, "mbarrier"); err != nil {
		return to, mbarrier, err
	}
	rule := Rule(memory.ErrSpace.Error())
	switch own := e.cta.Shared.Number; {
	case to.region.Space != isa.Shared:
		err = violated(rule, "an asynchronous store goes to shared memory of a block of the cluster, but the address is in .%s space", to.region.Space)
	case to.region.Number != mbarrier.region.Number:
		err = violated(rule, "the mbarrier is not in the shared memory of the block to which an asynchronous store goes")
	case c.Reduce != nil && to.region.Number == own:
		err = violated(rule, "red.async goes to the shared memory of another block of the cluster, but the address is in that of the thread's own")
	}
	if err != nil {
		return to, mbarrier, e.fault(pc, 1<<lane, err)
	}
	return to, mbarrier, nil
}

// moveStored moves the data of lanes in e.copying.bytes to their places in e.acc.
func (e *Engine) moveStored(c *program.Copy, pc int, m lanes.Mask) {
	k, size, kind := e.copying, int(e.acc.Size), isa.Store
	if c.Reduce != nil {
		kind = isa.Atomic
	}
	e.notifyMoving(kind, pc, m, true)
	for left := m; left != 0; left &= left - 1 {
		lane := firstLane(left)
		to, from := e.acc.Mem[e.acc.At(lane):][:size], k.bytes[lane*size:][:size]
		if c.Reduce != nil {
			c.Reduce(to, from)
		} else {
			copy(to, from)
		}
	}
	e.notifyMoved(m)
}
