package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// atOnce is a Stepper that halts before anything is executed.
type atOnce struct{ at *interp.Warp }

func (a atOnce) Step(w interp.Warp, _ divergence.Split) bool {
	*a.at = w
	return true
}

// enter continues to the first instruction that can be executed, of the launch or of its next block.
func (d *Debugger) enter(proceed func(*functional.Session, context.Context) error) error {
	var w interp.Warp
	d.observe(d.log, atOnce{&w})
	if err := proceed(d.functional, context.Background()); err != nil || d.session.Done() {
		return d.end(err)
	}
	if d.session.Stats().WarpInstrs == 0 {
		d.focus = focus{}
		l := d.launch()
		d.printf("%s  grid %dx%dx%d%s  block %dx%dx%d%s\n", cxx.Short(l.Kernel), l.Grid.X, l.Grid.Y, l.Grid.Z, d.clusterExtent(), l.Block.X, l.Block.Y, l.Block.Z, d.countText())
	}
	s, _ := running(w)
	d.focusOn(placeOf(w), s.Mask)
	return nil
}

// countText names the current launch, if there are several.
func (d *Debugger) countText() string {
	if len(d.program.Launches) == 1 {
		return ""
	}
	return fmt.Sprintf("  launch %d of %d", d.number+1, len(d.program.Launches))
}

// end records that the launch has ended, and begins the next one unless there was an error.
func (d *Debugger) end(err error) error {
	d.ended = d.step()
	if err != nil {
		d.failure = err
		d.printf("%v\n", err)
		if f, ok := errors.AsType[*interp.Fault](err); ok {
			d.focusOn(warpAt{f.Where.CTA, f.Where.Warp}, f.Where.Lanes)
		} else {
			d.settleFocus()
		}
		return nil
	}
	stats := d.session.Stats()
	d.stats = stats
	d.printf("%s ended  warp-instr %d  lane-instr %d  divergent branches %d%s\n", cxx.Short(d.launch().Kernel), stats.WarpInstrs, stats.LaneInstrs, stats.DivergentBranches, d.endOfClock())
	d.warnings = append(d.warnings, stats.Warnings...)
	if n := len(stats.Warnings); n > 0 {
		d.printf("%s; info findings shows more\n", plural(uint64(n), "warning"))
	}
	if d.number+1 < len(d.program.Launches) {
		d.number++
		if err := d.begin(); err != nil {
			d.printf("%v\n", err)
		}
		return nil
	}
	d.session, d.functional, d.timed = nil, nil, nil
	if d.cfg.Ended != nil && d.quiet == 0 {
		d.cfg.Ended()
	}
	return nil
}

// faulted reports whether an instruction of w ended the launch.
func (d *Debugger) faulted(w interp.Warp) bool {
	f, ok := errors.AsType[*interp.Fault](d.failure)
	return ok && f.Where.CTA == w.CTA() && f.Where.Warp == w.ID()
}

// runner is the Stepper of a launch with points: it halts at them.
type runner struct {
	d       *Debugger
	ctx     context.Context
	steps   int
	pause   int64 // the step at which the launch pauses
	started bool  // an instruction was executed
	stopped bool
}

// contextEvery is the number of instructions between two checks of the context.
const contextEvery = 1024

// Step implements interp.Stepper. It handles the effects of the previous instruction, of any warp, and then the
// points before the next one.
func (r *runner) Step(w interp.Warp, s divergence.Split) bool {
	l := r.d.log
	if r.started && r.d.stopsAfter() {
		r.stopped = true
		return true
	}
	r.started = false
	if r.steps++; r.steps%contextEvery == 0 && (r.ctx.Err() != nil || r.d.timeline.due(r.d.work())) || r.d.step() == r.pause {
		return true
	}
	if r.d.stopsBefore(w, s) {
		r.stopped = true
		return true
	}
	l.before(w, s)
	r.started = true
	return false
}

// resume runs the launch until a point stops it, or it ends. Without points it runs at full speed.
func (d *Debugger) resume(ctx context.Context) error {
	switch {
	case d.session == nil:
		return errEnded
	case d.session.Done():
		return errFailed
	case d.timed != nil:
		return d.resumeTimed(ctx)
	}
	d.level = 0
	d.log.armed = d.arm()
	defer func() { d.log.armed = &armed{} }()
	r := &runner{d: d, ctx: ctx}
	var err error
	for err == nil && !d.session.Done() && !r.stopped && ctx.Err() == nil {
		r.pause = d.timeline.until(d, natural, warpAt{})
		if d.log.armed.empty() {
			err = d.runFast(ctx, r.pause)
		} else {
			d.observe(d.log, r)
			err = d.proceed(ctx)
		}
		if !r.stopped {
			d.copyIfDue()
		}
	}
	switch {
	case interrupted(ctx, err), err == nil && !d.session.Done() && !r.stopped:
		d.interrupted()
		d.settleFocus()
		return nil
	case err == nil && !d.session.Done():
		return nil
	}
	if r.started && err == nil {
		d.stopsAfter()
	}
	return d.end(err)
}

// runFast runs the launch without observers, for some time or up to a step.
func (d *Debugger) runFast(ctx context.Context, pause int64) error {
	d.observe()
	now := uint64(d.step())
	d.functional.PauseAt(min(now+fastSteps, uint64(pause)))
	defer d.functional.PauseAt(0)
	return d.proceed(ctx)
}

// fastSteps is how many instructions are executed, some milliseconds, before a copy may be due.
const fastSteps = 1 << 15

// proceed continues the launch, and records that.
func (d *Debugger) proceed(ctx context.Context) error {
	d.timeline.prepare(d, natural, warpAt{})
	from := d.step()
	err := d.functional.Continue(ctx)
	if interrupted(ctx, err) {
		err = d.haltAsUsual(err)
	}
	d.timeline.note(d, entry{kind: natural, from: from, calls: 1, ends: d.session.Done()})
	return err
}

// haltAsUsual makes the state of a launch that its context has interrupted with err what it is where a Stepper halts:
// before an instruction of a block that has started, even if another had just ended. It returns err, or what ended the
// launch, which had nothing more to execute.
func (d *Debugger) haltAsUsual(err error) error {
	var w interp.Warp
	d.observe(d.log, atOnce{&w})
	if ended := d.functional.Continue(context.Background()); d.session.Done() {
		return ended
	}
	return err
}

func interrupted(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// stopsAfter reports whether a point stops after the logged instruction. If so, it prints the event and moves the
// focus there.
func (d *Debugger) stopsAfter() bool {
	if d.log.armed.on[reconverge] != nil {
		d.log.after()
	}
	stop := d.log.armed.after(d.log)
	if stop {
		m := d.log.split.Mask
		if s, ok := running(d.log.w); ok {
			m = s.Mask
		}
		d.focusOn(d.log.at, m)
		d.settleFocus()
	}
	return stop
}

// stopsBefore reports whether a point stops before the next instruction of a warp. If so, it moves the focus there.
func (d *Debugger) stopsBefore(w interp.Warp, s divergence.Split) bool {
	m, _ := d.log.armed.before(d, w, s)
	if m != 0 {
		d.focusOn(placeOf(w), m)
	}
	return m != 0
}

// show prints the position of the focus, and the displays.
func (d *Debugger) show() {
	d.level, d.listing = 0, listing{}
	if d.session == nil || d.cfg.Editor || len(d.hit) > 0 && d.hit[0].isSilent() {
		return
	}
	w, err := d.warp()
	if err != nil {
		return
	}
	d.printf("%s\n", d.nextText(w))
	d.showStall(w)
	d.showDisplays()
}

// issued is the outcome of issue.
type issued uint8

const (
	executed issued = iota
	blocked         // no lane of the warp can run
	over            // the launch has ended
)

// untilExecuted is the Stepper that halts once a warp has executed an instruction or has ended.
type untilExecuted struct {
	d      *Debugger
	w      interp.Warp
	before uint64 // instructions of the warp
}

// Step implements interp.Stepper.
func (u *untilExecuted) Step(w interp.Warp, s divergence.Split) bool {
	if u.w.Executed() != u.before || u.w.Control().Live() == 0 {
		return true
	}
	u.d.log.before(w, s)
	return false
}

// issueInOrder is issue in a launch with an interp.Order: everything is executed up to and including the next
// instruction of the warp.
func (d *Debugger) issueInOrder(w interp.Warp) (issued, error) {
	if w.Control().Live() == 0 {
		return blocked, nil
	}
	d.observe(d.log, &untilExecuted{d, w, w.Executed()})
	if err := d.proceed(context.Background()); err != nil || d.session.Done() {
		return over, d.end(err)
	}
	d.log.after()
	return executed, nil
}

// issue executes one instruction of a warp, even if the launch would run another warp next, unless it has an
// interp.Order.
func (d *Debugger) issue(w interp.Warp) (issued, error) {
	if d.launch().Order != nil {
		return d.issueInOrder(w)
	}
	s, _ := running(w)
	d.log.before(w, s)
	d.observe(d.log)
	for before := w.Executed(); w.Executed() == before; {
		ok, err := d.stepWarp(w)
		switch {
		case err != nil:
			return over, d.end(err)
		case !ok:
			d.log.unnote()
			return blocked, nil
		}
	}
	d.log.after()
	return executed, nil
}

// stepWarp executes an instruction of a warp, and records that.
func (d *Debugger) stepWarp(w interp.Warp) (ok bool, err error) {
	at, from := placeOf(w), d.step()
	d.timeline.prepare(d, ofWarp, at)
	ok, err = d.functional.Step(w)
	d.timeline.note(d, entry{kind: ofWarp, at: at, from: from, calls: 1, ends: err != nil})
	if from%contextEvery == 0 && err == nil {
		d.copyIfDue()
	}
	return ok, err
}

// blockEnded reports whether no lane of a block is live.
func (d *Debugger) blockEnded(warps []interp.Warp) bool {
	live := lanes.Mask(0)
	for _, w := range warps {
		live |= w.Control().Live()
	}
	return live == 0
}
