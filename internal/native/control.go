package native

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// kind returns how compiled code handles the instruction at pc. In code for partial masks no turn ends.
func (c *compiler) kind(pc int) stepKind {
	st := c.stepAt(pc)
	if c.version == &c.divergent && (st.kind == stepBarrier || st.kind == stepEnd) {
		return stepLeave
	}
	return st.kind
}

// leavesAt reports whether the engine goes on after the instruction at pc.
func (c *compiler) leavesAt(pc int) bool { return c.kind(pc).leaves() || c.steps[pc].yields }

// block writes the code of a block.
func (c *compiler) block(b int) {
	start := c.f.Graph.Blocks()[b].Start
	c.e.Bind(c.blocks[b])
	if c.stops[start] {
		c.e.ExitAtStop(c.origin(start), c.stopExit(start))
	}
	c.e.Bind(c.bodies[b])
	c.blockBody(b)
}

// stopExit returns the label to which code jumps at pc, the start of a block, if the path ends there.
func (c *compiler) stopExit(pc int) jit.Label {
	exit := c.atStop(pc)
	if !c.masked {
		return exit
	}
	return c.stub(func() { c.e.Arrive(c.arrive, exit) }) // lanes that have diverged in code may arrive here
}

// blockBody writes the instructions of a block.
func (c *compiler) blockBody(b int) {
	block := c.f.Graph.Blocks()[b]
	pc, partEnd := c.part.within(&block)
	end := min(partEnd, len(c.steps)-1)
	copy(c.slotClass, c.classes.in[b])
	if !c.inside[b] {
		c.leaveAt(b, block.Start, block.Start)
		return
	}
	c.blockLive.find(&c.live, b)
	c.branchReg = -1
	if pc > block.Start {
		c.leaveAt(b, block.Start, block.Start)
	}
	for pc < end {
		switch c.kind(pc) {
		default:
			pc = c.writeRegion(b, pc, end)
			if !c.steps[pc-1].yields {
				continue
			}
			c.e.Jmp(c.exitAt(Exit{Why: Yields, PC: pc, First: block.Start, Until: pc}, pc, c.slotClass))
			if c.branchReg = -1; c.version == &c.divergent {
				return // unreachable
			}
		case stepJump:
			if pc == block.Start || !c.leavesAt(pc-1) {
				c.mark(pc, "branch")
				c.jump(b, pc)
			}
			return
		case stepVote, stepProduct, stepMatrix, stepFetch:
			c.togetherAt(b, pc)
			pc++
		case stepLanes:
			c.mark(pc, "lane functions")
			pc = c.byLanesAt(b, pc, end)
		case stepBarrier, stepEnd:
			c.mark(pc, "end of a time slice")
			c.endTurn(b, pc)
			pc++
		case stepLeave:
			until := pc + 1
			for until < end && c.kind(until) == stepLeave {
				until++
			}
			c.mark(pc, "left to the engine")
			c.leaveAt(b, pc, until)
			if c.version == &c.divergent {
				return // unreachable
			}
			for ; pc < until; pc++ {
				c.classes.step(c.slotClass, &c.live, pc, c.masked)
			}
		}
	}
	c.endOfBlock(b, end)
}

// togetherAt writes an instruction between two regions that lanes execute together.
func (c *compiler) togetherAt(b, pc int) {
	switch c.kind(pc) {
	case stepVote:
		c.mark(pc, "vote")
		c.voteAt(b, pc)
	case stepProduct:
		c.mark(pc, "product")
		c.productAt(b, pc)
	case stepMatrix:
		c.mark(pc, "access to matrices")
		c.matrixAt(b, pc)
	case stepFetch:
		c.mark(pc, "fetch from a texture")
		c.fetchAt(b, pc)
	}
	c.classes.step(c.slotClass, &c.live, pc, c.masked)
	c.branchReg = -1
}

// endOfBlock writes how code goes on from block b at end, where no branch does it.
func (c *compiler) endOfBlock(b, end int) {
	block := c.f.Graph.Blocks()[b]
	switch leaves := end > block.Start && c.leavesAt(end-1); {
	case leaves:
		return // the engine continues
	case end < block.End || len(block.Succ) == 0: // the end of the part, or of the code
		c.leaveAt(b, end, end)
		return
	}
	c.e.Count(block.End - block.Start)
	if c.loopOf[b] == nil && c.loopOf[b+1] == nil {
		c.edge(c.slotClass, b+1)
		return
	}
	c.e.Jmp(c.wayTo(c.loop, c.slotClass, block.End))
}

// wayTo returns the label of the code at pc, the start of a block, for code of a loop, or of none.
func (c *compiler) wayTo(l *loop, now []class, pc int) jit.Label {
	if b := c.f.Graph.BlockOf(pc); l != nil && c.loopOf[b] == l {
		return l.inside[slices.Index(l.blocks, b)]
	}
	return c.storing(l, c.liveAt(pc), c.edgeTo(now, pc))
}

// voteAt writes the vote at pc. Code exits there if lanes would have to wait for others.
func (c *compiler) voteAt(b, pc int) {
	st := &c.steps[pc]
	c.endValues()
	c.g.begin(&c.region, true)
	if st.meets {
		in := class{}
		if st.membersIn != noSlot {
			in = c.slotClass[st.membersIn]
		}
		c.checkMembers(st, in, c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: pc + 1}, pc, c.slotClass))
	}
	if st.vote.OnWords() {
		c.inSlot(st.word, c.slotClass[st.word])
		c.e.VoteWord(st.vote, st.op.D, st.op.D2, st.op.A, c.masked)
		return
	}
	c.e.Vote(st.vote, st.op.D, st.op.A&^1, st.op.A&1 != 0, c.masked)
}

// checkMembers jumps to fail unless the executing lanes are the members of the step. These are in a slot of class k
// unless they are known at compile time.
func (c *compiler) checkMembers(st *step, k class, fail jit.Label) {
	if !c.masked && st.members.Known && st.members.Mask == lanes.AllLanes {
		return
	}
	if !st.members.Known {
		c.inSlot(st.membersIn, k)
	}
	c.e.CheckMembers(&st.members, c.masked, fail)
}

// inSlot writes a scalar of class k, which need not hold for its slot, to the slot. In code for partial masks it is
// there, and other lanes may have another value (divergentRegion.read).
func (c *compiler) inSlot(id slotID, k class) {
	if k.kind == scalar && !c.s.all[id].fixed && c.version == &c.full {
		c.e.Expand(c.expand, c.tableOf([]jit.Scalar{c.scalarAt(id, k)}))
	}
}

// leaveAt writes an exit at pc, from where lane functions or the engine execute up to until.
func (c *compiler) leaveAt(b, pc, until int) {
	l := c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: until}, pc, c.slotClass)
	c.e.Jmp(l)
}

// endTurn writes the end of a warp's turn: at a barrier at pc, or at the end of the warp.
func (c *compiler) endTurn(b, pc int) {
	block := c.f.Graph.Blocks()[b]
	number := len(c.out.exits)
	t := jit.TurnEnd{Event: jit.EventEnded, Count: pc + 1 - block.Start, Masked: c.masked,
		Exit: c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start, Until: pc + 1}, pc, c.slotClass)}
	if c.steps[pc].kind == stepEnd {
		if c.trailsTurns {
			t.Number = number
		}
		c.e.EndTurn(c.turns, &t)
		return
	}
	t.Event, t.Resume, t.Number = jit.EventBarrier(int(c.steps[pc].info.Barrier)), c.e.NewLabel(), len(c.out.exits)
	leave := c.exitAt(Exit{Why: AtOp, PC: pc + 1, First: pc + 1, Until: pc + 1}, pc+1, c.slotClass)
	t.Leave = c.stub(func() { c.e.LeaveTurn(leave) })
	c.e.EndTurn(c.turns, &t)
	c.e.Bind(t.Resume)
	c.e.ResumeTurn(t.Count, c.masked)
	c.branchReg = -1
	if pc+1 < block.End && c.part.has(pc+1) && !c.kind(pc+1).isStraight() { // a region has an entry anyway
		body := c.e.NewLabel()
		c.e.Bind(body)
		c.addEntry(b, pc+1, body)
	}
}

// edge falls through to the start of block to, with the classes now. It writes slots that are scalar here and not
// there.
func (c *compiler) edge(now []class, to int) {
	start := c.f.Graph.Blocks()[to].Start
	if all := c.toSlots(start, now, c.classes.in[to]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
}

// jump writes the branch at pc, which ends block b.
func (c *compiler) jump(b, pc int) {
	block, st := c.f.Graph.Blocks()[b], &c.steps[pc]
	n, target := pc+1-block.Start, int(st.info.Target)
	after := c.slotClass
	if st.guarded { // one direction is written later
		after = c.keep(after)
	}
	l := c.loop
	way := func(to int) {
		next := c.wayTo(l, after, to)
		exit := c.storing(l, c.liveAt(to), c.exitAt(Exit{Why: Branched, PC: to, First: to, Branch: pc}, to, after))
		c.e.CountAndGo(n, c.stub(func() {
			c.e.Extend(next, c.p.MayPoll(c.f, to))
			if st.trail { // the engine notifies observers
				c.e.UntrailBranch()
			}
			c.e.Jmp(exit)
		}), next)
	}
	if !st.guarded {
		if st.trail {
			c.trailing(pc, c.storing(l, c.liveAt(pc), c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start, Until: pc + 1}, pc, after)))
		}
		way(target)
		return
	}
	diverge := c.diverging(b, pc, after)
	p, bySubvector := c.branchPred(st.guard.slot), c.branchReg >= 0 && c.branchScalar
	if bySubvector {
		spread := diverge
		diverge = c.stub(func() {
			c.e.SpreadSubvectors(p, st.guard.not)
			c.e.Jmp(spread)
		})
	}
	diverge = c.trailing(pc, diverge)
	diverge = c.noting(pc, diverge)
	leaves := func(to int) bool { return c.f.Graph.Leaves(pc, to) } // the exit region, which the engine must know
	near, far := c.nearWay(pc, target)
	here, there := diverge, diverge
	if !leaves(near) {
		here = c.e.NewLabel()
	}
	if !leaves(far) {
		there = c.stub(func() { way(far) })
	}
	taken, fall := there, here
	if near == target {
		taken, fall = here, there
	}
	if bySubvector {
		c.e.BranchScalar(p, st.guard.not, taken, fall, diverge)
	} else {
		c.e.Branch(p, st.guard.not, c.masked, taken, fall, diverge)
	}
	if !leaves(near) {
		c.e.Bind(here)
		way(near)
	}
}

// diverging returns the label for lanes that diverge at the branch at pc, at the end of block b: an arm, code for
// diverged lanes, or an exit.
func (c *compiler) diverging(b, pc int, after []class) jit.Label {
	block, st := c.f.Graph.Blocks()[b], &c.steps[pc]
	leave := c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start, Until: pc + 1, Diverges: !c.arms[b] && !st.trail}, pc, after)
	diverge := leave
	if slot := st.guard.slot; c.branchReg >= 0 && !c.live.out[b].has(slot) {
		diverge = c.storingPred(slot, diverge)
	}
	if c.arms[b] {
		side, inLoop := c.armInLoop(b, after, diverge, leave)
		if inLoop {
			return side
		}
		diverge = c.armAt(b, after, diverge, leave)
	} else if c.mayDiverge(b) {
		diverge = c.divergeAt(b, after, diverge)
	}
	return c.storing(c.loop, c.live.out[b], diverge)
}

// noting returns the label for lanes that diverge at the branch at pc: by way of a stub that notes it, if observers
// watch the function.
func (c *compiler) noting(pc int, diverge jit.Label) jit.Label {
	if !c.subject.Leave.IsWatched() {
		return diverge
	}
	return c.stub(func() {
		c.e.NoteDivergence(c.origin(pc))
		c.e.Jmp(diverge)
	})
}

// nearWay divides the two directions of a branch at pc into the one that is written right after it, and the one that
// is written later.
func (c *compiler) nearWay(pc, target int) (near, far int) {
	inside := func(to int) bool { return c.loop != nil && c.loopOf[c.f.Graph.BlockOf(to)] == c.loop }
	if c.f.Graph.Leaves(pc, pc+1) || inside(target) && !inside(pc+1) {
		return target, pc + 1
	}
	return pc + 1, target
}

// storingPred returns a label that stores the predicate of a branch in its slot before an exit: the region has left it
// only in a register, because nothing else reads it.
func (c *compiler) storingPred(s slotID, exit jit.Label) jit.Label {
	off, r, masked := c.s.all[s].off, jit.PredRegs[c.branchReg], c.masked
	return c.stub(func() {
		c.e.StorePred(off, r, masked)
		c.e.Jmp(exit)
	})
}

// divergeAt returns the label for lanes that diverge after block b. It is leave if code must exit there.
func (c *compiler) divergeAt(b int, after []class, leave jit.Label) jit.Label {
	block := &c.f.Graph.Blocks()[b]
	n := block.End - block.Start
	if c.version == &c.full { // lanes continue in partial code, if there is some
		return c.stub(func() {
			c.e.MayDiverge(n, leave)
			c.e.ToSides(b, leave)
		})
	}
	sides := c.continuationAt(b, after)
	return c.stub(func() {
		c.e.MayDiverge(n, leave)
		sides()
	})
}

// rejoin returns the label at which all lanes of a warp continue together at a reconvergence PC: in the code for full
// warps, if the slots hold values that are scalar there. Values that were scalar at the divergence, and not written
// since, are still in their spill slots.
func (c *compiler) rejoin(rpc int, diverged []class, written set, deferred jit.Label) jit.Label {
	join := c.f.Graph.BlockOf(rpc)
	full, known := c.full.classes.in[join], slices.Clone(c.some.classes.in[join])
	for id := range c.live.in[join].each {
		if diverged[id] == full[id] && !written.has(id) {
			known[id] = full[id]
		}
	}
	t := c.tableOf(c.scalars(rpc, full, known))
	return c.stub(func() {
		not := c.some.bodies[join]
		if deferred != c.none {
			c.e.Undefer()
			expand, some := c.expand, not
			not = c.stub(func() {
				c.e.Expand(expand, deferred)
				c.e.Jmp(some)
			})
		}
		c.e.Rejoin(c.full.enter, t, c.full.bodies[join], not)
	})
}

// edgeTo is edge to the block at a PC, by way of a stub if there is something to do.
func (c *compiler) edgeTo(now []class, pc int) jit.Label {
	to := c.f.Graph.BlockOf(pc)
	if all := c.toSlots(pc, now, c.classes.in[to]); len(all) > 0 {
		t := c.tableOf(all)
		return c.stub(func() {
			c.e.Expand(c.expand, t)
			c.e.Jmp(c.blocks[to])
		})
	}
	return c.blocks[to]
}

// branchPred returns a predicate in a general register: the one in which the last region has collected it, or another.
func (c *compiler) branchPred(s slotID) jit.Reg {
	if c.branchReg >= 0 {
		return jit.PredRegs[c.branchReg]
	}
	r := jit.PredRegs[0]
	c.e.LoadPred(r, c.s.all[s].off)
	return r
}
