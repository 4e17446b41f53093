package explore

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Replay makes the launches of a program follow a schedule. The machine must be one of single lanes; see Configure.
type Replay struct {
	run    *run
	follow *follower
}

// NewReplay returns a replay of a program. Of the launches, which are all in order, only grid and block are used.
func NewReplay(s Schedule, launches []interp.Launch) (*Replay, error) {
	n, err := threadsOf(launches)
	if err != nil {
		return nil, err
	}
	f := &follower{schedule: s}
	w := &worker{codes: make(map[*isa.Func]*code), threads: n}
	return &Replay{run: w.newRun(&job{follow: f}), follow: f}, nil
}

// Attach sets the order of launch i of the program.
func (r *Replay) Attach(i int, l *interp.Launch) {
	l.Order, l.Precise = &replayed{run: r.run, number: i, launch: *l}, true
}

// Err returns why the schedule was not followed to its end, or nil. It is for when the launches have ended.
func (r *Replay) Err() error { return r.follow.end() }

// replayed is the order of one launch of a Replay.
type replayed struct {
	*run
	number int
	launch interp.Launch
	begun  bool
}

// Next implements interp.Order.
func (o *replayed) Next(all []interp.Warp) (warp, lane int, err error) {
	if !o.begun {
		o.begun = true
		o.begin(&o.launch, o.number)
	}
	return o.run.Next(all)
}
