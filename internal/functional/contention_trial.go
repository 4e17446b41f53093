package functional

// trialCTAs is the number of CTAs that show whether accesses of warps that may conflict really do, in launches with the
// same addresses in every CTA (program.Contention.Repeats). One is not enough, since the first CTA often has extra
// work. If there was no conflict, the other CTAs have long time slices, which take a twentieth of the time of short
// ones.
const trialCTAs = 2

// trialIsOver reports whether the CTAs of the trial have ended, and no other has started.
func (s *Session) trialIsOver() bool {
	return s.trial && s.live == 0 && s.next >= trialCTAs && s.next < s.total
}

// endTrial ends the short time slices if no accesses have conflicted.
func (s *Session) endTrial() {
	if s.trial && !s.engine.Conflicted() {
		s.slice, s.contention = sliceLength, nil
		s.engine.Yield(nil)
	}
	s.trial = false
}
