package main

/*
#include "signals.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cxx"
)

// runningLaunch is a launch that has begun. It reports its progress, and ends at SIGINT or at its time limit.
type runningLaunch struct {
	l     *launch
	r     *simtrun.Running
	began time.Time
	next  time.Duration // when the next report is due, from the start of the launch
	// caught says that SIGINT is caught. The program gets the signal after the launch has reported its result, since it
	// may end the program.
	caught bool
}

const (
	// patience is the time after which a launch reports its progress, and SIGINT ends it instead of going to the
	// program.
	patience = 200 * time.Millisecond
	// reportEvery is the interval of reports from then on, attendEvery that of checks for SIGINT and the time limit.
	reportEvery, attendEvery = 500 * time.Millisecond, 20 * time.Millisecond
)

func newRunningLaunch(l *launch, r *simtrun.Running, began time.Time) *runningLaunch {
	u := &runningLaunch{l: l, r: r, began: began, next: patience}
	dev.outlet.begun(l, cuda.Begun, simtrun.Progress{Total: l.grid.Count()}, 0)
	return u
}

// release gives SIGINT back to the program.
func (u *runningLaunch) release() {
	if u.caught {
		u.caught = false
		C.signals_release_interrupt()
	}
}

// run runs the launch until it ends or waits for the program.
func (u *runningLaunch) run() error {
	if dev.debug != nil && dev.debug.taken { // it takes as long as the user wants, and the debugger has SIGINT
		return u.r.Continue(context.Background())
	}
	first := patience
	if limit := dev.opts.Limit; limit > 0 {
		first = min(first, limit)
	}
	a, _ := dev.attendants.Get().(*attendant)
	if a == nil {
		a = newAttendant()
	}
	a.of = u
	a.timer.Reset(first)
	err := u.r.Continue(a.ctx)
	if a.timer.Stop() { // nothing of it was used
		a.of = nil
		dev.attendants.Put(a)
		return err
	}
	close(a.over)
	late := <-a.attended
	if a.cancel(); late != nil && isInterrupted(err) {
		late.at, _ = errors.AsType[*simtrun.Interrupted](err)
		return late
	}
	return err
}

// attendant attends a launch if that takes long. One that was not needed is kept for another launch: making it takes as
// long as a part of a small launch.
type attendant struct {
	of       *runningLaunch
	ctx      context.Context // of the launch
	cancel   context.CancelFunc
	timer    *time.Timer
	over     chan bool       // closed when the launch is over
	attended chan *timeLimit // receives the result of attend
}

// newAttendant returns an attendant whose timer has not started.
func newAttendant() *attendant {
	a := &attendant{over: make(chan bool), attended: make(chan *timeLimit, 1)}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.timer = time.AfterFunc(time.Hour, func() { a.attended <- a.of.attend(a.cancel, a.over) })
	a.timer.Stop()
	return a
}

// attend watches a long launch until it is over: it ends the launch at SIGINT and at the time limit. It returns late if
// it was the time limit.
func (u *runningLaunch) attend(end context.CancelFunc, over <-chan bool) (late *timeLimit) {
	C.signals_catch_interrupt()
	u.caught = true
	defer dev.outlet.progress.clear()
	ticks := time.NewTicker(attendEvery)
	defer ticks.Stop()
	for {
		if late = u.look(); late != nil || C.signals_interrupted() != 0 {
			end()
			<-over
			return late
		}
		select {
		case <-over:
			return nil
		case <-ticks.C:
		}
	}
}

// look reports the progress of the launch, if that is due, and returns an error if the launch has reached its time
// limit.
func (u *runningLaunch) look() *timeLimit {
	took := time.Since(u.began)
	if took >= u.next {
		dev.outlet.begun(u.l, cuda.Running, u.r.Progress(), took)
		dev.outlet.progress.show(u, took)
		u.next = took + reportEvery
	}
	if limit := dev.opts.Limit; limit > 0 && took >= limit {
		return &timeLimit{l: u.l, p: u.r.Progress(), limit: limit}
	}
	return nil
}

func isInterrupted(err error) bool {
	_, more := errors.AsType[*simtrun.Interrupted](err)
	return more
}

// ruleTimeout is the rule for launches that reach their time limit, as for runs that --timeout ends.
const ruleTimeout = "sync-timeout"

// timeLimit is the error of a launch that reached its time limit.
type timeLimit struct {
	l     *launch
	p     simtrun.Progress
	limit time.Duration
	at    *simtrun.Interrupted // nil for a launch that waits for the program
}

func (t *timeLimit) Error() string {
	text := fmt.Sprintf("time limit: %s is not done after %v (%v); %s sets the limit [%s]", cxx.Short(t.l.f.k.Name()), t.limit, t.p, cuda.EnvLaunchTimeout, ruleTimeout)
	if t.at != nil {
		text = fmt.Sprintf("%s: error: %s\n  next    %s\n  who     %s", t.at.Place(), text, t.at.Text(), t.at.Threads)
	}
	return text
}
