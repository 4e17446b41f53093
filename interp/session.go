package interp

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
)

// Session is a launch under way, which can be halted, looked at, and taken up
// again.
type Session struct {
	x    *executor
	done bool
	err  error

	// The CTAs: those that reside, in the order of their numbers, and those that
	// wait for room. Residents have turns in that order. A CTA starts when there
	// is room; most are done in their first turn, in whose place, warm in the
	// host's caches, the next one starts at once.
	shape       *warp.Shape
	grid        isa.Dim
	room        int
	gpuRoom     int   // what room is where the host's memory suffices
	ctaBytes    int64 // of the host, for a resident
	next, total int64 // number of the CTA to start next
	resident    []*cta
	free        []*cta // for reuse
	slots       int    // CTAs that were made
	pass        int    // the resident whose turn it is, in this pass over all
	kept        int    // of those before it, who are not done
	under       bool   // the pass is under way
	quiet       int    // passes, up to the latest, in which nobody got on
	lastDone    uint64 // warp instructions of the launch when a CTA was done last
}

// errHalted says that a Stepper has halted the launch.
var errHalted = errors.New("halted")

// Begin starts a launch, of which nothing is executed yet. Errors are those of
// Run.
func (m *Machine) Begin(l Launch) (*Session, error) {
	observers := observersOf(l.Observers)
	p, err := m.program(l.Kernel, l.Precise || len(observers.steppers) > 0)
	if err != nil {
		return nil, err
	}
	if msg := refuse(p, &l, &m.cfg.GPU); msg != "" {
		return nil, &LaunchError{l.Kernel, msg}
	}
	x := &executor{m: m, p: p,
		params:    memory.Region{Name: "the parameters", Space: isa.Param, Number: m.paramsNumber, Data: l.Params, ReadOnly: true},
		localPart: memory.Region{Name: "local memory", Space: isa.Local, Number: lanes.NoRegion},
		framePart: memory.Region{Name: "the call's parameters", Space: isa.Param, Number: lanes.NoRegion},
	}
	x.event = Access{Access: &x.acc, x: x}
	x.observe(observers)
	for _, f := range p.Funcs {
		x.hints = append(x.hints, make([]*memory.Region, len(f.Ops)))
	}
	threads := int(l.Block.Count())
	s := &Session{x: x, grid: l.Grid, total: l.Grid.Count(), shape: &warp.Shape{Grid: l.Grid, Block: l.Block,
		DynamicShared: uint32(l.Shared), TotalShared: uint32(p.SharedBytes(l.Shared)),
		WarpsPerCTA: (threads + lanes.Width - 1) / lanes.Width, ThreadsPerCTA: threads,
		LocalPerThread: int(p.Kernel().LocalBytes), SMs: m.cfg.GPU.SMs}}
	if err := s.makeRoom(); err != nil {
		return nil, &LaunchError{l.Kernel, err.Error()}
	}
	x.pools = make([][][]*divergence.Frame, s.shape.WarpsPerCTA)
	for w := range x.pools {
		x.pools[w] = make([][]*divergence.Frame, len(p.Funcs))
	}
	m.done.Store(0)
	m.total.Store(s.total)
	return s, nil
}

// makeRoom decides how many CTAs may reside. At least one must fit, and leave
// as much as it takes for calls.
func (s *Session) makeRoom() error {
	s.x.m.giveLaunch()
	b := s.x.m.budget
	s.gpuRoom = s.x.m.cfg.GPU.Residents(s.shape.WarpsPerCTA, int64(s.shape.TotalShared))
	s.ctaBytes = ctaBytes(s.x.p, s.shape)
	share := min(b.Limit()/residentShare, b.Left()/2)
	if share < s.ctaBytes {
		return &memory.BudgetError{What: "a resident block", Bytes: s.ctaBytes, Left: share, Limit: b.Limit()}
	}
	s.room = int(min(int64(s.gpuRoom), share/s.ctaBytes))
	return nil
}

// Stats is what the launch has come to so far.
func (s *Session) Stats() Stats { return s.x.stats }

// Done reports whether the launch has ended, by an error or without one.
func (s *Session) Done() bool { return s.done }

// SetObservers replaces the observers, between instructions. A Stepper among them
// is for launches that began with one, or are Precise.
func (s *Session) SetObservers(all ...Observer) {
	os := observersOf(all)
	if len(os.steppers) > 0 && !s.x.p.Env.Precise {
		panic("simtrun bug: a Stepper in a launch that is not Precise")
	}
	s.x.observe(os)
}

// observe makes os those who observe what x does.
func (x *executor) observe(os observers) {
	x.observers, x.singly = os, len(os.steppers) > 0 || x.m.cfg.Split != 0
}

// Continue runs the launch until it ends or its Stepper halts it. Once it has
// ended it returns the same again. That ctx ends is an *Interrupted, but no end
// of the launch: it can be taken up again.
func (s *Session) Continue(ctx context.Context) error {
	for !s.done {
		switch err := s.passOver(ctx); {
		case err == errHalted:
			return nil
		case err != nil && errors.Is(err, ctx.Err()):
			return err
		case err != nil:
			s.done, s.err = true, err
		default:
			s.done = s.next == s.total && len(s.resident) == 0
		}
		if s.done {
			s.x.m.giveLaunch()
		}
	}
	return s.err
}

// passOver gives every CTA a turn: first those that reside, then new ones for
// which there is room. It takes up again what was halted.
func (s *Session) passOver(ctx context.Context) error {
	if !s.under {
		s.under, s.x.quiet = true, true
	}
	for s.pass < len(s.resident) || s.startNext(ctx) {
		c := s.resident[s.pass]
		done, err := s.x.turn(c)
		if err != nil {
			return err
		}
		if done {
			if len(s.x.observers.end) > 0 {
				s.x.notifyEnded(c)
			}
			s.x.m.done.Add(1)
			s.lastDone = s.x.stats.WarpInstrs
			s.free = append(s.free, c)
		} else {
			s.resident[s.kept] = c
			s.kept++
		}
		s.pass++
		if n := s.x.stats.WarpInstrs - s.lastDone; n >= s.x.m.cfg.MaxLaunchSteps {
			return s.tooLong(n)
		}
	}
	s.pass, s.kept, s.under = 0, 0, false
	if err := ctx.Err(); err != nil {
		return s.interrupted(err)
	}
	if !s.x.quiet || len(s.resident) == 0 {
		s.quiet = 0
		return nil
	}
	s.quiet++
	return s.stuck()
}

// startNext makes the next CTA a resident, in the place of one that is done if
// there is one. It is false if there is no room, or nobody to start.
func (s *Session) startNext(ctx context.Context) bool {
	s.resident = s.resident[:s.kept]
	s.pass = s.kept
	if s.next == s.total || len(s.resident) == s.room || ctx.Err() != nil {
		return false
	}
	var c *cta
	if n := len(s.free); n > 0 {
		c, s.free = s.free[n-1], s.free[:n-1]
	} else {
		if s.x.m.takeForLaunch("a resident block", s.ctaBytes) != nil {
			s.room = len(s.resident) // there is one at least: for the first there was room
			return false
		}
		c = s.x.newCTA(s.shape, s.slots)
		s.slots++
	}
	s.x.start(c, s.grid.At(s.next))
	s.next++
	s.resident = append(s.resident, c)
	return true
}

// stuck is called when in a whole pass nobody has got on. Lanes that wait at
// joins for others of their warp then go on without them; if there are none,
// nobody ever will. It takes another such pass to be sure: in the first, the
// splits of a warp that a barrier had kept from having all their turns may have
// had but what was left of them.
func (s *Session) stuck() error {
	relieved, spins := false, true
	for _, c := range s.resident {
		for _, w := range c.warps {
			relieved = w.Control.Relieve() || relieved
			spins = spins && w.Control.Pace() == divergence.Spinning
		}
	}
	if relieved || !spins || s.quiet < 2 {
		return nil
	}
	if waiting := s.total - s.next; waiting > 0 && s.room < s.gpuRoom {
		// On the GPU more of them would run, for which these may wait.
		b := s.x.m.budget
		return fmt.Errorf("%d blocks run and wait, perhaps for the %d that have not started: %w", len(s.resident), waiting,
			&memory.BudgetError{What: "another resident block", Bytes: s.ctaBytes, Left: b.Left(), Limit: b.Limit()})
	}
	return s.x.endless(s.resident, s.total-s.next)
}

// underWay is how many CTAs have started and are not done.
func (s *Session) underWay() int64 { return s.next - s.x.m.done.Load() }

// interrupted says where the launch was when its context ended.
func (s *Session) interrupted(err error) error {
	if in, at, ok := s.somewhere(); ok {
		return &Interrupted{Pos: in.Pos, Text: in.text, Where: at, Err: err}
	}
	return err
}

// nextInstr is an instruction that lanes are going to execute.
type nextInstr struct {
	isa.Pos
	text string
}

// somewhere is what the first lanes that live are going to execute.
func (s *Session) somewhere() (next nextInstr, at Where, ok bool) {
	for _, w := range s.Warps() {
		for split := range w.w.Control.Splits() {
			if fn := s.x.p.Funcs[split.Frame.Func].Src; split.PC < len(fn.Code) {
				return nextInstr{fn.Code[split.PC].Pos, fn.Text(split.PC)}, Where{w.c.at, w.w.ID, split.Mask}, true
			}
		}
	}
	return next, at, false
}
