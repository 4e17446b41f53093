package functional

// trialCTAs is how many CTAs of a launch show whether its warps meet where they may, if they go to the same places in every CTA
// (program.Contention.Repeats). The first often has a part of its own, so that one is not enough. If none of their warps have met,
// the others have long turns, which take a twentieth of the time of short ones.
const trialCTAs = 2

// trialIsOver reports whether the first CTAs have shown it. All that have started have ended, in their first time slice.
func (s *Session) trialIsOver() bool {
	return s.trial && s.live == 0 && s.next >= trialCTAs && s.next < s.total
}

// endTrial ends the short turns of a launch whose warps have not met.
func (s *Session) endTrial() {
	if s.trial && !s.engine.Met() {
		s.slice, s.contention = sliceLength, nil
		s.engine.Yield(nil)
	}
	s.trial = false
}
