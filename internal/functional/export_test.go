package functional

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// InParallel reports whether a launch that has come to its end ran on several threads of
// the host: then the session itself has made no CTA.
func (s *Session) InParallel() bool { return s.done && len(s.made) == 0 }

// Apart is how many CTAs, the first ones, were executed by several threads, or before those.
func (s *Session) Apart() int64 { return s.apart }

// LatestStart is the place of the CTA whose warps were started last among those that have had the first slot. Those of a CTA
// that ends in the turns with which it starts are not.
func (s *Session) LatestStart() isa.Dim {
	w := s.made[0].CTA.Warps[0]
	return isa.Dim{X: uint32(w.Special(isa.CtaidX)[0]), Y: uint32(w.Special(isa.CtaidY)[0]), Z: uint32(w.Special(isa.CtaidZ)[0])}
}

// Watch has w told of accesses to global memory where the launch runs in order.
func (s *Session) Watch(w interp.Watcher) { s.engine.Watch(w) }
