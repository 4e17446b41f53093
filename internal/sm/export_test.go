package sm

// ContinueEveryCycle runs the launches as Continue does, but visits every scheduler of every SM in every cycle, in one
// thread and with an exchange after each cycle. It skips no cycle, and does not use when anything says that its next
// event is. The launches must have windows of one cycle.
func (s *Session) ContinueEveryCycle() error {
	for !s.done {
		if ended, err := s.everyCycleOfEpoch(); err != nil || ended {
			s.end(err)
		}
	}
	return s.failed
}

// everyCycleOfEpoch runs the next epoch, and reports whether the launches had ended before.
func (s *Session) everyCycleOfEpoch() (ended bool, err error) {
	if s.applied && s.atRest() {
		if len(s.distributor.ready) == 0 && s.empty() {
			return true, nil
		}
		return false, s.stalled()
	}
	s.epochEnd, s.applied = s.time+s.epoch, false
	for _, m := range s.used {
		m.empty(s.epochEnd)
	}
	for t := s.time; t < s.epochEnd; t++ {
		s.time, s.windowEnd = t+1, t+1
		s.findActing(idle)
		for _, m := range s.used {
			m.everyScheduler(t)
		}
		s.recordPassed(t + 1)
		if s.time < s.epochEnd {
			if err := s.exchange(s.time); err != nil {
				return false, err
			}
		}
	}
	return false, s.endEpoch()
}

// atRest reports whether nothing will happen by itself any more.
func (s *Session) atRest() bool {
	for _, m := range s.used {
		for i := range m.schedulers {
			if c := &m.schedulers[i]; c.ready|c.far|c.occupied != 0 || m.queued(i) > 0 {
				return false
			}
		}
	}
	return len(s.distributor.waiting) == 0
}

// everyScheduler runs cycle t of the SM.
func (m *multiprocessor) everyScheduler(t int64) {
	m.now = t
	for _, p := range []*intake{&m.accesses, &m.textures} {
		due := false
		for i := range p.queues {
			due = due || m.due(&p.queues[i], t) <= t
		}
		if due && p.free <= t {
			m.takeMemory(p, t)
		}
	}
	for i, first := 0, m.first; i < len(m.schedulers); i++ {
		m.step(&m.schedulers[(first+i)%len(m.schedulers)], t)
	}
}

// ContinueProving runs the launches as Continue does, and calls Options.Prove after each epoch, as if the launch had
// executed much since a CTA last ended.
func (s *Session) ContinueProving() error {
	for !s.done {
		if err := s.turn(); err != nil {
			return err
		}
		if s.done || !s.applied {
			continue
		}
		if ctas := s.toProve(); ctas != nil {
			if err := s.prove(ctas, 1); err != nil {
				return err
			}
		}
	}
	return s.failed
}
