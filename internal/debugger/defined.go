package debugger

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// defined is a command that the user has defined.
type defined struct {
	lines []string
	help  string
}

// mostDefined limits the lines of defined commands that a line of the user executes, and so their recursion.
const mostDefined = 10_000

// defineCommand takes the lines that follow, up to end, as a command, as in gdb.
func (d *Debugger) defineCommand(c *call) error {
	name := c.args
	switch i := slices.IndexFunc(d.table, func(c command) bool { return slices.Contains(c.names(), name) }); {
	case name == "" || len(strings.Trim(name, "-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) > 0:
		return errors.New("define what? A name, of letters, digits, - and _")
	case strings.HasPrefix(name, "hook"):
		return errors.New("no command can be executed with another one; display shows values after every stop, commands N begins what breakpoint N executes")
	case i >= 0 && d.defined[name] == nil:
		return errorf("%s is a command of the debugger; define takes another name", name)
	}
	d.typing = typing{done: func(lines []string) {
		if d.defined[name] == nil {
			d.table = append(slices.Clip(d.table), command{name: name, args: "[ARG ...]", run: func(d *Debugger, c *call) error { return d.executeDefined(c, name) }})
		}
		d.define(name, defined{lines, "defined by the user"})
	}}
	return nil
}

// documentCommand takes the lines that follow, up to end, as the help of a defined command.
func (d *Debugger) documentCommand(c *call) error {
	of, name := d.defined[c.args], c.args
	if of == nil {
		return errors.New("document what? A command that define has defined")
	}
	d.typing = typing{isText: true, done: func(lines []string) {
		d.define(name, defined{of.lines, strings.Join(lines, " ")})
	}}
	return nil
}

// define sets what a defined command executes, and its help.
func (d *Debugger) define(name string, as defined) {
	if d.defined == nil {
		d.defined = make(map[string]*defined)
	}
	d.defined[name] = &as
	i := slices.IndexFunc(d.table, func(c command) bool { return c.name == name })
	d.table[i].help = as.help
}

// executeDefined executes the lines of a defined command, with the words after its name for $arg0, $arg1 and so on.
func (d *Debugger) executeDefined(c *call, name string) error {
	words := strings.Fields(c.args)
	for _, line := range d.defined[name].lines {
		if d.executed++; d.executed > mostDefined {
			return errorf("defined commands execute more than %d lines", mostDefined)
		}
		if line = withArguments(line, words); len(line) > mostBytes {
			return errTooLong(line)
		}
		if c.ctx.Err() != nil {
			return nil
		}
		if err := d.dispatchListed(c.ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// withArguments returns a line with words for $arg0, $arg1 and so on, as far as there are words, and their number for
// $argc.
func withArguments(line string, words []string) string {
	var b strings.Builder
	for {
		before, after, ok := cutFirst(line, "$arg")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		rest := strings.TrimLeft(after, "0123456789")
		n, err := strconv.Atoi(after[:len(after)-len(rest)])
		switch {
		case err == nil && n < len(words):
			b.WriteString(words[n])
		case strings.HasPrefix(after, "c"):
			b.WriteString(strconv.Itoa(len(words)))
			rest = after[1:]
		default:
			b.WriteString("$arg")
			rest = after
		}
		line = rest
	}
}

// showUser shows what a defined command executes, or all of them.
func (d *Debugger) showUser(name string) error {
	shown := false
	for i := range d.table {
		c := &d.table[i]
		if as := d.defined[c.name]; as != nil && (name == "" || name == c.name) {
			d.printf("%s:\n  %s\n", c.name, strings.Join(as.lines, "\n  "))
			shown = true
		}
	}
	if !shown {
		return errors.New("no command of that kind; define NAME begins one, up to end")
	}
	return nil
}
