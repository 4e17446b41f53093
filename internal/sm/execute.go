package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// execute executes the next instruction of the warp in x. The instruction's last op was issued at t.
func (m *multiprocessor) execute(x *slot, t int64) {
	if x.body != nil {
		m.complete(x, t)
		return
	}
	in, before := x.in, x.split
	if in.branchTo >= 0 && x.op.constant == noConstant && x.engine.Jump(x.warp, &x.split) {
		m.jumped(x, in, &before, t)
		return
	}
	x.journal.Position = t
	why, err := x.engine.Issue(x.cta.CTA, x.warp, &x.split, &m.effect)
	if err != nil {
		m.fail(x, err, t)
		return
	}
	done := m.resultsReady(x, t)
	m.schedule(x, done, t)
	next := at(t+x.op.stall, Wait)
	if why != interp.Executed {
		next = max(next, m.stopped(x, why, &before, t))
	}
	m.wakeOthers(x, t)
	if in.clusterWait && why == interp.Executed {
		next = max(next, at(x.cta.clusterFree, AtBarrier))
	}
	if x.failed || x.blocked || x.warp.Live == 0 {
		return
	}
	if in.pending == Membar || in.pending == Sleeping {
		next = max(next, m.pauses(x, in, done, &before, t))
	}
	if in.served { // the call has returned when its result is ready
		next = max(next, done)
	}
	if n := m.effect.Deferred; n >= 0 && in.calls {
		x.engine.Tag(n, tag(callTag, int32(x.number)))
		x.earliest = max(next, at(max(t+m.roundTrip, m.epochEnd), LongScoreboard))
		return
	}
	m.proceed(x, next, t)
}

// jumped is what execute does after a branch, issued at t, that all lanes of the warp in x took alike. Before is the
// split at the branch.
func (m *multiprocessor) jumped(x *slot, in *instr, before *divergence.Split, t int64) {
	if in.pending == Wait {
		x.fixed = max(x.fixed, t+in.latency)
	}
	if x.warp.Steps >= x.cta.launch.maxSteps {
		m.fail(x, m.stepLimit(x), t)
		return
	}
	if m.branched(x, before, t); x.blocked {
		return
	}
	m.proceed(x, max(at(t+x.op.stall, Wait), at(t+in.latency, in.pending)), t)
}

// schedule notes when the effects of the instruction that the warp in x has executed at t can be seen: its results at
// done, and what later instructions of the warp wait for in other ways.
func (m *multiprocessor) schedule(x *slot, done moment, t int64) {
	in := x.in
	if done.isKnown() {
		for _, r := range in.results {
			m.set(x, r, done)
		}
	}
	if m.effect.Active == 0 {
		return
	}
	if in.acquires && in.memory == noMemory {
		m.acquired(done.cycle())
	}
	if in.multiplies {
		x.products.land(x.products.group, t+in.latency)
		x.did.Tiles += uint64(in.tiles) - 1
	}
	if in.groups == commitsGroup {
		x.groupsOf(in).group++
	}
	if in.tensor != noTensor {
		m.useTensor(x, t)
	}
}

// wakeOthers wakes the warps that have waited for what the instruction of the warp in x, executed at t, has completed.
func (m *multiprocessor) wakeOthers(x *slot, t int64) {
	if m.effect.Released {
		x.cta.wakeWaiting(x, max(m.release(x.cta), at(t+1, Wait)), t)
	}
	if m.effect.Served {
		x.cta.wakeWaiting(x, at(t+1, AtBarrier), t)
	}
	if m.effect.PairServed {
		x.cta.otherOfPair().wakeWaiting(x, at(t+1, AtBarrier), t)
	}
	if m.effect.ProductsDone {
		x.cta.wakeWaiting(x, max(x.products.allDone(), at(t+1, Wait)), t)
	}
	if m.effect.ClusterReleased {
		m.wakeCluster(x, t)
	}
}

// stopped chooses the split with which the warp in x continues after an instruction, issued at t, that the next
// one does not simply follow. It returns the earliest time of the next issue. Before is the split that executed the
// instruction.
func (m *multiprocessor) stopped(x *slot, why interp.Stop, before *divergence.Split, t int64) (earliest moment) {
	in := x.in
	switch why {
	case interp.Branched:
		if x.warp.Steps >= x.cta.launch.maxSteps {
			m.fail(x, m.stepLimit(x), t)
			return 0
		}
		m.branched(x, before, t)
		return at(t+in.latency, in.pending)
	case interp.AtBarrier:
		if m.effect.Barrier < 0 || m.effect.Barrier == interp.ClusterBarrier {
			m.waitsAside(x)
			return 0
		}
		return m.arrived(x, in, t)
	case interp.StepLimit:
		m.fail(x, m.stepLimit(x), t)
		return 0
	}
	// The split has changed.
	if x.warp.Live == 0 {
		m.endWarp(x, t)
		return 0
	}
	if ops := m.dispatches(in); ops != nil {
		x.awaiting, x.dispatch = x.awaiting|before.Mask, ops
	}
	m.changed(x, before, why)
	if in.memory == noMemory && (in.pending == BranchResolving || in.pending == Membar) {
		earliest = at(t+in.latency, in.pending)
	}
	return earliest
}

// resultsReady returns when the results of the instruction that the warp in x has executed at t can be read, and
// notes what the warp's next instructions wait for besides results.
func (m *multiprocessor) resultsReady(x *slot, t int64) moment {
	in := x.in
	if in.pending == Wait {
		x.fixed = max(x.fixed, t+in.latency)
	}
	if in.unit > 0 {
		x.memoryNext = t + m.memoryGap
	}
	switch done := at(t+in.latency, in.pending); {
	case in.memory != noMemory:
		return m.access(x, t)
	case x.op.constant != noConstant:
		return max(done, at(m.launchConstant(x.share, x.op, t), in.pending))
	default:
		return done
	}
}

// dispatches returns the ops that an indirect branch or call takes again for each further place that lanes go to; nil
// for other instructions.
func (m *multiprocessor) dispatches(in *instr) []op {
	switch {
	case len(in.ops) == 0:
		return nil
	case in.ops[len(in.ops)-1].class == isa.CostIndirectBranch:
		return m.branchOps
	case in.calls:
		return m.callOps
	}
	return nil
}

// pauses returns when the warp in x continues after a fence or a nanosleep that split before executed at t. The warp
// waits for these even if it needs no result.
func (m *multiprocessor) pauses(x *slot, in *instr, done moment, before *divergence.Split, t int64) moment {
	switch {
	case m.effect.Active == 0:
		return 0
	case in.pending == Membar:
		return done
	}
	return at(t+max(in.latency, m.sleeps(x, before)), Sleeping)
}

// returned continues the warp in a slot of the SM after its system call was made.
func (m *multiprocessor) returned(number int32, now int64) {
	n := int32(len(m.schedulers))
	x := &m.schedulers[number%n].slots[number/n]
	x.inOrder = false // all that is deferred takes effect in this exchange, but some of it later than this call
	m.proceedFrom(x, x.earliest, now, false)
}

// arrived continues a warp after lanes of it have arrived at a barrier at t, and returns when it may issue.
func (m *multiprocessor) arrived(x *slot, in *instr, t int64) moment {
	taken := max(t, m.barrierFree)
	m.barrierFree = taken + int64(m.gpu.Barrier.PerWarp)
	x.cta.arrived = max(x.cta.arrived, taken)
	if !in.arrives {
		x.atBarrier |= m.effect.Active
	}
	x.slice.reset()
	x.blocked = !x.chooseSplit()
	if !m.effect.Released || in.arrives {
		return 0
	}
	next := m.release(x.cta)
	for _, r := range in.results {
		m.set(x, r, next)
	}
	return next
}

// stepLimit returns the error of a warp that has reached its step limit.
func (m *multiprocessor) stepLimit(x *slot) error {
	x.syncControl()
	return x.engine.Inspect(x.cta.CTA, x.warp).StepLimit()
}

// sleeps returns for how many cycles the lanes of a split sleep after a nanosleep: as long as the longest request.
// PTX allows any time up to twice the request; an H100 takes 1 % more than the request.
func (m *multiprocessor) sleeps(x *slot, s *divergence.Split) int64 {
	ns := uint32(0)
	file, a := x.warp.Windows[s.Frame].File, x.code.fn.Ops[s.PC].A
	for rest := m.effect.Active; rest != 0; rest &= rest - 1 {
		ns = max(ns, lanes.Reg[uint32](file, a)[bits.TrailingZeros32(uint32(rest))])
	}
	return int64(float64(ns) * m.gpu.ClockMHz / 1000)
}

// fail stops the warp in x because of an error of its instruction at t. The error ends the launch at the end of the
// epoch; everything else continues until then. The first error of the SM counts, in the order of cycle and slot.
// Errors found between windows come after all others, since with other windows they would be found at the epoch's
// end.
func (m *multiprocessor) fail(x *slot, err error, t int64) {
	x.failed, m.failed = true, true
	if t == m.windowEnd {
		t = m.epochEnd
	}
	if m.err == nil || t < m.errAt || t == m.errAt && x.number < m.errSlot {
		m.err, m.errAt, m.errSlot, m.errOf = err, t, x.number, x.cta.launch
	}
}

// changed continues with another split of a warp, because split before has arrived at a convergence barrier, waits or
// has diverged.
func (m *multiprocessor) changed(x *slot, before *divergence.Split, why interp.Stop) {
	if why == interp.AtRendezvous {
		x.slice.reset()
	}
	calls := x.in.calls
	// A split that waits at a convergence barrier has executed a BSYNC. The BSYNC of the last split to arrive is among
	// the ops of the instruction where the lanes reconverge.
	waits := why == interp.Changed && before.Stop >= 0 && x.code.instrs[before.Stop].syncs > 0
	in := x.in
	x.blocked = !x.chooseSplit()
	if x.blocked {
		return
	}
	if calls && x.split.Frame != before.Frame {
		x.forget(m, x.split.Frame)
	}
	if waits && x.split.Mask&before.Mask == 0 || m.skips(in, x, before) {
		x.prologue = append(x.prologue, m.syncOp)
	}
	if x.awaiting&x.split.Mask != 0 {
		if before.Mask&x.split.Mask == 0 {
			x.prologue = append(x.prologue, x.dispatch...)
		}
		x.awaiting &^= x.split.Mask
	}
}

// skips reports whether other lanes of split before have gone from its branch straight to the convergence barrier at
// which the lanes in x meet them: they have executed a BSYNC by themselves.
func (m *multiprocessor) skips(in *instr, x *slot, before *divergence.Split) bool {
	s := &x.split
	if s.Frame != before.Frame || s.Mask&before.Mask == 0 || s.Mask == before.Mask || s.Stop < 0 || s.Stop == before.Stop || x.code.instrs[s.Stop].syncs == 0 {
		return false
	}
	return s.PC != s.Stop && (in.branchTo == s.Stop || before.PC+1 == s.Stop)
}

// release returns when warps continue that waited at a barrier, after its last arrival was taken.
func (m *multiprocessor) release(c *cta) moment {
	return at(c.arrived+int64(m.gpu.Barrier.Release), AtBarrier)
}

// wakeWaiting lets lanes of the CTA continue, from next on, that waited until an instruction of self's warp completed
// a barrier or products, or gave back what they wait for, at t. In a warp that has another split to run, the lanes
// continue when their split is chosen.
func (r *cta) wakeWaiting(self *slot, next moment, t int64) {
	for _, p := range r.slots {
		x := &r.sm.schedulers[p.scheduler].slots[p.slot]
		x.released = next
		if x != self && x.warp != nil && x.warp.Live != 0 && x.blocked && x.chooseSplit() {
			x.blocked = false
			r.sm.now = max(r.sm.now, t)
			r.sm.proceed(x, next, t)
		}
	}
}

// proceed schedules the next issue of the warp in x, at next or later, after something that happened at t. The
// warp must have a split that can run. Instructions that cost nothing are executed at once.
func (m *multiprocessor) proceed(x *slot, next moment, t int64) {
	x.inOrder = x.absent > 0 || x.engine.DefersLoads()
	m.proceedFrom(x, next, t, true)
}

// proceedFrom is proceed, where exact says whether t, and so the SM's state, is the same in all windows.
func (m *multiprocessor) proceedFrom(x *slot, next moment, t int64, exact bool) {
	if x.split.Mask&x.atBarrier != 0 {
		next = max(next, x.released)
		x.atBarrier &^= x.split.Mask
	}
	if next.state() == AtBarrier {
		x.freed = next.cycle()
	}
	for {
		if x.body != nil {
			if x.at == len(x.body.instrs) {
				m.nextBody(x)
				continue
			}
			if x.in = &x.body.instrs[x.at]; len(x.in.ops) > 0 {
				break
			}
			m.copyValues(x)
			x.at++
			continue
		}
		if x.code == nil || x.frame != x.split.Frame {
			m.enterFrame(x)
		}
		if x.loop != nil && x.split.PC != x.loop.First && x.split.PC != x.loop.End {
			x.leaveLoop()
		}
		if r := x.code.regions[x.split.PC]; r != nil && m.enterRegion(x, r, t, exact) {
			if x.failed {
				return
			}
			continue
		}
		x.in = &x.code.instrs[x.split.PC]
		if len(x.in.ops) > 0 {
			break
		}
		var goesOn bool
		if next, goesOn = m.executeFree(x, next, t); !goesOn {
			return
		}
	}
	sources := moment(0)
	if x.setOp(-len(x.prologue)); x.nextOp == x.in.reads {
		sources = x.sourcesReady(m)
	}
	if x.in.unit > 0 {
		next = max(next, at(x.memoryNext, Wait))
	}
	if x.op.settles {
		next = max(next, at(x.fixed, Wait))
	}
	m.wait(x, next, sources, t)
}

// enterFrame makes the warp in x issue for the frame of its split.
func (m *multiprocessor) enterFrame(x *slot) {
	x.frame = x.split.Frame
	x.code = x.cta.launch.codes[x.warp.Windows[x.frame].Func.Number]
	x.sites = m.states[x.cta.launch.index][x.code.firstSite:][:len(x.code.instrs)]
	x.scoreboard = *x.scoreboardOf(m.worker, x.frame)
}

// executeFree executes the next instruction of the warp in x, which costs nothing. It returns when the warp may
// issue, and false if the warp waits for other warps or for a result at an unknown time.
func (m *multiprocessor) executeFree(x *slot, next moment, t int64) (later moment, goesOn bool) {
	before, in, done := x.split, x.in, x.sourcesReady(m)
	next = max(next, x.late) // after a wait for a late result
	switch {
	case done.isKnown():
		if !in.follows {
			next = max(next, done)
		}
		for _, r := range in.results {
			m.set(x, r, done)
		}
	case in.follows && done < absent:
		m.follow(x)
	default:
		x.parked, x.earliest = true, next
		return next, false
	}
	why, err := interp.Branched, error(nil)
	if in.branchTo < 0 || !x.engine.Jump(x.warp, &x.split) {
		why, err = x.engine.Issue(x.cta.CTA, x.warp, &x.split, &m.effect)
	}
	if err != nil {
		m.fail(x, err, t)
		return next, false
	}
	switch why {
	case interp.Executed:
	case interp.Branched:
		if len(in.skipped) > 0 && x.split.PC == in.target { // no lane executes the guarded instructions
			x.prologue = append(x.prologue, in.skipped...)
			next = max(next, done)
		}
		m.branched(x, &before, t)
	default:
		m.changed(x, &before, why)
	}
	return next, !x.blocked
}
