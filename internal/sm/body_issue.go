package sm

// complete does at t what an instruction of a body does after its last op is issued.
func (m *multiprocessor) complete(x *slot, t int64) {
	in := x.in
	if x.executes {
		x.executes = false
		if m.runAhead(x, t); x.failed {
			return
		}
	}
	done := at(t+in.latency, in.pending)
	if in.memory != noMemory {
		x.kept.restore(x.first+in.access, &m.effect)
		if in.joins > 0 { // the lanes access more bytes from the same places on
			for i := range m.effect.Access {
				m.effect.Access[i].Size *= uint64(in.joins)
			}
		}
		done = m.access(x, t)
		for _, r := range in.releases {
			m.set(x, r, m.sourcesRead(in, t))
		}
	}
	if x.op.constant != noConstant {
		done = max(done, at(m.launchConstant(x.share, x.op, t), in.pending))
	}
	m.completed(x, done, t)
}

// computed continues the warp in x, which has issued the last op of instruction in of a body at t, if in only computes.
func (m *multiprocessor) computed(c *scheduler, x *slot, in *instr, t int64) {
	ready, done := x.scoreboard.ready, at(t+in.latency, in.pending)
	if len(x.flights) > 0 {
		for _, r := range in.results {
			m.unawait(x, r)
		}
	}
	for _, r := range in.results {
		ready[r] = done
	}
	if in.pending == Wait {
		x.fixed = max(x.fixed, t+in.latency)
	}
	if in.next == nil {
		x.at++
		m.proceedFrom(x, at(t+x.op.stall, Wait), t, true)
		return
	}
	m.nextPlain(c, x, in, t)
}

// completed is computed for an instruction that may do more. Results can be read at done, unless that is not known yet.
func (m *multiprocessor) completed(x *slot, done moment, t int64) {
	in := x.in
	if done.isKnown() {
		for _, r := range in.results {
			m.set(x, r, done)
		}
	}
	if in.pending == Wait {
		x.fixed = max(x.fixed, t+in.latency)
	}
	if in.unit > 0 {
		x.memoryNext = t + m.memoryGap
	}
	if in.next == nil {
		x.at++
		m.proceedFrom(x, at(t+x.op.stall, Wait), t, true)
		return
	}
	m.nextPlain(x.scheduler, x, in, t)
}

// nextPlain puts the warp in x, which has issued instruction in of a body at t, in place for the next one, which is
// plain. It does what proceedFrom and wait do, with less work. It is called in a step of scheduler c, which then looks
// for its next event itself.
func (m *multiprocessor) nextPlain(c *scheduler, x *slot, in *instr, t int64) {
	next := at(t+in.lead, Wait)
	x.at++
	in = in.next
	o := &in.ops[0]
	x.in, x.op, x.nextOp = in, o, 0
	if in.unit > 0 {
		next = max(next, at(x.memoryNext, Wait))
	}
	if o.settles {
		next = max(next, at(x.fixed, Wait))
	}
	sources, ready := moment(0), x.scoreboard.ready
	for _, r := range in.sources {
		sources = max(sources, ready[r])
	}
	for _, r := range in.guards {
		if ready[r] != 0 {
			sources = max(sources, ready[r]+m.guardDelay)
		}
	}
	if !sources.isKnown() {
		x.parked, x.earliest = true, next
		return
	}
	c.place(x, max(next, sources), t)
}

// sourcesRead returns when the source registers of a memory instruction issued at t may be written again: when the
// memory pipe takes the instruction, after those that are in the SM's queues.
func (m *multiprocessor) sourcesRead(in *instr, t int64) moment {
	taken, last := t+int64(m.gpu.LSU.Depth), &in.ops[len(in.ops)-1]
	if in.unit > 0 {
		taken = m.taken(last.pipe, t)
	}
	if last.throttle == LGThrottle || last.throttle == TexThrottle {
		return at(taken, LongScoreboard)
	}
	return at(taken, ShortScoreboard)
}

// copyValues makes the results of an instruction of a body that takes no time ready with its sources.
func (m *multiprocessor) copyValues(x *slot) {
	done := x.sourcesReady(m)
	if !done.isKnown() {
		m.follow(x)
		return
	}
	for _, r := range x.in.results {
		m.set(x, r, done)
	}
}
