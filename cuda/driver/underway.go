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
)

// underway is a launch that has begun: it reports how far it is, and ends at SIGINT and when it has taken as long as it may.
type underway struct {
	l     *launch
	r     *simtrun.Running
	began time.Time
	next  time.Duration // after which the next report is due
	// caught is that SIGINT was caught, which the program is to get after what the launch came to was reported: it may end the program.
	caught bool
}

const (
	// patience is how long a launch may take before it reports how far it is, and SIGINT ends it instead of what the program has SIGINT do.
	patience = 200 * time.Millisecond
	// reportEvery is how often it reports from then on, attendEvery how often is looked for SIGINT and the time.
	reportEvery, attendEvery = 500 * time.Millisecond, 20 * time.Millisecond
)

func newUnderway(l *launch, r *simtrun.Running, began time.Time) *underway {
	u := &underway{l: l, r: r, began: began, next: patience}
	dev.outlet.begun(l, cuda.Begun, simtrun.Progress{Total: l.grid.Count()}, 0)
	return u
}

// release lets SIGINT be the program's again.
func (u *underway) release() {
	if u.caught {
		u.caught = false
		C.signals_release_interrupt()
	}
}

// run runs the launch until it ends or waits for the program.
func (u *underway) run() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first := patience
	if limit := dev.opts.limit; limit > 0 {
		first = min(first, limit)
	}
	over, attended := make(chan bool), make(chan *timeLimit, 1)
	timer := time.AfterFunc(first, func() { attended <- u.attend(cancel, over) })
	err := u.r.Continue(ctx)
	if timer.Stop() {
		return err
	}
	close(over)
	if late := <-attended; late != nil && isInterrupted(err) {
		late.at, _ = errors.AsType[*simtrun.Interrupted](err)
		return late
	}
	return err
}

// attend looks after a launch that takes long until it is over: it has it end at SIGINT, and when it has taken too long, which is returned.
func (u *underway) attend(end context.CancelFunc, over <-chan bool) (late *timeLimit) {
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

// look reports how far the launch is, if that is due, and whether it has taken too long.
func (u *underway) look() *timeLimit {
	took := time.Since(u.began)
	if took >= u.next {
		dev.outlet.begun(u.l, cuda.Running, u.r.Progress(), took)
		dev.outlet.progress.show(u, took)
		u.next = took + reportEvery
	}
	if limit := dev.opts.limit; limit > 0 && took >= limit {
		return &timeLimit{l: u.l, p: u.r.Progress(), limit: limit}
	}
	return nil
}

func isInterrupted(err error) bool {
	_, more := errors.AsType[*simtrun.Interrupted](err)
	return more
}

// ruleTimeout is the rule of launches that took longer than they may, as of runs that --timeout ends.
const ruleTimeout = "sync-timeout"

// timeLimit is the error of a launch that took longer than it may.
type timeLimit struct {
	l     *launch
	p     simtrun.Progress
	limit time.Duration
	at    *simtrun.Interrupted // nil for a launch that waits for the program
}

func (t *timeLimit) Error() string {
	text := fmt.Sprintf("time limit: %s is not done after %v, %d of %d blocks are; %s sets the limit [%s]", t.l.f.k.Name(), t.limit, t.p.Done, t.p.Total, cuda.EnvLaunchTimeout, ruleTimeout)
	if t.at != nil {
		text = fmt.Sprintf("%s: error: %s\n  next    %s\n  who     %s", t.at.Pos, text, t.at.Instr, t.at.Threads)
	}
	return text
}
