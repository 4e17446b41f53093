package functional

import (
	"context"
	"errors"
	"time"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
)

// Run launches a kernel and waits for its end. It returns an *interp.LaunchError for a launch that is not possible,
// an *isa.Error for an instruction that is not supported, an *interp.Fault for a bad access, an *interp.Hang for a
// run that does not end, and an *interp.Interrupted if ctx ends it.
func Run(ctx context.Context, m *interp.Machine, l interp.Launch) (interp.Stats, error) {
	s, err := BeginAgain(m, l)
	if err != nil {
		return interp.Stats{}, err
	}
	err = s.Continue(ctx)
	return s.Stats(), err
}

// Session is a launch that can be halted, inspected, and continued.
type Session struct {
	// Alone is how many instructions one thread of the host executes before others help it; changed only by tests, which
	// have small launches.
	Alone uint64
	// WorthHelp is the estimated duration of the rest of the launch from which others help; changed only by tests.
	WorthHelp time.Duration
	// Kept is how many instructions each of several threads must have executed for these to be kept if the rest of the
	// launch must be executed in order; changed only by tests.
	Kept uint64
	// ObservesAll makes the detector of livelocks observe counting loops, too; only for tests.
	ObservesAll bool

	grid   *interp.Grid
	engine *interp.Engine
	cfg    *interp.Config
	done   bool
	err    error

	// The CTAs: the resident ones, in the order of their numbers, and those that have not started. In a round every
	// resident has a time slice, in that order. When a CTA has ended, usually in its first time slice, the next one
	// starts at once, in registers and shared memory that are still in the host's caches.
	capacity interp.Capacity
	total    int64       // CTAs of the grid
	next     int64       // number of the CTA to start next
	resident []*resident // resident CTAs; in a round, those from index live up to current are out of date
	free     []*resident // residents that have ended, for reuse
	made     []*resident // all residents that were ever made, by slot
	current  int         // index in resident of the CTA that has its time slice
	live     int         // number of CTAs that had their time slice in this round and have not ended
	midRound bool        // a round is under way
	progress bool        // a warp made progress in this round, or memory changed
	stalled  int         // consecutive rounds, up to the latest, in which no warp made progress
	lastDone uint64      // warp instructions of the launch when the latest CTA ended
	touched  uint64      // changes from outside that the launch has seen
	// number of CTAs, the first ones, in no order: executed by several threads, or known to have been brief
	apart   int64
	pause   uint64        // number of warp instructions after which the launch is not brief; 0 if that is not tested
	shown   *interp.Stats // replaces the engine's, if those threads were interrupted
	pauseAt uint64        // see PauseAt

	split    divergence.Split // the split that runs
	effect   interp.Effect    // of the latest instruction, if instructions are executed one by one
	steppers []interp.Stepper
	single   bool // instructions are executed one by one
	// divergesInside says that lanes may diverge within Engine.Run: the model and the order are those of compiled code.
	divergesInside bool
	slice          uint64              // instructions of a warp's time slice, a power of two
	contention     *program.Contention // accesses of warps that may conflict; time slices end there
	trial          bool                // the first CTAs show whether accesses really conflict; see trialCTAs
	strict         bool                // the model may need to see every branch
	probing        bool                // for a Prover: the end of a CTA ends the session
	orderless      bool                // of a probed launch: see isOrderless
	atBarrier      bool                // the latest time slice of a warp ended at a barrier
	prover         Prover              // of hangs in loops around barriers
	probed         uint64              // instructions since a CTA ended when it was last used
	changed        bool                // a probed launch has changed memory, which ends the session
	lent           bool                // its caller does not use it once another launch has begun
	detector       detector
	turns          turns
	shattered      shatteredAt
	wholeWarps     program.Executing // instructions of whole warps, for forced divergence; computed at the first use
	order          inOrder
}

// errHalted says that a Stepper has halted the launch.
var errHalted = errors.New("halted")

// Begin starts a launch without executing anything yet. Errors are those of Run.
func Begin(m *interp.Machine, l interp.Launch) (*Session, error) {
	g, err := m.Prepare(l)
	if err != nil {
		return nil, err
	}
	g.Contend()
	s := newSession(g, g.NewEngine())
	if err := s.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

// BeginAgain is Begin for a caller that stops using the session when another launch on m begins. It can reuse the
// session of a launch that has ended, which takes a fraction of the time.
func BeginAgain(m *interp.Machine, l interp.Launch) (*Session, error) {
	if s, ok := m.Again(l).(*Session); ok {
		if err := s.again(); err != nil {
			return nil, err
		}
		return s, nil
	}
	s, err := Begin(m, l)
	if err != nil {
		return nil, err
	}
	s.lent = true
	return s, nil
}

// begin begins the launch of the session's grid.
func (s *Session) begin() (err error) {
	s.trial = s.contention != nil && s.contention.Repeats
	s.total = s.grid.Launch.Grid.Count()
	s.capacity, err = s.grid.Capacity()
	s.observe(interp.ObserversOf(s.grid.Launch.Observers))
	return err
}

// again begins another launch like the one that has ended. It reuses the resident of that launch, as if another CTA
// started in its place.
func (s *Session) again() error {
	made, resident, free, turns := s.made, s.resident[:0], append(s.free[:0], s.made...), s.turns.all
	s.init(s.grid, s.engine)
	s.made, s.resident, s.free, s.turns.all, s.lent = made, resident, free, turns, true
	if err := s.begin(); err != nil {
		return err
	}
	s.grid.Retake()
	return nil
}

// newSession returns a session without CTAs or observers that executes on e.
func newSession(g *interp.Grid, e *interp.Engine) *Session {
	s := new(Session)
	s.init(g, e)
	return s
}

// init makes s a session without CTAs or observers that executes on e.
func (s *Session) init(g *interp.Grid, e *interp.Engine) {
	*s = Session{Alone: alone, WorthHelp: worthHelp, Kept: kept, grid: g, cfg: g.Machine().Config(), engine: e, slice: sliceLength}
	if s.contention = g.Contention(); s.contention != nil {
		s.slice = shortSliceLength
	}
	s.strict = s.cfg.Divergence == divergence.LowestPC
	s.divergesInside = s.cfg.Divergence == divergence.IndependentThreads && s.cfg.PathOrder == divergence.Taken
	s.detector.init(g.Program(), e)
	e.Canceler = s
}

// Cancel implements interp.Canceler.
func (s *Session) Cancel() (number int64, ok bool) {
	if s.next == s.total {
		return 0, false
	}
	if s.probing { // in the launch, it succeeds
		s.changed = true
		return 0, false
	}
	number = s.next
	s.next += int64(s.grid.Shape.ClusterSize())
	s.progress = true
	return number, true
}

// Stats returns the counts of the instructions that the launch has executed so far.
func (s *Session) Stats() interp.Stats {
	if s.shown != nil {
		return *s.shown
	}
	return s.engine.Stats
}

// Uncompiled returns the functions that the launch has executed often and that could not be compiled.
func (s *Session) Uncompiled() []interp.Uncompiled { return s.grid.Uncompiled(s.Stats().WarpInstrs) }

// Left returns the instructions at which compiled code was left so often that it took much of the launch's time.
func (s *Session) Left() []interp.Left { return s.engine.Left() }

// Leaves returns the instructions that compiled code leaves to the Go loop in launches without observers.
func (s *Session) Leaves() []interp.Left { return s.grid.Leaves() }

// PauseAt makes Continue halt once the launch has executed n warp instructions: between two time slices, which may be
// later. 0 means never. It is for launches on one thread of the host, without an interp.Order.
func (s *Session) PauseAt(n uint64) { s.pauseAt = n }

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
	if o, ok := s.grid.Launch.Order.(interp.AccessObserver); ok {
		os = os.With(o)
	}
	s.steppers, s.single = os.Steppers, len(os.Steppers) > 0 || s.cfg.Split != 0
	s.detector.attach(os)
}

// Warps returns the warps of the resident CTAs, in order.
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

// Continue runs the launch until it ends, a Stepper halts it or ctx ends. After the launch has ended, it returns the
// same error again. If ctx ends, the error is an *interp.Interrupted, and the launch can continue, as after an
// *interp.Awaiting.
func (s *Session) Continue(ctx context.Context) error {
	switch {
	case s.ordered():
		return s.runInOrder(ctx)
	case s.trial: // in order
	case s.expectsBrief():
		s.pause = s.engine.Stats.WarpInstrs + s.Alone
	default:
		if done, err := s.runInParallel(ctx); done || err != nil {
			return err
		}
	}
	for !s.done {
		switch err := s.round(ctx); {
		case err == errHalted:
			return nil
		case err == errNotBrief:
			s.endTrial()
			s.apart, s.pause = s.next, 0
			if done, err := s.runInParallel(ctx); done || err != nil {
				return err
			}
		case err != nil && errors.Is(err, ctx.Err()), isAwaiting(err):
			return err
		case err != nil:
			s.end(err)
		case s.next == s.total && len(s.resident) == 0:
			s.end(nil)
		}
	}
	return s.err
}

func isAwaiting(err error) bool {
	_, ok := err.(*interp.Awaiting)
	return ok
}

func (s *Session) end(err error) {
	s.done, s.err = true, err
	switch {
	case err != nil:
	case s.lent && len(s.made) == 1:
		s.grid.Keep(s.engine, s.made[0].CTA, s)
	default:
		s.grid.Ended(s.engine)
	}
	s.grid.Close()
}

// warpAt returns the resident at a position in the grid, if it has a warp with that ID.
func (s *Session) warpAt(at isa.Dim, id int) (*resident, bool) {
	for i, r := range s.resident {
		if !s.gone(i) && r.At == at && id < len(r.Warps) {
			return r, true
		}
	}
	return nil, false
}
