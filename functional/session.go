// Package functional runs launches without a clock: it decides in which order the
// CTAs of a grid, their warps and the splits of a warp execute, and finds out when
// none of them can make progress.
package functional

import (
	"context"
	"errors"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

// Run launches a kernel and waits for its end. A launch that cannot be taken is
// an *interp.LaunchError, an instruction that is not supported yet an *isa.Error, a
// bad access an *interp.Fault, a run that does not end an *interp.Hang, and one that
// ctx ends an *interp.Interrupted.
func Run(ctx context.Context, m *interp.Machine, l interp.Launch) (interp.Stats, error) {
	s, err := Begin(m, l)
	if err != nil {
		return interp.Stats{}, err
	}
	err = s.Continue(ctx)
	return s.Stats(), err
}

// Session is a launch under way, which can be halted, looked at, and taken up
// again.
type Session struct {
	grid   *interp.Grid
	engine *interp.Engine
	cfg    *interp.Config
	done   bool
	err    error

	// The CTAs: those that reside, in the order of their numbers, and those that
	// have not started. In a round every resident has a time slice, in that order.
	// Where a CTA has ended, most in their first time slice, the next one starts at
	// once, in registers and shared memory that the host's caches still hold.
	capacity    interp.Capacity
	next, total int64       // number of the CTA to start next; of CTAs
	resident    []*resident // those from index live up to current are out of date
	free        []*resident // residents that have ended, for reuse
	made        []*resident // all that were made, by slot
	current     int         // index in resident of the CTA whose time slice it is
	live        int         // how many of those before it have not ended: they are the first
	midRound    bool        // a round is under way
	progress    bool        // a warp made progress in this round, or memory changed
	stalled     int         // rounds in a row, up to the latest, in which no warp made progress
	lastDone    uint64      // warp instructions of the launch when a CTA ended last
	touched     uint64      // changes from outside that the launch knows of

	split     divergence.Split // the one that runs
	effect    interp.Effect
	steppers  []interp.Stepper
	single    bool // instructions are executed one by one
	strict    bool // the model may have to know of every branch
	detector  detector
	shattered shatteredAt
}

// resident is a CTA that resides, or has, with its time slice and its warps' schedules.
type resident struct {
	*interp.CTA
	slice ctaSlice
	warps []schedule
}

// errHalted says that a Stepper has halted the launch.
var errHalted = errors.New("halted")

// Begin starts a launch, of which nothing is executed yet. Errors are those of
// Run.
func Begin(m *interp.Machine, l interp.Launch) (*Session, error) {
	g, err := m.Prepare(l)
	if err != nil {
		return nil, err
	}
	s := &Session{grid: g, cfg: m.Config(), engine: g.NewEngine(), total: l.Grid.Count()}
	s.strict = s.cfg.Divergence == divergence.LowestPC
	if s.capacity, err = g.Capacity(); err != nil {
		return nil, err
	}
	s.detector.init(g.Program(), s.engine)
	s.observe(interp.ObserversOf(l.Observers))
	return s, nil
}

// Stats is what the launch has executed so far.
func (s *Session) Stats() interp.Stats { return s.engine.Stats }

// Done reports whether the launch has ended, by an error or without one.
func (s *Session) Done() bool { return s.done }

// SetObservers replaces the observers, between instructions. A Stepper can be among
// them only if the launch began with one, or is Precise.
func (s *Session) SetObservers(all ...interp.Observer) {
	os := interp.ObserversOf(all)
	if len(os.Steppers) > 0 && !s.grid.Program().Env.Precise {
		panic("simtrun bug: a Stepper in a launch that is not Precise")
	}
	s.observe(os)
}

func (s *Session) observe(os interp.Observers) {
	s.steppers, s.single = os.Steppers, len(os.Steppers) > 0 || s.cfg.Split != 0
	s.detector.attach(os)
}

// Warps are the warps of the CTAs that reside, in order.
func (s *Session) Warps() []interp.Warp {
	var all []interp.Warp
	for i, r := range s.resident {
		if s.gone(i) {
			continue
		}
		for _, w := range r.Warps {
			all = append(all, s.engine.Inspect(r.CTA, w))
		}
	}
	return all
}

// Continue runs the launch until it ends, a Stepper halts it or ctx ends. After the
// launch has ended, it returns what it returned then. If ctx ends, the error is an
// *interp.Interrupted, and the launch can go on.
func (s *Session) Continue(ctx context.Context) error {
	for !s.done {
		switch err := s.round(ctx); {
		case err == errHalted:
			return nil
		case err != nil && errors.Is(err, ctx.Err()):
			return err
		case err != nil:
			s.end(err)
		case s.next == s.total && len(s.resident) == 0:
			s.end(nil)
		}
	}
	return s.err
}

func (s *Session) end(err error) {
	s.done, s.err = true, err
	s.grid.Close()
}

// round gives every CTA a time slice: first those that reside, then new ones as far as
// the capacity allows. It goes on with a round that was halted.
func (s *Session) round(ctx context.Context) error {
	if !s.midRound {
		s.midRound, s.progress = true, false
	}
	for s.current < len(s.resident) || s.startNext(ctx) {
		r := s.resident[s.current]
		done, err := s.runCTA(r)
		if err != nil {
			return err
		}
		if done {
			s.engine.End(r.CTA)
			s.lastDone = s.engine.Stats.WarpInstrs
			s.free = append(s.free, r)
		} else {
			s.resident[s.live] = r
			s.live++
		}
		s.current++
		if n := s.engine.Stats.WarpInstrs - s.lastDone; n >= s.cfg.MaxLaunchSteps {
			return s.launchTooLong(n)
		}
	}
	s.current, s.live, s.midRound = 0, 0, false
	if err := ctx.Err(); err != nil {
		return s.interrupted(err)
	}
	if s.changedFromOutside() {
		s.progress = true
	}
	if s.progress || len(s.resident) == 0 {
		s.stalled = 0
		return nil
	}
	s.stalled++
	return s.noProgress()
}

// changedFromOutside reports whether memory or registers were changed from outside
// since the latest call, so that what the launch did before proves nothing of what it
// will do.
func (s *Session) changedFromOutside() bool {
	n := s.grid.Touched()
	changed := n != s.touched
	s.touched = n
	return changed
}

// startNext makes the next CTA a resident, in the place of one that has ended if there
// is one. It is false if the capacity does not allow it, or no CTA is left to start.
func (s *Session) startNext(ctx context.Context) bool {
	s.resident = s.resident[:s.live]
	s.current = s.live
	if s.next == s.total || len(s.resident) == s.capacity.CTAs || ctx.Err() != nil {
		return false
	}
	var r *resident
	if n := len(s.free); n > 0 {
		r, s.free = s.free[n-1], s.free[:n-1]
	} else if r = s.addResident(); r == nil {
		s.capacity.CTAs = len(s.resident) // at least one: Capacity has made sure of it
		return false
	}
	s.engine.Start(r.CTA, s.grid.Launch.Grid.At(s.next))
	r.slice.begun = false
	for i := range r.warps {
		r.warps[i].start()
	}
	s.next++
	s.resident = append(s.resident, r)
	return true
}

// addResident makes one more resident; nil if the host's memory does not suffice.
func (s *Session) addResident() *resident {
	c, err := s.grid.NewCTA()
	if err != nil {
		return nil
	}
	r := &resident{CTA: c, warps: make([]schedule, len(c.Warps))}
	s.made = append(s.made, r)
	return r
}

// noProgress is called when no warp has made progress in a whole round. It breaks the
// convergence barriers at which lanes wait. If there are none and all warps are
// livelocked, no lane will ever make progress. It takes a second such round to be
// sure: in the first, splits of a warp whose time slice a barrier had ended early may
// not have had a quantum.
func (s *Session) noProgress() error {
	broke, all := false, true
	for _, r := range s.resident {
		for _, w := range r.Warps {
			t := &r.warps[w.ID]
			broke = t.breakBarrier(w) || broke
			all = all && t.progress(w) == livelocked
		}
	}
	if broke || !all || s.stalled < 2 {
		return nil
	}
	if waiting := s.total - s.next; waiting > 0 && s.capacity.CTAs < s.capacity.GPU {
		return s.grid.OverBudget(len(s.resident), waiting) // the residents may wait for CTAs that a GPU would hold, too
	}
	return s.livelock()
}

// warpAt is the resident at a place in the grid, if it has a warp of that ID.
func (s *Session) warpAt(at isa.Dim, id int) (*resident, bool) {
	for i, r := range s.resident {
		if !s.gone(i) && r.At == at && id < len(r.Warps) {
			return r, true
		}
	}
	return nil, false
}
