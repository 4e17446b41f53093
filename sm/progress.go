package sm

import "github.com/simtrun/simtrun/interp"

// stalled is called when no SM has an event to come and CTAs reside: no lane can run,
// unless a convergence barrier is broken at which lanes wait.
func (s *Session) stalled() error {
	broke := false
	for i := range s.sms {
		m := &s.sms[i]
		for j := range m.schedulers {
			c := &m.schedulers[j]
			for slot := range c.slots {
				x := &c.slots[slot]
				if x.warp == nil || x.warp.Live == 0 || !x.blocked || !x.warp.Control.Break() {
					continue
				}
				if broke = true; x.chooseSplit() {
					x.blocked = false
					m.proceed(c, slot, at(s.epochEnd, Wait), s.time)
				}
			}
		}
	}
	if broke {
		return s.failure()
	}
	var first *cta
	for _, r := range s.resident() {
		if first == nil || r.launch.index < first.launch.index || r.launch == first.launch && r.number < first.number {
			first = r
		}
	}
	s.failedOf = first.launch
	return first.launch.engines[0].Deadlock(first.CTA)
}

// ctas are the CTAs that reside on an SM, in the order of their slots.
func (m *multiprocessor) ctas() (all []*cta) {
	for j := range m.schedulers {
		c := &m.schedulers[j]
		for slot := range c.slots {
			if x := &c.slots[slot]; x.cta != nil && x.cta.live > 0 && x.warp.ID == 0 {
				all = append(all, x.cta)
			}
		}
	}
	return all
}

// resident are the CTAs that reside, by SM. Their warps' control states know where
// all lanes are.
func (s *Session) resident() (all []*cta) {
	for i := range s.sms {
		m := &s.sms[i]
		for j := range m.schedulers {
			for slot := range m.schedulers[j].slots {
				m.schedulers[j].slots[slot].settle()
			}
		}
		all = append(all, m.ctas()...)
	}
	return all
}

// Warps are the warps of the CTAs that reside, by SM.
func (s *Session) Warps() (all []interp.Warp) {
	for _, r := range s.resident() {
		for _, w := range r.Warps {
			all = append(all, r.launch.engines[0].Inspect(r.CTA, w))
		}
	}
	return all
}

// probeAfter is how many instructions a warp executes, on average and without that a
// CTA ends, until Prove is asked for the first time. It is asked again after twice as
// many.
const probeAfter = 1 << 15

// probe asks Prove if the launch has executed much without that a CTA has ended. It
// may take half as many instructions as the launch has executed meanwhile. Prove does not
// know of CTAs whose end waits to take effect, and so makes room for others: it is not
// asked then. Nor is it if several launches run, or wait for room, of which one may end what
// another waits for.
func (s *Session) probe() error {
	l := s.alone()
	if len(s.distributor.waiting) > 0 || l == nil {
		return nil
	}
	instrs := s.instructions()
	if s.probed < s.lastDone {
		s.probed, s.period = s.lastDone, 0
	}
	var ctas []*interp.CTA
	for _, r := range s.resident() {
		ctas = append(ctas, r.CTA)
	}
	if s.period == 0 {
		s.period = probeAfter * uint64(len(ctas)*l.grid.Shape.WarpsPerCTA)
	}
	if s.probeAt = s.probed + s.period; instrs < s.probeAt {
		return nil
	}
	err := s.options.Prove(l.grid, ctas, l.total-l.next, s.period/2)
	s.probed = instrs
	if _, awaits := err.(*interp.Awaiting); !awaits {
		if err != nil {
			s.failedOf = l
		}
		s.period *= 2
	}
	s.probeAt = instrs + s.period
	return err
}

// alone is the only launch that has not ended, but for those that wait for it; nil if there
// are several.
func (s *Session) alone() (only *launch) {
	for _, l := range s.launches {
		if l.left == 0 || l.after != nil && l.after.left > 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = l
	}
	return only
}
