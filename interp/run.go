package interp

import (
	"errors"
	"fmt"
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

	// Of the split that runs.
	frame *divergence.Frame
	fn    *function
	file  *lanes.File
	hint  []*memory.Region // by PC: where the instruction's lanes went last

	hints       [][]*memory.Region // by function
	pools       [][][]*divergence.Frame
	acc         lanes.Access
	groups      []divergence.Group
	activations []divergence.Activation
	// Regions that stand for one lane's part of local memory, and of the
	// activation's .param variables.
	localPart, framePart memory.Region
}

// resume makes split the one that runs.
func (x *executor) resume(split *divergence.Split) {
	x.frame, x.file = split.Frame, split.Frame.File
	x.fn, x.hint = x.p.funcs[split.Frame.Func], x.hints[split.Frame.Func]
}

// run gives warp w its turn: until it has executed enough, waits at a barrier
// or is done. It leaves the warp's masks and PC in w.Control.
func (x *executor) run(c *cta, w *warp.State) error {
	split, ok := w.Control.Next()
	x.resume(&split)
	if w.Steps >= x.m.cfg.MaxSteps {
		return x.tooLong(c, w)
	}
	budget := int64(min(turnLength, x.m.cfg.MaxSteps-w.Steps))
	for ok {
		x.resume(&split)
		f, ops := x.file, x.fn.ops
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
						x.count(w, pc-first, mask)
						return err
					}
				}
				pc++
			case isa.Branch:
				budget -= x.count(w, pc+1-first, mask)
				next, err := x.branch(c, w, pc, m, mask)
				if err != nil {
					return err
				}
				if next == parted {
					break path
				}
				pc, first = next, next
				if budget <= 0 {
					w.Control.Suspend(pc)
					return nil
				}
			case isa.Shuffle, isa.Vote:
				x.count(w, pc-first, mask)
				first = pc
				if m != 0 {
					if err := x.collective(c, w, pc, m); err != nil {
						return err
					}
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
			case isa.CallKind, isa.Return, isa.Exit:
				budget -= x.count(w, pc+1-first, mask)
				first = pc + 1
				if m == 0 {
					pc++
					continue
				}
				if w.Steps > x.m.cfg.MaxSteps {
					w.Control.Suspend(pc)
					return x.tooLong(c, w)
				}
				if err := x.transfer(c, w, &split, pc, m, mask); err != nil {
					return err
				}
				break path
			case isa.Trap:
				if m != 0 {
					x.count(w, pc+1-first, mask)
					return x.fault(c, w, pc, m, errors.New("trap [trap]"))
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
		if ok && budget <= 0 {
			return nil
		}
	}
	c.done()
	return nil
}

// parted is what branch returns when the lanes do not go on together.
const parted = -1

// branch executes the branch at pc, whose guard lets through m of the lanes of
// mask. It returns where all of them go on, or parted.
func (x *executor) branch(c *cta, w *warp.State, pc int, m, mask lanes.Mask) (next int, err error) {
	in := &x.fn.code[pc]
	if in.byIndex {
		return x.branchByIndex(c, w, pc, m, mask)
	}
	target := int(in.targets[0])
	switch m {
	case mask:
		return target, nil
	case 0:
		return pc + 1, nil
	}
	x.groups = append(x.groups[:0], divergence.Group{PC: target, Mask: m}, divergence.Group{PC: pc + 1, Mask: mask &^ m})
	x.diverge(w, pc)
	return parted, nil
}

// branchByIndex executes brx.idx.
func (x *executor) branchByIndex(c *cta, w *warp.State, pc int, m, mask lanes.Mask) (next int, err error) {
	targets, index := x.fn.code[pc].targets, lanes.Reg[uint32](x.file, x.fn.ops[pc].A)
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
		return 0, x.fault(c, w, pc, m, fmt.Errorf("index %d, but the list has %d targets [branch-target]", index[firstLane(m)], len(targets)))
	}
	x.addGroup(pc+1, mask)
	if len(x.groups) == 1 {
		return x.groups[0].PC, nil
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
	w.Control.Diverge(pc, x.groups)
}

// transfer executes a call, return or exit at pc for the lanes of m, which is
// not empty.
func (x *executor) transfer(c *cta, w *warp.State, split *divergence.Split, pc int, m, mask lanes.Mask) error {
	switch isa.Kind(x.fn.ops[pc].Kind) {
	case isa.CallKind:
		return x.callFunctions(c, w, split, pc, m, mask)
	case isa.Return:
		x.returnFrom(w, split, pc, m)
	default:
		w.Control.Exit(m, pc+1)
	}
	return nil
}

// count adds n instructions under mask to what w has executed, and returns n.
func (x *executor) count(w *warp.State, n int, mask lanes.Mask) int64 {
	w.Steps += uint64(n)
	x.stats.WarpInstrs += uint64(n)
	x.stats.LaneInstrs += uint64(n * mask.Count())
	return int64(n)
}

// collective executes an instruction whose lanes work together. Those of a
// .sync form name in a mask who takes part; lanes with different masks are
// different groups. Under a reconvergence stack lanes that are missing cannot
// come while these wait.
func (x *executor) collective(c *cta, w *warp.State, pc int, m lanes.Mask) error {
	op := &x.fn.ops[pc]
	if x.fn.code[pc].clock {
		x.readClocks()
	}
	if !x.fn.code[pc].sync {
		op.Fn(x.file, op, m)
		return nil
	}
	members := lanes.Reg[uint32](x.file, op.E)
	for left := m; left != 0; {
		want := members[firstLane(left)]
		group := lanes.Mask(0)
		for lane, mask := range members {
			if left>>lane&1 != 0 && mask == want {
				group |= 1 << lane
			}
		}
		left &^= group
		if outside := group &^ lanes.Mask(want); outside != 0 {
			return x.fault(c, w, pc, outside, fmt.Errorf("lanes execute this that are not in its mask %08x [sync-mask-self]", want))
		}
		if missing := lanes.Mask(want) & w.Control.Live() &^ group; missing != 0 {
			w.Control.Suspend(pc)
			return x.neverMet(c, w, pc, group, missing, "not all lanes of the mask can get here [sync-mask-missing]")
		}
		op.Fn(x.file, op, group)
	}
	return nil
}

// readClocks sets the clocks of the running function. There is no time here, so
// they count what goes forward all the same: the launch's warp instructions.
func (x *executor) readClocks() {
	now, l := x.stats.WarpInstrs, x.fn.layout
	for _, s := range [...]isa.Special{isa.Clock, isa.Clock64, isa.GlobalTimer, isa.GlobalTimerLo} {
		l.SetSpecial(x.file, s, now)
	}
	for _, s := range [...]isa.Special{isa.ClockHi, isa.GlobalTimerHi} {
		l.SetSpecial(x.file, s, now>>32)
	}
}

// firstLane is the lowest lane of m, which is not empty.
func firstLane(m lanes.Mask) int { return bits.TrailingZeros32(uint32(m)) }
