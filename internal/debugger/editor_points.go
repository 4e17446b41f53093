package debugger

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
)

// PointOptions are the conditions of a point, as an editor writes them.
type PointOptions struct {
	Condition string // an expression; "" for none
	Hits      string // such as "> 5", "% 3", or "5" for the fifth hit of a warp; "" for all
	Message   string // printed instead of stopping: {x} in it is the value of x; "" to stop
}

// Point is a point that was set.
type Point struct {
	ID   int
	File string // "" for those without a place
	Line int
	Code uint64 // address of the first instruction
}

// conditioned adds conditions to a point.
func (d *Debugger) conditioned(p *point, at *codeAt, o PointOptions) (err error) {
	if o.Condition != "" {
		if p.condition, err = parseExpr(o.Condition); err != nil {
			return err
		}
		p.condText = o.Condition
		if at != nil {
			err = d.tryIn(*at, p.condition)
		}
		if err != nil {
			return err
		}
	}
	if o.Hits != "" {
		text := strings.TrimSpace(o.Hits)
		if text[:min(1, len(text))] >= "0" && text[:min(1, len(text))] <= "9" {
			text = "== " + text
		}
		if p.hitTest, err = parseHitTest(text); err != nil {
			return err
		}
	}
	return d.messaged(p, o.Message)
}

// messaged makes a point print a message, unless it is "".
func (d *Debugger) messaged(p *point, message string) error {
	if message == "" {
		return nil
	}
	p.trace, p.what = true, "trace"+strings.TrimPrefix(p.what, "break")
	for rest := message; ; {
		text, after, found := cutFirst(rest, "{")
		p.message = append(p.message, text)
		if !found {
			return nil
		}
		of, left, closed := cutFirst(after, "}")
		if !closed {
			return errorf("a } is missing in the message %q", message)
		}
		e, err := parseExpr(of)
		if err != nil {
			return errorf("{%s}: %w", of, err)
		}
		p.traced, p.names, rest = append(p.traced, e), append(p.names, of), left
	}
}

// messageText returns the message of a point, with values in lanes of m.
func (p *point) messageText(s *scope, m lanes.Mask) string {
	var b strings.Builder
	for i, text := range p.message {
		b.WriteString(text)
		if i == len(p.traced) {
			break
		}
		s.active = m
		item, err := (&viewer{s.d, s, allLanes, ""}).evaluated(p.names[i], p.traced[i])
		if err != nil {
			item.Text = "<" + err.Error() + ">"
		}
		b.WriteString(item.Text)
	}
	return b.String()
}

// silently calls do without output.
func (d *Debugger) silently(do func() error) error {
	d.quiet++
	defer func() { d.quiet-- }()
	return do()
}

// placed adds a point at instructions.
func (d *Debugger) placed(what string, all []codeAt, o PointOptions) (Point, error) {
	at := all[0]
	p := &point{what: what, fn: d.fns[at.fn].Name, pc: at.pc}
	for _, other := range all[1:] {
		p.also = append(p.also, codePlace{d.fns[other.fn].Name, other.pc})
	}
	d.remember(p, strings.TrimPrefix(what, "break "), all)
	if err := d.conditioned(p, &at, o); err != nil {
		return Point{}, err
	}
	d.silently(func() error { d.add(p); return nil })
	pos := d.pos(at)
	return Point{p.id, pos.File, int(pos.Line), addressOf(at)}, nil
}

// BreakLine sets a breakpoint on a line of a file, or the next one with instructions.
func (d *Debugger) BreakLine(file string, line int, o PointOptions) (Point, error) {
	if len(d.fns) == 0 {
		return Point{}, errEnded
	}
	place := fmt.Sprintf("%s:%d", d.knownFile(file), line)
	all, err := d.places(place)
	if err != nil {
		return Point{}, err
	}
	if err := d.belongsToOther(d.knownFile(file), line, all[0]); err != nil {
		return Point{}, err
	}
	return d.placed("break "+place, all, o)
}

// knownFile returns the name under which the code of the launch knows a file whose path an editor gives.
func (d *Debugger) knownFile(file string) string { return likestFile(file, d.allFiles()) }

// likestFile returns the name that is the path file or, without one, shares most elements at its end with it: of names
// that share as many, the first. It is file if no name shares any.
func likestFile(file string, names []string) string {
	likest, most := file, 0
	for _, name := range names {
		if path.Clean(name) == path.Clean(file) {
			return name
		}
		if n := commonEnd(name, file); n > most {
			likest, most = name, n
		}
	}
	return likest
}

// commonEnd returns how many elements at the ends of two paths are equal.
func commonEnd(a, b string) (n int) {
	x, y := strings.Split(path.Clean(a), "/"), strings.Split(path.Clean(b), "/")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// allFiles returns the names of the files of the launch's code, with their folders.
func (d *Debugger) allFiles() (names []string) {
	known := make(map[string]bool)
	for f, fn := range d.fns {
		for pc := range fn.Code {
			for _, name := range []string{d.pos(codeAt{f, pc}).File, fn.Code[pc].Pos.File} {
				if !known[name] && name != "" {
					known[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// BreakFunction sets a breakpoint at a function, a label or another place as break takes it.
func (d *Debugger) BreakFunction(name string, o PointOptions) (Point, error) {
	if strings.TrimSpace(name) == "" {
		return Point{}, errors.New("the name of a function is missing")
	}
	all, err := d.places(strings.TrimSpace(name))
	if err != nil {
		return Point{}, err
	}
	return d.placed("break "+name, all, o)
}

// BreakCode sets a breakpoint at the instruction with an address.
func (d *Debugger) BreakCode(addr uint64, o PointOptions) (Point, error) {
	at, ok := d.codeAtAddress(addr)
	if !ok {
		return Point{}, errorf("no instruction is at 0x%x", addr)
	}
	return d.placed(fmt.Sprintf("break @%d", at.pc), []codeAt{at}, o)
}

// BreakEvent makes the launch stop at events of a kind, of Events.
func (d *Debugger) BreakEvent(name string) (p Point, err error) {
	err = d.silently(func() error { return d.breakOn(name) })
	return Point{ID: d.made}, err
}

// Events are the kinds of events at which a launch can be made to stop, and what they are.
func Events() [][2]string {
	return [][2]string{
		{"diverge", "Lanes of a warp diverge"},
		{"reconverge", "Lanes of a warp reconverge"},
		{"barrier", "A warp arrives at a barrier"},
		{"exit", "Lanes exit"},
	}
}

// Watch stops the launch where an expression in the focus is written, or read, or changes its value.
func (d *Debugger) Watch(text string, reads, writes bool, o PointOptions) (Point, error) {
	s, err := d.scopeHere()
	if err != nil {
		return Point{}, err
	}
	wp := &watchpoint{reads: reads, writes: writes}
	about, err := d.aim(wp, s, text)
	if err != nil {
		return Point{}, err
	}
	p := &point{what: "watch " + text + about, watch: wp}
	if err := d.conditioned(p, nil, o); err != nil {
		return Point{}, err
	}
	if err := d.knowsNames(s, p.condition); err != nil {
		return Point{}, err
	}
	d.silently(func() error { d.add(p); return nil })
	return Point{ID: p.id}, nil
}

// CanWatch returns an error if Watch would, without setting a point.
func (d *Debugger) CanWatch(text string) error {
	s, err := d.scopeHere()
	if err == nil {
		_, err = d.aim(&watchpoint{writes: true}, s, text)
	}
	return err
}

// Remove deletes a point.
func (d *Debugger) Remove(id int) {
	d.points = slices.DeleteFunc(d.points, func(p *point) bool { return p.id == id })
}

// IsWatch reports whether a point is a watchpoint, and IsEvent whether it stops at events.
func (d *Debugger) IsWatch(id int) bool {
	p := d.pointNumbered([]int{id})
	return p != nil && p.watch != nil
}

// IsEvent reports whether a point stops at a kind of event.
func (d *Debugger) IsEvent(id int) bool {
	p := d.pointNumbered([]int{id})
	return p != nil && p.onEvent
}

// CodeLines returns the lines from first to last of a file that have instructions, in order.
func (d *Debugger) CodeLines(file string, first, last int) (lines []int) {
	file = d.knownFile(file)
	for f, fn := range d.fns {
		for pc := range fn.Code {
			for _, frame := range d.framesAt(codeAt{f, pc}) {
				if frame.File == file && int(frame.Line) >= first && int(frame.Line) <= last {
					lines = append(lines, int(frame.Line))
				}
			}
			if pos := fn.Code[pc].Pos; pos.File == file && int(pos.Line) >= first && int(pos.Line) <= last {
				lines = append(lines, int(pos.Line))
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
