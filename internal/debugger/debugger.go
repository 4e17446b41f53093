// Package debugger steps through launches and shows the state of their warps. It reads command lines and writes text;
// the caller handles the terminal.
//
// Blocks and lanes have the user's notation: b2 is the CTA with number 2, counted with x fastest, L12 is line 12, and
// @3 instruction 3 of a function's listing.
package debugger

import (
	"errors"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Program is a machine and its launches, which run one after the other.
type Program struct {
	Machine  *interp.Machine
	Launches []interp.Launch // at least one
	Buffers  []Buffer        // that expressions can name
}

// Buffer is a buffer, or a variable of the module in global or constant memory.
type Buffer struct {
	*memory.Region
	Elem   isa.Type
	Scalar bool // a variable that is not an array
}

// Config configures a Debugger.
type Config struct {
	Out io.Writer // receives the output of commands
	// Prepare makes a new machine, at the start and for each restart. It is nil in a Hosted.
	Prepare func() (*Program, error)
	// Ended, unless it is nil, is called when the last launch has ended without an error.
	Ended func()
	// Sources maps file names, as in positions, to source lines. Without source lines, instructions are shown.
	Sources map[string][]string
	// ReadFile reads a file of commands. It may be nil if none can be read.
	ReadFile func(name string) ([]byte, error)
	// WriteFile writes a file of commands. It may be nil if none can be written.
	WriteFile func(name string, text []byte) error
	// Clock configures timing; nil for functional launches.
	Clock *sm.Options
	// Recorded says that Record will be called: with a clock, launches then note their instructions.
	Recorded bool
	// Races makes the debugger check launches for races; break on finding stops at them.
	Races bool
	// History is how many bytes the copies may take from which the debugger goes back; see timeline. 0 means
	// DefaultHistory, and less than 0 none: it then starts over each time.
	History int64
	// Editor says that an editor shows where the focus is; the debugger then does not print it.
	Editor bool
	// Dim marks text about inactive lanes; nil marks nothing.
	Dim func(text string) string
	// Columns returns the width of the terminal behind Out, or 0 if there is none; nil means 0.
	Columns func() int
}

// Debugger is a debugging session: a series of launches, one of them under way, and the user's settings.
type Debugger struct {
	cfg     Config
	table   []command
	last    string // previous command line, for repetition
	repeats bool   // the current command is a repetition
	world
	timeline timeline
	stopCommands
	defined  map[string][]string // lines of commands that the user has defined
	executed int                 // lines of defined commands since the user typed one

	focus    focus
	showCode bool       // instructions are shown below lines of the source
	level    int        // of the selected frame: number of callers up
	only     lanes.Mask // lanes to which the command applies, or 0 for all
	points   []*point
	into     string // the function into which a step goes; "" for any
	made     int    // points made so far, to number them
	edits    int    // changes that the user has made so far
	displays []display
	asides
	passed   map[warpAt]position // where points were hit, or where the user has seen the warp
	shown    int                 // displays made so far
	listing  listing             // lines that list has shown since the last stop
	listed   int                 // lines that list shows; 0 for usuallyListed
	sourcing int                 // nesting of command files
	inWarps  bool                // a command of warps -exec is running
	quiet    int                 // nesting of what prints nothing
	stopping Stop                // what is known about the end of the motion under way
	// searching says that points are looked at to find where they stop, and count nothing.
	searching bool
	stoppedAt *check.Finding // the race at which a point has just stopped, or nil
	unseen    bool           // the user has not seen the instruction in focus: points stop at it, too
	onAccess  func(at *interp.Place, a *interp.Access)
	passages  *passageLog // with a clock, if launches are recorded
}

// world is the state that is restored when the user goes backwards: the machine, its launches, and what was observed of
// them.
type world struct {
	program    *Program
	number     int                 // index of the current launch, or the last one
	session    session             // nil when it has ended
	functional *functional.Session // the session, without a clock
	timed      *sm.Session         // the session, with a clock
	since      int64               // cycles of the previous launches
	ended      int64               // the step at which the launch has ended
	printed    int64               // bytes that kernels have printed
	// caches as the previous launches have left them
	l2      *sm.L2
	code    *sm.InstructionCaches
	stats   interp.Stats  // of the ended launch
	sourced map[int]bool  // whether functions are shown as source, by number
	fns     []*isa.Func   // of the launch, indexed by divergence.Frame.Func
	graphs  []*flow.Graph // flow graphs of fns
	failure error         // error that ended the launch, or the last one
	// warnings are the warnings of the ended launches.
	warnings []interp.Warning
	objects  []object // memory that has a name in this launch
	log      *eventLog
	clock    *clockLog         // with a clock
	races    *check.Races      // of the launch; nil unless it is checked
	checkers []interp.Observer // that check the launch
}

// session is a launch under way, with or without a clock.
type session interface {
	Warps() []interp.Warp // resident warps
	Done() bool
	Stats() interp.Stats
}

// ErrQuit is returned by Execute when the user wants to quit.
var ErrQuit = errors.New("quit")

var errEnded = errors.New("no launch is under way; buffers can still be looked at (info mem), restart starts over")

var errFailed = errors.New("the launch has ended by the error; restart starts over")

// New prepares the program and begins the first launch, with the first block at its first instruction. Errors are
// those of Prepare and functional.Begin.
func New(cfg Config) (*Debugger, error) {
	d := &Debugger{cfg: cfg}
	for _, g := range commandGroups() {
		d.table = append(d.table, g.commands...)
	}
	d.timeline.init(cfg.History)
	if err := d.restart(); err != nil {
		return d, err
	}
	d.show()
	return d, nil
}

// Failure returns the error that ended the launch, for example an *interp.Fault, or nil.
func (d *Debugger) Failure() error { return d.failure }

// Prompt shows the focus, and how many lanes of its warp are about to execute.
func (d *Debugger) Prompt() string {
	if d.typing.done != nil {
		return "> "
	}
	w, err := d.warp()
	if err != nil {
		return "(simt) "
	}
	active := 0
	if s, ok := running(w); ok {
		active = s.Mask.Count()
	}
	return fmt.Sprintf("(simt %s %d/%d) ", d.focusText(), active, lanes.Width)
}

// printf prints, unless the debugger goes somewhere without a word. Its many calls would make the command larger if
// they were inlined.
//
//go:noinline
func (d *Debugger) printf(format string, args ...any) {
	if d.quiet == 0 {
		fmt.Fprintf(d.cfg.Out, format, args...)
	}
}

// launch returns the current launch.
//
//go:noinline
func (d *Debugger) launch() *interp.Launch { return &d.program.Launches[d.number] }

// restart begins the first launch on a new machine, with a new history.
func (d *Debugger) restart() error {
	for _, p := range d.points {
		p.hits = 0
	}
	if d.cfg.Prepare == nil {
		return d.goToStart()
	}
	d.timeline.clear()
	return d.startOver()
}

// startOver begins the first launch on a new machine.
func (d *Debugger) startOver() error {
	if d.cfg.Prepare == nil {
		return errNoStart
	}
	program, err := d.cfg.Prepare()
	if err != nil {
		return err
	}
	d.world = world{program: program}
	d.timeline.at = cursor{entry: -1}
	d.divertOutput()
	return d.begin()
}

// begin begins launch d.number. If the machine refuses it, no launch is under way.
func (d *Debugger) begin() error {
	d.session, d.functional, d.timed = nil, nil, nil
	d.failure, d.fns, d.graphs, d.ended = nil, nil, nil, 0
	err := d.take()
	if err != nil {
		d.failure = err
	} else if len(d.fns) > 0 {
		d.placeAgain()
	}
	d.copyNow()
	return err
}

// take begins the launch and resets what is known about the previous one.
func (d *Debugger) take() error {
	d.log, d.passed, d.sourced = newEventLog(d), make(map[warpAt]position), make(map[int]bool)
	d.findObjects()
	l := d.launch()
	fns, err := d.program.Machine.Functions(l.Kernel)
	if err != nil {
		return err
	}
	d.fns = fns
	d.findObjects()
	for _, fn := range fns {
		d.graphs = append(d.graphs, flow.New(fn))
	}
	for _, p := range d.points {
		p.warpHits = nil
	}
	begun := *l
	begun.Precise = true
	if err := d.checked(&begun); err != nil {
		return err
	}
	if d.cfg.Clock != nil {
		return d.beginTimed(begun)
	}
	s, err := functional.Begin(d.program.Machine, begun)
	if err != nil {
		return err
	}
	d.session, d.functional = s, s
	return d.enter((*functional.Session).Continue)
}
