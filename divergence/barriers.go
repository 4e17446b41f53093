package divergence

import "github.com/simtrun/simtrun/internal/lanes"

// barrier is a convergence barrier: a place where lanes reconverge, which the hardware keeps in a convergence barrier
// register (Nvidia, US patent 2016/0019066 A1, "Execution of divergent threads using a convergence barrier").
// Barriers nest: the participants of one are also participants of its parent, at which they arrive later.
type barrier struct {
	pc           int
	frame        FrameID
	participants lanes.Mask // lanes that must arrive
	arrived      lanes.Mask // participants that have arrived, and wait
	parent       barrierID  // where they must arrive next, or noBarrier
	forced       bool       // by Shatter: the participants have not diverged at a branch
}

// barrierID is the index of a convergence barrier in those of its warp.
type barrierID int32

const noBarrier barrierID = -1

// barriers are the convergence barriers of a warp.
type barriers struct {
	all  []barrier
	free []barrierID // indices in all that are not in use
}

// at returns the convergence barrier with an ID, valid until the next add.
func (bs *barriers) at(id barrierID) *barrier { return &bs.all[id] }

// isAt reports whether a convergence barrier is at a place; false for noBarrier.
func (bs *barriers) isAt(id barrierID, pc int, f FrameID) bool {
	return id != noBarrier && bs.all[id].pc == pc && bs.all[id].frame == f
}

// add adds a convergence barrier for lanes that must arrive at parent next.
func (bs *barriers) add(pc int, f FrameID, participants lanes.Mask, parent barrierID) barrierID {
	if n := len(bs.free); n > 0 {
		id := bs.free[n-1]
		bs.free = bs.free[:n-1]
		b := &bs.all[id] // removed: its other fields are zero
		b.pc, b.frame, b.participants, b.parent = pc, f, participants, parent
		return id
	}
	bs.all = append(bs.all, barrier{pc: pc, frame: f, participants: participants, parent: parent})
	return barrierID(len(bs.all) - 1)
}

// addOrReuse is add, or returns parent if that is at the same place.
func (bs *barriers) addOrReuse(pc int, f FrameID, participants lanes.Mask, parent barrierID) barrierID {
	if bs.isAt(parent, pc, f) {
		return parent
	}
	return bs.add(pc, f, participants, parent)
}

// remove removes a convergence barrier for which no participant is outstanding.
func (bs *barriers) remove(id barrierID) {
	bs.all[id] = barrier{parent: noBarrier}
	bs.free = append(bs.free, id)
}

// depth is the number of convergence barriers from one up to its last ancestor.
func (bs *barriers) depth(id barrierID) int {
	n := 0
	for ; id != noBarrier; id = bs.all[id].parent {
		n++
	}
	return n
}

func (bs *barriers) copyTo(to *barriers) {
	to.all, to.free = append(to.all[:0], bs.all...), append(to.free[:0], bs.free...)
}
