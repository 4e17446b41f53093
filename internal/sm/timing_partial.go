package sm

import "slices"

// addResidents adds to the timing of an unfinished launch what its resident warps have done since their last issue,
// up to the cycle to which the SMs have run, and subtracts what they have been charged beyond it. It uses the states
// as known at that time, which may turn out to be others later.
func (s *Session) addResidents(t *Timing, l *launch) {
	now := s.time
	t.Partial, t.Cycles = true, now-l.start
	for id := range s.sms {
		m, did := &s.sms[id], &t.SMs[id]
		of := &m.of[l.index]
		if of.residents > 0 {
			did.Active += max(0, now-of.activeSince)
			did.Last = t.Cycles
		}
		for i := range m.schedulers {
			c := &m.schedulers[i]
			for k := range c.slots {
				x := &c.slots[k]
				if x.warp == nil || x.cta.launch != l {
					continue
				}
				if x.start >= now {
					did.CTAs -= boolean(x.cta.start >= now && x.warp == x.cta.Warps[0])
					continue
				}
				states, resides := m.since(x, now)
				did.States.Add(&states)
				did.Schedulers[i].WarpCycles += resides
				at := &t.Funcs[max(0, slices.Index(l.codes, x.code))]
				at.States[min(x.pc(), len(at.States)-1)].Add(&states)
			}
		}
		if did.CTAs == 0 {
			did.First, did.Last = 0, 0
		}
	}
}

// since returns the states of the warp in x between its last issue and cycle now, and the cycles of its
// residence that have not been counted. Both are differences: a warp that has ended has been charged up to the end of
// its stores.
func (m *multiprocessor) since(x *slot, now int64) (states States, resides int64) {
	if x.ends && x.unsent == 0 {
		beyond := min(0, now-m.endOf(x))
		states[Drain] += uint64(beyond) // modulo 2^64
		return states, beyond
	}
	held := x.held(now)
	cycles := uint64(now-(x.issuedAt+1)) - held
	resides = now - x.start
	states[AtBarrier] += held
	c := x.scheduler
	switch {
	case x.failed:
		states[Misc] += cycles
	case x.ends:
		states[Drain] += cycles
	case x.blocked:
		states[AtBarrier] += cycles
	case c.ready&x.bit != 0:
		waited := uint64(x.wake.cycle()-(x.issuedAt+1)) - held
		throttled := uint64(c.throttled(x, now))
		states[x.wake.state()] += waited
		states[x.op.throttle] += throttled
		states[NotSelected] += cycles - waited - throttled
	case x.waitsInWheel():
		states[x.wake.state()] += cycles
	default:
		states[m.parkedState(x)] += cycles
	}
	return states, resides
}

// parkedState returns the state of the warp in x, which waits for something that arrives at an unknown time.
func (m *multiprocessor) parkedState(x *slot) State {
	state := LongScoreboard // a system call
	if !x.parked || x.scoreboard.ready == nil {
		return state
	}
	for _, n := range x.in.sources {
		if ready := x.scoreboard.ready[n]; !ready.isKnown() {
			if f := m.flightOf(x, n); f != nil {
				state = f.state
			}
		}
	}
	return state
}

func boolean(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
