package program

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// An Op has a kind that lanes.Path.Exec knows, an isa.Kind or one of these.
const (
	// Slow is isa.Compute that takes the slow path, as it is more than a call of its
	// lane function: it reads a clock or may divide by zero, as Info says.
	Slow = isa.NumKinds + iota
	// WarpBarrier is bar.warp.sync: a collective that does nothing but meet.
	WarpBarrier
)

// kind is the kind of the Op, for an instruction that is of kind k once it is
// lowered: a load of a parameter is isa.Compute by then.
func (l *lowering) kind(k isa.Kind) isa.Kind {
	switch {
	case k == isa.Branch && !l.info.Leaves && !l.info.ByIndex: // the control state needs to hear of it only if lanes diverge
		l.op.Imm = uint64(l.info.Target)
		return lanes.Jump
	case k == isa.Compute && (l.info.Clock || l.info.Divides):
		return Slow
	case k == isa.Compute && l.op.Guard != l.f.Layout.True:
		return lanes.Guarded
	case k == isa.Barrier && l.info.BarOp == isa.BarWarp:
		return WarpBarrier
	case k == isa.Return:
		return l.f.endKind()
	}
	return k
}

// endKind is what ret does, and the end of the code: in a kernel the thread has
// ended.
func (f *Func) endKind() isa.Kind {
	if f.Src.Entry {
		return isa.Exit
	}
	return isa.Return
}
