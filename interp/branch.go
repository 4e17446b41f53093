package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// parted is what branch returns when the lanes do not simply go on together.
const parted = -1

// branch executes the branch at pc, whose guard lets through m of the lanes of
// mask. It returns where all of them go on, or parted.
func (x *executor) branch(c *cta, w *warp.State, pc int, m, mask lanes.Mask) (next int, err error) {
	in := &x.fn.Info[pc]
	if in.ByIndex {
		return x.branchByIndex(c, w, pc, m, mask)
	}
	target := int(in.Target)
	switch m {
	case mask:
		return x.goOn(w, pc, target), nil
	case 0:
		return x.goOn(w, pc, pc+1), nil
	}
	x.groups = append(x.groups[:0], divergence.Group{PC: target, Mask: m}, divergence.Group{PC: pc + 1, Mask: mask &^ m})
	x.diverge(w, pc)
	return parted, nil
}

// goOn is where all lanes go on after the branch at pc that sends them to next,
// or parted if the model decides.
func (x *executor) goOn(w *warp.State, pc, next int) int {
	if !x.fn.Info[pc].Leaves || !x.fn.Graph.Leaves(pc, next) {
		return next
	}
	w.Control.LeaveRegion(next)
	return parted
}

// branchByIndex executes brx.idx.
func (x *executor) branchByIndex(c *cta, w *warp.State, pc int, m, mask lanes.Mask) (next int, err error) {
	targets, index := *x.fn.Info[pc].Targets, lanes.Reg[uint32](x.file, x.fn.Ops[pc].A)
	x.groups = x.groups[:0]
	for t := range targets {
		group := lanes.Mask(0)
		for lane := range lanes.Width {
			if m>>lane&1 != 0 && index[lane] == uint32(t) {
				group |= 1 << lane
			}
		}
		x.addGroup(int(targets[t]), group)
		mask, m = mask&^group, m&^group
	}
	if m != 0 {
		return 0, x.fault(c, w, pc, m, violated(RuleBranchTarget, "index %d, but the list has %d targets", index[firstLane(m)], len(targets)))
	}
	x.addGroup(pc+1, mask)
	if len(x.groups) == 1 {
		return x.goOn(w, pc, x.groups[0].PC), nil
	}
	x.diverge(w, pc)
	return parted, nil
}

// addGroup adds lanes that go to pc to the groups of a branch. Those of one
// target go together.
func (x *executor) addGroup(pc int, m lanes.Mask) {
	if m == 0 {
		return
	}
	for i := range x.groups {
		if x.groups[i].PC == pc {
			x.groups[i].Mask |= m
			return
		}
	}
	x.groups = append(x.groups, divergence.Group{PC: pc, Mask: m})
}

// diverge parts the lanes into x.groups.
func (x *executor) diverge(w *warp.State, pc int) {
	x.stats.DivergentBranches++
	if len(x.observers.divergence) > 0 {
		x.notifyDiverged(pc)
	}
	w.Control.Diverge(pc, x.groups)
}
