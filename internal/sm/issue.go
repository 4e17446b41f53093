package sm

// issue issues the next op of the warp in x, which is among the ready ones of its scheduler, at cycle t.
func (m *multiprocessor) issue(x *slot, t int64) {
	c, o := x.scheduler, x.op
	if woke := x.wake.cycle(); woke != t {
		m.chargeReady(x, o, woke, t)
	}
	c.ready &^= x.bit
	c.uses[o.pipe] &^= x.bit
	m.issueOp(c, x, t)
}

// issueOp issues the next op of the warp in x at cycle t, in a step of its scheduler c. With its last op an instruction
// is executed.
func (m *multiprocessor) issueOp(c *scheduler, x *slot, t int64) {
	o, in := x.op, x.in
	if m.observer != nil {
		m.notify(x, o, t, false)
	}
	// The cycles from the warp's latest issue until it was ready belong to the state that it was in.
	woke, before := x.wake.cycle(), x.wake.state()
	waited := uint64(woke - (x.issuedAt + 1))
	site, all := &x.sites[in.pc], &x.share.states
	if x.freed > x.issuedAt {
		waited -= x.chargeBarrier(woke)
	}
	x.issuedAt = t
	site[before] += waited
	all[before] += waited
	site[Selected]++
	all[Selected]++
	c.take(o.pipe, t, o.interval)
	if o.smWide {
		m.shareTake(c, o, t)
	}
	c.last = x.index
	x.pipe, x.pipeFree = o.pipe, t+o.interval
	x.did.Classes[o.class]++
	if o.completes && !x.executes {
		m.computed(c, x, in, t)
		return
	}
	m.issued(x, o, t)
}

// issued continues the warp in x, which has issued op o at t.
func (m *multiprocessor) issued(x *slot, o *op, t int64) {
	if x.replays > 0 {
		x.replays--
		m.wait(x, at(t+1, Wait), 0, t)
		return
	}
	if x.nextOp+1 < len(x.in.ops) {
		if o.unit > 0 {
			m.takesTurn(x, o, t)
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
		m.wait(x, wake, sources, t)
		return
	}
	if x.in == &x.code.entry {
		m.proceed(x, at(t+o.stall, Wait), t)
		return
	}
	m.execute(x, t)
	if m.pairs != nil {
		m.pair(x, t, o)
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

// shareTake notes for all schedulers that a pipe of the SM has taken an op of scheduler c at t. Schedulers that compete
// for such a pipe take turns.
func (m *multiprocessor) shareTake(c *scheduler, o *op, t int64) {
	for i := range m.schedulers {
		other := &m.schedulers[i]
		other.closed |= bitOf(o.pipe)
		if other != c && other.stepped == t {
			other.own[o.pipe]++ // in this cycle it could have taken one of the other's
		}
	}
	m.first = (c.id + 1) % len(m.schedulers)
}

// chargeBarrier charges the cycles between the latest issue of the warp in x and woke in which it was held at a
// barrier, and returns their number.
func (x *slot) chargeBarrier(woke int64) uint64 {
	held := x.held(woke)
	x.sites[x.in.pc][AtBarrier] += held
	x.share.states[AtBarrier] += held
	return held
}

// chargeReady charges the cycles from woke to t, in which the warp has been ready, to the states that it was in.
func (m *multiprocessor) chargeReady(x *slot, o *op, woke, t int64) {
	site, all := &x.sites[x.in.pc], &x.share.states
	throttled := uint64(x.scheduler.throttled(x, t))
	passed := uint64(t-woke) - throttled
	site[o.throttle] += throttled
	all[o.throttle] += throttled
	site[NotSelected] += passed
	all[NotSelected] += passed
}

// held returns how many cycles the warp in x was held at a barrier between its latest issue and a cycle.
func (x *slot) held(until int64) uint64 {
	return uint64(max(0, min(x.freed, until)-(x.issuedAt+1)))
}

// pair issues the next instruction of the warp in x in the same cycle as an op to another pipe, if the GPU can.
func (m *multiprocessor) pair(x *slot, t int64, first *op) {
	if x.failed || x.warp.Live == 0 || x.blocked || x.parked || x.nextOp != 0 || len(x.in.ops) != 1 || x.op.line != noLine && x.op.line != x.line || !m.pairs[first.pipe][x.op.pipe] || x.scheduler.pipes[x.op.pipe].free > t || x.sourcesReady(m).cycle() > t {
		return
	}
	if x.wake.state() != Wait || x.wake.cycle() != t+1 { // it waits for something else
		return
	}
	c, o := x.scheduler, x.op
	c.remove(x)
	if m.observer != nil {
		m.notify(x, o, t, true)
	}
	c.take(o.pipe, t, o.interval)
	if o.smWide {
		m.shareTake(c, o, t)
	}
	x.did.Classes[o.class]++
	x.did.Paired++
	m.execute(x, t)
}
