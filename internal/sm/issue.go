package sm

// issue issues the next op of the warp in a slot at cycle t. With its last op an instruction is executed.
func (m *multiprocessor) issue(c *scheduler, s int, t int64) {
	x := &c.slots[s]
	o := x.op
	bit := uint64(1) << s
	if m.observer != nil {
		m.notify(c, s, o, t, false)
	}
	m.charge(c, x, o, t)
	m.take(c, o, t)
	c.ready &^= bit
	c.uses[o.pipe] &^= bit
	c.last = s
	x.pipe, x.pipeFree = o.pipe, t+o.interval
	x.did.Classes[o.class]++
	if x.replays > 0 {
		x.replays--
		m.wait(c, s, at(t+1, Wait), 0, t)
		return
	}
	if x.nextOp+1 < len(x.in.ops) {
		if o.unit > 0 {
			m.takesTurn(c, s, o, t)
		}
		x.setOp(x.nextOp + 1)
		wake := at(t+o.stall, Wait)
		if x.op.waits || o.holds {
			wake = max(wake, at(t+o.latency+x.behind, o.pending))
			x.behind = 0
		}
		if x.op.unit > 0 {
			wake = max(wake, at(x.memoryNext, Wait))
		}
		sources := moment(0)
		if x.nextOp == x.in.reads {
			sources = x.sourcesReady(m)
		}
		if x.op.settles {
			wake = max(wake, at(x.fixed, Wait))
		}
		m.wait(c, s, wake, sources, t)
		return
	}
	if x.in == &x.code.entry {
		m.proceed(c, s, at(t+o.stall, Wait), t)
		return
	}
	m.execute(c, s, t)
	if m.pairs != nil {
		m.pair(c, s, t, o)
	}
}

// setOp makes op i of the next instruction, or of its prologue, the next to issue.
func (x *slot) setOp(i int) {
	x.nextOp = i
	if i < 0 {
		x.op = &x.prologue[len(x.prologue)+i]
		return
	}
	x.op = &x.in.ops[i]
	x.prologue = x.prologue[:0]
}

// take makes the pipe of an op busy from t on. Schedulers that compete for a pipe of the SM take turns.
func (m *multiprocessor) take(c *scheduler, o *op, t int64) {
	c.take(o.pipe, t, o.interval)
	if m.gpu.SMWide[o.pipe] {
		for i := range m.schedulers {
			other := &m.schedulers[i]
			other.closed |= 1 << o.pipe
			if other != c && other.stepped == t {
				other.own[o.pipe]++ // in this cycle it could have taken one of the other's
			}
		}
		m.first = (c.id + 1) % len(m.schedulers)
	}
}

// charge charges the cycles since the warp's last issue to the states that it was in.
func (m *multiprocessor) charge(c *scheduler, x *slot, o *op, t int64) {
	woke := x.wake.cycle()
	throttled := c.closedBefore(o.pipe, t) - x.closedAtWake
	waited, passed := uint64(woke-(x.issuedAt+1)), uint64(t-woke-throttled)
	if held := x.held(woke); held > 0 {
		x.sites[x.in.pc][AtBarrier] += held
		x.share.states[AtBarrier] += held
		waited -= held
	}
	x.sites[x.in.pc].charge(x.wake.state(), waited, o.throttle, uint64(throttled), passed)
	x.share.states.charge(x.wake.state(), waited, o.throttle, uint64(throttled), passed)
	x.issuedAt = t
}

// held returns how many cycles the warp in x was held at a barrier between its latest issue and a cycle.
func (x *slot) held(until int64) uint64 {
	return uint64(max(0, min(x.freed, until)-(x.issuedAt+1)))
}

// charge adds a warp's cycles up to an issue, and the issue's own.
func (s *States) charge(before State, waited uint64, throttle State, throttled, passed uint64) {
	s[before] += waited
	s[throttle] += throttled
	s[NotSelected] += passed
	s[Selected]++
}

// pair issues the next instruction of the warp in a slot in the same cycle as an op to another pipe, if the GPU can.
func (m *multiprocessor) pair(c *scheduler, s int, t int64, first *op) {
	x := &c.slots[s]
	if x.failed || x.warp.Live == 0 || x.blocked || x.parked || x.nextOp != 0 || len(x.in.ops) != 1 || x.op.line != noLine && x.op.line != x.line || !m.pairs[first.pipe][x.op.pipe] || c.pipes[x.op.pipe].free > t || x.sourcesReady(m).cycle() > t {
		return
	}
	if x.wake.state() != Wait || x.wake.cycle() != t+1 { // it waits for something else
		return
	}
	o := x.op
	c.remove(s)
	if m.observer != nil {
		m.notify(c, s, o, t, true)
	}
	m.take(c, o, t)
	x.did.Classes[o.class]++
	x.did.Paired++
	m.execute(c, s, t)
}
