package sm

import (
	"cmp"
	"errors"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// stalled is called when no SM has a pending event but CTAs reside: no lane can run, unless a convergence barrier at
// which lanes wait is broken.
func (s *Session) stalled() error {
	s.catchUp()
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
					m.proceed(x, at(s.epochEnd, Wait), s.time)
				}
			}
		}
		s.noteEvent(m)
		s.countInstructions(m)
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

// ctas returns the CTAs that reside on an SM, in the order of their slots.
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

// resident returns the resident CTAs, by SM. It brings their warps' control states up to date.
func (s *Session) resident() (all []*cta) {
	s.catchUp()
	for i := range s.sms {
		m := &s.sms[i]
		for j := range m.schedulers {
			for slot := range m.schedulers[j].slots {
				m.schedulers[j].slots[slot].syncControl()
			}
		}
		all = append(all, m.ctas()...)
	}
	return all
}

// Warps returns the warps of the resident CTAs, by SM.
func (s *Session) Warps() (all []interp.Warp) {
	for _, r := range s.resident() {
		for _, w := range r.Warps {
			all = append(all, r.launch.engines[0].Inspect(r.CTA, w))
		}
	}
	return all
}

// Warp returns a warp of a resident CTA, with its control state up to date; false if it is not there. It searches from
// the SM on that has the warp that was found before: who asks for many warps asks for those of an SM one after another.
func (s *Session) Warp(at isa.Dim, id int) (interp.Warp, bool) {
	for i := range s.used {
		on := (s.foundOn + i) % len(s.used)
		if x := s.used[on].find(at, id); x != nil {
			s.foundOn = on
			x.syncControl()
			return x.cta.launch.engines[0].Inspect(x.cta.CTA, x.warp), true
		}
	}
	return interp.Warp{}, false
}

// find returns the slot of a warp; nil if its CTA does not reside on the SM.
func (m *multiprocessor) find(at isa.Dim, id int) *slot {
	for j := range m.schedulers {
		c := &m.schedulers[j]
		for i := range c.slots {
			if x := &c.slots[i]; x.cta != nil && x.cta.live > 0 && x.warp.ID == id && x.cta.At == at {
				return x
			}
		}
	}
	return nil
}

// If no CTA ends, Prove is called after probeAfter instructions, on average, of each warp that can run, and
// then again after twice as many. It may execute half as many, and at least proofSteps of each warp.
const (
	probeAfter = 1 << 13
	proofSteps = 1 << 13
)

// A launch is quiet while warps read memory that others may change but no warp changes memory: all of them may be
// polling. Prove is called after leastQuiet instructions of quiet, or quietPerWarp for each resident warp if that is
// more, and again after quietGrowth times as many.
const (
	leastQuiet   = 1 << 16
	quietPerWarp = 32
	quietGrowth  = 4
)

// quiet records for how long a launch has been quiet.
type quiet struct {
	since  uint64 // warp instructions of the session
	polled bool   // memory that others may change was read since
	period uint64 // warp instructions after which Prove is called; 0 before it is known
}

// note records whether memory was changed since the last call; n is the instructions that the session has executed.
func (q *quiet) note(sms []*multiprocessor, n uint64) {
	for _, m := range sms {
		if m.wrote {
			q.since, q.polled = n, false
		}
		q.polled = q.polled || m.polled
		m.wrote, m.polled = false, false
	}
}

// proveHang calls Prove if the session, which has executed n instructions, has been quiet for long, or has executed
// many instructions since a CTA last ended.
func (s *Session) proveHang(n uint64) error {
	s.quiet.note(s.acting, n)
	if s.lastDone == n {
		s.quiet.since = n
	}
	if s.quiet.isLong(n) {
		if err := s.proveQuiet(n); err != nil {
			return err
		}
	}
	if n >= s.probeAt {
		return s.probe()
	}
	return nil
}

// isLong reports whether the session, which has executed n instructions, has been quiet for long.
func (q *quiet) isLong(n uint64) bool { return q.polled && n-q.since >= max(leastQuiet, q.period) }

// proveQuiet calls Prove for a session that has been quiet for long.
func (s *Session) proveQuiet(n uint64) error {
	ctas, q := s.toProve(), &s.quiet
	if ctas == nil {
		return nil
	}
	warps := 0
	for _, r := range ctas {
		warps += len(r.Warps)
	}
	q.period = max(q.period, quietPerWarp*uint64(warps))
	if !q.isLong(n) {
		return nil
	}
	err := s.prove(ctas, 0)
	if _, awaits := err.(*interp.Awaiting); awaits {
		q.since = n
	} else {
		q.period *= quietGrowth
	}
	return err
}

// toProve returns the resident CTAs if a proof about them is valid, and nil otherwise. It is not while the end of a
// CTA, which makes room for others, has yet to take effect.
func (s *Session) toProve() []*cta {
	if len(s.distributor.waiting) > 0 {
		return nil
	}
	return s.resident()
}

// prove calls Prove for each launch with CTAs among all, the resident ones. A launch may write the memory that another
// polls, so it is an error only if each of them is found to change no memory: the one that awaits the host, or the
// first.
func (s *Session) prove(all []*cta, steps uint64) (found error) {
	for _, l := range s.launches {
		err := s.proveLaunch(l, all, steps)
		if err == errEnded {
			continue
		}
		if err == nil {
			s.failedOf = nil
			return nil
		}
		_, awaits := err.(*interp.Awaiting)
		if found == nil || awaits {
			found, s.failedOf = err, l
		}
	}
	if _, awaits := found.(*interp.Awaiting); awaits {
		s.failedOf = nil
	}
	return found
}

// errEnded says that a launch has no resident CTAs.
var errEnded = errors.New("no resident CTAs")

// proveLaunch calls Prove for a launch, which may execute steps instructions, or as many as a proof needs if that is
// more. CTAs are in the order of the grid, whichever their SMs, because an error names the first ones.
func (s *Session) proveLaunch(l *launch, all []*cta, steps uint64) error {
	var ctas []*interp.CTA
	for _, r := range all {
		if r.launch == l {
			ctas = append(ctas, r.CTA)
		}
	}
	if ctas == nil {
		return errEnded
	}
	steps = max(steps, proofSteps*uint64(len(ctas)*l.grid.Shape.WarpsPerCTA))
	sorted.By(ctas, func(a, b *interp.CTA) int {
		return cmp.Or(cmp.Compare(a.At.Z, b.At.Z), cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X))
	})
	return s.options.Prove(l.grid, ctas, l.total-l.next, steps)
}

// probe calls Prove if the launch has executed many instructions since a CTA last ended.
func (s *Session) probe() error {
	ctas := s.toProve()
	if ctas == nil {
		return nil
	}
	instrs := s.instructions()
	if s.probed < s.lastDone {
		s.probed, s.perWarp = s.lastDone, 0
	}
	s.perWarp = max(s.perWarp, probeAfter)
	period := s.perWarp * s.runnable()
	if due := s.probed + period; instrs < due {
		s.probeAt = min(due, instrs+leastQuiet) // fewer warps may be able to run by then
		return nil
	}
	err := s.prove(ctas, period/2)
	s.probed = instrs
	if _, awaits := err.(*interp.Awaiting); !awaits {
		s.perWarp *= 2
	}
	s.probeAt = instrs + leastQuiet
	return err
}

// runnable returns the number of warps that can run.
func (s *Session) runnable() (n uint64) {
	for _, m := range s.used {
		for j := range m.schedulers {
			for slot := range m.schedulers[j].slots {
				if x := &m.schedulers[j].slots[slot]; x.warp != nil && x.warp.Live != 0 && !x.blocked {
					n++
				}
			}
		}
	}
	return n
}
