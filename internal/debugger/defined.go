package debugger

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostDefined limits the lines of lists that a line of the user executes, and so recursion and loops.
const mostDefined = 10_000

// defineCommand takes the lines that follow, up to end, as a command, as in gdb.
func (d *Debugger) defineCommand(c *call) error {
	name := c.args
	switch exact, _, _ := d.commandsNamed(name); {
	case name == "" || wordLength(strings.ReplaceAll(name, "-", "_")) < len(name) || strings.ContainsAny(name, ".:$"):
		return errors.New("define what? A name, of letters, digits, - and _")
	case strings.HasPrefix(name, "hook"):
		return errors.New("no command can be executed with another one; display shows values after every stop, commands N begins what breakpoint N executes")
	case exact >= 0 && d.defined[name] == nil:
		return errorf("%s is a command of the debugger; define takes another name", name)
	}
	d.typing = typing{lines: []string{}, done: func(_ context.Context, lines []string) error {
		if d.defined[name] == nil {
			d.table = append(slices.Clip(d.table), command{name: name, args: "[ARG ...]", help: "defined by the user", run: func(d *Debugger, c *call) error { return d.executeDefined(c, name) }})
		}
		if d.defined == nil {
			d.defined = make(map[string][]string)
		}
		d.defined[name] = lines
		return nil
	}}
	return nil
}

// documentCommand takes the lines that follow, up to end, as the help of a defined command.
func (d *Debugger) documentCommand(c *call) error {
	i, _, _ := d.commandsNamed(c.args)
	if i < 0 || d.defined[c.args] == nil {
		return errors.New("document what? A command that define has defined")
	}
	d.typing = typing{isText: true, done: func(_ context.Context, lines []string) error {
		d.table[i].help = strings.Join(lines, " ")
		return nil
	}}
	return nil
}

// executeDefined executes the lines of a defined command, with the words after its name for $arg0, $arg1 and so on.
func (d *Debugger) executeDefined(c *call, name string) error {
	words := strings.Fields(c.args)
	for _, line := range d.defined[name] {
		if line = withArguments(line, words); len(line) > mostBytes {
			return errTooLong(line)
		}
		if err := d.executeList(c.ctx, []string{line}); err != nil {
			return err
		}
	}
	return nil
}

// argument matches what stands for a word after the name of a defined command, or for their number.
var argument = regexp.MustCompile(`\$arg(\d+|c)`)

// withArguments returns a line with words for $arg0, $arg1 and so on, as far as there are words, and their number for
// $argc.
func withArguments(line string, words []string) string {
	return argument.ReplaceAllStringFunc(line, func(arg string) string {
		if arg == "$argc" {
			return strconv.Itoa(len(words))
		}
		if n, err := strconv.Atoi(arg[len("$arg"):]); err == nil && n < len(words) {
			return words[n]
		}
		return arg
	})
}

// showUser shows what a defined command executes, or all of them.
func (d *Debugger) showUser(name string) error {
	shown := false
	for i := range d.table {
		of := d.table[i].name
		if lines := d.defined[of]; lines != nil && (name == "" || name == of) {
			d.printf("%s:\n  %s\n", of, strings.Join(lines, "\n  "))
			shown = true
		}
	}
	if !shown {
		return errors.New("no command of that kind; define NAME begins one, up to end")
	}
	return nil
}
