package program

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// effects counts instructions before a PC.
type effects struct {
	changes uint32 // those that may change memory; see mayChange
	learns  uint32 // those that learn; see Info
}

// Effects says for the instructions of f from first up to, but without, end whether one of them may change memory or
// the launch's state, other than registers and .param variables of the activation, and whether one of them learns.
func (f *Func) Effects(first, end int) (change, learn bool) {
	f.findEffects.Do(f.countEffects)
	a, b := &f.effects[first], &f.effects[end]
	return a.changes != b.changes, a.learns != b.learns
}

func (f *Func) countEffects() {
	f.effects = make([]effects, len(f.Ops)+1)
	for pc := range f.Ops {
		n := f.effects[pc]
		if f.mayChange(pc) {
			n.changes++
		}
		if pc < len(f.Info) && f.Info[pc].Learns {
			n.learns++
		}
		f.effects[pc+1] = n
	}
}

// mayChange reports whether an instruction may change more than registers and .param variables of its activation.
func (f *Func) mayChange(pc int) bool {
	switch k := isa.Kind(f.Ops[pc].Kind); k {
	case isa.Compute, isa.Nop, lanes.Guarded, lanes.Jump, Slow, isa.Load, isa.Branch, isa.Shuffle, isa.Vote, WarpBarrier,
		isa.Fence, isa.CopyGroup, isa.Matrix, isa.Alloca, isa.QueryKind:
		return false
	case isa.Store:
		return f.Info[pc].Space != isa.Param
	}
	return true
}
