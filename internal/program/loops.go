package program

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// MostTrips is the number of retreating branches within which a loop that counts is known not to repeat a state (see
// flow.Loop.Counts).
const MostTrips = flow.MostTrips

// Loop is an outermost loop of a function.
type Loop struct {
	counts bool
	steps  []step
}

// step is a flow.Step with the slots of its factors.
type step struct {
	factors []factor
	zeros   int
}

// factor is a register.
type factor struct {
	slot uint32
	wide bool
}

// LoopAt returns the outermost loop of f that contains pc; nil if there is none.
func (p *Program) LoopAt(f *Func, pc int) *Loop {
	f.findLoops.Do(func() { f.loops = p.loopsOf(f) })
	return f.loops[f.Graph.BlockOf(pc)]
}

// Counts reports whether the loop is a counting loop for lanes of an activation in it, with its registers in file: as
// long as a lane stays in the loop, its state does not repeat within MostTrips retreating branches, and it does not
// poll. See flow.Loop.
func (l *Loop) Counts(file *lanes.File, m lanes.Mask) bool {
	return l.counts && !slices.ContainsFunc(l.steps, func(s step) bool { return s.standsStill(file, m) })
}

// standsStill reports whether the step may be 0, or have too many trailing zeros, in one of the lanes.
func (s *step) standsStill(file *lanes.File, m lanes.Mask) bool {
	for ; m != 0; m &= m - 1 {
		lane, zeros := bits.TrailingZeros32(uint32(m)), 0
		for _, x := range s.factors {
			zeros += bits.TrailingZeros64(x.in(file, lane))
		}
		if zeros > s.zeros {
			return true
		}
	}
	return false
}

// in returns the value of the register in a lane.
func (x factor) in(file *lanes.File, lane int) uint64 {
	if x.wide {
		return lanes.Reg[uint64](file, x.slot)[lane]
	}
	return uint64(lanes.Reg[uint32](file, x.slot)[lane])
}

// MayPoll reports whether lanes at pc of f are in a loop, or may reach one, that reads memory which others may write
// at any time, and so may wait for them. Functions that are called are assumed to be, because callers may have such a
// loop.
func (p *Program) MayPoll(f *Func, pc int) bool {
	if !f.Src.Entry {
		return true
	}
	f.findPolling.Do(func() {
		f.polling = f.Graph.LeadsToLoop(func(pc int) bool { return pc < len(f.Info) && p.mayPoll(&f.Info[pc]) })
	})
	return f.polling[f.Graph.BlockOf(pc)]
}

// WaitingLoop returns the number of instructions of the loop at pc of f in which lanes may wait for others: it reads
// memory that others may write, and neither counts nor changes memory each time. It is 0 if there is no such loop.
// The loops of callers do not matter.
func (p *Program) WaitingLoop(f *Func, pc int) int {
	f.findWaiting.Do(func() {
		f.waiting = f.Graph.WaitingLoops(f.Src, func(pc int) bool { return pc < len(f.Info) && p.mayPoll(&f.Info[pc]) }, f.movesMemory)
	})
	return f.waiting[f.Graph.BlockOf(pc)]
}

// movesMemory reports whether the instruction at pc changes memory whenever it is executed: a sum with a constant.
func (f *Func) movesMemory(pc int) bool {
	if pc >= len(f.Src.Code) {
		return false
	}
	in := &f.Src.Code[pc]
	if in.Spec.Kind != isa.Atomic || in.Mods[isa.AtomOp] != isa.AtomAdd || in.Guard != isa.NoReg {
		return false
	}
	by := &in.Args[len(in.Args)-1]
	return by.Kind == isa.ImmOperand && by.Bits != 0 && in.Types[0].Class() != isa.Float
}

// loopsOf returns the loops of f, by block.
func (p *Program) loopsOf(f *Func) []*Loop {
	known := make(map[*flow.Loop]*Loop)
	var by []*Loop
	for _, found := range f.Graph.Loops(f.Src, func(pc int) bool { return p.mayPoll(&f.Info[pc]) }) {
		if found != nil && known[found] == nil {
			known[found] = f.loop(found)
		}
		by = append(by, known[found])
	}
	return by
}

// loop returns a loop with slots.
func (f *Func) loop(found *flow.Loop) *Loop {
	l := &Loop{counts: found.Counts}
	for _, s := range found.Steps {
		var factors []factor
		for _, r := range s.Factors {
			factors = append(factors, factor{f.Layout.Reg(r), f.Src.Regs[r].Type.Bits() > 32})
		}
		l.steps = append(l.steps, step{factors, s.Zeros})
	}
	return l
}

// mayPoll reports whether an instruction, or a function that it calls, may read memory that others may write at any
// time.
func (p *Program) mayPoll(in *Info) bool {
	p.findPolling.Do(func() {
		p.polling = p.Executing(func(f *Func, pc int) bool { return f.Info[pc].Learns })
	})
	return in.Learns || p.polling.ByCall(in.Call)
}

// LoopsAroundBarrier reports whether f has a loop with a barrier of the CTA, or may have one with a call.
func (f *Func) LoopsAroundBarrier() bool {
	leads := f.Graph.LeadsToLoop(func(pc int) bool {
		k := isa.Kind(f.Ops[pc].Kind)
		return k == isa.Barrier || k == isa.CallKind
	})
	return len(leads) > 0 && leads[0]
}
