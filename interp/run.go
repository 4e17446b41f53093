package interp

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// turnLength is how many instructions a warp runs before the next one of its
// CTA has its turn. It is looked at on taken branches.
const turnLength = 4096

// executor runs the warps of one launch, one at a time.
type executor struct {
	m      *Machine
	p      *program
	params memory.Region
	stats  Stats

	file      *lanes.File // of the warp that runs
	acc       lanes.Access
	hint      []*memory.Region // by PC: where the instruction's lanes went last
	groups    [2]divergence.Group
	localStub memory.Region // stands for the local memory of a lane
}

// run gives warp w its turn: until it has executed enough, waits at a barrier
// or is done. It leaves the warp's masks and PC in w.Control.
func (x *executor) run(c *cta, w *warp.State) error {
	if w.Steps >= x.m.cfg.MaxSteps {
		return x.tooLong(c, w)
	}
	budget := int64(min(turnLength, x.m.cfg.MaxSteps-w.Steps))
	x.file = w.File
	f, ops := w.File, x.p.ops
	split, ok := w.Control.Next()
	for ok {
		pc, mask := split.PC, split.Mask
		first := pc // of the instructions not yet counted
	path:
		for pc != split.Stop {
			op := &ops[pc]
			m := op.Active(f, mask)
			switch isa.Kind(op.Kind) {
			case isa.Compute:
				if m != 0 {
					op.Fn(f, op, m)
				}
				pc++
			case isa.Load, isa.Store, isa.Atomic:
				if m != 0 {
					if err := x.access(c, w, pc, m); err != nil {
						return err
					}
				}
				pc++
			case isa.Branch:
				budget -= x.count(w, pc+1-first, mask)
				target := int(x.p.code[pc].target)
				switch m {
				case mask:
					pc = target
				case 0:
					pc++
				default:
					x.diverge(w, pc, target, m, mask)
					break path
				}
				first = pc
				if budget <= 0 {
					w.Control.Suspend(pc)
					return nil
				}
			case isa.Shuffle, isa.Vote:
				if m != 0 {
					if err := x.collective(c, w, pc, m); err != nil {
						return err
					}
					op.Fn(f, op, m)
				}
				pc++
			case isa.Barrier:
				if m == 0 {
					pc++
					continue
				}
				x.count(w, pc+1-first, mask)
				w.Control.Suspend(pc + 1)
				return x.arrive(c, w, pc, m)
			case isa.Exit:
				x.count(w, pc+1-first, mask)
				first = pc + 1
				if m != 0 {
					w.Control.Exit(m, pc+1)
					break path
				}
				pc++
			case isa.Nop:
				pc++
			}
		}
		if pc == split.Stop {
			x.count(w, pc-first, mask)
			w.Control.Arrive()
		}
		split, ok = w.Control.Next()
	}
	return x.done(c)
}

// count adds n instructions under mask to what w has executed, and returns n.
func (x *executor) count(w *warp.State, n int, mask lanes.Mask) int64 {
	w.Steps += uint64(n)
	x.stats.WarpInstrs += uint64(n)
	x.stats.LaneInstrs += uint64(n * mask.Count())
	return int64(n)
}

// diverge parts the lanes at a branch that some take and some do not.
func (x *executor) diverge(w *warp.State, pc, target int, taken, mask lanes.Mask) {
	x.stats.DivergentBranches++
	x.groups = [2]divergence.Group{{PC: target, Mask: taken}, {PC: pc + 1, Mask: mask &^ taken}}
	w.Control.Diverge(pc, x.groups[:])
}

// collective checks that the lanes a .sync instruction asks for are all here.
// Under a reconvergence stack the others cannot come while these wait.
func (x *executor) collective(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	if !x.p.code[pc].sync {
		return nil
	}
	want := lanes.Mask(lanes.Reg[uint32](w.File, x.p.ops[pc].E)[first(m)])
	if missing := want & w.Control.Live() &^ m; missing != 0 {
		return x.neverMet(c, w, pc, m, missing, "not all lanes of the mask can get here [sync-mask-missing]")
	}
	if outside := m &^ want; outside != 0 {
		return x.neverMet(c, w, pc, want&m, outside, "lanes execute this that are not in its mask [sync-mask-self]")
	}
	return nil
}

// first is the lowest lane of m, which is not empty.
func first(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
