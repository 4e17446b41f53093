package native

import (
	"math"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// If one arm of a branch is short, and the other is the reconvergence PC, the branch is if-converted: the lanes of
// the arm execute it as one region under their mask, and then all lanes continue. Branches within the arm that skip a
// part of it become guards of that part. Because a region is executed as a whole or not at all, code that cannot
// execute it exits at the branch, where the engine lets the lanes diverge.
//
// Two short arms form one region, too, if neither stores to a space that the other accesses: all lanes execute it, and
// the branch's predicate guards each arm.

// mostArm is the largest number of instructions of an arm.
const mostArm = 24

// arm is an if-converted arm of a branch, or both arms, in consecutive blocks.
type arm struct {
	start, end int // PCs
	rpc        int // of the branch
	first      int // target of the lanes that execute first
	both       bool
	skips      []skip
}

// skip is a branch within an arm, with the instructions that lanes which take it skip.
type skip struct {
	pc, end int
	guard   operand // of the lanes that execute the skipped instructions
}

// guarded reports whether only some lanes of the arm execute pc.
func (s *arm) guarded(pc int) bool {
	for _, k := range s.skips {
		if k.pc < pc && pc < k.end {
			return true
		}
	}
	return false
}

// count returns how many instructions all lanes of the arm execute.
func (s *arm) count() int {
	n := s.end - s.start
	for _, k := range s.skips {
		n -= k.count()
	}
	return n
}

// count returns how many instructions are skipped.
func (k *skip) count() int { return k.end - k.pc - 1 }

// branchOf returns the PC of the branch at the end of block b at which lanes may diverge, and its reconvergence PC;
// flow.None if there is none.
func (p *plan) branchOf(b int) (pc, rpc int) {
	if !p.mayDiverge(b) {
		return flow.None, flow.None
	}
	pc = p.f.Graph.Blocks()[b].End - 1
	return pc, p.f.Graph.Reconvergence(pc)
}

// armOf returns the arm of the branch that ends block b, if it is simple enough.
func (p *plan) armOf(b int) (s arm, ok bool) {
	pc, rpc := p.branchOf(b)
	if rpc == flow.None {
		return s, false
	}
	s.rpc = rpc
	switch target := int(p.steps[pc].info.Target); rpc {
	case target:
		s.start = pc + 1
	case pc + 1:
		s.start = target
	default:
		return p.bothArms(pc, rpc)
	}
	s.first = s.start
	graph := p.f.Graph
	blocks := graph.Blocks()
	if graph.Leaves(pc, s.start) || graph.Leaves(pc, rpc) {
		return s, false
	}
	for at := graph.BlockOf(s.start); ; at++ {
		s.end = blocks[at].End
		if at == b || s.end >= len(p.steps) || s.end-s.start > mostArm {
			return s, false
		}
		for i := blocks[at].Start; i < s.end-1; i++ {
			if !p.inArm(i) {
				return s, false
			}
		}
		last := s.end - 1
		st := &p.steps[last]
		switch {
		case st.kind != stepJump:
			if !p.inArm(last) {
				return s, false
			}
		case !st.guarded:
			return s, !st.trail && int(st.info.Target) == rpc && s.endsAt(s.end)
		default:
			if _, meet := p.branchOf(at); meet != int(st.info.Target) || s.guarded(last) || graph.Leaves(last, last+1) || graph.Leaves(last, meet) {
				return s, false
			} else if k := (skip{last, meet, operand{st.guard.slot, !st.guard.not}}); meet == rpc {
				k.end = unknownEnd
				s.skips = append(s.skips, k)
			} else if meet > last {
				s.skips = append(s.skips, k)
			} else {
				return s, false
			}
		}
		if s.end == rpc {
			return s, s.endsAt(s.end)
		}
	}
}

// bothArms returns both arms of the branch at pc, if they are straight and consecutive.
func (p *plan) bothArms(pc, rpc int) (s arm, ok bool) {
	graph, st := p.f.Graph, &p.steps[pc]
	target := int(st.info.Target)
	if target < pc || graph.Leaves(pc, pc+1) || graph.Leaves(pc, target) {
		return s, false
	}
	fall, ok := p.straight(pc+1, rpc)
	if !ok || fall != target {
		return s, false
	}
	end, ok := p.straight(target, rpc)
	s = arm{start: pc + 1, end: end, rpc: rpc, first: target, both: true, skips: []skip{
		{pc, target, operand{st.guard.slot, !st.guard.not}}, {target - 1, end, st.guard}}}
	return s, ok && end-s.start <= mostArm && p.spacesDisjoint(s.skips)
}

// straight returns the end of straight-line code from pc on that leads to the reconvergence PC.
func (p *plan) straight(pc, rpc int) (end int, ok bool) {
	for i := pc; i < min(pc+mostArm, len(p.steps)-1); i++ {
		switch st := &p.steps[i]; {
		case i == rpc:
			return i, true
		case st.kind == stepJump:
			return i + 1, !st.guarded && int(st.info.Target) == rpc
		case !p.inArm(i):
			return i, false
		}
	}
	return pc, false
}

// spacesDisjoint reports whether neither of two parts stores to a space that the other accesses.
func (p *plan) spacesDisjoint(parts []skip) bool {
	var accessed, stored [2]uint8
	for i, k := range parts {
		for pc := k.pc + 1; pc < k.end; pc++ {
			if st := &p.steps[pc]; st.isAccess() {
				accessed[i] |= spaces(st)
				if st.kind != stepLoad {
					stored[i] |= spaces(st)
				}
			}
		}
	}
	return accessed[0]&stored[1] == 0 && accessed[1]&stored[0] == 0
}

// inArm reports whether the instruction at pc can be part of an arm, if it is not a branch.
func (p *plan) inArm(pc int) bool {
	st := &p.steps[pc]
	return st.kind.isStraight() && !st.across() && !p.isCall(pc) && !st.trail && !st.yields
}

// unknownEnd is the end of a skip until it is known where the arm ends.
const unknownEnd = math.MaxInt

// endsAt ends skips that reach the reconvergence PC at the end of the arm. It returns false if a skip goes further.
func (s *arm) endsAt(end int) bool {
	for i := range s.skips {
		switch k := &s.skips[i]; {
		case k.end == unknownEnd:
			k.end = end
		case k.end >= end:
			return false
		}
	}
	return true
}

// armSteps are the steps of an arm as one region executes them: branches within it do nothing, and the instructions
// that they skip have guards.
type armSteps struct {
	start int // PC; valid if there are steps
	steps []step
}

// asRegion calls body while stepAt returns the steps of an arm as one region executes them.
func (c *compiler) asRegion(s *arm, body func()) {
	masked, a := c.masked, &c.arm
	c.masked = masked || !s.both
	a.start, a.steps = s.start, append(a.steps[:0], c.steps[s.start:s.end]...)
	for i := range a.steps {
		if st := &a.steps[i]; st.kind == stepJump {
			st.kind, st.guarded = stepNop, false
		}
	}
	for _, k := range s.skips {
		for pc := k.pc + 1; pc < k.end; pc++ {
			if st := &a.steps[pc-s.start]; st.kind != stepNop {
				st.guarded, st.guard = true, k.guard
			}
		}
	}
	body()
	c.masked, a.steps = masked, a.steps[:0]
}

// stepAt returns the step at a PC.
func (c *compiler) stepAt(pc int) *step {
	if i := pc - c.arm.start; i >= 0 && i < len(c.arm.steps) {
		return &c.arm.steps[i]
	}
	return &c.steps[pc]
}

// armRegion makes the region of an arm, with the classes now of slots. It returns false if one region cannot contain
// all of it.
func (c *compiler) armRegion(s *arm, now []class) (r *region, ok bool) {
	for _, k := range s.skips {
		for pc := k.pc + 1; pc < s.end; pc++ {
			for _, d := range c.steps[pc].results() {
				if d.slot == k.guard.slot {
					return nil, false // the class must be known after the region
				}
			}
		}
	}
	c.blockLive.findArm(&c.live, s, c.f.Graph.BlockOf(s.rpc))
	copy(c.slotClass, now)
	r = c.regionFrom(s.start, s.end)
	preds := 0 // each may need a general register at the end
	for i := range r.values {
		if v := &r.values[i]; v.bits == 1 && !v.liveIn {
			preds++
		}
	}
	for _, k := range s.skips {
		if !c.definedIn(r, k.guard.slot) {
			preds++
		}
	}
	return r, r.end == s.end && preds <= len(jit.PredRegs)
}

// merges returns by block the reconvergence PCs of lanes that diverge at its end, if these may execute an
// if-converted arm.
func (p *plan) merges() []merge {
	all := make([]merge, len(p.f.Graph.Blocks()))
	for b := range all {
		s, ok := p.armOf(b)
		if !ok {
			continue
		}
		m := &all[b]
		m.join, m.guard = p.f.Graph.BlockOf(s.rpc), p.steps[p.f.Graph.Blocks()[b].End-1].guard.slot
		for pc := s.start; pc < s.end; pc++ {
			for _, d := range p.steps[pc].results() {
				if p.s.all[d.slot].bits > 1 {
					m.written = append(m.written, d.slot)
				}
			}
		}
	}
	return all
}

// findArms finds the branches of a version with an if-converted arm.
func (c *compiler) findArms(v *version, masked bool) {
	blocks := c.f.Graph.Blocks()
	v.arms = zeroed(v.arms, len(blocks))
	now := make([]class, len(c.s.all))
	for b := range blocks {
		s, ok := c.armOf(b)
		if !ok || v == &c.divergent && !c.inDivergent[b] {
			continue
		}
		copy(now, v.classes.in[b])
		v.classes.block(now, &c.live, b, masked)
		v.arms[b] = c.fitsRegion(&s, v, now)
	}
}

// fitsRegion reports whether an arm can be a region: slots that are scalar after it must have the same value before it.
func (c *compiler) fitsRegion(s *arm, v *version, now []class) (ok bool) {
	join := c.f.Graph.BlockOf(s.rpc)
	for pc := s.start; pc < s.end; pc++ {
		if c.steps[pc].guarded && s.guarded(pc) {
			return false // a step has only one guard
		}
		for _, d := range c.steps[pc].results() {
			if c.live.in[join].has(d.slot) && v.classes.in[join][d.slot].kind == scalar {
				return false
			}
		}
	}
	c.version = v
	c.asRegion(s, func() {
		var r *region
		r, ok = c.armRegion(s, now)
		if !ok {
			return
		}
		preds := len(s.skips)
		for i := range r.steps {
			for _, d := range r.steps[i].results() {
				if c.s.all[d.slot].bits == 1 {
					preds++
				}
			}
		}
		ok = preds <= len(jit.PredRegs)
	})
	return ok
}

// armInLoop is armAt in a loop with values in registers, which stay there: all lanes execute the arm, guarded by
// the branch's predicate. It returns false if that is not possible.
func (c *compiler) armInLoop(b int, after []class, early, leave jit.Label) (at jit.Label, ok bool) {
	l := c.loop
	s, _ := c.armOf(b)
	if l == nil || !s.both && len(s.skips) > 0 || c.loopOf[c.f.Graph.BlockOf(s.rpc)] != l {
		return at, false
	}
	for pc := s.start; pc < s.end; pc++ {
		if c.loopOf[c.f.Graph.BlockOf(pc)] != l || !s.both && c.steps[pc].guarded {
			return at, false
		}
	}
	pc := c.f.Graph.Blocks()[b].End - 1
	if !s.both {
		guard := c.steps[pc].guard
		guard.not = guard.not != (s.start == pc+1)
		s.both, s.skips = true, []skip{{s.start - 1, s.end, guard}}
	}
	c.asRegion(&s, func() { _, ok = c.armRegion(&s, after) })
	if !ok {
		return at, false
	}
	begin := c.beginArm(b, &s)
	next := l.inside[slices.Index(l.blocks, c.f.Graph.BlockOf(s.rpc))]
	live := c.live.out[b]
	early, leave = c.storing(l, live, early), c.storing(l, live, leave)
	return c.stub(func() {
		c.enterLoop(l)
		c.e.BeginSide(&begin, early)
		c.asRegion(&s, func() { c.writeArm(&s, &begin, after, leave) })
		c.e.EndSide(&begin)
		c.e.Jmp(next)
		c.enterLoop(nil)
	}), true
}

// beginArm describes the arm of the branch at the end of block b.
func (c *compiler) beginArm(b int, s *arm) jit.Side {
	block := &c.f.Graph.Blocks()[b]
	pc := block.End - 1
	guard := c.steps[pc].guard
	return jit.Side{Pred: jit.PredRegs[max(c.branchReg, 0)], Not: guard.not != (s.start == pc+1), Masked: c.masked, Both: s.both, MayWait: c.p.MayPoll(c.f, s.first),
		Before: block.End - block.Start, Count: s.count(), Most: s.end - s.start, Slot: c.s.all[guard.slot].off,
		StorePred: c.branchReg >= 0 && !c.live.out[b].has(guard.slot)}
}

// armAt returns the label for lanes that diverge at the end of block b, if they execute an if-converted arm. early
// is an exit at the branch, and leave one at which the predicate is in its slot.
func (c *compiler) armAt(b int, after []class, early, leave jit.Label) jit.Label {
	s, _ := c.armOf(b)
	begin, join := c.beginArm(b, &s), c.f.Graph.BlockOf(s.rpc)
	t := c.tableOf(c.toSlots(s.rpc, after, c.classes.in[join]))
	return c.stub(func() {
		c.e.BeginSide(&begin, early)
		if t != c.none {
			c.e.Expand(c.expand, t)
		}
		c.asRegion(&s, func() { c.writeArm(&s, &begin, after, leave) })
		c.e.EndSide(&begin)
		c.e.Jmp(c.blocks[join])
	})
}

// writeArm writes the region of an arm.
func (c *compiler) writeArm(s *arm, begin *jit.Side, now []class, leave jit.Label) {
	r, ok := c.armRegion(s, now)
	if !ok {
		panic("simtrun bug: a side of a branch is no run")
	}
	r.fail = leave
	if masked := begin.Masked; !s.both {
		r.fail = c.stub(func() {
			c.e.AllAgain(masked)
			c.e.Jmp(leave)
		})
	}
	var guards []slotID
	for _, k := range s.skips {
		guards = append(guards, k.guard.slot)
	}
	c.finish(r, c.blockLive.before(s.end), guards...)
	if c.loop != nil {
		c.storeCarriedScalars(r)
	}
	c.writePhases(r)
	for id := range r.values {
		if v := &r.values[id]; v.pred >= 0 && v.liveOut {
			c.e.StorePred(c.s.all[v.slot].off, jit.PredRegs[v.pred], c.masked)
		}
	}
	for _, k := range s.skips {
		var reg jit.Reg
		if v := c.valueIn[k.guard.slot]; v != noValue && r.values[v].pred >= 0 {
			reg = jit.PredRegs[r.values[v].pred]
		} else {
			reg = jit.PredRegs[r.preds]
			c.e.LoadPred(reg, c.s.all[k.guard.slot].off)
			r.preds++
		}
		begin.Inner = append(begin.Inner, jit.InnerSide{Pred: reg, Not: k.guard.not, Count: k.count(), Noted: c.subject.Leave.IsWatched(), PC: c.origin(k.pc)})
	}
}
