package cost

import (
	"maps"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// The assembler guards the instructions of a short arm instead of branching over it. These are the maximum numbers of
// machine instructions of one arm, including the jump at its end (ptxas of CUDA 12.4 for sm_90).
const (
	guardedWhereDivergent = 8
	guardedWhereUniform   = 6
)

// branches removes the slots of branches that the assembler omits: those over short arms, and jumps to code that it
// can place in line.
func (l *lowering) branches() {
	l.divergent = make([]bool, len(l.f.Code))
	for pc, u := range flow.Uniformities(l.f) {
		l.divergent[pc] = u != flow.Uniform
	}
	for pc := range l.f.Code {
		in := &l.f.Code[pc]
		if !in.Is(isa.Branch) || in.Args[0].Kind != isa.LabelOperand {
			continue
		}
		if l.shortCircuits(pc) {
			continue
		}
		if len(l.costs[pc].Slots) > 0 && l.guards(pc) {
			guard, end := l.f.Code[pc].Guard, l.target(pc)
			l.costs[pc].Slots, l.costs[pc].Arm = nil, Span{pc + 1, end}
			if jump := end - 1; l.isJump(jump) && l.isOtherArm(jump) {
				end = l.target(jump)
				l.costs[jump].Slots, l.costs[jump].Arm = nil, Span{jump + 1, end}
			}
			l.guard(pc+1, end, guard)
		}
	}
	for pc, guarded := 0, 0; pc < len(l.f.Code); pc++ {
		guarded = max(guarded, l.costs[pc].Arm.End) // the arm's jump is then the branch
		if l.isJump(pc) && pc >= guarded && (l.continues(pc) || l.inverts(pc)) {
			l.costs[pc].Slots = nil
		}
	}
}

// shortCircuits looks for two branches in a row that together decide on a short arm, as && and || become, and reports
// whether the assembler guards the arm by both: it combines the predicates (PLOP3). Then the branches have no slots.
// Either both jump over the arm, or the first one jumps to the arm and the second over it.
func (l *lowering) shortCircuits(pc int) bool {
	next, arm := pc+1, pc+2
	if arm >= len(l.f.Code) || !l.isGuardedBranch(pc) || !l.isGuardedBranch(next) {
		return false
	}
	b := l.g.BlockOf(pc)
	if len(l.g.Blocks()) < b+4 {
		return false
	}
	second, first := &l.g.Blocks()[b+1], &l.g.Blocks()[b+2]
	end := l.target(next)
	and, or := l.target(pc) == end, l.target(pc) == arm
	if second.Start != next || second.End != arm || len(second.Pred) != 1 || first.Start != arm || first.End != end || !and && !or ||
		len(first.Pred) != 1+boolInt(or) || !l.isShort(first, l.divergent[next]) {
		return false
	}
	jump := end - 1
	if l.isJump(jump) {
		other := &l.g.Blocks()[b+3]
		if l.target(jump) != other.End || len(other.Pred) != 1+boolInt(and) || !l.isShort(other, l.divergent[next]) {
			return false
		}
		end = other.End
		l.costs[jump].Slots, l.costs[jump].Arm = nil, Span{jump + 1, end}
	}
	l.costs[pc].Slots, l.costs[pc].Arm = nil, Span{next, l.target(pc)}
	l.costs[next].Slots, l.costs[next].Arm = nil, Span{arm, l.target(next)}
	for _, branch := range []int{pc, next} {
		l.guard(arm, end, l.f.Code[branch].Guard)
	}
	for i := arm; i < end; i++ {
		if c := &l.costs[i]; len(c.Slots) > 0 {
			c.Slots = append(parseSlots("integer"), c.Slots...)
			c.Slots[1].Waits = true
			break
		}
	}
	return true
}

// isGuardedBranch reports whether the instruction at pc is a direct branch with a guard, which costs something.
func (l *lowering) isGuardedBranch(pc int) bool {
	in := &l.f.Code[pc]
	return in.Is(isa.Branch) && in.Guard != isa.NoReg && in.Args[0].Kind == isa.LabelOperand && len(l.costs[pc].Slots) > 0
}

// guard makes the instructions from first up to, but not including, end wait for a predicate, too.
func (l *lowering) guard(first, end int, p isa.RegID) {
	for pc := first; pc < end; pc++ {
		if c := &l.costs[pc]; len(c.Slots) > 0 && !slices.Contains(c.Sources, p) {
			c.Sources = append(slices.Clip(c.Sources), p)
		}
	}
}

// isJump reports whether the instruction at pc is an unconditional direct branch.
func (l *lowering) isJump(pc int) bool {
	in := &l.f.Code[pc]
	return in.Is(isa.Branch) && in.Guard == isa.NoReg && in.Args[0].Kind == isa.LabelOperand
}

// target returns the PC that the branch at pc goes to.
func (l *lowering) target(pc int) int { return l.f.Labels[l.f.Code[pc].Args[0].Label()].PC }

// guards reports whether the branch at pc is over a short arm: one block that only the branch leads to, and that
// continues at the branch's target, or in a jump over a block that is the other arm, or ends.
func (l *lowering) guards(pc int) bool {
	if l.f.Code[pc].Guard == isa.NoReg || l.target(pc) <= pc+1 {
		return false
	}
	b := l.g.BlockOf(pc) + 1
	arm := &l.g.Blocks()[b]
	if arm.Start != pc+1 || arm.End != l.target(pc) || len(arm.Pred) != 1 {
		return false
	}
	return l.isShort(arm, l.divergent[pc])
}

// isOtherArm reports whether the jump at the end of an arm skips exactly the other arm, and that one is short, too.
func (l *lowering) isOtherArm(jump int) bool {
	other := &l.g.Blocks()[l.g.BlockOf(jump)+1]
	return l.target(jump) == other.End && len(other.Pred) == 1 && l.isShort(other, l.divergent[l.g.Blocks()[other.Pred[0]].End-1])
}

// isShort reports whether an arm has few enough machine instructions to be guarded, all of which can be guarded.
func (l *lowering) isShort(b *flow.Block, divergent bool) bool {
	slots, most := 0, guardedWhereUniform
	if divergent {
		most = guardedWhereDivergent
	}
	for pc := b.Start; pc < b.End; pc++ {
		in := &l.f.Code[pc]
		jump := pc == b.End-1 && l.isJump(pc) && l.target(pc) > pc
		if in.Is(isa.Branch) && !jump || in.Is(isa.Atomic) || in.Is(isa.Barrier) || in.Is(isa.CallKind) || in.Is(isa.Shuffle) || in.Is(isa.Vote) || in.Is(isa.Matrix) || in.Is(isa.TensorMemory) || in.Guard != isa.NoReg {
			return false
		}
		slots += len(l.costs[pc].Slots)
		for _, s := range l.costs[pc].Slots {
			if s.Class == isa.CostWarpSync {
				return false
			}
		}
	}
	return slots <= most
}

// continues reports whether a jump forwards goes to a place that no code falls through to, and is the last such jump
// in the text: the assembler can place the code at the jump.
func (l *lowering) continues(pc int) bool {
	to := l.target(pc)
	if to <= pc || to == len(l.f.Code) {
		return false
	}
	b := l.g.BlockOf(to)
	for _, p := range l.g.Blocks()[b].Pred {
		last := l.g.Blocks()[p].End - 1
		if p == b-1 && !l.isJump(last) || last > pc && last < to && l.isJump(last) {
			return false
		}
	}
	return true
}

// inverts reports whether a jump follows a branch to the place after the jump: the assembler makes one branch with
// the opposite guard of the two.
func (l *lowering) inverts(pc int) bool {
	if pc == 0 {
		return false
	}
	before := &l.f.Code[pc-1]
	b := l.g.BlockOf(pc)
	return before.Is(isa.Branch) && before.Guard != isa.NoReg && before.Args[0].Kind == isa.LabelOperand && len(l.costs[pc-1].Slots) > 0 &&
		l.target(pc-1) == pc+1 && len(l.g.Blocks()[b].Pred) == 1
}

// converge adds the convergence barriers. Lanes set one up (BSSY) before a branch at which they may diverge, and wait
// (BSYNC) at its reconvergence PC. Branches with one reconvergence PC share a barrier, which the first in the text
// sets up. If that branch is in a loop and the reconvergence PC is not, the barrier is set up before the loop: at the
// end of the blocks that lead into it. Reconvergence PCs at which the lanes only end have no barrier.
func (l *lowering) converge() {
	for pc := range l.f.Code {
		in := &l.f.Code[pc]
		if !in.Is(isa.Branch) || !l.divergent[pc] || len(l.costs[pc].Slots) == 0 {
			continue
		}
		to := l.reconvergence(pc)
		if to == flow.None || l.costs[to].Syncs > 0 || l.ends(to) {
			continue
		}
		l.costs[to].Syncs = 1
		l.setUp(pc, to)
	}
}

// ends reports whether the code from pc on only ends the thread.
func (l *lowering) ends(pc int) bool {
	for ; pc < len(l.f.Code); pc++ {
		in := &l.f.Code[pc]
		if in.Guard == isa.NoReg && (in.Is(isa.Return) || in.Is(isa.Exit) || in.Is(isa.Trap)) {
			return true
		}
		if len(l.costs[pc].Slots) > 0 {
			return false
		}
	}
	return true
}

// setUp charges for the barrier of the branch at pc with reconvergence PC to.
func (l *lowering) setUp(pc, to int) {
	loop := l.loopWithout(l.g.BlockOf(pc), l.g.BlockOf(to))
	if loop == nil {
		l.prepend(pc)
		return
	}
	var before []int // blocks that lead into the loop
	for _, b := range loop {
		for _, p := range l.g.Blocks()[b].Pred {
			if _, within := slices.BinarySearch(loop, p); !within && !slices.Contains(before, p) {
				before = append(before, p)
			}
		}
	}
	for _, b := range before {
		at := l.g.Blocks()[b].End - 1
		for first := l.g.Blocks()[b].Start; at > first && len(l.costs[at].Slots) == 0; {
			at--
		}
		l.prepend(at)
	}
}

// loopWithout returns in ascending order the blocks on paths from block in back to itself that avoid block out: the
// outermost loop with the first but not the second; nil if there is none.
func (l *lowering) loopWithout(in, out int) []int {
	blocks := l.g.Blocks()
	reached := reach(in, func(b int) []int { return blocks[b].Succ }, func(b int) bool { return b != out })
	if !reached[in] {
		return nil
	}
	back := reach(in, func(b int) []int { return blocks[b].Pred }, func(b int) bool { return reached[b] })
	return slices.Sorted(maps.Keys(back))
}

// reach returns the blocks that can be reached from one over blocks for which passes holds.
func reach(from int, next func(int) []int, passes func(int) bool) map[int]bool {
	reached := make(map[int]bool)
	for work := []int{from}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, n := range next(b) {
			if !reached[n] && passes(n) {
				reached[n] = true
				work = append(work, n)
			}
		}
	}
	return reached
}

// prepend inserts the set-up of a convergence barrier before the slots of an instruction.
func (l *lowering) prepend(pc int) {
	l.costs[pc].Slots = append([]Slot{{Class: isa.CostWarpSync}}, l.costs[pc].Slots...)
}
