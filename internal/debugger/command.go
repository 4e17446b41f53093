package debugger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// command is a command of the debugger.
type command struct {
	name, also string // also has aliases, separated by blanks
	args, help string
	run        func(*Debugger, *call) error
	offers     func(*Debugger) []string // words with which its arguments may begin
}

// names returns all names of the command, the main one first.
func (c *command) names() []string { return append([]string{c.name}, strings.Fields(c.also)...) }

// group is a group of related commands in help.
type group struct {
	subject  string
	commands []command
}

// call is a command as typed.
type call struct {
	ctx    context.Context
	format string // after a slash
	args   string
	again  bool // an empty line repeats it
}

// commandGroups returns all commands, in the order of help.
func commandGroups() []group {
	return []group{
		{"Running", walkingCommands()},
		{"Stopping", stoppingCommands()},
		{"Values", valueCommands()},
		{"Looking around", lookingCommands()},
		{"The focus", focusCommands()},
		{"Backwards", backwardCommands()},
		{"The session", sessionCommands()},
	}
}

func walkingCommands() []command {
	places := (*Debugger).placeNames
	return []command{
		{"step", "s", "[-cycle] [N]", "in CUDA C++, run until the lane in focus reaches another line, N times; in PTX, execute N instructions of the warp in focus. Other warps do not run, unless the warp waits: then the rest of its block runs. With a clock the whole GPU runs meanwhile; -cycle runs it for N cycles", (*Debugger).stepCommand, func(*Debugger) []string { return []string{"-cycle"} }},
		{"stepi", "si", "[N]", "execute N instructions of the warp in focus", (*Debugger).stepInstruction, nil},
		{"lstep", "ls", "[N]", "run until the lane in focus has executed N instructions", counted((*walk).laneStep), nil},
		{"bstep", "bs", "[N]", "execute N instructions in every warp of the block that can run", counted((*walk).blockStep), nil},
		{"next", "n", "[N]", "like step, but do not stop in called functions", lineStep((*walk).lineOver, (*walk).over), nil},
		{"nexti", "ni", "[N]", "like stepi, but do not stop in called functions", instructionStep((*walk).over), nil},
		{"finish", "fin stepout so", "", "run until the function of the selected frame returns; in CUDA C++ show the value returned", lineStep((*walk).lineOut, (*walk).out), nil},
		{"until", "u advance", "[LOC]", "run the warp in focus to a place; without one, to a later line of this function, which leaves a loop", (*Debugger).untilCommand, places},
		{"reconv", "rv", "", "run until the active lanes have reconverged with others", (*Debugger).reconvCommand, nil},
		{"barrier", "bar", "", "run the block until a barrier releases it", (*Debugger).barrierCommand, nil},
		{"continue", "c fg", "[LOC | N]", "run to a breakpoint, a watchpoint, the place LOC, an error or the end; with a number, ignore the next N - 1 hits of the breakpoint that has stopped (continue L9 runs to line 9)", (*Debugger).continueCommand, places},
		{"run", "r", "", "start over, if anything has been executed, and continue; flags and header determine the launch", once((*Debugger).runCommand), nil},
		{"kill", "k", "", "end the launch now; run starts it again", once((*Debugger).killCommand), nil},
		{"restart", "start starti", "[N]", "start over on a new machine, before the first instruction, and keep breakpoints; with a number, go to that checkpoint", once((*Debugger).restartCommand), nil},
	}
}

func stoppingCommands() []command {
	places, values, points := (*Debugger).placeNames, (*Debugger).valueNames, (*Debugger).pointNumbers
	return []command{
		{"break", "b br hbreak", "[LOC] [if EXPR] | on EVENT", "stop at a place, or only if EXPR holds there in any active lane; or stop on an event: diverge, reconverge, barrier, exit, mem, or finding with --check race", once((*Debugger).breakCommand), places},
		{"tbreak", "tb thbreak", "[LOC] [if EXPR]", "stop at a place once", once((*Debugger).tbreakCommand), places},
		{"rbreak", "", "REGEXP", "break in every function of the program with a name that matches", once((*Debugger).rbreakCommand), nil},
		{"watch", "w", "[-r|-w|-rw] EXPR [if EXPR]", "stop when memory is written (-r: read, -rw: either): y[3], a buffer, shared:ADDR or global:ADDR; or when the value of EXPR changes", once((*Debugger).watchCommand), values},
		{"rwatch", "", "EXPR [if EXPR]", "stop when memory is read, like watch -r", once(watchWith("-r")), values},
		{"awatch", "", "EXPR [if EXPR]", "stop when memory is read or written, like watch -rw", once(watchWith("-rw")), values},
		{"trace", "t", "LOC [EXPR, ...] [if EXPR]", "print values at a place, without stopping", once((*Debugger).traceCommand), places},
		{"dprintf", "", "LOC,\"FORMAT\",EXPR,...", "print formatted values at a place, without stopping: those of the first lane there, or of the first for which the condition set by cond N EXPR holds", once((*Debugger).dprintfCommand), places},
		{"delete", "d clearall", "[N ...]", "delete some or all breakpoints, watchpoints and traces; delete display N is undisplay N", once((*Debugger).deleteCommand), points},
		{"clear", "", "[LOC]", "delete the breakpoints and traces at a place, by default at the instruction shown", once((*Debugger).clearCommand), places},
		{"disable", "dis", "[N ...]", "disable breakpoints, watchpoints and traces until they are enabled again", (*Debugger).disableCommand, points},
		{"enable", "en", "[N ...]", "enable breakpoints, watchpoints and traces again", (*Debugger).enableCommand, points},
		{"toggle", "", "N ...", "disable breakpoints, watchpoints and traces that are enabled, and enable those that are disabled", once((*Debugger).toggleCommand), points},
		{"cond", "condition", "N [EXPR | -hits OP M]", "let N stop only where EXPR holds in an active lane, or only at some hits of a warp: % 8 is every eighth, == 3 the third, > 3 all after the third; N alone removes both conditions", (*Debugger).condCommand, points},
		{"commands", "", "[N]", "execute the lines that follow, up to end, whenever N (by default the last breakpoint) stops; silent as the first line suppresses the message of the stop, and a command that resumes execution must be the last", once((*Debugger).commandsCommand), points},
		{"ignore", "", "N COUNT", "ignore the next COUNT hits of N, counted over all warps", (*Debugger).ignoreCommand, points},
	}
}

func valueCommands() []command {
	values := (*Debugger).valueNames
	return []command{
		{"print", "p inspect output call", "[/FMT] EXPR", "print a value in all lanes, with inactive lanes in brackets; FMT is x d u t f a c o z s", (*Debugger).printCommand, values},
		{"printf", "", "\"FORMAT\", EXPR, ...", "print values of the lane in focus, formatted as by C's printf", (*Debugger).printfCommand, values},
		{"display", "", "[/FMT] [EXPR]", "print a value after every stop; display/4i $pc shows instructions", once((*Debugger).displayCommand), values},
		{"undisplay", "", "[N]", "end display N, or all displays", (*Debugger).undisplayCommand, nil},
		{"whatis", "", "EXPR", "print the type of a C++ expression", (*Debugger).whatisCommand, values},
		{"ptype", "", "[/o] EXPR | TYPE", "print the type of a C++ expression without typedefs, and with the members of a struct; /o: with their offsets and sizes in bytes", (*Debugger).ptypeCommand, values},
		{"x", "", "[/NFU] ADDR", "examine memory from y, y[3], y+12 or SPACE:ADDR on: N elements in format F, of size U (b h w g)", (*Debugger).examineCommand, values},
		{"set", "", "[var] PLACE = EXPR", "change a register in the active lanes, or in one lane, as in r5[7]; change memory, as in y[3]; or set a debugger variable, $i, for use in expressions; set listsize N sets the number of lines that list shows", (*Debugger).setCommand, values},
		{"show", "", "convenience | values | user [NAME] | listsize", "show the debugger's variables, the last values printed, user-defined commands, or the number of lines that list shows", (*Debugger).showCommand, func(*Debugger) []string { return []string{"convenience", "values", "user"} }},
	}
}

func lookingCommands() []command {
	places := (*Debugger).placeNames
	return []command{
		{"info", "i", "TOPIC", "show information on TOPIC; some topics are also available after the launch has ended", (*Debugger).infoCommand, func(*Debugger) []string { return topicNames() }},
		{"args", "", "", "info args: the parameters of the function in focus, or of the kernel", func(d *Debugger, _ *call) error { return d.infoArgs("") }, nil},
		{"locals", "vars", "[WORD]", "info locals: variables of the source or, in PTX without them, registers; WORD limits them to names that begin with it", func(d *Debugger, c *call) error { return d.topic("locals", c.args) }, nil},
		{"breakpoints", "bp", "", "info break", func(d *Debugger, _ *call) error { return d.infoBreak("") }, nil},
		{"list", "l", "[LOC | A,B | -]", "show the source, with the number of lanes at each line; repeated, show the lines that follow, or with - the lines before", (*Debugger).listCommand, places},
		{"search", "forward-search fo", "REGEXP", "show the next source line that matches, after the last line that list or search has shown", (*Debugger).searchNext, nil},
		{"reverse-search", "", "REGEXP", "show the previous source line that matches", (*Debugger).searchPrevious, nil},
		{"disas", "disassemble", "[/s] [LOC | A,B]", "show the instructions of the function in focus, or of the function at a place, with the number of lanes at each; /s groups them by source line", (*Debugger).disasCommand, places},
		{"bt", "backtrace where", "[N | full]", "show the call stack of the lane in focus, or its innermost N frames, and the divergence of its warp; full: with variables", (*Debugger).btCommand, nil},
		{"frame", "fr select-frame", "[N | function NAME]", "select a frame, 0 being the innermost; registers are then those of that frame", (*Debugger).frameCommand, nil},
		{"up", "up-silently", "[N]", "select the frame of the caller, N frames up", (*Debugger).upCommand, nil},
		{"down", "down-silently", "[N]", "select the frame of the called function, N frames down", (*Debugger).downCommand, nil},
		{"why", "", "", "explain why the lane in focus is inactive, waits or has exited", (*Debugger).whyCommand, nil},
		{"heat", "", "[N]", "show the active lanes at the last N instructions of the warp, as far as the debugger observed them", (*Debugger).heatCommand, nil},
		{"warps", "", "[-with EXPR] [-group pc|state] [-exec COMMAND]", "list all resident warps, or those in which EXPR holds in an active lane; group them, or execute a command in each", (*Debugger).warpsCommand, func(*Debugger) []string { return []string{"-with", "-group", "-exec"} }},
	}
}

func focusCommands() []command {
	return []command{
		{"focus", "f cuda", "[b0 w1 l5]", "move the focus; omitted parts stay. Block 0 thread 37 and block (0,0,0) thread (5,1,0) are also accepted", (*Debugger).focusCommand, nil},
		{"block", "", "N [COMMAND]", "move the focus to a block, given as a number or (X,Y,Z); or execute a command there and return", elsewhere((*Debugger).setBlock, false), nil},
		{"warp", "", "N [COMMAND]", "the same for a warp of the block", elsewhere((*Debugger).setWarp, false), nil},
		{"lane", "", "N [COMMAND]", "the same for a lane of the warp; print and set then apply to that lane alone", elsewhere((*Debugger).setLane, true), nil},
		{"thread", "", "N [COMMAND]", "the same for a thread of the block, given as a number or (X,Y,Z); thread apply all COMMAND executes COMMAND in every warp", (*Debugger).threadCommand, nil},
	}
}

func backwardCommands() []command {
	marks := (*Debugger).markNames
	return []command{
		{"reverse-step", "rs rstep", "[-cycle] [N]", "go back to where step would have stopped before, N times; in PTX, to before the last instruction of the warp in focus. With a clock the whole GPU goes back; -cycle goes back N cycles", (*Debugger).backStep, nil},
		{"reverse-stepi", "rsi", "[N]", "go back to before the last instruction of the warp in focus", withCode(backCommand(backInstruction)), nil},
		{"reverse-next", "rn", "[N]", "like reverse-step, but do not stop in called functions", backwards(backLine(false), backOver), nil},
		{"reverse-nexti", "rni", "[N]", "like reverse-stepi, but do not stop in called functions", withCode(backCommand(backOver)), nil},
		{"reverse-lstep", "rlstep", "[N]", "go back to before the last instruction of the lane in focus", backCommand(backLane), nil},
		{"reverse-finish", "rstepout", "", "go back to the call of the selected frame's function", backCommand(backOut), nil},
		{"reverse-reconv", "rreconv", "", "go back to the branch at which the lane in focus diverged from others", backCommand(backDivergence), nil},
		{"reverse-continue", "rc rcontinue", "", "go back to before the last instruction at which a breakpoint or watchpoint stops; hit counts are ignored", (*Debugger).backContinue, nil},
		{"rev", "reverse", "COMMAND", "execute step, stepi, next, nexti, lstep, finish, reconv or continue backwards", (*Debugger).revCommand, nil},
		{"last-write", "lw", "EXPR", "show the instruction that last wrote a register, a variable or memory: its warp, lanes, line and value; execution stays where it is", (*Debugger).lastWrite, (*Debugger).valueNames},
		{"when", "", "", "show the present step: the number of instructions that the launch has executed or, with a clock, the cycle", (*Debugger).whenCommand, nil},
		{"goto", "go", "STEP", "go to a step before or after the present one; LAUNCH:STEP is a step of another launch", (*Debugger).gotoCommand, nil},
		{"rewind", "rw", "", "go to the start of the first launch", once((*Debugger).rewindCommand), nil},
		{"checkpoint", "check chk", "[NAME]", "remember the present step, for restart N", once((*Debugger).checkpointCommand), nil},
		{"checkpoints", "", "", "info checkpoints", func(d *Debugger, _ *call) error { return d.infoCheckpoints("") }, nil},
		{"clear-checkpoint", "clearcheck", "N", "forget a checkpoint", once((*Debugger).clearCheckpoint), marks},
	}
}

func sessionCommands() []command {
	return []command{
		{"echo", "", "TEXT", "print TEXT", once((*Debugger).echoCommand), nil},
		{"save", "", "breakpoints FILE", "write commands to FILE from which source restores the breakpoints, watchpoints and traces", once((*Debugger).saveCommand), func(*Debugger) []string { return []string{"breakpoints"} }},
		{"source", "", "FILE", "execute the commands in a file, up to the first that fails", once((*Debugger).sourceCommand), nil},
		{"define", "", "NAME", "define a command by the lines that follow, up to end; in them, $arg0, $arg1 and so on are the words after its name, and $argc is their number. show user lists the definitions", once((*Debugger).defineCommand), nil},
		{"document", "", "NAME", "set the help of a user-defined command to the lines that follow, up to end", once((*Debugger).documentCommand), nil},
		{"if", "", "EXPR", "execute the lines that follow, up to else or end, if EXPR holds in an active lane, and otherwise the lines after else", once((*Debugger).ifCommand), nil},
		{"while", "", "EXPR", "execute the lines that follow, up to end, as long as EXPR holds in an active lane; loop_break and loop_continue work as in gdb", once((*Debugger).whileCommand), nil},
		{"loop_break", "", "", "end the innermost while", func(*Debugger, *call) error { return errLoopBreak }, nil},
		{"loop_continue", "", "", "begin the next iteration of the innermost while", func(*Debugger, *call) error { return errLoopContinue }, nil},
		{"with", "", "SETTING -- COMMAND", "execute COMMAND with a setting; gdb settings other than listsize are ignored", (*Debugger).withCommand, nil},
		{"apropos", "", "WORD", "list the commands with WORD in their help", once((*Debugger).aproposCommand), nil},
		{"complete", "", "TEXT", "list the completions of TEXT that TAB offers", once((*Debugger).completeCommand), nil},
		{"help", "h", "[COMMAND]", "list the commands, or explain one", (*Debugger).helpCommand, (*Debugger).commandNames},
		{"quit", "q exit", "", "end the session", func(*Debugger, *call) error { return ErrQuit }, nil},
	}
}

// later lists commands that are planned and do not work yet.
var later = []string{
	"on", "transcript", "config",
}

// notYet returns the error for a command that does not work yet.
func notYet(what string) error { return errors.New("not supported yet: " + what) }

// mostBytes limits a command line, and so the nesting of expressions.
const mostBytes = 4096

func errTooLong(line string) error {
	return errorf("the line has %d bytes; a command has at most %d", len(line), mostBytes)
}

// Execute executes a command line. An empty line repeats the previous one, and a line that begins with # is a
// comment. The error is one line for the user; except for ErrQuit, it leaves the session unchanged.
func (d *Debugger) Execute(ctx context.Context, line string) error {
	line = strings.TrimSpace(line)
	again := line == ""
	if d.sourcing == 0 {
		d.executed = 0
	}
	switch {
	case d.typing.done != nil:
		d.last, d.hit = "", nil
		if err := d.typing.take(ctx, line); err != nil {
			return err
		}
		return d.runStopCommands(ctx)
	case len(line) > mostBytes:
		return errTooLong(line)
	case strings.HasPrefix(line, "#"), again && d.last == "":
		return nil
	case again:
		line = d.last
	}
	d.last = line
	d.repeats = again
	d.hit = nil
	err := d.dispatch(ctx, line)
	if err == nil {
		err = d.runStopCommands(ctx)
	}
	return err
}

// dispatch executes a command line that is not empty.
func (d *Debugger) dispatch(ctx context.Context, line string) error {
	c, as, err := d.parseLine(line)
	if err != nil {
		return err
	}
	as.ctx = ctx
	return c.run(d, &as)
}

// parseLine returns the command of a command line that is not empty, and how it is called, without a context.
func (d *Debugger) parseLine(line string) (*command, call, error) {
	if strings.HasPrefix(line, "!") {
		return nil, call{}, errorf("no command %q; %s", line, noShell)
	}
	n := strings.IndexAny(line, " \t/")
	if n < 0 {
		n = len(line)
	}
	c, err := d.lookUp(line[:n])
	if err != nil {
		return nil, call{}, err
	}
	rest, format := line[n:], ""
	if spaced := strings.TrimLeft(rest, " \t"); strings.HasPrefix(spaced, "/") && strings.Contains(c.args, "[/") {
		rest = spaced
	}
	if strings.HasPrefix(rest, "/") {
		format, rest, _ = cutFirst(rest[1:], " ")
	}
	switch {
	case format != "" && !strings.Contains(c.args, "[/"):
		err = errorf("%s takes no format", c.name)
	case c.args == "" && strings.TrimSpace(rest) != "":
		err = errorf("%s takes no arguments", c.name)
	case d.cfg.Clock != nil && !slices.Contains(withClock, c.name) && d.defined[c.name] == nil:
		err = errorf("%s is for launches without a clock: simtrun debug without --timed", c.name)
	}
	return c, call{format: format, args: strings.TrimSpace(rest), again: d.repeats}, err
}

// once makes a command that an empty line does not repeat, because executing it twice is usually unintended.
//
//go:noinline
func once(run func(*Debugger, *call) error) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		defer func() { d.last = "" }()
		return run(d, c)
	}
}

// lookUp finds a command by one of its names, or an abbreviation.
func (d *Debugger) lookUp(word string) (*command, error) {
	exact, found, names := d.commandsNamed(word)
	if exact >= 0 {
		return &d.table[exact], nil
	}
	switch {
	case slices.Contains(later, word):
		return nil, notYet(word)
	case instead[word] != "":
		return nil, errorf("no command %q; %s", word, instead[word])
	case len(found) == 1:
		return &d.table[found[0]], nil
	case len(found) > 1 && shortest(names) >= 0:
		return &d.table[found[shortest(names)]], nil
	case len(found) > 1:
		return nil, errorf("%q is %s", word, strings.Join(names, " or "))
	}
	near := "; help lists them"
	if len(word) > 2 {
		near = cmp.Or(isa.DidYouMean(word, d.commandNames()), near)
	}
	return nil, errorf("no command %q%s", word, near)
}

// commandsNamed is abbreviated for commands.
func (d *Debugger) commandsNamed(word string) (exact int, found []int, names []string) {
	return abbreviated(word, len(d.table), func(i int) (string, string) { return d.table[i].name, d.table[i].also })
}

// abbreviated looks for a word among n things, each with a name and others that blanks separate. It returns the index
// of the one that has the name, or -1, and the indices of those with names that begin with the word, with these names.
func abbreviated(word string, n int, of func(i int) (name, also string)) (exact int, found []int, names []string) {
	for i := range n {
		for name, also := of(i); name != ""; name, also, _ = cutFirst(also, " ") {
			if word == name {
				return i, nil, nil
			}
			if word != "" && strings.HasPrefix(name, word) && (len(found) == 0 || found[len(found)-1] != i) {
				found, names = append(found, i), append(names, name)
			}
		}
	}
	return -1, found, names
}

// shortest returns the index of the name that is a prefix of all others, as break is of breakpoints, or -1.
func shortest(names []string) int {
	return slices.IndexFunc(names, func(short string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, short) })
	})
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
		for _, g := range commandGroups() {
			d.printf("%s\n", g.subject)
			for _, c := range g.commands {
				d.printf("%s\n", strings.TrimRight(fmt.Sprintf("  %-17s %-16s %s", c.name, c.also, c.args), " "))
			}
		}
		d.printf("help COMMAND says more. Names can be abbreviated; at a terminal Enter repeats the last command.\n")
		return nil
	}
	word, _, _ := cutFirst(c.args, " ") // help info cuda, as in gdb
	about, err := d.lookUp(word)
	if err != nil {
		return err
	}
	d.printf("%s\n%s\n", strings.TrimRight(about.name+" "+about.args, " "), wrapped(about.help, 2, d.columns()))
	if about.also != "" {
		d.printf("  also called %s\n", strings.Join(strings.Fields(about.also), ", "))
	}
	switch about.name {
	case "info":
		for i := range topics {
			t := &topics[i]
			d.printf("  %s\n", strings.TrimRight(fmt.Sprintf("%-10s %-34s %s", t.name, t.also, t.help), " "))
		}
	case "until", "break", "tbreak", "continue", "trace", "list", "clear", "disas":
		d.printf("  LOC is a line (12, L12), a label, a function, +N lines, FILE:LINE, or @N of a listing\n")
	}
	return nil
}

// wrapped wraps text to a number of columns, 0 for unlimited, with each line indented.
func wrapped(text string, indent, columns int) string {
	front := strings.Repeat(" ", indent)
	var b strings.Builder
	width := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case width == 0, columns > 0 && width+1+len(word) > columns:
			if width > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(front)
			width = indent
		default:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// runCommand is gdb's run: it restarts unless nothing has been executed, and runs.
func (d *Debugger) runCommand(c *call) error {
	if !d.untouched() {
		if err := d.restart(); err != nil {
			return err
		}
	}
	return d.continueCommand(c)
}

// untouched reports whether nothing has been executed yet.
func (d *Debugger) untouched() bool {
	return d.session != nil && d.number == 0 && !d.session.Done() && d.session.Stats().WarpInstrs == 0
}

// killCommand ends the launch and drops those that would follow.
func (d *Debugger) killCommand(*call) error {
	if d.session == nil {
		return errEnded
	}
	d.stats, d.ended = d.session.Stats(), d.step()
	d.session, d.functional, d.timed = nil, nil, nil
	d.printf("%s was ended; run starts it again\n", cxx.Short(d.launch().Kernel))
	return nil
}

// echoCommand prints a text; \n in it ends a line.
func (d *Debugger) echoCommand(c *call) error {
	d.printf("%s\n", strings.TrimSuffix(strings.ReplaceAll(c.args, `\n`, "\n"), "\n"))
	return nil
}

func (d *Debugger) restartCommand(c *call) error {
	if c.args != "" {
		return d.restartAt(c.args)
	}
	if err := d.restart(); err != nil {
		return err
	}
	d.show()
	return nil
}

// Complete returns the words that can complete the last word of a command line.
func (d *Debugger) Complete(line string) []string {
	line = strings.TrimLeft(line, " \t")
	word, rest, more := cutFirst(line, " ")
	if !more {
		return beginning(d.commandNames(), word)
	}
	word, _, _ = cutFirst(word, "/")
	c, err := d.lookUp(word)
	if err != nil {
		return nil
	}
	if strings.HasPrefix(c.args, "N [COMMAND]") {
		_, command, more := cutFirst(strings.TrimLeft(rest, " \t"), " ")
		if !more {
			return nil
		}
		return d.Complete(command)
	}
	if c.offers == nil {
		return nil
	}
	return beginning(c.offers(d), rest[strings.LastIndexAny(rest, " \t")+1:])
}

// beginning returns the words that begin with typed. Registers may be typed without their %.
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
