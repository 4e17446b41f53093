package main

import (
	"context"
	"os"

	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/explore"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// addReplayFlag adds the flag for a schedule that explore has printed.
func addReplayFlag(f *pflag.FlagSet, file *string) {
	f.StringVar(file, "replay", "", "execute threads in the order that the schedule in `FILE` gives, a file written by simtrun explore -o")
}

// newReplay returns a replay of the schedule in a file, and sets up the plan for it.
func newReplay(plan *launch.Plan, file string) (func() (*explore.Replay, error), error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, &usageError{msg: explain(err)}
	}
	defer text.Close()
	s, err := explore.ReadSchedule(file, text)
	if err != nil {
		return nil, &usageError{msg: explain(err)}
	}
	plan.Clock = nil
	explore.Configure(&plan.Config)
	var shapes []interp.Launch
	for i := range plan.Launches {
		l := &plan.Launches[i]
		shapes = append(shapes, interp.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block})
	}
	return func() (*explore.Replay, error) { return explore.NewReplay(s, shapes) }, nil
}

// attachReplay makes runs of a plan follow the schedule in a file.
func attachReplay(plan *launch.Plan, file string) error {
	begin, err := newReplay(plan, file)
	if err != nil {
		return err
	}
	var r *explore.Replay
	n, inner := 0, plan.Attach
	plan.Attach = func(m *interp.Machine, l *interp.Launch) (func() error, error) {
		if n%len(plan.Launches) == 0 {
			var err error
			if r, err = begin(); err != nil {
				return nil, &usageError{msg: explain(err)}
			}
		}
		r.Attach(n%len(plan.Launches), l)
		n++
		end := func() error { return nil }
		if inner != nil {
			var err error
			if end, err = inner(m, l); err != nil {
				return nil, err
			}
		}
		return func() error {
			err := end()
			if n%len(plan.Launches) == 0 && err == nil && r.Err() != nil {
				err = &usageError{msg: file + ": " + r.Err().Error()}
			}
			return err
		}, nil
	}
	return nil
}

// replayedPrepare returns Prepare of a plan for launches that follow the schedule in a file.
func replayedPrepare(plan *launch.Plan, file string) (func(context.Context) (*launch.Prepared, error), error) {
	begin, err := newReplay(plan, file)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (*launch.Prepared, error) {
		ready, err := plan.Prepare(ctx)
		if err != nil {
			return nil, err
		}
		r, err := begin()
		if err != nil {
			return nil, &usageError{msg: explain(err)}
		}
		for i := range ready.Launches {
			r.Attach(i, &ready.Launches[i])
		}
		return ready, nil
	}, nil
}
