package debugger

import (
	"errors"
	"strings"
)

// mostSourced limits the nesting of command files.
const mostSourced = 16

// sourceCommand executes the commands in a file, and stops at the first that fails. As in gdb, only their output is
// shown.
func (d *Debugger) sourceCommand(c *call) error {
	switch {
	case c.args == "":
		return errors.New("source what file?")
	case d.cfg.ReadFile == nil:
		return errors.New("files cannot be read here")
	case d.sourcing == mostSourced:
		return errorf("source is nested more than %d deep", mostSourced)
	}
	text, err := d.cfg.ReadFile(c.args)
	if err != nil {
		return err
	}
	d.sourcing++
	defer func() { d.sourcing-- }()
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if c.ctx.Err() != nil {
			d.printf("interrupted\n")
			return nil
		}
		if err := d.Execute(c.ctx, line); err != nil {
			if errors.Is(err, ErrQuit) {
				return err
			}
			return errorf("%s:%d: %w", c.args, n, err)
		}
	}
	return nil
}
