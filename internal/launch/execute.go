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

// Observed is what is wanted of a launch beside what it leaves in memory.
type Observed struct {
	// Profile says that counters are wanted.
	Profile bool
	// Races checks the launch for data races, Shuffles for uses of undefined results of shuffles.
	Races, Shuffles bool
	// Clock is how the launch is timed; nil if it is functional.
	Clock *sm.Options
	// Attach, unless it is nil, may add observers to a launch on m; end is called
	// when the launch is over.
	Attach func(m *interp.Machine, l *interp.Launch) (end func() error, err error)
}

// Execution is what one launch came to. It is zero if the launch did not begin.
type Execution struct {
	Began  bool
	Failed bool // the error of the run is its
	Halted bool // by an observer, before its end
	Stats  interp.Stats
	// Timing is nil unless the launch had a clock. Of one that failed, was interrupted, or ran beside such a one, it is
	// partial.
	Timing *sm.Timing
	// Profile is nil unless it was asked for.
	Profile *profile.Profile
	// Races are those that were found, if they were looked for.
	Races []check.Finding
	// HostCPU is the host's CPU time, user and system, that the execution took;
	// it differs from run to run. Of launches side by side the first has that of all.
	HostCPU time.Duration
	// Uncompiled lists the functions that the launch executed often and that could not be compiled to the host's
	// machine code. They depend on the host. With a clock there are none.
	Uncompiled []interp.Uncompiled
}

// Execute runs a launch on m, observed as o says. Errors are those of
// functional.Run and of attaching.
func (o *Observed) Execute(ctx context.Context, m *interp.Machine, l interp.Launch) (Execution, error) {
	all, err := o.executeAll(ctx, []sm.Launch{{Launch: l, Machine: m}})
	return all[0], err
}

// executeAll is Execute for launches that run side by side. Several must have a clock.
func (o *Observed) executeAll(ctx context.Context, ls []sm.Launch) ([]Execution, error) {
	r, err := o.Begin(ls)
	if err != nil {
		return make([]Execution, len(ls)), err
	}
	err = r.Continue(ctx)
	return r.End(err)
}

// Running are launches under way, side by side.
type Running struct {
	session
	observers []attached
	hostCPU   time.Duration
}

// Begin starts launches, of which nothing is executed yet. Errors are those of executeAll; then none of them has begun.
func (o *Observed) Begin(ls []sm.Launch) (*Running, error) {
	r := &Running{observers: make([]attached, len(ls))}
	for i := range ls {
		if err := r.observers[i].attach(o, ls[i].Machine, &ls[i].Launch); err != nil {
			return nil, err
		}
	}
	before := hostCPU()
	var err error
	if r.session, err = o.begin(ls); err != nil {
		r.endObservers()
		return nil, err
	}
	r.hostCPU = hostCPU() - before
	return r, nil
}

// Continue runs the launches until they end or ctx does: then the error is an *interp.Interrupted, and they can go on.
func (r *Running) Continue(ctx context.Context) error {
	before := hostCPU()
	err := r.session.Continue(ctx)
	r.hostCPU += hostCPU() - before
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

// End is what the launches came to, and failed, the error of their latest Continue, or else one of an observer's end.
// What has not ended is given up.
func (r *Running) End(failed error) ([]Execution, error) {
	err, all := failed, make([]Execution, len(r.observers))
	all[0].HostCPU = r.hostCPU
	if ended := r.endObservers(); err == nil {
		err = ended
	}
	timed, _ := r.session.(*sm.Session)
	untimed, _ := r.session.(*functional.Session)
	done := r.Done()
	if timed != nil {
		timed.Abandon(err)
	}
	for i := range all {
		e := &all[i]
		e.Began, e.Halted, e.Failed = true, err == nil && !done, err != nil
		if timed == nil {
			e.Stats, e.Uncompiled = r.Stats(), untimed.Uncompiled()
		} else {
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

// attached is what observes a launch.
type attached struct {
	collector *profile.Collector
	races     *check.Races
	shuffles  *check.Shuffles
	end       func() error
}

func (a *attached) attach(o *Observed, m *interp.Machine, l *interp.Launch) (err error) {
	a.end = func() error { return nil }
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
	if o.Shuffles {
		a.shuffles = check.AttachShuffles(l)
	}
	if o.Attach != nil {
		a.end, err = o.Attach(m, l)
	}
	return err
}

// collect puts what was observed into the launch's execution.
func (a *attached) collect(e *Execution) {
	if a.races != nil {
		e.Races = a.races.Findings()
	}
	if a.shuffles != nil {
		e.Stats.Warnings = append(e.Stats.Warnings, a.shuffles.Warnings()...)
	}
	if a.collector == nil {
		return
	}
	e.Profile = a.collector.Profile()
	if e.Timing != nil {
		e.Profile.AddTime(e.Timing)
	}
}
