package debugger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/interp"
)

// withClock lists the commands that work in launches with a clock, where no warp can be held back.
var withClock = []string{"step", "stepi", "whatis", "ptype", "until", "continue", "run", "restart", "print", "display", "undisplay", "x", "info", "list", "search", "reverse-search", "disas",
	"bt", "frame", "up", "down", "why", "warps", "focus", "block", "warp", "lane", "thread", "source", "help", "quit", "args", "locals", "kill", "echo",
	"break", "tbreak", "watch", "rwatch", "awatch", "trace", "delete", "clear", "disable", "enable", "toggle", "cond", "ignore", "commands", "define", "document", "save", "rbreak", "if", "while", "loop_break", "loop_continue", "breakpoints", "set", "show", "printf", "dprintf", "with", "apropos", "complete",
	"reverse-step", "reverse-stepi", "reverse-continue", "last-write", "rev", "when", "goto", "rewind", "checkpoint", "checkpoints", "clear-checkpoint"}

var errNoClock = errors.New("cycles are those of launches with a clock: simtrun debug --timed")

// beginTimed begins a launch with a clock, at the start of its first cycle.
func (d *Debugger) beginTimed(l interp.Launch) error {
	o := *d.cfg.Clock
	if d.code == nil {
		on := d.program.Machine.Config().GPU
		d.l2, d.code = sm.NewL2(on), sm.NewInstructionCaches(on)
	}
	o.Window, o.Since, o.L2, o.Instructions = 1, d.since, d.l2, d.code
	d.clock = &clockLog{d: d}
	l.Observe(d.clock)
	if d.cfg.Recorded {
		d.passages = &passageLog{d: d}
		l.Observe(d.passages)
	}
	s, err := sm.Begin(d.program.Machine, l, o)
	if err != nil {
		return err
	}
	d.session, d.timed = s, s
	d.focus = focus{}
	d.printf("%s  grid %dx%dx%d%s  block %dx%dx%d%s  gpu %s  sched %s\n", cxx.Short(l.Kernel), l.Grid.X, l.Grid.Y, l.Grid.Z, d.clusterExtent(), l.Block.X, l.Block.Y, l.Block.Z, d.countText(),
		d.program.Machine.Config().GPU.Name, o.Policy)
	d.settleFocus()
	return nil
}

// endOfClock says how long the ended launch took. The next one starts after it.
func (d *Debugger) endOfClock() string {
	if d.timed == nil {
		return ""
	}
	t := d.timed.Timing()
	d.since = t.Next()
	return fmt.Sprintf("  cycles %d", t.Cycles)
}

func (d *Debugger) stepCommand(c *call) error {
	text, cycles := strings.CutPrefix(c.args, "-cycle")
	switch {
	case d.cfg.Clock == nil && cycles:
		return errNoClock
	case d.cfg.Clock == nil:
		return lineStep((*walk).line, (*walk).forward)(d, c)
	}
	n, err := count(strings.TrimSpace(text))
	if err != nil {
		return err
	}
	w, err := d.warp()
	switch {
	case err != nil:
		return err
	case d.session.Done():
		return errFailed
	}
	d.level = 0
	from := d.timed.Cycle()
	d.armClock()
	defer d.disarmClock()
	if cycles {
		_, err = d.advanceTo(c.ctx, from+int64(n))
	} else {
		err = d.stepTimed(c.ctx, placeOf(w), uint64(n))
	}
	if err := d.stopTimed(c.ctx, from, err); err != nil {
		return err
	}
	d.show()
	return nil
}

// stepInstruction is step by instructions, also where the source is shown.
func (d *Debugger) stepInstruction(c *call) error {
	if d.cfg.Clock != nil {
		return d.stepCommand(c)
	}
	return instructionStep((*walk).forward)(d, c)
}

// advance runs cycles up to, but not including, one, or to the end of the launch, and records that.
func (d *Debugger) advance(ctx context.Context, cycle int64) error {
	for !d.timed.Done() && d.timed.Cycle() < cycle {
		until, from := d.timeline.until(d, natural, warpAt{}), d.step()
		err := d.timed.Advance(ctx, min(cycle, d.since+from+chunk, d.since+min(until, math.MaxInt64-d.since)))
		d.timeline.note(d, entry{kind: natural, from: from, calls: 1, ends: d.timed.Done()})
		if err != nil {
			return err
		}
		if !d.timed.Done() {
			d.copyIfDue()
		}
	}
	return nil
}

// stepTimed runs cycles until a warp has executed n instructions, or has ended.
func (d *Debugger) stepTimed(ctx context.Context, at warpAt, n uint64) error {
	w, err := d.find(at)
	for from := w.Executed(); err == nil && w.Executed()-from < n; {
		stopped, failed := d.advanceTo(ctx, d.timed.NextCycle()+1)
		if failed != nil || stopped || d.timed.Done() {
			return failed
		}
		w, err = d.find(at)
	}
	return nil
}

// untilTimed executes until LOC in a launch with a clock.
func (d *Debugger) untilTimed(c *call) error {
	if c.args == "" {
		return errors.New("until where? With a clock it takes a place")
	}
	if err := d.runTo(c.ctx, c.args, false); err != nil {
		return err
	}
	d.show()
	return nil
}

// runTo runs cycles until a warp is about to issue the instruction at a place: the warp in focus, or any warp, which
// then gets the focus. A warp that is there already must return to it.
func (d *Debugger) runTo(ctx context.Context, text string, anyWarp bool) error {
	at, err := d.parsePlace(text)
	switch {
	case err != nil:
		return err
	case d.session == nil:
		return errEnded
	case d.session.Done():
		return errFailed
	}
	if err := d.checkTimed([]codeAt{at}); err != nil {
		return err
	}
	d.armClock()
	defer d.disarmClock()
	focus := warpAt{d.focus.cta, d.focus.warp}
	since := make(map[warpAt]uint64) // instructions that the warps already there had executed
	look := func(arrived func(w interp.Warp, m lanes.Mask)) {
		d.timed.Issuing(func(w interp.Warp, fn, pc int) {
			if s, ok := running(w); ok && (codeAt{fn, pc}) == at && (anyWarp || placeOf(w) == focus) {
				arrived(w, s.Mask)
			}
		})
	}
	look(func(w interp.Warp, _ lanes.Mask) { since[placeOf(w)] = w.Executed() })
	from, there := d.timed.Cycle(), false
	for err == nil && !d.timed.Done() && !there {
		if _, gone := d.find(focus); gone != nil && !anyWarp {
			break
		}
		stopped := false
		if stopped, err = d.advanceTo(ctx, d.timed.NextCycle()+1); stopped {
			break
		}
		look(func(w interp.Warp, m lanes.Mask) {
			if n, was := since[placeOf(w)]; !there && (!was || n != w.Executed()) {
				there = true
				d.focusOn(placeOf(w), m)
			}
		})
	}
	return d.stopTimed(ctx, from, err)
}

// resumeTimed runs a launch with a clock to its end.
func (d *Debugger) resumeTimed(ctx context.Context) error {
	from := d.timed.Cycle()
	d.level = 0
	d.armClock()
	defer d.disarmClock()
	_, err := d.advanceTo(ctx, math.MaxInt64)
	return d.stopTimed(ctx, from, err)
}

// stopTimed reports what happened in the cycles since from. If no block is resident any more, it continues to the
// next one, or to the end.
func (d *Debugger) stopTimed(ctx context.Context, from int64, err error) error {
	for err == nil && !d.timed.Done() && len(d.timed.Warps()) == 0 {
		err = d.advance(ctx, d.timed.NextCycle()+1)
	}
	switch {
	case interrupted(ctx, err):
		d.interrupted()
	case d.timed.Done():
		return d.end(err)
	}
	d.printf("ran %s\n", plural(uint64(d.timed.Cycle()-from), "cycle"))
	at := warpAt{d.focus.cta, d.focus.warp}
	if _, err := d.warp(); err != nil {
		d.printf("block %d has ended\n", d.blockNumber(at.cta))
		d.settleFocus()
	}
	return nil
}

// residentAt is a warp and the SM on which it is resident.
type residentAt struct {
	on        *sm.SMView
	scheduler int
	sm.Resident
}

// residence returns where a warp of a launch with a clock is resident.
func (d *Debugger) residence(w interp.Warp) (residentAt, error) {
	if d.timed == nil {
		return residentAt{}, errNoClock
	}
	for id := range d.timed.SMs() {
		v := d.timed.Inspect(id)
		for i := range v.Schedulers {
			for _, r := range v.Schedulers[i].Warps {
				if placeOf(r.Warp) == placeOf(w) {
					return residentAt{v, i, r}, nil
				}
			}
		}
	}
	return residentAt{}, errorf("%s has ended", d.warpText(placeOf(w)))
}

// showStall prints the state in which the scheduler will find a warp, if there is a clock.
func (d *Debugger) showStall(w interp.Warp) {
	if d.timed == nil {
		return
	}
	text := "ended"
	if r, err := d.residence(w); err == nil {
		text = fmt.Sprintf("SM %d, scheduler %d: %s", r.on.ID, r.scheduler, d.stallText(&r.Resident))
		if s, ok := running(w); ok && s.PC != r.PC { // the scheduler chose other lanes
			text += ", then issues " + d.issuesText(&r.Resident)
		}
	}
	d.printf("   cycle %d  %s\n", d.timed.Cycle(), text)
}

// stallText returns the state of a warp in the next cycle, when it will end, and its cause.
func (d *Debugger) stallText(r *sm.Resident) string {
	now := d.timed.Cycle()
	if r.Start > now {
		return fmt.Sprintf("starts in cycle %d", r.Start)
	}
	text := r.State.String()
	switch {
	case r.State == sm.Selected:
		return "can issue"
	case r.Until != sm.Unknown:
		text += fmt.Sprintf(" until cycle %d", r.Until)
	case r.State == sm.AtBarrier:
		return text + ", until other warps arrive"
	default:
		text += ", until memory has answered"
	}
	var needed []string
	for _, p := range r.Waits {
		if p.Needed && (p.Until == r.Until || r.Until == sm.Unknown && p.Until == sm.Unknown) {
			needed = append(needed, p.Register)
		}
	}
	if len(needed) > 0 {
		text += ", for " + strings.Join(needed, ", ")
	}
	return text
}

func (d *Debugger) infoSchedulers(w interp.Warp, _ string) error {
	at, err := d.residence(w)
	if err != nil {
		return err
	}
	d.printf("cycle %d  SM %d  %s\n", d.timed.Cycle(), at.on.ID, plural(uint64(at.on.CTAs), "block"))
	for i := range at.on.Schedulers {
		c := &at.on.Schedulers[i]
		d.printf("scheduler %d  warps %d of %d  issued %d%s%s%s\n", i, len(c.Warps), c.Slots, c.Issued, d.busyText(c.Busy), queuedText(c.Queued), d.nextIssue(c))
		width := 0
		for _, r := range c.Warps {
			width = max(width, len(d.stallText(&r)))
		}
		for _, r := range c.Warps {
			line := fmt.Sprintf("%s s%-2d %-8s %-*s  %s", mark(placeOf(r.Warp) == placeOf(w)), r.Slot, d.warpText(placeOf(r.Warp)), width, d.stallText(&r), d.issuesText(&r))
			d.printf("%s\n", strings.TrimRight(line, " "))
		}
	}
	return nil
}

// issuesText names the next instruction of a warp, and the machine instruction if it has several.
func (d *Debugger) issuesText(r *sm.Resident) string {
	if r.State == sm.Drain || r.Func == nil {
		return ""
	}
	code := codeAt{slices.Index(d.fns, r.Func), r.PC}
	text := d.lineText(code) + "  " + d.codeText(code)
	switch {
	case r.Op < 0:
		text += fmt.Sprintf("  (%s before it)", r.Class)
	case r.Ops > 1:
		text += fmt.Sprintf("  (%s, %d of %d)", r.Class, r.Op+1, r.Ops)
	}
	return text
}

func queuedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("  memory queue %d", n)
}

func (d *Debugger) busyText(all []sm.BusyPipe) string {
	var words []string
	for _, p := range all {
		until := "others"
		if p.Free != sm.Unknown {
			until = fmt.Sprint(p.Free)
		}
		words = append(words, fmt.Sprintf("%s until %s", p.Unit, until))
	}
	if len(words) == 0 {
		return ""
	}
	return "  busy " + strings.Join(words, ", ")
}

// nextIssue says when a scheduler with warps can issue next, if that is known.
func (d *Debugger) nextIssue(c *sm.SchedulerView) string {
	next := int64(sm.Unknown)
	for i := range c.Warps {
		if r := &c.Warps[i]; r.State != sm.Drain && r.Until != sm.Unknown && (next == sm.Unknown || r.Until < next) {
			next = r.Until
		}
	}
	switch {
	case len(c.Warps) == 0:
		return ""
	case next == sm.Unknown:
		return "  next issue not known"
	case next == d.timed.Cycle():
		return "  next issue in this cycle"
	}
	return fmt.Sprintf("  next issue in cycle %d", next)
}

func (d *Debugger) infoScoreboard(w interp.Warp, _ string) error {
	at, err := d.residence(w)
	if err != nil {
		return err
	}
	d.printf("cycle %d  %s: SM %d, scheduler %d, slot %d: %s\n", d.timed.Cycle(), d.warpText(placeOf(w)), at.on.ID, at.scheduler, at.Slot, d.stallText(&at.Resident))
	for _, p := range at.Waits {
		when := "when memory has answered"
		if p.Until != sm.Unknown {
			when = fmt.Sprintf("from cycle %d", p.Until)
		}
		needed := ""
		if p.Needed {
			needed = "  needed next"
		}
		d.printf("  %-8s %-16s readable %s%s\n", p.Register, p.State, when, needed)
	}
	if len(at.Waits) == 0 {
		d.printf("  no register is yet to be written\n")
	}
	return nil
}

func (d *Debugger) infoCache(w interp.Warp, _ string) error {
	at, err := d.residence(w)
	if err != nil {
		return err
	}
	l1, l2 := &at.on.L1, d.timed.L2Traffic()
	if l2 == nil {
		d.printf("%s has no caches\n", d.program.Machine.Config().GPU.Name)
		return nil
	}
	d.printf("L1 of SM %d  %d bytes  %s looked up: %d hit, %d on the way, %d missed; %d stored\n", at.on.ID, at.on.L1Bytes, plural(l1.Sectors, "sector"), l1.Hits, l1.Pending, l1.Misses, l1.Stored)
	var sectors, hits, misses int64
	for k := range cache.NumKinds {
		sectors += l2.Sectors[k]
		hits += l2.Hits[k] + l2.Far[k]
		misses += l2.Misses[k]
	}
	d.printf("L2  %s looked up: %d hit, %d missed\n", plural(uint64(sectors), "sector"), hits, misses)
	d.printf("device memory  %d bytes read, %d written\n", l2.Fetched, l2.Written)
	return nil
}
