package debugger

import (
	"context"
	"errors"
	"strings"
)

// stopCommands are the commands that are executed where points stop, as in gdb.
type stopCommands struct {
	to    []*point // whose commands are being typed; nil for none
	typed []string
	hit   []*point // that have stopped during the present command
	// unplaced is the last point, if launches to come have its place; else nil.
	unplaced *point
}

// endsCommands is the line after the commands of a point, and silent the first of those of a point whose stop is not
// shown.
const (
	endsCommands = "end"
	silent       = "silent"
)

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
	d.to, d.typed = to, nil
	return nil
}

// takeCommand takes a line as one of the commands of points.
func (d *Debugger) takeCommand(line string) {
	switch {
	case line == endsCommands:
		for _, p := range d.to {
			p.commands = d.typed
		}
		d.to = nil
	case line != "":
		d.typed = append(d.typed, line)
	}
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
			if err := d.dispatch(ctx, line); err != nil {
				d.hit = nil
				return errorf("%s: %w", line, err)
			}
			if d.now() != was {
				break
			}
		}
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
