package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// command is one that can be typed.
type command struct {
	name, short string // short is "" if it has none
	args, help  string
	run         func(*Debugger, *call) error
	offers      func(*Debugger) []string // words that its arguments may begin with
}

// call is a command as it was typed.
type call struct {
	ctx    context.Context
	format string // behind a slash
	args   string
	again  bool // Enter repeats it
}

// commandTable is all commands, in the order of help.
func commandTable() []command {
	places, values := (*Debugger).placeNames, (*Debugger).valueNames
	return []command{
		{"step", "s", "[N]", "the warp in focus executes N instructions, nothing else moves; if it waits, the rest of its block runs", counted((*walk).forward), nil},
		{"lstep", "ls", "[N]", "until the lane in focus has executed N instructions", counted((*walk).laneStep), nil},
		{"bstep", "bs", "[N]", "every warp of the block that can run executes N instructions", counted((*walk).blockStep), nil},
		{"next", "n", "[N]", "step, but over calls", counted((*walk).over), nil},
		{"finish", "fin", "", "out of the function", counted((*walk).out), nil},
		{"until", "u", "LOC", "the warp in focus runs to a place", (*Debugger).untilCommand, places},
		{"reconv", "rv", "", "until the lanes that run have met others", (*Debugger).reconvCommand, nil},
		{"barrier", "bar", "", "the block runs until a barrier lets it go", (*Debugger).barrierCommand, nil},
		{"continue", "c", "[LOC]", "to a breakpoint, watchpoint, place, error or the end", (*Debugger).continueCommand, places},
		{"break", "b", "[LOC] [if EXPR] | on EVENT", "stop at a place, if EXPR holds in any active lane; or on diverge, reconverge, barrier, exit, mem", (*Debugger).breakCommand, places},
		{"tbreak", "tb", "[LOC] [if EXPR]", "stop there once", (*Debugger).tbreakCommand, places},
		{"watch", "w", "[-r|-w|-rw] EXPR [if EXPR]", "stop when shared:ADDR, global:ADDR or a buffer is written (or read), or registers of the warp change", (*Debugger).watchCommand, values},
		{"trace", "t", "LOC [EXPR, ...] [if EXPR]", "print values at a place, without stopping", (*Debugger).traceCommand, places},
		{"delete", "d", "[N ...]", "delete breakpoints, watchpoints and traces", (*Debugger).deleteCommand, nil},
		{"print", "p", "[/FMT] EXPR", "a value in all lanes, the inactive ones in brackets; FMT is x d u t f a c", (*Debugger).printCommand, values},
		{"display", "", "[/FMT] [EXPR]", "print a value after every stop", (*Debugger).displayCommand, values},
		{"undisplay", "", "[N]", "no longer", (*Debugger).undisplayCommand, nil},
		{"x", "", "[/NFU] SPACE:ADDR", "memory from an address on: N elements in format F of size U (b h w g); SPACE.TYPE:ADDR, or a buffer", (*Debugger).examineCommand, values},
		{"set", "", "EXPR = EXPR", "change a register in the active lanes or in one, r5[7], or memory", (*Debugger).setCommand, values},
		{"info", "i", strings.Join(topicNames(), "|"), "what there is", (*Debugger).infoCommand, func(*Debugger) []string { return topicNames() }},
		{"list", "l", "[LOC]", "the source, with the number of lanes at each line", (*Debugger).listCommand, places},
		{"focus", "f", "b0 w1 l5", "move the focus; what is left out stays", (*Debugger).focusCommand, nil},
		{"block", "", "N [COMMAND]", "move the focus to a block, or run a command there and come back", elsewhere((*Debugger).setBlock, false), nil},
		{"warp", "", "N [COMMAND]", "the same with a warp", elsewhere((*Debugger).setWarp, false), nil},
		{"lane", "", "N [COMMAND]", "the same with a lane; print and set are then about it alone", elsewhere((*Debugger).setLane, true), nil},
		{"why", "", "", "why the lane in focus is off, waits or has exited", (*Debugger).whyCommand, nil},
		{"restart", "r", "", "begin anew on a new machine; breakpoints stay", (*Debugger).restartCommand, nil},
		{"help", "h", "[COMMAND]", "this", (*Debugger).helpCommand, (*Debugger).commandNames},
		{"quit", "q", "", "end", func(*Debugger, *call) error { return ErrQuit }, nil},
	}
}

// later are commands of the interface that do not work yet.
var later = []string{
	"rstep", "rs", "rlstep", "rcontinue", "rc", "rreconv", "rev", "checkpoint", "chk", "goto", "go",
	"cond", "ignore", "on", "toggle", "breakpoints", "bp", "warps", "disas", "bt", "heat",
	"source", "transcript", "save", "config",
}

// notYet is the answer to what does not work yet.
func notYet(what string) error { return errors.New("not supported yet: " + what) }

// mostBytes bounds a command line, and with it what an expression can nest.
const mostBytes = 4096

// Execute carries out a command line. An empty one repeats the one before, and
// one that begins with # is a comment. The error, one line for the user, leaves
// the session as it is, but for ErrQuit.
func (d *Debugger) Execute(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	again := line == ""
	switch {
	case len(line) > mostBytes:
		return fmt.Errorf("the line has %d bytes; a command has at most %d", len(line), mostBytes)
	case strings.HasPrefix(line, "#"), again && d.last == "":
		return nil
	case again:
		line = d.last
	}
	d.last = line
	d.repeats = again
	return d.dispatch(ctx, line)
}

// dispatch runs a command line that is not empty.
func (d *Debugger) dispatch(ctx context.Context, line string) error {
	n := 0
	for n < len(line) && line[n] != ' ' && line[n] != '\t' && line[n] != '/' {
		n++
	}
	c, err := d.lookUp(line[:n])
	if err != nil {
		return err
	}
	rest, format := line[n:], ""
	if strings.HasPrefix(rest, "/") {
		format, rest, _ = strings.Cut(rest[1:], " ")
	}
	if format != "" && !strings.Contains(c.args, "[/") {
		return fmt.Errorf("%s takes no format", c.name)
	}
	return c.run(d, &call{ctx, format, strings.TrimSpace(rest), d.repeats})
}

// lookUp finds a command by its name, its short name, or the start of its name.
func (d *Debugger) lookUp(word string) (*command, error) {
	var found []*command
	var names []string
	for i := range d.table {
		c := &d.table[i]
		if word == c.name || word == c.short && word != "" {
			return c, nil
		}
		if word != "" && strings.HasPrefix(c.name, word) {
			found, names = append(found, c), append(names, c.name)
		}
	}
	switch {
	case slices.Contains(later, word):
		return nil, notYet(word)
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%q is %s", word, strings.Join(names, " or "))
	}
	if near := isa.Nearest(word, d.commandNames()); near != "" {
		return nil, fmt.Errorf("no command %q; did you mean %s?", word, near)
	}
	return nil, fmt.Errorf("no command %q; help lists them", word)
}

func (d *Debugger) commandNames() []string {
	var names []string
	for i := range d.table {
		names = append(names, d.table[i].name)
	}
	return names
}

func (d *Debugger) helpCommand(c *call) error {
	if c.args == "" {
		for i := range d.table {
			c := &d.table[i]
			d.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-9s %-4s %s", c.name, c.short, c.args), " "))
		}
		d.printf("help COMMAND says more. Names may be cut short; Enter repeats the last command.\n")
		return nil
	}
	about, err := d.lookUp(c.args)
	if err != nil {
		return err
	}
	d.printf("%s\n  %s\n", strings.TrimRight(about.name+" "+about.args, " "), about.help)
	switch about.name {
	case "info":
		for _, t := range topics {
			d.printf("  %-9s %s\n", t.name, t.help)
		}
	case "until", "break", "tbreak", "continue", "trace", "list":
		d.printf("  LOC is a line (12, L12), a label, a function, +N lines, FILE:LINE, or @N of a listing\n")
	}
	return nil
}

func (d *Debugger) restartCommand(c *call) error {
	if c.args != "" {
		return notYet("restart with arguments")
	}
	if err := d.restart(); err != nil {
		return err
	}
	d.show()
	return nil
}

// Complete is the whole words that the last, unfinished word of a command line
// may become.
func (d *Debugger) Complete(line string) []string {
	words := strings.Fields(line)
	if len(words) == 0 || len(words) == 1 && !strings.HasSuffix(line, " ") {
		return beginning(d.commandNames(), strings.TrimSpace(line))
	}
	c, err := d.lookUp(strings.TrimLeft(words[0], " "))
	if format := strings.IndexByte(words[0], '/'); format > 0 {
		c, err = d.lookUp(words[0][:format])
	}
	if err != nil || c.offers == nil {
		return nil
	}
	return beginning(c.offers(d), line[strings.LastIndexAny(line, " \t")+1:])
}

// beginning is the words that begin with what was typed, where registers may be
// typed without their %.
func beginning(words []string, typed string) []string {
	var found []string
	for _, word := range words {
		if !strings.HasPrefix(word, typed) {
			word = strings.TrimPrefix(word, "%")
		}
		if strings.HasPrefix(word, typed) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	return found
}
