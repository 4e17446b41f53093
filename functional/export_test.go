package functional

// InParallel reports whether a launch that has come to its end ran on several threads of
// the host: then the session itself has made no CTA.
func (s *Session) InParallel() bool { return s.done && len(s.made) == 0 }
