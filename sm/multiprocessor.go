package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// multiprocessor is an SM. It runs by itself from one exchange to the next: what it
// has for others is in its outbox.
type multiprocessor struct {
	*machine
	id         int
	schedulers []scheduler
	first      int                // the scheduler that is first in a cycle
	pipes      [isa.NumUnits]pipe // those that its schedulers share
	room       room
	outbox     []message

	barrierFree int64 // from this cycle on the barrier unit takes an arrival
	sharedFree  int64 // from this cycle on shared memory takes a request

	// Of the time in which a warp resides.
	residents   int   // CTAs
	handed      int64 // CTAs, since the launch began
	activeSince int64 // cycle in which the first of the residents started
	active      int64 // cycles of earlier residents
	warpCycles  int64 // cycles of warps, of CTAs that have ended

	eligible uint64 // cycles of warps in which they could issue
	issued   uint64 // machine instructions
	paired   uint64 // of them, those that were issued in the cycle of another
	err      error  // of the instruction that was executed last
	errAt    int64  // cycle
}

// cta is a CTA that resides on an SM.
type cta struct {
	*interp.CTA
	number  int64 // in the grid
	slots   []place
	live    int   // warps that have not ended
	start   int64 // cycle
	end     int64 // cycle in which the latest of its warps to end so far has ended
	arrived int64 // cycle in which the barrier unit took the latest arrival
}

// place is a slot of a scheduler.
type place struct{ scheduler, slot int }

// slot is a place for a warp on a scheduler.
type slot struct {
	cta    *cta
	warp   *warp.State
	split  divergence.Split   // that issues
	frame  divergence.FrameID // of the split
	code   *code              // of the frame's function
	in     *instr             // that is issued next
	op     *op                // of it, that is issued next
	nextOp int                // index of op in in.ops; -1 for a BSYNC that is not in them
	board  []moment           // of the frame, by register: when it can be read
	boards [][]moment         // by divergence.FrameID

	start        int64  // cycle
	issuedAt     int64  // cycle of the latest issue
	wake         moment // when it was to be ready
	closedAtWake int64  // what closedBefore was then, of the pipe of op
	stored       int64  // cycle in which its latest store has left the SM
	blocked      bool   // no split can run until lanes of other warps arrive or end

	turn turn
}

// run lets the SM run up to, but without, cycle end.
func (m *multiprocessor) run(end int64) {
	for {
		t := int64(idle)
		for i := range m.schedulers {
			t = min(t, m.schedulers[i].next)
		}
		if t >= end {
			return
		}
		m.now = t
		for i, first := 0, m.first; i < len(m.schedulers); i++ {
			if c := &m.schedulers[(first+i)%len(m.schedulers)]; c.next == t {
				m.step(c, t)
			}
		}
		if m.err != nil {
			return
		}
	}
}

// step is a cycle of a scheduler.
func (m *multiprocessor) step(c *scheduler, t int64) {
	m.steps++
	c.wakeUp(t)
	if e := c.eligible(t); e != 0 {
		m.eligible += uint64(bits.OnesCount64(e))
		m.issue(c, m.policy.pick(c, e, t), t)
	}
	c.setNext(t)
}

// issue issues the next machine instruction of the warp in a slot at cycle t. The last
// one of an instruction executes it.
func (m *multiprocessor) issue(c *scheduler, s int, t int64) {
	x := &c.slots[s]
	o := x.op
	bit := uint64(1) << s
	if m.options.Issued != nil {
		m.notify(c, x, o, t)
	}
	m.charge(c, x, o, t)
	m.take(c, o, t)
	c.ready &^= bit
	c.uses[o.pipe] &^= bit
	c.last = s
	m.issued++
	if x.nextOp+1 < len(x.in.ops) {
		x.nextOp++
		x.op = &x.in.ops[x.nextOp]
		wake := at(t+1, Wait)
		if o == &m.syncOp { // the instruction itself is still to come
			wake = max(wake, at(t+o.latency, o.pending), x.sourcesReady())
		} else if x.op.waits {
			wake = max(wake, at(t+o.latency, o.pending))
		}
		c.add(s, wake, t)
		return
	}
	m.execute(c, s, t)
	if m.pairs != nil && m.err == nil {
		m.pair(c, s, t, o)
	}
}

// notify says that the warp of a slot issues an op at t.
func (m *multiprocessor) notify(c *scheduler, x *slot, o *op, t int64) {
	m.event = Issue{Cycle: t, SM: m.id, Scheduler: c.id % len(m.schedulers), CTA: x.cta.number, Warp: x.warp.ID, Func: x.code.fn.Src, PC: x.split.PC, Class: o.class,
		State: x.wake.state(), Waited: max(0, x.wake.cycle()-(x.issuedAt+1))}
	m.options.Issued(&m.event)
}

// take makes the pipe of an op take it at t, from a scheduler. Of schedulers that want a
// pipe of the SM, the next one in turn has it.
func (m *multiprocessor) take(c *scheduler, o *op, t int64) {
	c.take(o.pipe, t, o.interval)
	if m.gpu.SMWide[o.pipe] {
		for i := range m.schedulers {
			m.schedulers[i].closed |= 1 << o.pipe
		}
		m.first = (c.id + 1) % len(m.schedulers)
	}
}

// charge charges the cycles since the warp issued last to the states that it was in.
func (m *multiprocessor) charge(c *scheduler, x *slot, o *op, t int64) {
	states := &m.states[x.code.firstSite+x.split.PC]
	woke := x.wake.cycle()
	throttled := c.closedBefore(o.pipe, t) - x.closedAtWake
	states[x.wake.state()] += uint64(woke - (x.issuedAt + 1))
	states[o.throttle] += uint64(throttled)
	states[NotSelected] += uint64(t - woke - throttled)
	states[Selected]++
	x.issuedAt = t
}

// execute executes the next instruction of the warp in a slot, whose last machine
// instruction was issued at t.
func (m *multiprocessor) execute(c *scheduler, s int, t int64) {
	x := &c.slots[s]
	in, w, before := x.in, x.warp, x.split
	why, err := m.engine.Issue(x.cta.CTA, w, &x.split, &m.effect)
	if err != nil {
		m.fail(err, t)
		return
	}
	done := at(t+in.latency, in.pending)
	if in.memory != noMemory {
		done = m.access(x, t)
	}
	for _, r := range in.results {
		x.board[r] = done
	}
	next := at(t+1, Wait)
	switch why {
	case interp.Executed:
	case interp.Branched:
		next = at(t+in.latency, in.pending)
		if x.split.PC == x.split.Stop {
			w.Control.Advance(x.split.ID, x.split.PC)
			m.changed(x, &before, interp.Changed)
		} else if err := m.branched(x, before.PC); err != nil {
			m.fail(err, t)
			return
		}
	case interp.AtBarrier:
		taken := max(t, m.barrierFree)
		m.barrierFree = taken + int64(m.gpu.Barrier.PerWarp)
		x.cta.arrived = max(x.cta.arrived, taken)
		x.turn.reset()
		x.blocked = !x.chooseSplit()
		if m.effect.Released && !in.arrives {
			next = m.release(x.cta)
			for _, r := range in.results {
				x.board[r] = next
			}
		}
	case interp.StepLimit:
		m.fail(m.stepLimit(x), t)
		return
	default: // the split is no more what it was
		if in.memory == noMemory && (in.pending == BranchResolving || in.pending == Membar) {
			next = at(t+in.latency, in.pending)
		}
		if w.Live == 0 {
			m.endWarp(c, s, t)
		} else {
			m.changed(x, &before, why)
		}
	}
	if m.effect.Released {
		m.wakeReleased(x, t)
	}
	if w.Live == 0 || x.blocked {
		return
	}
	switch in.pending { // the warp waits for them whether or not it needs a result
	case Membar:
		next = max(next, done)
	case Sleeping:
		next = max(next, at(t+max(in.latency, m.sleeps(x, &before)), Sleeping))
	}
	m.proceed(c, s, next, t)
}

// stepLimit is the hang of a warp that has executed as much as it may.
func (m *multiprocessor) stepLimit(x *slot) error {
	x.settle()
	return m.engine.Inspect(x.cta.CTA, x.warp).StepLimit()
}

// sleeps is how many cycles the lanes of a split sleep that has executed a nanosleep: as
// many as the longest of them, which sleeps as long as it asks for. PTX allows for
// anything up to twice that; an H100 takes 1 % more.
func (m *multiprocessor) sleeps(x *slot, s *divergence.Split) int64 {
	ns := uint32(0)
	file, a := x.warp.Windows[s.Frame].File, x.code.fn.Ops[s.PC].A
	for lanesLeft := m.effect.Active; lanesLeft != 0; lanesLeft &= lanesLeft - 1 {
		ns = max(ns, lanes.Reg[uint32](file, a)[bits.TrailingZeros32(uint32(lanesLeft))])
	}
	return int64(float64(ns) * m.gpu.ClockMHz / 1000)
}

// fail notes the error of an instruction at t, which ends the launch.
func (m *multiprocessor) fail(err error, t int64) { m.err, m.errAt = err, t }

// changed goes on with another split of a warp, as before has arrived at a convergence
// barrier, waits or has diverged.
func (m *multiprocessor) changed(x *slot, before *divergence.Split, why interp.Stop) {
	if why == interp.AtRendezvous {
		x.turn.reset()
	}
	calls := x.in.calls
	x.blocked = !x.chooseSplit()
	if x.blocked {
		return
	}
	if calls && x.split.Frame != before.Frame {
		clear(x.boardOf(x.split.Frame, m.codes))
	}
	// A split that waits at a convergence barrier has executed a BSYNC. That of the
	// last one is charged to the instruction where the lanes reconverge.
	if m.convergence && why == interp.Changed && before.Stop >= 0 && x.split.Mask&before.Mask == 0 {
		x.nextOp = -1
	}
}

// release is when warps go on that waited at a barrier whose last arrival was taken.
func (m *multiprocessor) release(c *cta) moment {
	return at(c.arrived+int64(m.gpu.Barrier.Release), AtBarrier)
}

// wakeReleased lets the warps of the CTA go on that could not run before an instruction
// of the warp of self at t completed a barrier.
func (m *multiprocessor) wakeReleased(self *slot, t int64) {
	next := max(m.release(self.cta), at(t+1, Wait))
	for _, at := range self.cta.slots {
		c := &m.schedulers[at.scheduler]
		x := &c.slots[at.slot]
		if x != self && x.warp != nil && x.warp.Live != 0 && x.blocked && x.chooseSplit() {
			x.blocked = false
			m.proceed(c, at.slot, next, t)
		}
	}
}

// proceed puts the warp in a slot, which has a split that can run, to where it is to
// issue its next instruction, at next or later. Instructions that cost nothing are
// executed at once.
func (m *multiprocessor) proceed(c *scheduler, s int, next moment, t int64) {
	x := &c.slots[s]
	for {
		if x.code == nil || x.frame != x.split.Frame {
			x.frame = x.split.Frame
			x.code = m.codes[x.warp.Windows[x.frame].Func.Number]
			x.board = x.boardOf(x.frame, m.codes)
		}
		x.in = &x.code.instrs[x.split.PC]
		if len(x.in.ops) > 0 {
			break
		}
		done := x.sourcesReady()
		for _, r := range x.in.results {
			x.board[r] = done
		}
		before := x.split
		why, err := m.engine.Issue(x.cta.CTA, x.warp, &x.split, &m.effect)
		if err != nil {
			m.fail(err, t)
			return
		}
		if why != interp.Executed {
			if m.changed(x, &before, why); x.blocked {
				return
			}
		}
	}
	if x.nextOp < 0 {
		x.op = &m.syncOp
	} else {
		x.nextOp = 0
		x.op = &x.in.ops[0]
		next = max(next, x.sourcesReady())
	}
	c.add(s, next, t)
}

// sourcesReady is when the registers that the next instruction waits for can be read.
func (x *slot) sourcesReady() moment {
	ready := moment(0)
	for _, r := range x.in.sources {
		ready = max(ready, x.board[r])
	}
	return ready
}

// boardOf is the scoreboard of an activation.
func (x *slot) boardOf(id divergence.FrameID, codes []*code) []moment {
	if int(id) < len(x.boards) && x.boards[id] != nil {
		return x.boards[id]
	}
	for len(x.boards) <= int(id) {
		x.boards = append(x.boards, nil)
	}
	x.boards[id] = make([]moment, codes[x.warp.Windows[id].Func.Number].registers)
	return x.boards[id]
}

// endWarp ends the warp in a slot, all of whose lanes have ended at t. It is in its slot
// until its stores have left the SM.
func (m *multiprocessor) endWarp(c *scheduler, s int, t int64) {
	x := &c.slots[s]
	end := max(t+1, x.stored)
	m.states[x.code.firstSite+x.split.PC][Drain] += uint64(end - (t + 1))
	m.warpCycles += end - x.start
	r := x.cta
	r.end = max(r.end, end)
	if r.live--; r.live == 0 {
		m.outbox = append(m.outbox, message{cycle: r.end, sm: m.id, seq: m.sent, ended: r})
		m.sent++
	}
}

// pair issues the next instruction of the warp in a slot in the same cycle as one to
// another pipe, if the GPU can.
func (m *multiprocessor) pair(c *scheduler, s int, t int64, first *op) {
	x := &c.slots[s]
	if x.warp.Live == 0 || x.blocked || len(x.in.ops) != 1 || !m.pairs[first.pipe][x.op.pipe] || c.pipes[x.op.pipe].free > t || x.sourcesReady().cycle() > t {
		return
	}
	if x.wake.state() != Wait || x.wake.cycle() != t+1 { // it waits for something else
		return
	}
	o := x.op
	c.remove(s)
	if m.options.Issued != nil {
		m.notify(c, x, o, t)
	}
	m.take(c, o, t)
	m.issued++
	m.paired++
	m.execute(c, s, t)
}

// remove takes out of the wheel a warp that was just put there.
func (c *scheduler) remove(s int) {
	bucket := c.slots[s].wake.cycle() & (wheelSpan - 1)
	if c.wheel[bucket] &^= 1 << s; c.wheel[bucket] == 0 {
		c.occupied &^= 1 << bucket
	}
}

// startCTA puts the warps of a CTA in their slots, the first of which is to start at
// cycle start. Now is a cycle up to which the SM has run.
func (m *multiprocessor) startCTA(r *cta, start, now int64) {
	m.handed++
	if m.residents++; m.residents == 1 {
		m.activeSince = start
	}
	r.start, r.end, r.arrived, r.live = start, start, 0, len(r.Warps)
	m.placeWarps(r)
	m.engine.Start(r.CTA, m.grid.Launch.Grid.At(r.number))
	for id, at := range r.slots {
		c := &m.schedulers[at.scheduler]
		m.startWarp(c, at.slot, r, r.Warps[id], start+int64(id*m.gpu.CTAs.PerWarp), now)
	}
}

// placeWarps finds a slot for every warp of a CTA: on the scheduler with the fewest
// warps that has enough registers left, the first of several; those
// of a CTA that has an SM to itself are on schedulers by their number modulo that of the
// schedulers.
func (m *multiprocessor) placeWarps(r *cta) {
	r.slots = r.slots[:0]
	registers := m.demand.registers
	for id := range r.Warps {
		best, fewest := 0, len(m.schedulers[0].slots)+1
		for i := range m.schedulers {
			if n := bits.OnesCount64(m.schedulers[i].resident); n < fewest && m.room.registers[i] >= registers {
				best, fewest = i, n
			}
		}
		m.room.registers[best] -= registers
		c := &m.schedulers[best]
		s := bits.TrailingZeros64(^c.resident)
		c.resident |= 1 << s
		r.slots = append(r.slots, place{best, s})
		r.Warps[id].Place(m.id, s*len(m.schedulers)+best)
	}
}

// startWarp puts a warp, which is to start at a cycle, in a slot.
func (m *multiprocessor) startWarp(c *scheduler, s int, r *cta, w *warp.State, start, now int64) {
	x := &c.slots[s]
	boards := x.boards
	for i := range boards {
		clear(boards[i])
	}
	*x = slot{cta: r, warp: w, boards: boards, start: start, issuedAt: start - 1}
	for others := c.resident &^ (1 << s); others != 0; others &= others - 1 {
		c.younger[bits.TrailingZeros64(others)] |= 1 << s
	}
	c.younger[s] = 0
	if x.blocked = !x.chooseSplit(); !x.blocked {
		m.proceed(c, s, at(start, Wait), now)
	}
}

// endCTA takes a CTA that has ended out of its slots.
func (m *multiprocessor) endCTA(r *cta) {
	for _, at := range r.slots {
		c := &m.schedulers[at.scheduler]
		c.resident &^= 1 << at.slot
		m.room.registers[at.scheduler] += m.demand.registers
		x := &c.slots[at.slot]
		x.cta, x.warp = nil, nil
	}
	if m.residents--; m.residents == 0 {
		m.active += r.end - m.activeSince
	}
	m.engine.End(r.CTA)
}
