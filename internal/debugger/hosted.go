package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Hosted is a debugger of the launches of a program of the host, which come one after the other. A launch at which
// nothing can stop is not taken over, and runs as it does without a debugger.
type Hosted struct {
	d        *Debugger
	pending  []laterPoint
	caught   map[string]bool // by name, as in catches
	launches int             // that have arrived
	gone     bool            // the program has gone on
	detached bool
	attended *Attended // the user is at an editor; nil for a terminal
}

// laterPoint is a command break or tbreak with a place that no launch has had so far, and a point with the commands to
// be executed there.
type laterPoint struct {
	line string
	as   *point
}

// Talk shows a prompt and returns the next command line of the user. interrupt ends when the user interrupts the
// command, and answered is called with its error. io.EOF says that there are no more lines.
type Talk func(prompt string) (line string, interrupt context.Context, answered func(error), err error)

// Names of what catch stops at.
const (
	CatchLaunch  = "launch"
	CatchEnd     = "end"
	CatchError   = "error"
	CatchFinding = "finding"
)

// catches are the words after catch, with what they mean.
var catches = []struct{ name, meaning string }{
	{CatchLaunch, "before the first instruction of each launch"},
	{CatchEnd, "after each launch"},
	{CatchError, "when a driver call has failed, and in a launch that fails"},
	{"race", "in a launch, at a race, with --check race"},
	{CatchFinding, "after a launch with findings"},
}

var (
	errHostedEnded = errors.New("no launch is under way: continue goes on to the next stop; buffers can be looked at (info mem, x)")
	errNoStart     = errors.New("the launch cannot start over: no copy of memory at its beginning was kept")
)

// NewHosted makes a debugger without a launch. cfg.Prepare and cfg.Ended are not used. Sources of launches are added to
// cfg.Sources.
func NewHosted(cfg Config) *Hosted {
	cfg.Prepare, cfg.Ended = nil, nil
	d := &Debugger{cfg: cfg}
	for _, g := range commandGroups() {
		d.table = append(d.table, g.commands...)
	}
	d.timeline.init(cfg.History)
	return &Hosted{d: d, caught: make(map[string]bool)}
}

// Catches reports whether the user has asked for stops of a kind.
func (h *Hosted) Catches(kind string) bool { return h.caught[kind] }

// Complete returns the words that can complete the last word of a command line.
func (h *Hosted) Complete(line string) []string {
	words := strings.Fields(line)
	if len(words) > 0 && words[0] == "catch" && (len(words) > 1 || strings.HasSuffix(line, " ")) {
		var names []string
		for _, c := range catches {
			names = append(names, c.name)
		}
		return beginning(names, line[strings.LastIndex(line, " ")+1:])
	}
	all := h.d.Complete(line)
	if len(words) == 1 && !strings.HasSuffix(line, " ") {
		all = append(all, beginning([]string{"catch", "detach"}, words[0])...)
	}
	return all
}

// Pane returns the lines of a pane, as Debugger.Pane does. Between launches the buffers take the place of the lanes.
func (h *Hosted) Pane(p Pane, columns, rows int) (lines []string, keep int) {
	switch {
	case h.d.session != nil:
		return h.d.Pane(p, columns, rows)
	case p == SourcePane:
		return []string{errHostedEnded.Error()}, 0
	case p == LanesPane && h.d.program != nil:
		return h.d.paneOf(columns, func() error { return h.d.topic("mem", "") }), 0
	}
	return nil, 0
}

// show makes a program the one that commands are about, with no launch under way.
func (h *Hosted) show(p *Program) {
	d := h.d
	d.timeline.clear()
	d.world = world{program: p}
	d.timeline.at = cursor{entry: -1}
	d.focus, d.level, d.listing, d.stoppedAt = focus{}, 0, listing{}, nil
	d.log, d.passed, d.sourced = newEventLog(d), make(map[warpAt]position), make(map[int]bool)
	d.findObjects()
}

// Arrive is called before a launch. It reports whether the debugger takes the launch over, because something may stop
// in it; Run then runs it.
func (h *Hosted) Arrive(p *Program) bool {
	h.launches++
	if h.detached {
		return false
	}
	h.show(p)
	d := h.d
	fns, err := p.Machine.Functions(p.Launches[0].Kernel)
	if err != nil {
		return false // the launch says so
	}
	d.fns = fns
	d.readSources()
	d.placeAgain()
	if len(h.pending) > 0 {
		for _, fn := range fns {
			d.graphs = append(d.graphs, flow.New(fn))
		}
		h.place()
	}
	if h.attended != nil {
		h.attended.place()
	}
	if h.caught[CatchLaunch] || h.caught[CatchEnd] || h.caught[CatchError] || h.caught[CatchFault] || h.isAwaited() {
		return true
	}
	for _, q := range d.points {
		if q.disabled {
			continue
		}
		if q.onEvent || q.watch != nil {
			return true
		}
		for range q.places(d) {
			return true
		}
	}
	return false
}

// isAwaited reports whether an editor waits for the next launch.
func (h *Hosted) isAwaited() bool { return h.attended != nil && h.attended.pausing.Load() }

// readSources reads the sources from which the functions of the launch were compiled.
func (d *Debugger) readSources() {
	for _, fn := range d.fns {
		for pc := range fn.Code {
			file := source.At(fn, pc).Pos().File
			if _, known := d.cfg.Sources[file]; !known {
				d.cfg.Sources[file] = source.Lines(fn, file)
			}
		}
	}
}

// place makes breakpoints of those whose place the present launch has.
func (h *Hosted) place() {
	left := h.pending
	h.pending = nil
	for _, l := range left {
		h.d.quiet++
		err := h.d.dispatch(context.Background(), l.line)
		h.d.quiet--
		if err != nil {
			h.pending = append(h.pending, l)
			continue
		}
		p := h.d.points[len(h.d.points)-1]
		p.commands = l.as.commands
		h.d.printf("%s\n", h.d.pointText(p))
	}
}

// Run runs the launch that has arrived to its end. It returns ErrQuit if the user ends the session, and otherwise the
// error that ended the launch.
func (h *Hosted) Run(talk Talk) (interp.Stats, error) {
	d := h.d
	if cfg := d.program.Machine.Config(); cfg.Stdout != nil {
		before := cfg.Stdout
		defer func() { cfg.Stdout = before }()
	}
	d.divertOutput()
	d.fns, d.graphs = nil, nil
	if err := d.begin(); err != nil {
		return interp.Stats{}, err
	}
	var err error
	if h.attended != nil {
		err = h.converse(talk)
	} else if h.caught[CatchLaunch] {
		d.printf("launch %d\n", h.launches)
		d.show()
		d.passed = make(map[warpAt]position)
		err = h.converse(talk)
	} else if err = h.runOn(); err == nil && h.isUnderWay() {
		if failed := d.runStopCommands(context.Background()); errors.Is(failed, ErrQuit) {
			err = ErrQuit
		} else if failed != nil {
			d.printf("%v\n", failed)
		}
		if err == nil && h.isUnderWay() {
			err = h.converse(talk)
		}
	}
	if err == nil && h.caught[CatchEnd] && d.session == nil {
		if h.attended == nil {
			d.printf("after launch %d\n", h.launches)
		}
		err = h.converse(talk)
	}
	stats := d.stats
	if d.session != nil {
		stats = d.session.Stats()
	}
	failure := d.failure
	d.session, d.functional = nil, nil
	d.timeline.clear()
	if errors.Is(err, ErrQuit) || isAgain(err) {
		failure = err
	}
	return stats, failure
}

// Again is the error of Run and Stop if the user wants the program to start over. Commands, one per line, make in the
// new process what the user has set.
type Again struct{ Commands string }

func (*Again) Error() string { return "the program starts over" }

func isAgain(err error) bool {
	_, ok := err.(*Again)
	return ok
}

// again returns the error with which the program starts over, to go on to the first stop if it runs.
func (h *Hosted) again(runs bool) error {
	b := new(strings.Builder)
	for _, p := range h.d.points {
		h.d.save(b, p)
	}
	for _, l := range h.pending {
		fmt.Fprintln(b, l.line)
		l.as.saveCommands(b)
	}
	for _, c := range catches {
		if h.caught[c.name] {
			fmt.Fprintln(b, "catch", c.name)
		}
	}
	if runs {
		fmt.Fprintln(b, "continue")
	}
	return &Again{b.String()}
}

// isUnderWay reports whether there is a launch to talk about: one that has not ended, or has failed.
func (h *Hosted) isUnderWay() bool { return h.d.session != nil }

// runOn continues a launch to its first stop, which may be its first instruction.
func (h *Hosted) runOn() error {
	h.d.unseen, h.d.hit = true, nil
	defer func() { h.d.unseen = false }()
	return h.d.dispatch(context.Background(), "continue")
}

// Stop stops between launches, and says why. It returns ErrQuit if the user ends the session.
func (h *Hosted) Stop(p *Program, why string, talk Talk) error {
	if h.detached {
		return nil
	}
	h.show(p)
	if h.attended == nil {
		h.d.printf("%s\n", why)
	}
	return h.converse(talk)
}

// errGoOn says that the program is to go on.
var errGoOn = errors.New("the program goes on")

// converse carries out commands until the program is to go on. It returns nil or ErrQuit.
func (h *Hosted) converse(talk Talk) error {
	began := h.isUnderWay()
	for {
		prompt := "(simt host) "
		if h.isUnderWay() || h.d.typing.done != nil {
			prompt = h.d.Prompt()
		}
		line, ctx, answered, err := talk(prompt)
		if err != nil {
			h.detach()
			err, answered = errGoOn, func(error) {}
		} else {
			err = h.execute(ctx, line)
		}
		switch {
		case errors.Is(err, errGoOn), errors.Is(err, ErrQuit), isAgain(err):
			answered(nil)
			if err == errGoOn {
				h.gone = true
				err = h.finish()
			}
			return err
		case errors.Is(err, errEnded), errors.Is(err, errFailed):
			err = errHostedEnded
		}
		if err != nil {
			h.d.printf("%v\n", err)
		}
		if answered(err); began && !h.isUnderWay() {
			return nil
		}
	}
}

// finish runs a launch without stops to its end, for a user who has left.
func (h *Hosted) finish() error {
	if d := h.d; h.detached && d.session != nil && !d.session.Done() {
		return d.dispatch(context.Background(), "continue")
	}
	return nil
}

// detach forgets where to stop.
func (h *Hosted) detach() {
	h.d.points, h.pending, h.detached = nil, nil, true
	clear(h.caught)
}

// execute carries out a command line: one about the program itself, or one of the debugger.
func (h *Hosted) execute(ctx context.Context, line string) error {
	d := h.d
	line = strings.TrimSpace(line)
	again := line == ""
	if d.typing.done != nil {
		return d.Execute(ctx, line)
	}
	if again {
		line = d.last
	}
	word, args, _ := cutFirst(line, " ")
	args = strings.TrimSpace(args)
	switch word {
	case "catch":
		d.last = ""
		return h.catch(args)
	case "detach":
		h.detach()
		return errGoOn
	}
	if c, err := d.lookUp(word); err == nil {
		word = c.name
	}
	under := d.session != nil && !d.session.Done()
	between := !under && len(d.timeline.all) == 0 // after a launch one can go back to it
	switch {
	case h.attended == nil && (word == "restart" && (args == "program" || between && args == "") || word == "run" && between && args == "" && h.gone):
		return h.again(word == "run")
	case !under && args == "" && (word == "continue" || word == "run"):
		d.last = line
		return errGoOn
	case (word == "break" || word == "tbreak") && args == "kernel":
		return h.catch(CatchLaunch)
	case (word == "break" || word == "tbreak") && args != "" && !strings.HasPrefix(args, "on "):
		return h.breakLater(ctx, word, args)
	case word == "delete" && args == "":
		h.pending = nil
		clear(h.caught)
	case word == "help" && args == "":
		defer d.printf("In a host program\n  catch  [%s]\n  detach\n  restart program\ncontinue goes on to the next stop; break takes places of kernels to come.\n", strings.Join(catchNames(), "|"))
	case word == "info" && args != "" && strings.HasPrefix("breakpoints", args):
		defer h.listLater()
	}
	if again {
		line = ""
	}
	return d.Execute(ctx, line)
}

func catchNames() (names []string) {
	for _, c := range catches {
		names = append(names, c.name)
	}
	return names
}

// breakLater makes a breakpoint, or remembers it for a launch that has its place.
func (h *Hosted) breakLater(ctx context.Context, word, args string) error {
	line := word + " " + args
	err := h.d.Execute(ctx, line)
	place, _, bad := splitCondition(args)
	if err == nil || bad != nil || !isLasting(place) {
		if errors.Is(err, errEnded) {
			return errorf("no launch is under way: break takes the name of a function, or FILE:LINE, of one to come")
		}
		return err
	}
	h.d.unplaced = &point{}
	h.pending = append(h.pending, laterPoint{line, h.d.unplaced})
	h.d.printf("%s when a launch has %s\n", word, place)
	return nil
}

// catch adds what the user wants to stop at, or lists what there is.
func (h *Hosted) catch(kind string) error {
	d := h.d
	switch {
	case kind == "":
		for _, c := range catches {
			d.printf("  %-8s %s\n", c.name, c.meaning)
		}
		return nil
	case kind == "race":
		if !d.cfg.Races {
			return errors.New("launches are not checked for races; simtrun host --debug --check race does")
		}
		return d.breakOn("finding")
	}
	for _, c := range catches {
		if c.name == kind {
			h.caught[kind] = true
			d.printf("catch %s: %s\n", kind, c.meaning)
			return nil
		}
	}
	return errorf("catch what? There are %s", strings.Join(catchNames(), ", "))
}

// listLater lists what stops in launches to come.
func (h *Hosted) listLater() {
	for _, l := range h.pending {
		h.d.printf("%s  when a launch has it\n%s", l.line, l.as.commandsText())
	}
	for _, c := range catches {
		if h.caught[c.name] {
			h.d.printf("catch %s: %s\n", c.name, c.meaning)
		}
	}
}

// LaunchText describes a launch by its number in the program, and the kernel.
func (h *Hosted) LaunchText(kernel string) string {
	return fmt.Sprintf("launch %d, %s", h.launches, cxx.Short(kernel))
}
