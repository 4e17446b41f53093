package interp

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
)

// branch executes the branch at pc for the lanes of the path; its guard holds in the lanes of m. If all lanes
// continue at one PC, it returns Branched and has set the path's PC.
func (e *Engine) branch(pc int, m lanes.Mask) (Stop, error) {
	in, mask := &e.fn.Info[pc], e.path.Mask
	if in.ByIndex {
		return e.branchByIndex(pc, m)
	}
	target := int(in.Target)
	switch m {
	case mask:
		return e.goOn(pc, target), nil
	case 0:
		return e.goOn(pc, pc+1), nil
	}
	e.groups = append(e.groups[:0], divergence.Group{PC: target, Mask: m}, divergence.Group{PC: pc + 1, Mask: mask &^ m})
	e.diverge(pc)
	return Diverged, nil
}

// goOn lets all lanes continue at next, the target of the branch at pc. If that leaves the exit region, the control
// structure has changed the split.
func (e *Engine) goOn(pc, next int) Stop {
	if e.fn.Info[pc].Leaves && e.fn.Graph.Leaves(pc, next) {
		e.warp.Control.LeaveRegion(e.split.ID, next)
		return Changed
	}
	e.path.PC = next
	return Branched
}

// branchByIndex executes brx.idx.
func (e *Engine) branchByIndex(pc int, m lanes.Mask) (Stop, error) {
	targets, index, mask := *e.fn.Info[pc].Targets, lanes.Reg[uint32](e.path.File, e.fn.Ops[pc].A), e.path.Mask
	e.groups = e.groups[:0]
	for t := range targets {
		group := lanes.Mask(0)
		for lane := range lanes.Width {
			if m>>lane&1 != 0 && index[lane] == uint32(t) {
				group |= 1 << lane
			}
		}
		e.addGroup(int(targets[t]), group)
		mask, m = mask&^group, m&^group
	}
	if m != 0 {
		return Changed, e.fault(pc, m, violated(RuleBranchTarget, "index %d, but the list has %s", index[firstLane(m)], counted(uint64(len(targets)), "target")))
	}
	e.addGroup(pc+1, mask)
	if len(e.groups) == 1 {
		return e.goOn(pc, e.groups[0].PC), nil
	}
	e.diverge(pc)
	return Diverged, nil
}

// addGroup adds lanes that go to pc to the groups of a branch, one for each PC.
func (e *Engine) addGroup(pc int, m lanes.Mask) {
	if m == 0 {
		return
	}
	for i := range e.groups {
		if e.groups[i].PC == pc {
			e.groups[i].Mask |= m
			return
		}
	}
	e.groups = append(e.groups, divergence.Group{PC: pc, Mask: m})
}

// diverge sends the lanes to the PCs in e.groups.
func (e *Engine) diverge(pc int) {
	e.Stats.DivergentBranches++
	if len(e.observers.divergence) > 0 {
		e.notifyDiverged(pc)
	}
	e.warp.Control.Diverge(e.split.ID, pc, e.groups)
}
