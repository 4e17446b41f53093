// Package sm runs launches with a clock: the SMs of a GPU, to which the GigaThread
// engine hands thread blocks, and whose warp schedulers issue what package interp
// executes. It decides when an instruction is executed, and never what it does.
package sm

import (
	"cmp"
	"context"

	"github.com/simtrun/simtrun/cost"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/sm/cache"
)

// Session is a launch under way.
type Session struct {
	machine
	*launch
	crew        *crew
	sms         []multiprocessor
	memory      *cache.System
	ordered     []*cache.Request // for reuse
	counts      []int32          // for reuse
	distributor distributor
	exchanges   interp.Exchange
	engines     []*interp.Engine // of all launches, by SM and launch
	retired     []*cta           // that have ended, and may have accesses that are yet to take effect
	window      int64            // cycles
	applied     bool             // what SMs have done to global memory until the epoch's end has taken effect
	time        int64            // the cycle up to which the SMs have run
	cycles      int64            // the cycle in which the latest CTA to end so far has ended
	lastDone    uint64           // warp instructions when a CTA ended last
	probeAt     uint64           // warp instructions at which Prove is asked next
	period      uint64           // warp instructions between the latest time and the next; 0 for the first
	probed      uint64           // warp instructions when it was asked last
	done        bool
	failed      error
}

// Begin starts a launch, of which nothing is executed yet. A launch that cannot be
// taken is an *interp.LaunchError, an instruction that is not supported yet an
// *isa.Error.
func Begin(m *interp.Machine, l interp.Launch, o Options) (*Session, error) {
	g, err := m.Prepare(l)
	if err != nil {
		return nil, err
	}
	s := &Session{machine: machine{gpu: m.Config().GPU, policy: o.Policy, options: o}}
	s.launch = s.newLaunch(g)
	s.syncOp = newOp(s.gpu, cost.Slot{Class: isa.CostWarpSync})
	s.syncOp.holds = true
	if o.DualIssue {
		s.pairs = new([isa.NumUnits][isa.NumUnits]bool)
		for _, p := range Pairs {
			s.pairs[p[0]][p[1]], s.pairs[p[1]][p[0]] = true, true
		}
	}
	s.roundTrip = int64(s.gpu.Memory.Flat)
	s.window = max(1, min(int64(s.gpu.CTAs.Turnaround), s.roundTrip))
	if s.gpu.Memory.Flat == 0 {
		s.roundTrip = int64(s.gpu.Memory.L2)
		s.memory = cache.NewSystem(s.gpu)
		s.window = max(1, min(int64(s.gpu.CTAs.Turnaround), s.memory.Lookahead()))
	}
	if s.epoch = s.window; o.Window > 0 {
		s.window = min(s.window, o.Window)
	}
	s.counts = make([]int32, s.window+1)
	s.l1Bytes = s.gpu.Residency.L1AndShared - g.Occupancy.Capacity
	s.makeSMs()
	if err := g.CheckBudget(min(s.distributor.total, int64(s.most*len(s.sms)))); err != nil {
		return nil, err
	}
	s.launch.engines = g.NewEngines(len(s.sms), min(s.distributor.total, int64(s.most*len(s.sms))))
	for i, e := range s.launch.engines {
		e.Clock = &s.sms[i]
		e.Observe(s.sms[i].observers[s.index])
		s.launch.journals = append(s.launch.journals, e.Defer())
	}
	s.engines = s.launch.engines
	if err := s.distribute(0, 0); err != nil {
		g.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) makeSMs() {
	on := s.gpu
	s.sms = make([]multiprocessor, on.SMs)
	shared := s.grid.Occupancy.Capacity
	for id := range s.sms {
		m := &s.sms[id]
		m.id, m.room, m.nextTake = id, newRoom(on, shared), idle
		m.schedulers = make([]scheduler, on.Schedulers)
		for i := range m.schedulers {
			c := &m.schedulers[i]
			c.id, c.next, c.stepped, c.last = id*on.Schedulers+i, idle, -1, 63
			c.queue.flights = make([]int32, on.LSU.Queue)
			c.slots = make([]slot, on.Residency.Warps/on.Schedulers)
			for j := range c.slots {
				c.slots[j].number = j*on.Schedulers + i
			}
			own := make([]pipe, isa.NumUnits)
			for p := range c.pipes {
				if c.pipes[p] = &own[p]; on.SMWide[p] {
					c.pipes[p] = &m.pipes[p]
				}
			}
		}
	}
	threads := min(max(1, s.grid.Machine().Config().Threads), len(s.sms))
	if s.options.Issued != nil {
		threads = 1
	}
	s.crew = s.newCrew(s.sms, threads)
	s.most = s.sms[0].takes(&s.demand)
	s.distributor = newDistributor(s.options.Order, on, s.grid.Launch.Grid.Count())
}

// Stats is what the launch has executed so far.
func (s *Session) Stats() interp.Stats { return interp.Total(s.launch.engines) }

// instructions is how many warp instructions were executed so far.
func (s *Session) instructions() (n uint64) {
	for _, l := range s.launches {
		for _, e := range l.engines {
			n += e.Stats.WarpInstrs
		}
	}
	return n
}

// Done reports whether the launch has ended, by an error or without one.
func (s *Session) Done() bool { return s.done }

// Continue runs the launch until it ends or ctx does. After the launch has ended, it
// returns what it returned then. If ctx ends, the error is an *interp.Interrupted, and
// the launch can go on.
func (s *Session) Continue(ctx context.Context) error {
	s.crew.begin()
	defer s.crew.stop()
	for !s.done {
		if err := ctx.Err(); err != nil {
			return interp.Interrupt(s.Warps(), err)
		}
		ended, err := s.runWindow()
		if err != nil || ended {
			s.done, s.failed = true, err
			s.crew.sum()
			s.grid.Close()
		}
	}
	return s.failed
}

// runWindow lets all SMs run until the end of the next window, and exchanges what they
// have for others. It reports whether the launch has ended.
func (s *Session) runWindow() (ended bool, err error) {
	if m := s.firstFailed(); m != nil {
		return false, m.err
	}
	begin := s.nextEvent()
	if begin >= s.epochEnd {
		if !s.applied {
			if err := s.apply(interp.Ever); err != nil {
				return false, err
			}
			begin = s.nextEvent() // of what has waited for that
		}
		if begin == idle {
			if s.distributor.next == s.distributor.total && s.empty() {
				return true, nil
			}
			return false, s.stalled()
		}
		s.epochEnd, s.applied = begin-begin%s.epoch+s.epoch, false
	}
	end := min(begin+s.window, s.epochEnd)
	s.crew.run(end)
	s.time = end
	if m := s.firstFailed(); m != nil {
		return false, cmp.Or(s.apply(interp.Moment{Cycle: m.errAt, SM: (m.id+1)*len(s.launches) - 1}), m.err)
	}
	if end == s.epochEnd {
		if err := s.apply(interp.Ever); err != nil {
			return false, err
		}
	}
	if err := s.exchange(end); err != nil || !s.applied {
		return false, err
	}
	return false, s.checkProgress()
}

// apply lets what SMs have done to global memory until a moment take effect.
func (s *Session) apply(last interp.Moment) error {
	for i := range s.sms {
		s.sms[i].now = s.time
	}
	_, err := s.exchanges.Apply(s.engines, last, s)
	s.applied = true
	s.distributor.spare = append(s.distributor.spare, s.retired...)
	s.retired = s.retired[:0]
	return err
}

// Completed implements interp.Completer.
func (s *Session) Completed(engine int, tag uint64, changed bool) {
	m := &s.sms[engine/len(s.launches)]
	switch kind, id := tagKind(tag>>tagBits), int32(tag&(1<<tagBits-1)); kind {
	case flightTag:
		m.flights[id].changed = changed
		m.arrive(id, s.time)
	case callTag:
		m.returned(id, s.time)
	}
}

// checkProgress returns an error if the launch has executed too much without that a CTA has
// ended, or can be shown never to end.
func (s *Session) checkProgress() error {
	n := s.instructions()
	if s.options.Prove != nil && n >= s.probeAt {
		if err := s.probe(); err != nil {
			return err
		}
	}
	if n -= s.lastDone; n >= s.grid.Machine().Config().MaxLaunchSteps {
		return s.grid.LaunchStepLimit(n, s.Warps(), s.distributor.next)
	}
	return nil
}

// firstFailed is the SM with the error of the launch: the first in the order of cycle and
// SM; nil if there is none.
func (s *Session) firstFailed() (first *multiprocessor) {
	for i := range s.sms {
		if m := &s.sms[i]; m.err != nil && (first == nil || m.errAt < first.errAt) {
			first = m
		}
	}
	return first
}

// nextEvent is the cycle of the next event of any SM, or of the messages that wait.
func (s *Session) nextEvent() int64 {
	next := int64(idle)
	for i := range s.sms {
		next = min(next, s.sms[i].nextEvent())
	}
	for i := range s.distributor.waiting {
		next = min(next, s.distributor.waiting[i].cycle)
	}
	return next
}

func (s *Session) empty() bool {
	for i := range s.sms {
		if s.sms[i].residents > 0 {
			return false
		}
	}
	return true
}
