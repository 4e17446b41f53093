package functional

import (
	"context"

	"github.com/simtrun/simtrun/interp"
)

// resident is a CTA that is or was resident, with its time slice and its warps' schedules.
type resident struct {
	*interp.CTA
	slice ctaSlice
	warps []schedule
	peers []*resident // the CTAs of its cluster, by rank, including itself
	stuck bool        // no lane could run in its latest time slice
	repetition
}

// gone reports whether the CTA at an index of the residents has ended, or is also at another index, in the present
// round.
func (s *Session) gone(i int) bool { return i >= s.live && i < s.current }

// round gives every CTA a time slice: first the resident ones, then new ones as far as the capacity allows. It
// continues a round that was halted.
func (s *Session) round(ctx context.Context) error {
	if !s.midRound {
		s.midRound, s.progress = true, false
	}
	for {
		if s.current >= len(s.resident) {
			if s.isNotBrief() || s.trialIsOver() {
				return errNotBrief
			}
			if err := ctx.Err(); err != nil { // the round goes on here, and starts the same CTAs
				return interp.Interrupt(s.Warps(), err)
			}
			if !s.startNext() {
				break
			}
		}
		r := s.resident[s.current]
		if err := ctx.Err(); err != nil && r.Live > 0 && !s.engine.InTurn() { // it may have ended when it was started
			return interp.Interrupt(s.Warps(), err)
		}
		done, err := s.runCTA(r, s.stepsLeft())
		if err != nil {
			return err
		}
		if done && s.probing {
			return errProgress
		}
		if done {
			s.engine.End(r.CTA)
			s.lastDone = s.engine.Stats.WarpInstrs
			if r.Cluster.Live() == 0 { // before that, others may find that it has ended
				s.free = append(s.free, r.peers...)
			}
		} else {
			s.resident[s.live] = r
			s.live++
		}
		s.current++
		if n := s.engine.Stats.WarpInstrs - s.lastDone; n >= s.cfg.MaxLaunchSteps {
			return s.grid.LaunchStepLimit(n, s.Warps(), s.next)
		}
	}
	s.current, s.live, s.midRound = 0, 0, false
	if s.changedFromOutside() {
		s.progress = true
	}
	if s.progress || len(s.resident) == 0 {
		s.stalled = 0
		return s.probe()
	}
	s.stalled++
	return s.noProgress()
}

// stepsLeft returns how many instructions the launch may execute before a CTA must end.
func (s *Session) stepsLeft() uint64 {
	return s.cfg.MaxLaunchSteps - (s.engine.Stats.WarpInstrs - s.lastDone)
}

// changedFromOutside reports whether memory or registers were changed from outside since the latest call, so that the
// launch's past behaviour proves nothing about its future.
func (s *Session) changedFromOutside() bool {
	n := s.grid.Touched()
	changed := n != s.touched
	s.touched = n
	return changed
}

// startNext makes the CTAs of the next cluster resident, in the place of one that has ended if there is one. It
// returns false if the capacity does not allow it, or if none is left to start.
func (s *Session) startNext() bool {
	s.resident = s.resident[:s.live]
	s.current = s.live
	size := s.grid.Shape.ClusterSize()
	if s.next == s.total || len(s.resident)+size > s.capacity.CTAs {
		return false
	}
	var peers []*resident
	if n := len(s.free) - size; n >= 0 {
		peers, s.free = s.free[n].peers, s.free[:n]
	} else if peers = s.addCluster(); peers == nil {
		s.capacity.CTAs = len(s.resident) // Capacity guarantees at least one cluster
		return false
	}
	n := s.next
	s.next += int64(size)
	s.resident = append(s.resident, peers...)
	ctas := s.total - n
	if s.trial && n < trialCTAs {
		ctas = min(ctas, trialCTAs-n)
	}
	s.next += s.startAt(peers, n, ctas, s.stepsLeft())
	return true
}

// startAt makes the CTAs from number n on resident in the place of one cluster. most is the largest number of
// instructions of a CTA's first time slice, which may begin at once. If the CTA ends in it, others may follow in its
// place, up to ctas in all. It returns how many have; the resident is then the last of them.
func (s *Session) startAt(peers []*resident, n, ctas int64, most uint64) (others int64) {
	if len(peers) == 1 {
		if others, ok := s.startInTurns(peers[0], n, ctas, most); ok {
			return others
		}
	}
	for rank, r := range peers {
		s.engine.Start(r.CTA, s.grid.Shape.At(n+int64(rank)))
		r.slice.begun, r.stuck = false, false
		for i := range r.warps {
			r.warps[i].start()
		}
	}
	return 0
}

// addCluster makes residents for one more cluster; nil if the host's memory does not suffice.
func (s *Session) addCluster() []*resident {
	ctas, err := s.grid.NewCluster()
	if err != nil {
		return nil
	}
	peers := newResidents(ctas)
	s.made = append(s.made, peers...)
	return peers
}

// newResidents are residents that are the CTAs of a cluster.
func newResidents(ctas []*interp.CTA) []*resident {
	var peers []*resident
	for _, c := range ctas {
		peers = append(peers, &resident{CTA: c, warps: make([]schedule, len(c.Warps))})
	}
	for _, r := range peers {
		r.peers = peers
	}
	return peers
}

// noProgress is called when no warp has made progress in a whole round. It breaks the convergence barriers at which
// lanes wait. If there are none and all warps are livelocked, no lane will ever make progress, and it returns an
// error. It does so only after a second such round: in the first, a barrier may have ended the time slice of a warp
// before each of its splits had a quantum. If the host may write the memory that warps read, it is enough that each
// is livelocked or polling, and the error returns control to the host.
func (s *Session) noProgress() error {
	broke, most := false, livelocked
	for _, r := range s.resident {
		for _, w := range r.Warps {
			t := &r.warps[w.ID]
			broke = t.breakBarrier(w) || broke
			most = min(most, t.progress(w))
		}
	}
	if broke || s.stalled < 2 || most != livelocked && !(s.grid.Launch.HostWrites && most == polling) {
		return nil
	}
	if waiting := s.total - s.next; waiting > 0 && s.capacity.CTAs < s.capacity.GPU {
		// the residents may wait for CTAs that would also be resident on a GPU
		return s.grid.OverBudget(len(s.resident), waiting)
	}
	if s.grid.Launch.HostWrites {
		return &interp.Awaiting{Hang: s.spins(most), Proven: most == livelocked}
	}
	return s.spins(livelocked)
}
