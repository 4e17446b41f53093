package functional

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// turns is a session's state for rounds over the warps of a CTA within compiled code (see "Who runs next" in the
// package documentation).
type turns struct {
	all    []interp.Turn
	starts interp.Starts
	fresh  *resident // resident with turns in all that are those of its starting warps; else nil
	failed int       // consecutive attempts in which less than half of the warps had a turn
	skip   int       // rounds before the next attempt
}

// mostSkipped bounds the number of rounds, as a power of two, that are skipped after failed attempts.
const mostSkipped = 6

// mostInTurns is the number of instructions after which code exits at the end of a round, because the Go runtime cannot
// stop a thread that executes code.
const mostInTurns = 1 << 15

// takeTurns executes rounds over the warps of a CTA until a decision is due, if each warp is in a state in which
// runWarp would simply run it: all of its lanes together, from barrier to barrier. A round that has begun continues
// from the warp of the CTA's slice.
func (s *Session) takeTurns(r *resident) {
	k := &s.turns
	if k.skip > 0 {
		k.skip--
		return
	}
	if !s.mayTakeTurns() || !s.engine.CanTakeTurns(r.CTA) || !s.findTurns(r) {
		return
	}
	s.tookTurns(r, s.engine.TakeTurns(r.CTA, k.all, s.turnQuantum(), s.turnInstrs(r), s.slice/2))
}

// mayTakeTurns reports whether no part of the session needs to see each time slice.
func (s *Session) mayTakeTurns() bool {
	return !(s.single || s.ordered() || s.strict || s.probing || s.detector.on)
}

// turnQuantum returns the quantum of a split with lanes that diverge within turns.
func (s *Session) turnQuantum() uint64 {
	if s.divergesInside {
		return firstQuantum
	}
	return 0
}

// turnInstrs returns the number of instructions after which turns of a CTA end after a round.
func (s *Session) turnInstrs(r *resident) uint64 {
	return min(r.slice.deadline-s.engine.Stats.WarpInstrs, mostInTurns)
}

// tookTurns continues the time slice of a CTA after its warps have alternated in compiled code.
func (s *Session) tookTurns(r *resident, end interp.TurnsEnd) {
	k, slice := &s.turns, &r.slice
	if end.Passes > 0 || 2*end.Next >= len(k.all) {
		k.failed = 0
	} else {
		k.failed = min(k.failed+1, mostSkipped)
		k.skip = 1 << k.failed
	}
	if end.Passes == 0 && end.Next == 0 {
		return
	}
	s.progress, r.stuck = true, false
	for i := range k.all {
		r.warps[k.all[i].Warp.ID].newRound()
	}
	if end.Passes > 0 { // the last warp to arrive at a barrier does not wait there
		r.warps[k.all[len(k.all)-1].Warp.ID].idle = 0
	}
	slice.ran = end.Next > 0
	if slice.warp = len(r.Warps); end.Next < len(k.all) {
		slice.warp = k.all[end.Next].Warp.ID
	} else {
		slice.progressed = r.Live > 0
	}
}

// startInTurns starts the CTA with a number in a resident that has ended, and begins its time slice with turns of its
// warps. It returns false, and does nothing, if that is not possible. If all warps end, other CTAs follow, up to ctas
// in all; the slice that ends then is that of the last.
func (s *Session) startInTurns(r *resident, number, ctas int64, most uint64) (others int64, ok bool) {
	k := &s.turns
	if k.skip > 0 || !s.mayTakeTurns() || !s.engine.CanStartInTurns(r.CTA) || !s.freshTurns(r) {
		return 0, false
	}
	before := s.engine.Stats.WarpInstrs
	k.starts = interp.Starts{Number: number, CTAs: ctas, Instrs: mostInTurns, Least: s.slice / 2,
		First: min(r.sliceLength(most), mostInTurns), Next: min(r.sliceLength(s.cfg.MaxLaunchSteps), mostInTurns)}
	end := s.engine.StartInTurns(r.CTA, k.all, s.turnQuantum(), &k.starts)
	if others = end.Ended; !end.Started {
		others-- // it ends like any other
	}
	if others > 0 {
		s.engine.EndMany(others)
	}
	if end.Ended > 0 {
		s.lastDone, most, s.progress = before+end.Executed, s.cfg.MaxLaunchSteps, true
	}
	r.stuck = false
	if !end.Started {
		k.failed = 0
		r.slice = ctaSlice{begun: true, ran: true, warp: len(r.Warps)}
		return others, true
	}
	for i := range r.warps {
		r.warps[i].start()
		r.warps[i].deadline = k.all[i].Limit
	}
	k.fresh = nil
	r.slice = ctaSlice{begun: true, deadline: before + end.Executed + r.sliceLength(most), tookTurns: true}
	s.tookTurns(r, end.Turns)
	return others, true
}

// freshTurns finds the turns of warps that start. It returns false if their time slices are too short.
func (s *Session) freshTurns(r *resident) bool {
	k := &s.turns
	if k.fresh == r {
		return true
	}
	k.all = slices.Grow(k.all[:0], len(r.Warps))[:len(r.Warps)]
	for i, w := range r.Warps {
		limit := s.firstDeadline(w)
		if limit < s.slice/2 {
			return false
		}
		k.all[i] = interp.FirstTurn(w, limit)
	}
	k.fresh = r
	return true
}

// findTurns finds the live warps of a CTA and where each continues, until the end of its time slice. It returns false
// if one of them is not in a state to take turns.
func (s *Session) findTurns(r *resident) bool {
	k, n := &s.turns, 0
	k.fresh = nil
	k.all = slices.Grow(k.all[:0], len(r.Warps))[:len(r.Warps)]
	for _, w := range r.Warps {
		if w.Live == 0 {
			continue
		}
		t, turn := &r.warps[w.ID], &k.all[n]
		n++
		if !w.Control.Ready(0, &turn.Split) || turn.Split.Mask != w.Live || turn.Split.Frame != divergence.Root || turn.Split.Stop >= 0 {
			return false
		}
		if t.halted || t.yielded || t.midBlock || t.hasSpent|t.polling|t.livelocked|t.owed != 0 || t.served&w.Live != 0 && t.served&w.Live != w.Live {
			return false
		}
		// A deadline that is set here is the same that runWarp would set.
		if w.Steps+s.slice/2 > t.deadline && !s.setDeadline(w, t) || w.Steps+s.slice/2 > t.deadline {
			return false
		}
		turn.Warp, turn.Limit = w, t.deadline
	}
	k.all = k.all[:n]
	return n > 0
}
