package debugger

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/simtrun/simtrun/interp"
)

// CatchFault is caught in launches alone that fail, and CatchError also in calls.
const CatchFault = "fault"

// Attended is a Hosted whose user is at an editor: its session carries out motions while a thread of the program waits,
// in a launch or between launches.
type Attended struct {
	h       *Hosted
	turn    chan struct{} // has a value while neither the session nor a thread of the program uses the debugger
	arrived chan string   // why a thread stops, "" for at a launch; the session then has the debugger
	goOn    chan string   // the command with which that thread goes on; it then has the debugger again
	parked  bool          // a thread waits for goOn
	why     string        // of the stop to come, of the thread that has the debugger
	thrown  bool          // that stop is in a call, not in a launch or after it
	last    Stop          // between launches
	pausing atomic.Bool   // the user waits for the next launch
	place   func()        // sets breakpoints in the launch that has arrived
}

// NewAttended makes a debugger without a launch, for an editor.
func NewAttended(cfg Config) *Attended {
	cfg.Editor = true
	a := &Attended{h: NewHosted(cfg), turn: make(chan struct{}, 1), arrived: make(chan string), goOn: make(chan string)}
	a.h.attended, a.place = a, func() {}
	a.giveTurn()
	return a
}

func (a *Attended) giveTurn() { a.turn <- struct{}{} }

// own calls do for a thread of the program while no other thread uses the debugger.
func (a *Attended) own(do func()) {
	<-a.turn
	defer a.giveTurn()
	do()
}

// Arrive is Hosted.Arrive, in a thread of the program.
func (a *Attended) Arrive(p *Program) (taken bool) {
	a.own(func() { taken = a.h.Arrive(p) })
	return taken
}

// Run is Hosted.Run, in a thread of the program.
func (a *Attended) Run() (stats interp.Stats, err error) {
	a.own(func() {
		a.why, a.thrown = "", false
		stats, err = a.h.Run(a.talk)
	})
	return stats, err
}

// Stop is Hosted.Stop, in a thread of the program.
func (a *Attended) Stop(p *Program, why string) (err error) {
	a.own(func() {
		a.why, a.thrown = why, true
		err = a.h.Stop(p, why, a.talk)
	})
	return err
}

// Catches is Hosted.Catches, in a thread of the program.
func (a *Attended) Catches(kind string) (does bool) {
	a.own(func() { does = a.h.Catches(kind) })
	return does
}

// LaunchText is Hosted.LaunchText.
func (a *Attended) LaunchText(kernel string) string { return a.h.LaunchText(kernel) }

// talk implements Talk: the session has the debugger until the program is to go on.
func (a *Attended) talk(string) (string, context.Context, func(error), error) {
	why := a.why
	if why == "" && !a.h.isUnderWay() {
		why = "after " + a.h.LaunchText(a.h.d.launch().Kernel)
	}
	a.arrived <- why
	return <-a.goOn, context.Background(), func(error) {}, nil
}

// Begin waits for the first stop, and returns the debugger. place is called at each launch, to set breakpoints in it.
func (a *Attended) Begin(place func()) *Debugger {
	<-a.arrived
	a.parked, a.place, a.last = true, place, Stop{Why: a.why}
	return a.h.d
}

// Catch sets what the program stops at, beside breakpoints.
func (a *Attended) Catch(kinds []string) {
	clear(a.h.caught)
	for _, kind := range kinds {
		a.h.caught[kind] = true
	}
}

// Pause makes the program stop at its next launch, while none is under way. It may be called while the program runs.
func (a *Attended) Pause() { a.pausing.Store(true) }

// Leave lets the program go on without stops.
func (a *Attended) Leave() {
	if a.parked {
		a.goOn <- "detach"
		return
	}
	a.h.detach()
	a.giveTurn()
}

// isUnderWay reports whether a launch is under way that can go on.
func (a *Attended) isUnderWay() bool { return a.h.d.session != nil && !a.h.d.session.Done() }

// IsOfPrograms reports whether a word is a command about the program of the host.
func (a *Attended) IsOfPrograms(word string) bool { return word == "catch" || word == "detach" }

// MoveProgram carries out a motion in the launch, and lets the program go on when the launch has ended.
func (a *Attended) MoveProgram(ctx context.Context, m Motion) (Stop, error) {
	if !a.isUnderWay() && m <= Onwards {
		return a.proceed(ctx)
	}
	if len(a.h.d.timeline.entries) == 0 && a.h.d.session == nil {
		return a.last, errNoHistory
	}
	stop, err := a.h.d.Move(ctx, m)
	return a.beyond(ctx, stop, err)
}

var errNoHistory = errors.New("no launch is under way that could go back")

// CommandProgram carries out a command line of the debugger, or of a host program.
func (a *Attended) CommandProgram(ctx context.Context, line string) (Stop, error) {
	under := a.isUnderWay()
	stop, err := a.h.d.watched(func() error { return a.h.execute(ctx, line) })
	switch {
	case errors.Is(err, errGoOn):
		return a.proceed(ctx)
	case errors.Is(err, errEnded), errors.Is(err, errFailed):
		err = errHostedEnded
	}
	if !under {
		stop.Ended, stop.Begun = false, false
		return stop, err
	}
	return a.beyond(ctx, stop, err)
}

// beyond goes on if a motion has ended the launch.
func (a *Attended) beyond(ctx context.Context, stop Stop, err error) (Stop, error) {
	fails := stop.Failure != nil && !a.h.caught[CatchFault] && !a.h.caught[CatchError]
	if err != nil || !stop.Ended && !fails {
		return stop, err
	}
	return a.proceed(ctx)
}

// proceed lets the program go on, up to its next stop. A stop that is Outside says that ctx has ended while the program
// was executing something else than a launch.
func (a *Attended) proceed(ctx context.Context) (Stop, error) {
	for {
		why, stopped := a.await(ctx)
		switch {
		case !stopped:
			return Stop{Interrupted: true, Outside: true}, nil
		case why != "":
			a.pausing.Store(false)
			a.last = Stop{Why: why, Thrown: a.thrown}
			return a.last, nil
		case a.pausing.Swap(false):
			return Stop{Interrupted: true}, nil
		case a.h.caught[CatchLaunch]:
			return Stop{Begun: true, Why: a.h.LaunchText(a.h.d.launch().Kernel)}, nil
		}
		a.h.d.unseen = true
		stop, err := a.h.d.Move(ctx, Onwards)
		a.h.d.unseen = false
		fails := stop.Failure != nil && !a.h.caught[CatchFault] && !a.h.caught[CatchError]
		if err != nil || !stop.Ended && !fails {
			return stop, err
		}
	}
}

// await lets the program go on, and waits for its next stop; stopped is false if ctx has ended before it.
func (a *Attended) await(ctx context.Context) (why string, stopped bool) {
	if a.parked {
		a.goOn <- "continue"
	} else {
		a.giveTurn()
	}
	a.parked = false
	select {
	case why = <-a.arrived:
	case <-ctx.Done():
		select {
		case why = <-a.arrived:
		case <-a.turn:
			return "", false
		}
	}
	a.parked = true
	return why, true
}
