package cost

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// threadBranches removes the slots of blocks that only repeat a test: a comparison and a branch that each way into the
// block decides, as where a compiler leads two exits of a loop together. The assembler makes the branches and jumps
// before the block go where this one would (jump threading).
func (l *lowering) threadBranches() {
	l.threaded = make([]bool, len(l.f.Code)+1)
	for b := range l.g.Blocks() {
		block := &l.g.Blocks()[b]
		branch := block.End - 1
		if block.End-block.Start > 2 || branch > block.Start && !l.isOnlyFor(block.Start, branch) {
			continue
		}
		taken := l.g.Decided(l.f, b)
		if taken == nil || l.needsJump(b, taken) {
			continue
		}
		l.threaded[block.Start] = true
		for pc := block.Start; pc < block.End; pc++ {
			l.costs[pc].Slots = nil
		}
		if jump := block.End; jump < len(l.f.Code) && l.isJump(jump) && l.isAlone(b+1) {
			l.costs[jump].Slots = nil // the way here goes to its target, too
		}
	}
}

// isOnlyFor reports whether the instruction at pc is a comparison with a result that only guards the branch.
func (l *lowering) isOnlyFor(pc, branch int) bool {
	in := &l.f.Code[pc]
	_, compares := in.Comparison()
	uses := l.values.uses[pc]
	return compares && in.Guard == isa.NoReg && !l.values.escapes[pc] && len(uses) == 1 && uses[0] == use{branch, -1}
}

// needsJump reports whether lanes that fall through into block b would have to jump to where its branch goes.
func (l *lowering) needsJump(b int, taken []bool) bool {
	for i, p := range l.g.Blocks()[b].Pred {
		if p == b-1 && !l.isJump(l.g.Blocks()[p].End-1) && taken[i] {
			return true
		}
	}
	return false
}

// isAlone reports whether block b is one instruction to which only the block before it leads.
func (l *lowering) isAlone(b int) bool {
	block := &l.g.Blocks()[b]
	return block.End == block.Start+1 && len(block.Pred) == 1
}

// reconvergence returns the PC at which lanes that diverge at the branch at pc reconverge in the assembler's code.
func (l *lowering) reconvergence(pc int) int {
	to := l.g.Reconvergence(pc)
	for to != flow.None && l.threaded[to] {
		to = l.g.Reconvergence(l.g.Blocks()[l.g.BlockOf(to)].End - 1)
	}
	return to
}
