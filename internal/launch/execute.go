package launch

import (
	"context"
	"time"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// Observed says what to record about a launch in addition to its effect on memory.
type Observed struct {
	// Profile enables counters.
	Profile bool
	// Leaves finds Execution.Leaves.
	Leaves bool
	// Races checks the launch for data races.
	Races bool
	// Sync checks the launch for undefined results of shuffles, registers of pending instructions, missing fences, and
	// loads by the read-only path of memory that the launch has written.
	Sync bool
	// Init checks the launch for uses of unwritten values.
	Init bool
	// HostReads says that a value in global memory is used when memory.Region.HostRead says so, else at the end.
	HostReads bool
	// HostTime measures Execution.HostCPU: some 2 us of a launch.
	HostTime bool
	// Clock configures timing; nil for a functional launch.
	Clock *sm.Options
	// Attach, unless it is nil, may add observers to a launch on m; end is called after the launch.
	Attach func(m *interp.Machine, l *interp.Launch) (end func() error, err error)
	// Session, unless it is nil, is called with a launch that is observed as is asked for here. The session that it
	// returns, unless that is nil, takes the place of the usual one, as a debugger does.
	Session func(m *interp.Machine, l *interp.Launch) (Session, error)
}

// Execution is the outcome of one launch. It is zero if the launch did not begin.
type Execution struct {
	Began  bool
	Failed bool // this launch caused the error of the run
	Halted bool // an observer stopped it before its end
	Stats  interp.Stats
	// Timing is nil unless the launch had a clock. It is partial if the launch, or one that ran concurrently, failed
	// or was interrupted.
	Timing *sm.Timing
	// Profile is nil unless it was enabled.
	Profile *profile.Profile
	// Races are the findings, if the check was enabled.
	Races []check.Finding
	// HostCPU is the host's CPU time, user and system, for the execution, if Observed.HostTime; it differs from run to
	// run. Of concurrent launches the first has the time of all.
	HostCPU time.Duration
	// Uncompiled lists functions that the launch executed often and that could not be compiled to the host's machine
	// code. It depends on the host. With a clock it is empty.
	Uncompiled []interp.Uncompiled
	// Left lists instructions at which compiled code was left so often that it took much of the launch's time. It
	// depends on the host. With a clock it is empty.
	Left []interp.Left
	// Leaves lists the instructions that compiled code leaves to the Go loop in launches without a clock and without
	// observers, if Observed.Leaves. It depends on the host.
	Leaves []interp.Left
}

// Execute runs a launch on m and observes it as o says. Errors are those of functional.Run and of Attach.
func (o *Observed) Execute(ctx context.Context, m *interp.Machine, l interp.Launch) (Execution, error) {
	all, err := o.executeAll(ctx, []sm.Launch{{Launch: l, Machine: m}})
	return all[0], err
}

// executeAll is Execute for concurrent launches. Several launches need a clock.
func (o *Observed) executeAll(ctx context.Context, ls []sm.Launch) ([]Execution, error) {
	r, err := o.Begin(ls)
	if err != nil {
		return make([]Execution, len(ls)), err
	}
	err = r.Continue(ctx)
	return r.End(err)
}

// Running is a set of concurrent launches under way.
type Running struct {
	Session
	observers []attached
	leaves    bool // Execution.Leaves is wanted
	now       func() time.Duration
	hostCPU   time.Duration
}

// Begin prepares launches without executing anything. Errors are those of executeAll; no launch has begun then.
func (o *Observed) Begin(ls []sm.Launch) (*Running, error) {
	r := &Running{observers: make([]attached, len(ls)), leaves: o.Leaves}
	for i := range ls {
		if err := r.observers[i].attach(o, ls[i].Machine, &ls[i].Launch); err != nil {
			return nil, err
		}
	}
	before := o.now()
	var err error
	if r.Session, err = o.begin(ls); err != nil {
		r.endObservers()
		return nil, err
	}
	r.hostCPU, r.now = o.now()-before, o.now
	return r, nil
}

// now returns the host's CPU time, if it is measured.
func (o *Observed) now() time.Duration {
	if !o.HostTime {
		return 0
	}
	return hostCPU()
}

// Continue runs the launches until they or ctx end. In the latter case the error is an *interp.Interrupted, and
// Continue can be called again.
func (r *Running) Continue(ctx context.Context) error {
	before := r.now()
	err := r.Session.Continue(ctx)
	r.hostCPU += r.now() - before
	return err
}

func (r *Running) endObservers() (err error) {
	for i := range r.observers {
		if ended := r.observers[i].end(); err == nil {
			err = ended
		}
	}
	return err
}

// End returns the outcome of the launches, and failed, the error of their latest Continue, or else the first error of
// an observer's end. Launches that have not ended are abandoned.
func (r *Running) End(failed error) ([]Execution, error) {
	err, all := failed, make([]Execution, len(r.observers))
	all[0].HostCPU = r.hostCPU
	if ended := r.endObservers(); err == nil {
		err = ended
	}
	timed, _ := r.Session.(*sm.Session)
	untimed, _ := r.Session.(*functional.Session)
	done := r.Done()
	if timed != nil {
		timed.Abandon(err)
	}
	for i := range all {
		e := &all[i]
		e.Began, e.Halted, e.Failed = true, err == nil && !done, err != nil
		if timed == nil {
			e.Stats = r.Stats()
			if untimed != nil {
				e.Uncompiled, e.Left = untimed.Uncompiled(), untimed.Left()
				if r.leaves {
					e.Leaves = untimed.Leaves()
				}
			}
		} else {
			if r.leaves {
				e.Leaves = timed.Leaves(i)
			}
			e.Began, e.Stats, e.Failed = timed.Began(i), timed.StatsOf(i), err != nil && timed.Failed() == i
			if e.Began && (done && timed.Ended(i) || err != nil) {
				if t := timed.TimingOf(i); t.Cycles > 0 || !t.Partial {
					e.Timing = t
				}
			}
		}
		r.observers[i].collect(e)
	}
	return all, err
}

// attached holds the observers of a launch.
type attached struct {
	collector *profile.Collector
	races     *check.Races
	shuffles  *check.Shuffles
	async     *check.Async
	proxies   *check.Proxies
	readOnly  *check.NonCoherent
	init      *check.Init
	hostReads bool
	end       func() error
}

func (a *attached) attach(o *Observed, m *interp.Machine, l *interp.Launch) (err error) {
	a.end, a.hostReads = func() error { return nil }, o.HostReads
	if o.Profile {
		if a.collector, err = profile.Attach(m, l); err != nil {
			return err
		}
	}
	if o.Races {
		if a.races, err = check.Attach(m, l); err != nil {
			return err
		}
	}
	if o.Sync {
		if a.shuffles, err = check.AttachShuffles(m, l); err != nil {
			return err
		}
		if a.async, err = check.AttachAsync(m, l); err != nil {
			return err
		}
		if a.proxies, err = check.AttachProxies(m, l); err != nil {
			return err
		}
		if a.readOnly, err = check.AttachNonCoherent(m, l); err != nil {
			return err
		}
	}
	if o.Init {
		if a.init, err = check.AttachInit(m, l); err != nil {
			return err
		}
	}
	if o.Attach != nil {
		a.end, err = o.Attach(m, l)
	}
	return err
}

// collect copies the observations to the launch's execution.
func (a *attached) collect(e *Execution) {
	if a.races != nil {
		e.Races = a.races.Findings()
	}
	if a.shuffles != nil {
		e.Stats.Undefined &^= interp.UndefinedShuffle // which the check has judged
	}
	if a.races != nil {
		e.Stats.Undefined &^= interp.UndefinedLifetime
	}
	e.Stats.Warnings = append(e.Stats.Warnings, a.shuffles.Warnings()...)
	e.Stats.Warnings = append(e.Stats.Warnings, a.async.Warnings()...)
	e.Stats.Warnings = append(e.Stats.Warnings, a.proxies.Warnings()...)
	e.Stats.Warnings = append(e.Stats.Warnings, a.readOnly.Warnings()...)
	if a.init != nil {
		e.Stats.Warnings = append(e.Stats.Warnings, a.init.Warnings(a.hostReads)...)
	}
	if a.collector == nil {
		return
	}
	e.Profile = a.collector.Profile()
	if e.Timing != nil {
		e.Profile.AddTime(e.Timing)
	}
}
