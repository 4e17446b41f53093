package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// point is a place or an event at which the launch stops, or a place at which expressions are printed.
type point struct {
	id        int    // 0 if it exists for one command only
	what      string // the command, without its condition
	temporary bool   // deleted at its first hit
	disabled  bool
	condition expr // nil for none
	condText  string

	hits      int            // since the start of the first launch; only hits that satisfy the condition count
	ignored   int            // number of hits still to ignore
	stopsLeft int            // until it is disabled; 0 for no limit
	warpHits  map[warpAt]int // in the current launch, if hitTest needs them
	hitTest   hitTest

	// For a place: the instruction and its function, "" for other points.
	fn string
	pc int
	// also are further instructions of its line, in other functions or calls that were inlined.
	also []codePlace
	// place is the place as it was written, if it means the same in other launches, with its line, 0 for a function.
	place string
	line  int32
	where string // FILE:LINE
	// For a trace: the expressions, and their text; and the message of an editor in which their values stand.
	trace   bool
	message []string
	traced  []expr
	names   []string
	// formatted is what a dprintf prints; nil for others.
	formatted *formatted
	// commands are executed where it stops.
	commands []string

	onEvent bool
	on      eventKind
	watch   *watchpoint
}

// codePlace is an instruction of a function with a name.
type codePlace struct {
	fn string
	pc int
}

// places calls visit for the instructions of a point in the functions of the launch.
func (p *point) places(d *Debugger) func(visit func(codeAt) bool) {
	return func(visit func(codeAt) bool) {
		for _, at := range append([]codePlace{{p.fn, p.pc}}, p.also...) {
			fn := slices.IndexFunc(d.fns, func(f *isa.Func) bool { return f.Name == at.fn })
			if fn >= 0 && !visit(codeAt{fn, at.pc}) {
				return
			}
		}
	}
}

// at reports whether a point is at an instruction.
func (p *point) at(d *Debugger, code codeAt) bool {
	for at := range p.places(d) {
		if at == code {
			return true
		}
	}
	return false
}

// numStops is the number of event kinds that can stop.
const numStops = finding + 1

// armed holds the points of a launch, by what triggers them.
type armed struct {
	at     map[codeAt][]*point
	on     [numStops]*point
	memory []*point
	values []*point
	races  int // found so far
}

func (a *armed) empty() bool {
	return len(a.at) == 0 && a.on == [numStops]*point{} && a.memory == nil && a.values == nil
}

// position is where a warp will continue.
type position struct {
	executed uint64
	code     codeAt
	mask     lanes.Mask
}

func positionOf(w interp.Warp, s *divergence.Split) position {
	return position{w.Executed(), codeOf(w, s), s.Mask}
}

// arm prepares the points for the current launch. No point stops again at the instruction in focus, because the user
// has seen it.
func (d *Debugger) arm() *armed {
	a := d.armPoints(d.points)
	if w, err := d.warp(); err == nil && !d.unseen {
		if s, ok := running(w); ok {
			d.passed[placeOf(w)] = positionOf(w, &s)
		}
	}
	return a
}

// armPoints prepares some points for the current launch.
func (d *Debugger) armPoints(points []*point) *armed {
	a := &armed{at: make(map[codeAt][]*point)}
	if d.races != nil {
		a.races, _ = d.races.Latest()
	}
	for _, p := range points {
		switch {
		case p.disabled:
		case p.onEvent:
			a.on[p.on] = p
		case p.watch != nil && !p.watch.memory:
			p.watch.prime(d)
			a.values = append(a.values, p)
		case p.watch != nil:
			if p.watch.locate(d) {
				a.memory = append(a.memory, p)
			}
		default:
			for at := range p.places(d) {
				a.at[at] = append(a.at[at], p)
			}
		}
	}
	return a
}

// before reports the points that stop at the next instruction, and returns the lanes that they concern, or none, and
// one of the points.
func (a *armed) before(d *Debugger, w interp.Warp, s divergence.Split) (stop lanes.Mask, of *point) {
	return a.beforeAt(d, w, s, codeOf(w, &s))
}

// beforeAt is before for an instruction that the warp is about to issue. Without a clock its lanes are there.
func (a *armed) beforeAt(d *Debugger, w interp.Warp, s divergence.Split, code codeAt) (stop lanes.Mask, of *point) {
	points, passes := a.at[code], !d.searching || d.timed != nil
	here := position{w.Executed(), code, s.Mask}
	if points == nil || passes && d.passed[placeOf(w)] == here {
		return 0, nil
	}
	for _, p := range points {
		m, err := p.matches(d.scopeAt(w, &s))
		if m == 0 || p.trace && d.searching {
			continue
		}
		if passes {
			d.passed[placeOf(w)] = here
		}
		if !d.counts(p, placeOf(w)) {
			continue
		}
		line := fmt.Sprintf("%s at %s  %s  %s", p.name(), d.lineText(code), d.warpText(placeOf(w)), lanesText(m))
		switch {
		case err != nil:
			d.printf("%s  (condition: %v)\n", line, err)
			stop |= m
		case p.message != nil:
			d.printf("%s\n", p.messageText(d.scopeAt(w, &s), m))
		case p.formatted != nil:
			d.printf("%s", p.formatted.printed(d.scopeAt(w, &s), m))
		case p.trace:
			d.printf("%s%s\n", line, p.tracedText(d.scopeAt(w, &s)))
		default:
			if !p.isSilent() {
				d.printf("%s\n", line)
			}
			stop |= m
		}
		if of = p; p.temporary && !d.searching {
			d.remove(p)
			a.at[code] = slices.DeleteFunc(slices.Clone(points), func(o *point) bool { return o == p })
		}
	}
	return stop, of
}

// counts counts a warp's hit of a point, and reports whether it stops. A search backwards counts nothing, and stops at
// every hit: how many there were before it began is not known yet.
func (d *Debugger) counts(p *point, at warpAt) bool {
	if !d.searching && !p.hit(at) {
		return false
	}
	d.noteStop(p)
	if now := d.now(); p.stops() && !d.searching {
		if d.stopped.at != now {
			d.stopped.points = nil
		}
		d.stopped.at, d.stopped.points = now, append(slices.Clip(d.stopped.points), p)
	}
	if len(p.commands) > 0 && !d.searching {
		d.hit = append(d.hit, p)
	}
	return true
}

// stops reports whether the launch stops at the point, which prints nothing instead.
func (p *point) stops() bool { return p != nil && !p.trace && p.formatted == nil && p.id > 0 }

// matches returns the active lanes that satisfy the point's condition; all of them if there is no condition, or if it
// cannot be evaluated.
func (p *point) matches(s *scope) (lanes.Mask, error) {
	if p.condition == nil {
		return s.active, nil
	}
	v, err := p.condition.eval(s)
	if err != nil {
		return s.active, err
	}
	return v.holds() & s.active, nil
}

// name returns "break 1", or "continue" for a point of a single command.
func (p *point) name() string {
	word, _, _ := cutFirst(p.what, " ")
	if p.id == 0 {
		return word
	}
	return fmt.Sprintf("%s %d", word, p.id)
}

func (p *point) tracedText(s *scope) string {
	var b strings.Builder
	for i, e := range p.traced {
		fmt.Fprintf(&b, "\n  %s", s.d.valueText(p.names[i], e, "", s))
	}
	return b.String()
}

// after reports the points that the logged instruction hit.
func (a *armed) after(l *eventLog) (stop bool) {
	if a == nil {
		return false
	}
	for i := range l.events {
		e := &l.events[i]
		if p := a.on[e.kind]; p != nil && l.d.counts(p, l.at) {
			l.d.printf("%s  %s\n%s\n", p.name(), l.d.warpText(l.at), l.text(e))
			stop = true
		}
	}
	if f := a.newRace(l.d); f != nil && l.d.counts(a.on[finding], l.at) {
		l.d.printf("%s\n", l.d.raceText(a.on[finding], f, l.d.step()-1))
		stop = true
		l.d.stoppedBy(f)
	}
	for i := range l.touched {
		stop = l.touched[i].report(l) || stop
	}
	for _, p := range a.values {
		stop = p.watch.report(p, l) || stop
	}
	return stop
}
