package simtrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// Running is a launch under way, which runs while Continue does. It is for a long launch beside which there is something else to do:
// each Continue has a context that ends with its slice of time, until one returns without an *Interrupted. What comes of
// the launch does not depend on the slices. No other can begin in its memory before End.
type Running struct {
	m   *Machine
	r   *launch.Running
	err error // of the latest Continue
	res *Result
}

// Begin starts a launch, of which nothing is executed yet. Errors say why it cannot be launched: for what the kernel itself is, those
// of Machine.Kernel.
func (m *Machine) Begin(l Launch) (*Running, error) {
	if m.mem.running != nil {
		return nil, errRunning
	}
	to, err := m.launchOf(&l)
	if err != nil {
		return nil, err
	}
	switch {
	case m.mem.clock != nil && l.Races:
		return nil, errClockRaces
	case m.mem.clock != nil && l.Step != nil:
		return nil, errClockStep
	}
	m.mem.m.Reuse()
	observed := launch.Observed{Profile: l.Profile, Races: l.Races, Clock: m.mem.clock}
	r, err := observed.Begin([]sm.Launch{{Launch: to, Machine: m.m}})
	if err != nil {
		return nil, err
	}
	m.mem.running = &Running{m: m, r: r}
	return m.mem.running, nil
}

var errRunning = errors.New("a launch is under way in this memory")

// launchOf is a launch as package interp takes it.
func (m *Machine) launchOf(l *Launch) (to interp.Launch, err error) {
	fn := m.mod.Entry(l.Kernel)
	if fn == nil {
		return to, fmt.Errorf("no kernel %q", l.Kernel)
	}
	to = interp.Launch{Kernel: l.Kernel, Grid: atLeastOne(l.Grid), Block: blockOf(fn, l.Block), Shared: l.Shared, Params: l.Params, Cooperative: l.Cooperative, HostWrites: l.HostWrites}
	if l.Params == nil {
		to.Params, err = m.encodeArgs(fn, l.Args)
	}
	if l.Cluster != (Dim{}) {
		to.Cluster = atLeastOne(l.Cluster)
	}
	if l.Step != nil {
		to.Observe(&stepper{step: l.Step})
	}
	return to, err
}

// Continue runs the launch until it ends, which is not an error, Launch.Step halts it, or ctx ends it: the error is then an *Interrupted, and
// the launch can go on, as it can after an *Awaiting. Other errors are those of Launch.
func (r *Running) Continue(ctx context.Context) error {
	if r.res != nil {
		return errors.New("the launch is over")
	}
	r.err = r.r.Continue(ctx)
	return public(r.err)
}

// Progress is how far a launch has come.
type Progress struct {
	Done, Total int64 // CTAs
}

// Progress is how far the launch has come. Any goroutine may ask.
func (r *Running) Progress() (p Progress) {
	p.Done, p.Total = r.m.m.Progress()
	return p
}

// End ends the launch, wherever it is, and says what it came to.
func (r *Running) End() *Result {
	if r.res != nil {
		return r.res
	}
	all, _ := r.r.End(r.err)
	e := &all[0]
	mem := r.m.mem
	mem.running = nil
	if e.Timing != nil && !e.Timing.Partial {
		mem.clock.Since = e.Timing.Next()
	}
	r.res = resultOf(e)
	return r.res
}
