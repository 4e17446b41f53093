package debugger

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// typing is a list of lines that the user types, up to end. The zero value is none.
type typing struct {
	done     func(ctx context.Context, lines []string) error // called at the end
	lines    []string
	isText   bool // no line begins another list
	executes bool // done executes the lines
	inner    int  // lists that have begun in it and have not ended
}

// endsCommands is the line after a list.
const endsCommands = "end"

// beginsList has the commands after which a list follows, here or in gdb.
var beginsList = []string{"commands", "define", "document", "if", "while"}

// take takes a line as one of the list. The error is one of the list's end.
func (t *typing) take(ctx context.Context, line string) error {
	word, _, _ := cutFirst(line, " ")
	switch {
	case line == "":
		return nil
	case t.endsWith(line):
		ended := *t
		*t = typing{}
		return ended.done(ctx, ended.lines)
	case line == endsCommands:
		t.inner--
	case !t.isText && slices.Contains(beginsList, word):
		t.inner++
	}
	t.lines = append(t.lines, line)
	return nil
}

// endsWith reports whether a line is the end of the list.
func (t *typing) endsWith(line string) bool { return line == endsCommands && t.inner == 0 }

// stopCommands are the commands that are executed where points stop, as in gdb.
type stopCommands struct {
	typing  typing
	hit     []*point // that have stopped during the present command
	stopped struct { // the last stop at points
		at     moment
		points []*point
	}
	// unplaced is the last point, if launches to come have its place; else nil.
	unplaced *point
}

// silent is the first of the commands of a point whose stop is not shown.
const silent = "silent"

// commandsCommand takes the lines that follow, up to end, as commands of points.
func (d *Debugger) commandsCommand(c *call) error {
	to := d.points[max(0, len(d.points)-1):]
	if d.unplaced != nil {
		to = []*point{d.unplaced}
	}
	if c.args != "" {
		var err error
		if to, err = d.pointsNamed(c.args); err != nil {
			return err
		}
	}
	if len(to) == 0 {
		return errors.New("commands of which breakpoint? break LOC makes one")
	}
	d.typing = typing{done: func(_ context.Context, lines []string) error {
		for _, p := range to {
			p.commands = lines
		}
		return nil
	}}
	return nil
}

// isSilent reports whether the stop at a point is not shown.
func (p *point) isSilent() bool { return len(p.commands) > 0 && p.commands[0] == silent }

// runStopCommands executes the commands of the points that have stopped. After one that goes on, the rest are left out,
// as in gdb; those of the points at the next stop follow.
func (d *Debugger) runStopCommands(ctx context.Context) error {
	for len(d.hit) > 0 && ctx.Err() == nil {
		p := d.hit[0]
		d.hit = d.hit[1:]
		for _, line := range p.commands {
			if line == silent {
				continue
			}
			was := d.now()
			if err := d.dispatchListed(ctx, line); err != nil {
				d.hit = nil
				return err
			}
			if d.now() != was {
				break
			}
		}
	}
	return nil
}

// dispatchListed executes a line of a list, or takes it for one that the list has begun.
func (d *Debugger) dispatchListed(ctx context.Context, line string) error {
	if d.typing.done != nil {
		return d.typing.take(ctx, line)
	}
	if strings.HasPrefix(line, "#") {
		return nil
	}
	if err := d.dispatch(ctx, line); err != nil {
		d.typing = typing{}
		return errorf("%s: %w", line, err)
	}
	return nil
}

// commandsText returns what info break shows of the commands of a point.
func (p *point) commandsText() string {
	if len(p.commands) == 0 {
		return ""
	}
	return "  " + strings.Join(p.commands, "\n  ") + "\n"
}
