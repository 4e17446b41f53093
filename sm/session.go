// Package sm runs launches with a clock: the SMs of a GPU, to which the GigaThread
// engine hands thread blocks, and whose warp schedulers issue what package interp
// executes. It decides when an instruction is executed, and never what it does.
package sm

import (
	"context"
	"math"
	"slices"

	"github.com/simtrun/simtrun/cost"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/gpu"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// Session is a launch under way.
type Session struct {
	machine
	sms         []multiprocessor
	distributor distributor
	most        int    // CTAs that an SM without any takes
	window      int64  // cycles
	time        int64  // the cycle up to which the SMs have run
	cycles      int64  // the cycle in which the latest CTA to end so far has ended
	lastDone    uint64 // warp instructions when a CTA ended last
	probeAt     uint64 // warp instructions at which Prove is asked next
	period      uint64 // warp instructions between the latest time and the next; 0 for the first
	probed      uint64 // warp instructions when it was asked last
	done        bool
	failed      error
}

// machine is what the SMs of a launch share.
type machine struct {
	gpu      *gpu.Config
	grid     *interp.Grid
	engine   *interp.Engine
	effect   interp.Effect
	policy   Policy
	options  Options
	demand   demand // of a CTA
	codes    []*code
	syncOp   op // a BSYNC
	strict   bool
	maxSteps uint64
	pairs    *[isa.NumUnits][isa.NumUnits]bool // nil without dual issue
	states   []States                          // by site
	event    Issue                             // for use within one call
	now      int64                             // cycle of the SM that runs
	steps    uint64                            // of schedulers
}

// Begin starts a launch, of which nothing is executed yet. A launch that cannot be
// taken is an *interp.LaunchError, an instruction that is not supported yet an
// *isa.Error.
func Begin(m *interp.Machine, l interp.Launch, o Options) (*Session, error) {
	g, err := m.Prepare(l)
	if err != nil {
		return nil, err
	}
	cfg := m.Config()
	s := &Session{machine: machine{gpu: cfg.GPU, grid: g, engine: g.NewEngine(), policy: o.Policy, options: o,
		strict: cfg.Divergence == divergence.LowestPC, maxSteps: cfg.MaxSteps}}
	s.engine.Clock = s
	sites := 0
	s.codes, sites = codes(g.Program(), s.gpu, o.Cost, cfg.Divergence == divergence.IndependentThreads)
	s.syncOp = newOp(s.gpu, cost.Slot{Class: isa.CostWarpSync})
	s.syncOp.holds = true
	s.states = make([]States, sites)
	if o.DualIssue {
		s.pairs = new([isa.NumUnits][isa.NumUnits]bool)
		for _, p := range Pairs {
			s.pairs[p[0]][p[1]], s.pairs[p[1]][p[0]] = true, true
		}
	}
	s.window = int64(max(1, min(s.gpu.CTAs.Turnaround, s.gpu.Memory.Global)))
	if o.Window > 0 {
		s.window = min(s.window, o.Window)
	}
	if slices.ContainsFunc(s.codes, func(c *code) bool { return c.communicates }) && l.Grid.Count() > 1 {
		s.window = 1 // as accesses to global memory take effect when they are issued
	}
	s.makeSMs()
	if err := g.CheckBudget(min(s.distributor.total, int64(s.most*len(s.sms)))); err != nil {
		return nil, err
	}
	if err := s.distribute(0, 0); err != nil {
		g.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) makeSMs() {
	on := s.gpu
	s.sms = make([]multiprocessor, on.SMs)
	s.demand = s.newDemand()
	for id := range s.sms {
		m := &s.sms[id]
		m.machine, m.id, m.room = &s.machine, id, s.newRoom(s.grid.Occupancy.Capacity)
		m.schedulers = make([]scheduler, on.Schedulers)
		for i := range m.schedulers {
			c := &m.schedulers[i]
			c.id, c.next, c.stepped, c.last = id*on.Schedulers+i, idle, -1, 63
			c.slots = make([]slot, on.Residency.Warps/on.Schedulers)
			own := make([]pipe, isa.NumUnits)
			for p := range c.pipes {
				if c.pipes[p] = &own[p]; on.SMWide[p] {
					c.pipes[p] = &m.pipes[p]
				}
			}
		}
	}
	s.most = s.sms[0].takes(&s.demand)
	s.distributor = newDistributor(s.options.Order, on, s.grid.Launch.Grid.Count())
}

// newDemand is what a CTA of the launch takes of an SM.
func (s *Session) newDemand() demand {
	shape, r := &s.grid.Shape, &s.gpu.Residency
	d := demand{warps: shape.WarpsPerCTA, threads: shape.WarpsPerCTA * lanes.Width, most: s.grid.Occupancy.CTAs}
	if !s.grid.Machine().Config().Idealised { // which has no units
		d.registers = int(roundUp(int64(s.grid.Resources.Registers*lanes.Width), int64(r.RegisterUnit)))
		d.shared = roundUp(int64(shape.TotalShared)+r.SharedReserved, r.SharedUnit)
	}
	return d
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// Now implements interp.Clock.
func (s *Session) Now() (cycle, nanoseconds uint64) {
	c := s.options.Since + s.now
	return uint64(c), uint64(float64(c) * 1000 / s.gpu.ClockMHz)
}

// Stats is what the launch has executed so far.
func (s *Session) Stats() interp.Stats { return s.engine.Stats }

// Done reports whether the launch has ended, by an error or without one.
func (s *Session) Done() bool { return s.done }

// Continue runs the launch until it ends or ctx does. After the launch has ended, it
// returns what it returned then. If ctx ends, the error is an *interp.Interrupted, and
// the launch can go on.
func (s *Session) Continue(ctx context.Context) error {
	for !s.done {
		if err := ctx.Err(); err != nil {
			return interp.Interrupt(s.Warps(), err)
		}
		ended, err := s.runWindow()
		if err != nil || ended {
			s.done, s.failed = true, err
			s.grid.Close()
		}
	}
	return s.failed
}

// runWindow lets all SMs run until the end of the next window, and exchanges what they
// have for others. It reports whether the launch has ended.
func (s *Session) runWindow() (ended bool, err error) {
	if err := s.firstError(); err != nil {
		return false, err
	}
	begin := s.nextEvent()
	if begin == idle {
		if s.distributor.next == s.distributor.total && s.empty() {
			return true, nil
		}
		return false, s.stalled()
	}
	end := begin + s.window
	for i := range s.sms {
		if m := &s.sms[i]; m.nextEvent() < end {
			m.run(end)
		}
	}
	s.time = end
	if err := s.firstError(); err != nil {
		return false, err
	}
	if err := s.exchange(end); err != nil {
		return false, err
	}
	if s.options.Prove != nil && s.engine.Stats.WarpInstrs >= s.probeAt {
		if err := s.probe(); err != nil {
			return false, err
		}
	}
	if n := s.engine.Stats.WarpInstrs - s.lastDone; n >= s.grid.Machine().Config().MaxLaunchSteps {
		return false, s.grid.LaunchStepLimit(n, s.Warps(), s.distributor.next)
	}
	return false, nil
}

// firstError is the error of the launch: of those of the SMs, the first in the order of
// cycle and SM.
func (s *Session) firstError() (err error) {
	first := int64(math.MaxInt64)
	for i := range s.sms {
		if m := &s.sms[i]; m.err != nil && m.errAt < first {
			err, first = m.err, m.errAt
		}
	}
	return err
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
