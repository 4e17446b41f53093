package debugger

import (
	"context"
	"errors"
	"strconv"
	"strings"
)

// attached are the commands that are executed where points stop, as in gdb.
type attached struct {
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

// take takes a line as one of the commands of points.
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

// attend executes the commands of the points that have stopped. After one that goes on, the rest are left out, as in
// gdb; those of the points at the next stop follow.
func (d *Debugger) attend(ctx context.Context) error {
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

// saveCommands writes the commands of a point, as they are typed.
func (p *point) saveCommands(b *strings.Builder) {
	if len(p.commands) > 0 {
		b.WriteString("commands\n" + p.commandsText() + endsCommands + "\n")
	}
}

// saveCommand writes commands that make the present points to a file, for source.
func (d *Debugger) saveCommand(c *call) error {
	what, file, _ := cutFirst(c.args, " ")
	switch file = strings.TrimSpace(file); {
	case what == "" || !strings.HasPrefix("breakpoints", what) || file == "":
		return errors.New("save breakpoints FILE writes commands that make them; simtrun run --save NAME=FILE writes a buffer")
	case d.cfg.WriteFile == nil:
		return errors.New("files cannot be written here")
	}
	var b strings.Builder
	for _, p := range d.points {
		d.save(&b, p)
	}
	if err := d.cfg.WriteFile(file, []byte(b.String())); err != nil {
		return err
	}
	d.printf("saved %s to %s\n", plural(uint64(len(d.points)), "point"), file)
	return nil
}

// save writes the commands that make a point.
func (d *Debugger) save(b *strings.Builder, p *point) {
	word, place, _ := cutFirst(p.what, " ")
	switch {
	case p.watch != nil:
		place = p.watch.typed
	case p.fn != "" && p.place == "" && (d.cfg.Prepare == nil || strings.Trim(place, "L0123456789") != "" || place == ""):
		place = p.where
	}
	when := ""
	if p.condText != "" {
		when = "if " + p.condText
	}
	line := func(words ...string) {
		for i, word := range words {
			if word = strings.TrimSpace(word); i > 0 && word != "" {
				word = " " + word
			}
			b.WriteString(word)
		}
		b.WriteByte('\n')
	}
	line(word, place, strings.Join(p.names, ", "), when)
	if p.hitTest.op != "" {
		line("cond $bpnum", p.hitTest.text())
	}
	if p.ignored > 0 {
		line("ignore $bpnum", strconv.Itoa(p.ignored))
	}
	p.saveCommands(b)
	if p.disabled {
		line("disable $bpnum")
	}
}
