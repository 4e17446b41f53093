package launch

import (
	"context"
	"time"

	"github.com/simtrun/simtrun/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/profile"
	"github.com/simtrun/simtrun/sm"
)

// Observed is what is wanted of a launch beside what it leaves in memory.
type Observed struct {
	// Profile says that counters are wanted.
	Profile bool
	// Races says that the launch is checked for data races.
	Races bool
	// Clock is how the launch is timed; nil if it is functional.
	Clock *sm.Options
	// Attach, unless it is nil, may add observers to a launch on m; end is called
	// when the launch is over.
	Attach func(m *interp.Machine, l *interp.Launch) (end func() error, err error)
}

// Execution is what one launch came to. It is zero if the launch did not begin.
type Execution struct {
	Began  bool
	Halted bool // by an observer, before its end
	Stats  interp.Stats
	// Timing is nil unless the launch had a clock and came to its end.
	Timing *sm.Timing
	// Profile is nil unless it was asked for.
	Profile *profile.Profile
	// Races are those that were found, if they were looked for.
	Races []check.Finding
	// HostCPU is the host's CPU time, user and system, that the execution took;
	// it differs from run to run.
	HostCPU time.Duration
}

// Execute runs a launch on m, observed as o says. Errors are those of
// functional.Run and of attaching.
func (o *Observed) Execute(ctx context.Context, m *interp.Machine, l interp.Launch) (Execution, error) {
	var (
		e         Execution
		collector *profile.Collector
		races     *check.Races
		end       = func() error { return nil }
		err       error
	)
	if o.Profile {
		if collector, err = profile.Attach(m, &l); err != nil {
			return e, err
		}
	}
	if o.Races {
		if races, err = check.Attach(m, &l); err != nil {
			return e, err
		}
	}
	if o.Attach != nil {
		if end, err = o.Attach(m, &l); err != nil {
			return e, err
		}
	}
	before := hostCPU()
	if s, beginErr := o.begin(m, l); beginErr != nil {
		err = beginErr
	} else {
		err = s.Continue(ctx)
		e.Began, e.Halted, e.Stats = true, err == nil && !s.Done(), s.Stats()
		if timed, ok := s.(*sm.Session); ok && err == nil {
			e.Timing = timed.Timing()
		}
	}
	e.HostCPU = hostCPU() - before
	if ended := end(); err == nil {
		err = ended
	}
	if !e.Began {
		return Execution{}, err
	}
	if races != nil {
		e.Races = races.Findings()
	}
	if collector != nil {
		e.Profile = collector.Profile()
		if e.Timing != nil {
			e.Profile.AddTime(e.Timing)
		}
	}
	return e, err
}
