package debugger

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// add gives a point a number and prints it.
func (d *Debugger) add(p *point) {
	d.made++
	d.unplaced = nil
	p.id = d.made
	d.points = append(d.points, p)
	d.printf("%s\n", d.pointText(p))
}

func (d *Debugger) remove(p *point) {
	d.points = slices.DeleteFunc(d.points, func(o *point) bool { return o == p })
}

// pointText returns text such as "break 1 at L7: bra.uni DONE if %r1 > 3".
func (d *Debugger) pointText(p *point) string {
	line := p.name()
	switch fn := slices.IndexFunc(d.fns, func(f *isa.Func) bool { return f.Name == p.fn }); {
	case p.fn != "" && fn >= 0:
		at := codeAt{fn, p.pc}
		line += fmt.Sprintf(" at %s: %s", d.lineText(at), d.codeText(at))
		if n := len(p.also); n > 0 {
			line += fmt.Sprintf("  (%d places)", n+1)
		}
	default:
		_, about, _ := cutFirst(p.what, " ")
		line += " " + about
	}
	if p.formatted != nil {
		line += "  prints " + p.formatted.typed
	}
	if p.condText != "" {
		line += " if " + p.condText
	}
	return line + p.hitTest.text()
}

// placePoint parses "LOC [if EXPR]".
func (d *Debugger) placePoint(command, args string) (*point, error) {
	place, condition, err := splitCondition(args)
	if err != nil {
		return nil, err
	}
	all, err := d.places(place)
	if loc, thread, ok := cutFirst(place, " thread "); err != nil && ok {
		return nil, errorf("a breakpoint is not one of a thread; %s %s if threadIdx.x == %s stops for one", command, loc, strings.TrimLeft(strings.Split(thread, ",")[0], "( "))
	}
	if err != nil {
		return nil, err
	}
	if err := d.checkTimed(all); err != nil {
		return nil, err
	}
	at := all[0]
	_, condText, _ := cutFirst(" "+args, " if ")
	p := &point{what: command + " " + place, fn: d.fns[at.fn].Name, pc: at.pc, condition: condition, condText: strings.TrimSpace(condText)}
	for _, other := range all[1:] {
		p.also = append(p.also, codePlace{d.fns[other.fn].Name, other.pc})
	}
	d.remember(p, place, all)
	return p, d.tryIn(at, condition)
}

// tryIn evaluates an expression in a function, to find errors early.
func (d *Debugger) tryIn(at codeAt, e expr) error {
	w, err := d.warp()
	if e == nil || err != nil { // no activation to try it in: errors show at the first hit
		return nil
	}
	s, ok := splitOf(w, d.focus.lane)
	if !ok || w.Frame(s.Frame).Func != at.fn || d.onSource(at.fn) && s.PC != at.pc {
		return d.knowsNames(d.scopeAt(w, &divergence.Split{Frame: divergence.Root}), e)
	}
	_, err = e.eval(d.scopeAt(w, &s))
	return err
}

func (d *Debugger) breakCommand(c *call) error {
	if kind, ok := strings.CutPrefix(c.args, "on "); ok {
		return d.breakOn(strings.TrimSpace(kind))
	}
	p, err := d.placePoint("break", c.args)
	if err == nil {
		d.add(p)
	}
	return err
}

func (d *Debugger) tbreakCommand(c *call) error {
	p, err := d.placePoint("tbreak", c.args)
	if err == nil {
		p.temporary = true
		d.add(p)
	}
	return err
}

// rbreakCommand breaks in every function with a name that matches an expression.
func (d *Debugger) rbreakCommand(c *call) error {
	re, err := regexp.Compile(c.args)
	if err != nil || c.args == "" {
		return errors.New("rbreak REGEXP: expected a regular expression for names of functions")
	}
	found := false
	for _, fn := range d.fns {
		name := cxx.Short(fn.Name)
		if !re.MatchString(name) {
			continue
		}
		if _, err := d.places(name); err != nil || len(d.functions(name)) > 1 {
			name = fn.Name
		}
		if p, err := d.placePoint("break", name); err == nil {
			found = true
			d.add(p)
		}
	}
	if !found {
		return errorf("no function that the kernel can reach has a name that matches %s; info functions lists all", c.args)
	}
	return nil
}

// ignoreHere lets the points of the present stop ignore hits, so that the launch stops at their nth hit from now on.
func (d *Debugger) ignoreHere(n int) error {
	now, at := d.now(), d.stopped.at
	if d.cfg.Clock != nil && at.step+1 == now.step {
		at.step++ // the cycle has ended
	}
	stopped := d.stopped.points
	if at != now {
		stopped = nil
	}
	here, err := d.here()
	stopped = slices.DeleteFunc(slices.Clone(d.points), func(p *point) bool {
		return !slices.Contains(stopped, p) && (err != nil || !p.stops() || !p.at(d, here))
	})
	if len(stopped) == 0 {
		return errorf("continue %d ignores hits of the breakpoint that has stopped, and none has; continue L%d runs to line %d, and so does until %d", n, n, n, n)
	}
	for _, p := range stopped {
		if p.ignored = n - 1; n > 1 {
			d.printf("%s ignores %s to come\n", p.name(), plural(uint64(n-1), "hit"))
		}
	}
	return nil
}

// breakOn makes the launch stop at a kind of event.
func (d *Debugger) breakOn(name string) error {
	kind, ok := eventNames[name]
	switch {
	case name == "finding" && !d.cfg.Races:
		return errors.New("launches are not checked; simtrun debug --check race looks for races")
	case !ok:
		return isa.Unknown("event", name, []string{"diverge", "reconverge", "barrier", "exit", "mem", "finding"})
	}
	if d.cfg.Clock != nil && slices.Contains(withoutClock, kind) {
		return errorf("break on %s is for launches without a clock: with one, lanes run ahead of what is issued", name)
	}
	for _, p := range d.points {
		if p.onEvent && p.on == kind {
			return errorf("break %d is on %s already", p.id, name)
		}
	}
	d.add(&point{what: "break on " + name, on: kind, onEvent: true})
	return nil
}

// traceCommand parses "LOC [EXPR, EXPR, …]".
func (d *Debugger) traceCommand(c *call) error {
	if c.args == "" {
		return errors.New("trace what place? trace LOC [EXPR, EXPR, ...] [if EXPR]")
	}
	place, rest, _ := cutFirst(c.args, " ")
	exprs, cond, conditional := cutFirst(" "+rest, " if ")
	if conditional {
		place += " if " + cond
	}
	p, err := d.placePoint("trace", place)
	if err != nil {
		return err
	}
	p.trace = true
	for text := range strings.SplitSeq(exprs, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		e, err := parseExpr(text)
		if err != nil {
			return err
		}
		p.traced, p.names = append(p.traced, e), append(p.names, text)
	}
	d.add(p)
	return nil
}

// continueCommand resumes the launch, up to a place if one is given.
func (d *Debugger) continueCommand(c *call) error {
	var to *point
	var err error
	if n, err := strconv.Atoi(c.args); err == nil && n > 0 {
		if err := d.ignoreHere(n); err != nil {
			return err
		}
		c.args = ""
	}
	if c.args != "" && d.cfg.Clock != nil {
		if err := d.runTo(c.ctx, c.args, true); err != nil {
			return err
		}
		d.show()
		return nil
	}
	if c.args != "" {
		if to, err = d.placePoint("continue", c.args); err != nil {
			return err
		}
		to.what, to.temporary = "continue to", true
		d.points = append(d.points, to)
	}
	d.stoppedAt = nil
	err = d.resume(c.ctx)
	if to != nil {
		d.remove(to)
	}
	if err == nil {
		err = d.showOtherSide(c)
	}
	if err == nil {
		d.show()
	}
	return err
}
