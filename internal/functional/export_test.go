package functional

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// InParallel reports whether a launch that has ended ran on several threads of the host: the session itself has then
// made no CTA.
func (s *Session) InParallel() bool { return s.done && len(s.made) == 0 }

// Apart returns how many CTAs, the first ones, were executed by several threads, or before those.
func (s *Session) Apart() int64 { return s.apart }

// LatestStart returns the position of the CTA with the latest started warps among those in the first slot, without
// CTAs that end in the turns with which they start.
func (s *Session) LatestStart() isa.Dim {
	w := s.made[0].CTA.Warps[0]
	return isa.Dim{X: uint32(w.Special(isa.CtaidX)[0]), Y: uint32(w.Special(isa.CtaidY)[0]), Z: uint32(w.Special(isa.CtaidZ)[0])}
}

// Watch notifies w of accesses to global memory in launches that run in order.
func (s *Session) Watch(w interp.Watcher) { s.engine.Watch(w) }

// BeginWithSlice is Begin with time slices of a length in instructions, a power of two, which accesses that may
// conflict do not end.
func BeginWithSlice(m *interp.Machine, l interp.Launch, slice uint64) (*Session, error) {
	g, err := m.Prepare(l)
	if err != nil {
		return nil, err
	}
	s := newSession(g, g.NewEngine())
	s.total, s.slice = l.Grid.Count(), slice
	if s.capacity, err = g.Capacity(); err != nil {
		return nil, err
	}
	s.observe(interp.ObserversOf(nil))
	return s, nil
}

// TriedTurns reports whether warps of the launch were in a state to take turns in compiled code.
func (s *Session) TriedTurns() bool { return len(s.turns.all) > 0 }

// AlsoDetect adds an observer that is attached whenever the detector of livelocks observes accesses.
func (s *Session) AlsoDetect(o interp.Observer) { s.detector.all = s.detector.observers().With(o) }

// Executed returns how many warp instructions the latest proof has executed.
func (p *Prover) Executed() uint64 { return p.undo.s.engine.Stats.WarpInstrs }

// ProveNow tries to prove that the launch does not end, if all of its CTAs have started.
func (s *Session) ProveNow(steps uint64) error {
	if s.next < s.total {
		return nil
	}
	var ctas []*interp.CTA
	for _, r := range s.resident {
		if r.Live > 0 {
			ctas = append(ctas, r.CTA)
		}
	}
	return s.prover.Prove(s.grid, ctas, s.total-s.next, steps)
}
