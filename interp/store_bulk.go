package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// mostCleared is the largest number of bytes that one st.bulk fills (PTX ISA, st.bulk).
const mostCleared = 16 << 20

// clear executes st.bulk at pc, one lane of m after the other, in pieces that are stores of the lane. A GPU may make
// them at any time until the next synchronisation; here they are made at once.
func (e *Engine) clear(pc int, m lanes.Mask) error {
	for left := m; left != 0; left &= left - 1 {
		if _, _, err := e.clearedBy(pc, firstLane(left)); err != nil {
			return err
		}
	}
	clear(e.copyScratch().bytes[:]) // what observers see
	for left := m; left != 0; left &= left - 1 {
		lane, last := firstLane(left), left&(left-1) == 0
		to, size, _ := e.clearedBy(pc, lane)
		for at := uint64(0); at < size; {
			piece := uint64(program.ClearUnit)
			if (to.addr+at)%maxAccess == 0 && size-at >= maxAccess {
				piece = maxAccess
			}
			e.acc = to.access(lane, at, piece)
			at += piece
			e.notifyMoving(isa.Store, pc, 1<<lane, !last || at < size)
			clear(e.acc.Mem[e.acc.At(lane):][:piece])
			e.notifyMoved(1 << lane)
		}
	}
	return nil
}

// clearedBy returns where a lane fills memory and how many bytes, or its fault.
func (e *Engine) clearedBy(pc, lane int) (to target, size uint64, err error) {
	c := e.fn.Clears[pc]
	if size = uint64(lanes.Reg[uint32](e.path.File, c.SizeSlot)[lane]); c.Wide {
		size = lanes.Reg[uint64](e.path.File, c.SizeSlot)[lane]
	}
	if size%program.ClearUnit != 0 || size > mostCleared {
		return to, size, e.fault(pc, 1<<lane, violated(RuleCopySize, "%d bytes; st.bulk fills a multiple of %d, at most %d", size, program.ClearUnit, mostCleared))
	}
	to, err = e.bulkSide(&c.To, pc, lane, isa.Store, size, "memory of st.bulk")
	if err == nil && size > 0 && to.region.Space != isa.Shared {
		_, err = e.locateShared(&c.To, pc, 1<<lane, "memory of st.bulk")
	}
	return to, size, err
}
