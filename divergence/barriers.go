package divergence

import "github.com/simtrun/simtrun/lanes"

// barrier is a convergence barrier: a place where lanes are to reconverge, as a
// convergence barrier register of the hardware holds it (Nvidia, US patent
// 2016/0019066 A1, "Execution of divergent threads using a convergence barrier").
// All participants of one are participants of its ancestors, too; those of one
// frame are ever further down the code.
type barrier struct {
	pc           int
	frame        FrameID
	participants lanes.Mask
	arrived      lanes.Mask // participants that wait
	parent       barrierID
	// forced says that its participants have not diverged: Shatter parted them.
	forced bool
}

// barrierID is the index of a convergence barrier in those of its warp.
type barrierID int32

const noBarrier barrierID = -1

// barriers are the convergence barriers of a warp.
type barriers struct {
	all  []barrier
	free []barrierID
}

// at is the convergence barrier of an ID, valid until the next add.
func (bs *barriers) at(id barrierID) *barrier { return &bs.all[id] }

// isAt reports whether a convergence barrier is at a place; noBarrier is nowhere.
func (bs *barriers) isAt(id barrierID, pc int, f FrameID) bool {
	return id != noBarrier && bs.all[id].pc == pc && bs.all[id].frame == f
}

// add adds a convergence barrier for lanes that are to go on from there to parent.
func (bs *barriers) add(pc int, f FrameID, participants lanes.Mask, parent barrierID) barrierID {
	b := barrier{pc: pc, frame: f, participants: participants, parent: parent}
	if n := len(bs.free); n > 0 {
		id := bs.free[n-1]
		bs.free = bs.free[:n-1]
		bs.all[id] = b
		return id
	}
	bs.all = append(bs.all, b)
	return barrierID(len(bs.all) - 1)
}

// addUnlessThere is add unless parent is at the same place: then that serves.
func (bs *barriers) addUnlessThere(pc int, f FrameID, participants lanes.Mask, parent barrierID) barrierID {
	if bs.isAt(parent, pc, f) {
		return parent
	}
	return bs.add(pc, f, participants, parent)
}

// remove takes away a convergence barrier without participants who are still to
// arrive.
func (bs *barriers) remove(id barrierID) {
	bs.all[id] = barrier{parent: noBarrier}
	bs.free = append(bs.free, id)
}

// depth is the number of convergence barriers from one up.
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
