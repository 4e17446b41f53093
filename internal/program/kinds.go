package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// The kinds of Ops in addition to those of lanes.Path.Exec and isa.Kind.
const (
	// Slow is isa.Compute on the slow path: in addition to a call of its lane function it reads a clock, or may divide
	// by zero.
	Slow = isa.NumKinds + iota
	// WarpBarrier is bar.warp.sync: a collective without a result.
	WarpBarrier
	// NumKinds is the number of kinds.
	NumKinds
)

// kind returns the kind of the Op for an instruction of kind k. A load of a parameter is isa.Compute by then, and an
// instruction that makes a copy is isa.Nop.
func (l *lowering) kind(k isa.Kind) isa.Kind {
	switch {
	case k == isa.Branch && !l.info.Leaves && !l.info.ByIndex: // the control state needs a call only if lanes diverge
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

// endKind returns the kind of ret, and of the end of the code: it ends a kernel's threads.
func (f *Func) endKind() isa.Kind {
	if f.Src.Entry {
		return isa.Exit
	}
	return isa.Return
}
