package functional

import "github.com/simtrun/simtrun/interp"

// InParallel reports whether a launch that has come to its end ran on several threads of
// the host: then the session itself has made no CTA.
func (s *Session) InParallel() bool { return s.done && len(s.made) == 0 }

// Watch has w told of accesses to global memory where the launch runs in order.
func (s *Session) Watch(w interp.Watcher) { s.engine.Watch(w) }
