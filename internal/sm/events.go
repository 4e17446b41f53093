package sm

// smEvents is what a session needs to know of all SMs for each window. It is apart from the SMs, because most of them
// may do nothing in a window, and are not examined then.
type smEvents struct {
	events       []int64  // by SM: cycle of its next event, as of the latest noteEvent
	startedAhead bool     // an SM has executed instructions ahead when a CTA started, since the latest findActing
	begins       bool     // an SM has a CTA that needs empty caches, and has not started yet
	executed     uint64   // warp instructions of all SMs, as of the latest countInstructions of each
	counted      []uint64 // by SM: its part of executed
}

// noteEvent notes when an SM has its next event. It must be called after anything may have changed that: a window in
// which the SM acts, and the start of a CTA.
func (s *Session) noteEvent(m *multiprocessor) {
	s.events[m.id] = m.nextEvent()
	s.startedAhead = s.startedAhead || m.executedAhead
	s.begins = s.begins || len(m.begins) > 0
}

// countInstructions counts what an SM has executed since the latest call for it.
func (s *Session) countInstructions(m *multiprocessor) {
	n := uint64(0)
	for _, l := range s.launches {
		n += l.engines[m.id].Stats.WarpInstrs
	}
	s.executed += n - s.counted[m.id]
	s.counted[m.id] = n
}

// catchUp brings the cycle of SMs up to date that have done nothing in the latest epochs.
func (s *Session) catchUp() {
	if !s.applied {
		return
	}
	for _, m := range s.used {
		m.now = max(m.now, s.time)
	}
}

// emptyCaches empties the caches of SMs for CTAs that start before the end of the epoch.
func (s *Session) emptyCaches() {
	if !s.begins {
		return
	}
	s.begins = false
	for _, m := range s.used {
		m.empty(s.epochEnd)
		s.begins = s.begins || len(m.begins) > 0
	}
}

// nextEvent returns the cycle of the next event of any SM, or of the waiting messages.
func (s *Session) nextEvent() int64 {
	next := int64(idle)
	for _, t := range s.events {
		next = min(next, t)
	}
	for i := range s.distributor.waiting {
		next = min(next, s.distributor.waiting[i].cycle)
	}
	return next
}
