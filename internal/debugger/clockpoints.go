package debugger

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// clockLog notes what instructions do in a launch with a clock, as far as points ask for it. Points stop between two
// cycles: a place when a warp is about to issue its instruction, an event and an access in the cycle of its execution,
// and a write to global memory when it takes effect.
type clockLog struct {
	d       *Debugger
	armed   *armed // nil if nothing is to be found
	touches []clockTouch
	events  []clockEvent
}

// clockTouch is an access to watched memory.
type clockTouch struct {
	touch
	at    warpAt
	split divergence.Split
	step  int64 // the cycle in which it was executed
}

// clockEvent is an event of a warp.
type clockEvent struct {
	event
	at    warpAt
	split divergence.Split
	step  int64
}

// Interfaces that a clockLog implements.
var (
	_ interp.AccessObserver     = (*clockLog)(nil)
	_ interp.DivergenceObserver = (*clockLog)(nil)
	_ interp.ExitObserver       = (*clockLog)(nil)
	_ interp.ArrivalObserver    = (*clockLog)(nil)
)

// step returns the cycle that is being executed.
func (l *clockLog) step() int64 { return l.d.step() - 1 }

// Accessed implements interp.AccessObserver.
func (l *clockLog) Accessed(at *interp.Place, a *interp.Access) {
	l.d.showAccess(at, a)
	if l.armed == nil {
		return
	}
	code := codeAt{at.Func, a.PC}
	l.note(access, at, code, a.Lanes, nil, 0)
	for _, p := range l.armed.memory {
		if t, ok := p.watch.touched(at, code, l.d, a); ok {
			t.point = p
			t.data = a.Mem
			l.touches = append(l.touches, clockTouch{t, warpAt{at.CTA, at.Warp}, divergence.Split{PC: a.PC, Mask: a.Lanes}, l.step()})
		}
	}
}

// Diverged implements interp.DivergenceObserver.
func (l *clockLog) Diverged(at *interp.Place, pc int, to []divergence.Group) {
	m := lanes.Mask(0)
	for _, g := range to {
		m |= g.Mask
	}
	l.note(diverge, at, codeAt{at.Func, pc}, m, to, 0)
}

// Exited implements interp.ExitObserver.
func (l *clockLog) Exited(at *interp.Place, pc int, m lanes.Mask) {
	l.note(exit, at, codeAt{at.Func, pc}, m, nil, 0)
}

// Arrived implements interp.ArrivalObserver.
func (l *clockLog) Arrived(at *interp.Place, pc, id int, m lanes.Mask) {
	l.note(barrier, at, codeAt{at.Func, pc}, m, nil, id)
}

// note notes an event if a point stops at it.
func (l *clockLog) note(kind eventKind, at *interp.Place, code codeAt, m lanes.Mask, to []divergence.Group, id int) {
	if l.armed == nil || l.armed.on[kind] == nil {
		return
	}
	e := event{kind: kind, code: code, mask: m, to: slices.Clone(to), id: id}
	l.events = append(l.events, clockEvent{e, warpAt{at.CTA, at.Warp}, divergence.Split{PC: code.pc, Mask: m}, l.step()})
}

// clockHit is a stop of a point in a launch with a clock.
type clockHit struct {
	step int64 // the cycle before which to stop, backwards
	at   warpAt
	mask lanes.Mask
	of   *point
}

// clockStops reports the points that stop between two cycles, and calls hit after each report.
func (d *Debugger) clockStops(hit func(clockHit)) {
	l, a := d.clock, d.clock.armed
	if a == nil {
		return
	}
	for i := range l.events {
		e := &l.events[i]
		if p := a.on[e.kind]; d.counts(p, e.at) {
			d.printf("%s  %s\n%s\n", p.name(), d.warpText(e.at), d.logOf(e.at, &e.split).text(&e.event))
			hit(clockHit{e.step, e.at, e.mask, p})
		}
	}
	l.events = l.events[:0]
	if f := a.newRace(d); f != nil && d.counts(a.on[finding], warpAt{f.Later.CTA, f.Later.Warp}) {
		d.printf("%s\n", d.raceText(a.on[finding], f, d.step()-1))
		hit(clockHit{d.step() - 1, warpAt{f.Later.CTA, f.Later.Warp}, f.Later.Lanes, a.on[finding]})
		d.stoppedBy(f)
	}
	later := l.touches[:0]
	for _, t := range l.touches {
		if t.writes && sameMemory(t.point.watch.space, "global") && !d.timed.TookEffect() {
			later = append(later, t)
		} else if t.report(d.logOf(t.at, &t.split)) {
			hit(clockHit{t.step, t.at, t.mask, t.point})
		}
	}
	l.touches = later
	for _, p := range a.values {
		if at, m := d.clockValue(p); m != 0 {
			hit(clockHit{d.step() - 1, at, m, p})
		}
	}
	d.placeStops(a, hit)
}

// awaits reports whether a write from before a step to watched memory is to take effect later.
func (l *clockLog) awaits(step int64) bool {
	return slices.ContainsFunc(l.touches, func(t clockTouch) bool { return t.step < step })
}

// logOf returns a log for what a warp has executed.
func (d *Debugger) logOf(at warpAt, s *divergence.Split) *eventLog {
	l := &eventLog{d: d, at: at, split: *s, armed: &armed{}}
	if w, err := d.find(at); err == nil {
		l.w = w
		if now, ok := splitOf(w, firstLane(s.Mask)); ok {
			l.split.Frame = now.Frame
		}
	}
	return l
}

// clockValue reports a watched value that has changed, and returns the warp and the lanes.
func (d *Debugger) clockValue(p *point) (at warpAt, changed lanes.Mask) {
	wp := p.watch
	w, err := d.find(wp.at)
	if wp.bound && err != nil {
		return at, 0
	}
	s := d.nowhere()
	if err == nil {
		if split, ok := running(w); ok {
			s = d.scopeAt(w, &split)
		}
	}
	now, err := wp.value.eval(s)
	if err != nil || wp.bound && s.frame == divergence.NoFrame {
		return at, 0
	}
	old, same := wp.last, !wp.bound || wp.frame == s.frame
	wp.last, wp.frame = &now, s.frame
	if old == nil || !same {
		return at, 0
	}
	for lane := range now.bits {
		if now.bits[lane] != old.bits[lane] {
			changed |= 1 << lane
		}
	}
	if s.frame != divergence.NoFrame {
		changed &= s.has()
		if m, err := p.matches(s); err == nil && m == 0 {
			return at, 0
		}
	}
	if changed == 0 || !d.counts(p, wp.at) {
		return at, 0
	}
	d.printf("%s  %s\n", p.name(), strings.TrimPrefix(p.what, "watch "))
	d.showChange(old, &now, changed)
	return wp.at, changed
}

// placeStops reports the points at places that warps are about to issue.
func (d *Debugger) placeStops(a *armed, hit func(clockHit)) {
	if len(a.at) == 0 {
		return
	}
	others := 0
	d.timed.Issuing(func(w interp.Warp, fn, pc int) {
		code := codeAt{fn, pc}
		s, ok := running(w)
		if a.at[code] == nil || !ok {
			return
		}
		again := others > 0 && !slices.ContainsFunc(a.at[code], func(p *point) bool { return p.trace })
		if again {
			d.quiet++
		}
		m, of := a.beforeAt(d, w, s, code)
		if again {
			d.quiet--
		}
		if m == 0 {
			return
		}
		others++
		hit(clockHit{d.step(), placeOf(w), m, of})
	})
	if others > 1 {
		d.printf("  and %s\n", plural(uint64(others-1), "other warp"))
	}
}

// armClock makes the points stop a launch with a clock, until disarmClock.
func (d *Debugger) armClock() {
	a := d.armPoints(d.points)
	if d.clock.armed = a; a.empty() {
		d.clock.armed = nil
		return
	}
	d.clock.touches, d.clock.events = nil, nil
	focus := warpAt{d.focus.cta, d.focus.warp}
	d.timed.Issuing(func(w interp.Warp, fn, pc int) {
		if s, ok := running(w); ok && placeOf(w) == focus {
			d.passed[focus] = position{w.Executed(), codeAt{fn, pc}, s.Mask}
		}
	})
}

func (d *Debugger) disarmClock() {
	if d.clock != nil {
		d.clock.armed = nil
	}
}

// advanceTo runs cycles up to one, unless a point stops before, and then moves the focus to it.
func (d *Debugger) advanceTo(ctx context.Context, cycle int64) (stopped bool, err error) {
	if d.clock.armed == nil {
		return false, d.advance(ctx, cycle)
	}
	for err == nil && !stopped && !d.timed.Done() && d.timed.Cycle() < cycle {
		err = d.advance(ctx, min(cycle, d.timed.NextCycle()+1))
		if err == nil {
			stopped = d.stopsHere()
		}
	}
	return stopped, err
}

// stopsHere reports whether a point stops in the present cycle, and if so moves the focus to it.
func (d *Debugger) stopsHere() bool {
	var first *clockHit
	d.clockStops(func(h clockHit) {
		if first == nil {
			first = &h
		}
	})
	if first != nil {
		d.focusOn(first.at, first.mask)
	}
	return first != nil
}

// searchClock makes a search find where points stop in a launch with a clock.
func (d *Debugger) searchClock(s *search, captured *bytes.Buffer, points []*point) {
	aside := func(of func()) {
		out, quiet := d.cfg.Out, d.quiet
		captured.Reset()
		d.cfg.Out, d.quiet, d.searching = captured, 0, true
		of()
		d.cfg.Out, d.quiet, d.searching = out, quiet, false
	}
	s.hook.begin = func() {
		aside(func() {
			d.looked()
			d.clock.armed = d.armPoints(points)
			d.clock.touches, d.clock.events = nil, nil
			d.placeStops(d.clock.armed, func(clockHit) {}) // these have come before
		})
	}
	before := int64(math.MaxInt64) // only instructions from before this step are wanted
	s.hook.cycle = func(int64, int64) {
		stops := false
		aside(func() {
			d.clockStops(func(h clockHit) {
				if stops = h.step < before; stops {
					s.last, s.warp, s.mask = moment{d.number, h.step}, h.at, h.mask
					s.find(captured.String(), h.of)
				}
				captured.Reset()
			})
		})
		if stops {
			s.findMore(captured.String())
		}
	}
	s.settle = func(end moment) error {
		before = end.step
		defer func() { before = math.MaxInt64 }()
		for d.number == end.launch && d.clock.awaits(end.step) && d.now().before(d.timeline.end()) {
			on := moment{end.launch, d.step() + 1}
			if err := d.replay(on, &hook{ctx: s.hook.ctx, cycle: s.hook.cycle}); err != nil {
				return err
			}
		}
		return nil
	}
}

// errFree says that no warp waits at a place.
func (d *Debugger) errFree(at codeAt) error {
	return errorf("%s costs nothing, and is executed in the cycle of what comes before: name a later place", d.lineText(at))
}

// checkTimed refuses places at which no launch with a clock can stop.
func (d *Debugger) checkTimed(all []codeAt) error {
	switch {
	case d.timed == nil:
		return nil
	case d.cfg.Clock.DualIssue:
		return errors.New("with --dual-issue a warp may issue this instruction together with the one before it: use step N or step -cycle N")
	}
	for _, at := range all {
		if !d.timed.IsFree(d.fns[at.fn], at.pc) {
			return nil
		}
	}
	return d.errFree(all[0])
}

// withoutClock are the events at which launches with a clock do not stop.
var withoutClock = []eventKind{reconverge, switchPath}
