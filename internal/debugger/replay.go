package debugger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// scene is the part of the user's view that a command depends on.
type scene struct {
	focus focus
	level int
	only  lanes.Mask
}

func (d *Debugger) scene() scene { return scene{d.focus, d.level, d.only} }

func (d *Debugger) setScene(s scene) { d.focus, d.level, d.only = s.focus, s.level, s.only }

// hook sees what is executed again.
type hook struct {
	ctx   context.Context
	begin func()                                   // at the start, and at the start of each launch; nil to do nothing
	each  func(w interp.Warp, s *divergence.Split) // before an instruction; nil to see none, and go there fast
	after func()                                   // after one, with the log of it; nil to do nothing
	cycle func(from, to int64)                     // with a clock: after cycles; nil to do nothing
}

// errInterrupted says that the user has interrupted.
var errInterrupted = errors.New("interrupted")

// goTo brings the launches to the state at a moment of the history, without a word.
func (d *Debugger) goTo(to moment) error {
	d.quiet++
	defer func() { d.quiet-- }()
	if err := d.loadBefore(to); err != nil {
		return err
	}
	return d.replay(to, nil)
}

// loadBefore puts back the latest copy of a moment up to one, or starts over if there is none.
func (d *Debugger) loadBefore(to moment) error {
	i, found := slices.BinarySearchFunc(d.timeline.all, to, func(w worldCopy, m moment) int { return w.compare(m) })
	if found {
		i++
	}
	if now := d.now(); i == 0 || d.timeline.all[i-1].before(now) {
		if d.session != nil && !to.before(now) && now != to {
			return nil
		}
		if i == 0 {
			return d.rebuild()
		}
	}
	d.load(&d.timeline.all[i-1])
	return nil
}

// load puts back a copy.
func (d *Debugger) load(w *worldCopy) {
	w.Restore()
	d.timeline.at = w.at
	d.timeline.begin(d.work())
	d.log.armed = &armed{}
	d.looked()
}

// looked forgets where the user has seen warps: that was at another time.
func (d *Debugger) looked() { d.passed = make(map[warpAt]position) }

// rebuild starts over on a new machine, with the same history. The user's view stays, as after load.
func (d *Debugger) rebuild() error {
	view := d.scene()
	err := d.startOver()
	d.setScene(view)
	d.looked()
	return err
}

// replay executes the history again up to a moment.
func (d *Debugger) replay(to moment, h *hook) error {
	view := d.scene()
	defer d.setScene(view)
	if h != nil && h.begin != nil {
		h.begin()
	}
	for {
		launch, now := d.number, d.now()
		e, ok := d.timeline.next(now.step)
		if !ok || now.compare(to) > 0 || now == to && e.to > now.step {
			return nil
		}
		at := d.timeline.at
		if err := d.perform(e, to, h); err != nil {
			return err
		}
		if d.timeline.at == at && d.now() == now {
			panic(fmt.Sprintf("simtrun bug: no way from %v to %v by %+v", now, to, *e))
		}
		if d.number != launch && h != nil && h.begin != nil {
			h.begin()
		}
	}
}

// perform executes an entry again, as far as a moment.
func (d *Debugger) perform(e *entry, to moment, h *hook) error {
	at := &d.timeline.at
	if _, begun := d.timeline.current(d.step()); !begun {
		*at = cursor{entry: at.entry + 1}
	}
	limit := e.to
	if e.launch == to.launch {
		limit = min(limit, to.step)
	}
	switch {
	case e.kind == edit:
		at.calls = 1
		return d.changeAgain(e)
	case e.kind == ofWarp:
		return d.performSteps(e, limit, h)
	case d.timed != nil:
		return d.performCycles(e, limit, h)
	}
	return d.performNaturally(e, limit, h)
}

// performNaturally continues the launch in its own order again.
func (d *Debugger) performNaturally(e *entry, limit int64, h *hook) error {
	at := &d.timeline.at
	toEnd := e.ends && limit == e.to
	at.calls = 1
	r := &replayer{d: d, limit: limit, hook: h}
	if toEnd {
		r.limit = math.MaxInt64
	}
	var err error
	for {
		if h != nil && h.ctx.Err() != nil {
			return errInterrupted
		}
		if left := limit - d.step(); d.launch().Order == nil && (h == nil && left > slowly || h != nil && h.each == nil && left > 2*sliceSteps) {
			d.observe()
			d.functional.PauseAt(uint64(min(limit-sliceSteps, d.step()+fastSteps)))
		} else {
			d.functional.PauseAt(0)
			d.observe(d.log, r)
		}
		err = d.functional.Continue(context.Background())
		d.functional.PauseAt(0)
		if r.err != nil {
			return r.err
		}
		if d.session.Done() || !toEnd && d.step() >= limit {
			break
		}
		d.copyIfDue()
	}
	if !d.session.Done() {
		return nil
	}
	r.after()
	at.calls = 2
	return d.end(err)
}

const (
	// slowly is how many instructions before its end a part of the history is executed again one by one if no hook sees
	// all of them, so that it is known how lanes have diverged.
	slowly = 1 << 15
	// sliceSteps is how many instructions later than asked a launch halts between two time slices, at most.
	sliceSteps = 5000
)

// replayer is the Stepper of replay.
type replayer struct {
	d     *Debugger
	limit int64
	hook  *hook
	begun bool // an instruction was executed
	steps int
	err   error
}

// Step implements interp.Stepper.
func (r *replayer) Step(w interp.Warp, s divergence.Split) bool {
	r.after()
	if r.d.step() >= r.limit {
		return true
	}
	if r.steps++; r.steps%contextEvery == 0 {
		if r.hook != nil && r.hook.ctx.Err() != nil {
			r.err = errInterrupted
			return true
		}
		if r.d.timeline.due(r.d.work()) {
			return true
		}
	}
	if r.hook != nil && r.hook.each != nil {
		r.hook.each(w, &s)
	}
	r.d.log.before(w, s)
	r.begun = true
	return false
}

// after shows the hook the instruction that was executed.
func (r *replayer) after() {
	if r.begun && r.hook != nil && r.hook.after != nil {
		r.d.log.after()
		r.hook.after()
	}
	r.begun = false
}

// performSteps executes instructions of a warp again.
func (d *Debugger) performSteps(e *entry, limit int64, h *hook) error {
	at, moved := &d.timeline.at, true
	d.observe(d.log)
	for at.calls < e.calls && (limit == e.to || d.step() < limit) {
		w, err := d.find(e.at)
		if err != nil {
			return err
		}
		s, ok := running(w)
		if h != nil && h.ctx.Err() != nil {
			return errInterrupted
		}
		if h != nil && h.each != nil && ok && moved {
			h.each(w, &s)
		}
		d.log.before(w, s)
		before := d.step()
		at.calls++
		ran, err := d.functional.Step(w)
		switch {
		case err != nil:
			return d.end(err)
		}
		switch moved = ran && d.step() != before; {
		case !moved:
			d.log.unnote()
		case h != nil && h.after != nil:
			d.log.after()
			h.after()
		}
	}
	return nil
}

// chunk is how many cycles pass before a copy may be due.
const chunk = 256

// performCycles lets cycles pass again.
func (d *Debugger) performCycles(e *entry, limit int64, h *hook) error {
	at := &d.timeline.at
	at.calls = 1
	toEnd := e.ends && limit == e.to
	var err error
	for err == nil && !d.session.Done() && (toEnd || d.step() < limit) {
		from := d.step()
		next := from + chunk
		if h != nil && h.cycle != nil {
			next = max(from, d.timed.NextCycle()-d.since) + 1
		}
		if !toEnd {
			next = min(next, limit)
		}
		if h != nil && h.ctx.Err() != nil {
			return errInterrupted
		}
		err = d.timed.Advance(context.Background(), d.since+next)
		if h != nil && h.cycle != nil {
			h.cycle(from, next)
		}
		if !d.session.Done() {
			d.copyIfDue()
		}
	}
	if !d.session.Done() {
		return err
	}
	at.calls = 2
	return d.end(err)
}
