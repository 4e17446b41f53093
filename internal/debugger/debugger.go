// Package debugger steps through launches and shows what their warps are at. It
// reads command lines and writes text; the terminal is the caller's.
//
// Blocks and lanes are named as users name them: b2 is the CTA with number 2,
// counted with x fastest, L12 is line 12, and @3 instruction 3 of a function's
// listing.
package debugger

import (
	"errors"
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Program is a machine and what is to be launched on it, one after the other.
type Program struct {
	Machine  *interp.Machine
	Launches []interp.Launch // at least one
	Buffers  []Buffer        // that expressions can name
}

// Buffer is a buffer, or a variable of the module in global or constant memory.
type Buffer struct {
	*memory.Region
	Elem   isa.Type
	Scalar bool // a variable declared without brackets
}

// Config is what a Debugger works on.
type Config struct {
	Out io.Writer // of what commands print
	// Prepare makes a new machine, to begin with and for each restart.
	Prepare func() (*Program, error)
	// Ended is called when the last launch of the latest program has ended
	// without an error, unless it is nil.
	Ended func()
	// Sources are the lines of source files, by the names that positions have.
	// Of others the instructions are shown.
	Sources map[string][]string
	// ReadFile reads a file of commands. It may be nil if none can be read.
	ReadFile func(name string) ([]byte, error)
	// Clock is how launches are timed; nil if they are functional.
	Clock *sm.Options
	// Dim marks text about lanes that are not active; nil leaves it as it is.
	Dim func(text string) string
	// Columns is the width of what Out is shown on, or 0 if that has none; nil is 0.
	Columns func() int
}

// Debugger is a debugging session: launches, of which one is under way, and what
// the user has set.
type Debugger struct {
	cfg     Config
	table   []command
	last    string // command line, to be repeated
	repeats bool   // the command that runs is it

	program    *Program
	number     int                 // of the launch under way, or of the last one, from 0
	session    session             // nil when it has ended
	functional *functional.Session // it, unless it has a clock
	timed      *sm.Session         // it, if it has one
	since      int64               // cycles of the launches before
	l2         *sm.L2              // that they have left
	stats      interp.Stats        // of the launch that has ended
	fns        []*isa.Func         // of the launch, as divergence.Frame.Func counts them
	graphs     []*flow.Graph       // of fns
	failure    error               // that ended the launch, or the last one
	// warnings are those of the launches that have ended.
	warnings []interp.Warning
	objects  []object // that have names in it

	focus    focus
	level    int        // of the frame that is selected: so many callers up
	only     lanes.Mask // lanes that a command is about, or 0 for all
	points   []*point
	made     int // points so far, to number them
	displays []display
	passed   map[warpAt]position // where points have been hit, or the user has been shown
	shown    int                 // displays so far
	listing  listing             // what list has shown since the last stop
	sourcing int                 // files of commands under way
	inWarps  bool                // a command of warps -exec is
	log      *eventLog
}

// session is a launch under way, functional or with a clock.
type session interface {
	Warps() []interp.Warp // that reside
	Done() bool
	Stats() interp.Stats
}

// ErrQuit is what Execute returns when the user wants to end.
var ErrQuit = errors.New("quit")

var errEnded = errors.New("no launch is under way; buffers can still be looked at (info mem), restart begins anew")

var errFailed = errors.New("the launch has ended by the error; restart begins anew")

// New prepares the program and begins the first launch: its first block is at
// its first instruction. Errors are those of Prepare and functional.Begin.
func New(cfg Config) (*Debugger, error) {
	d := &Debugger{cfg: cfg}
	for _, g := range commandGroups() {
		d.table = append(d.table, g.commands...)
	}
	if err := d.restart(); err != nil {
		return d, err
	}
	d.show()
	return d, nil
}

// Failure is the error that ended the launch, *interp.Fault for one, or nil.
func (d *Debugger) Failure() error { return d.failure }

// Prompt shows the focus, and how many lanes of its warp are about to execute.
func (d *Debugger) Prompt() string {
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

func (d *Debugger) printf(format string, args ...any) { fmt.Fprintf(d.cfg.Out, format, args...) }

// launch is the launch under way.
func (d *Debugger) launch() *interp.Launch { return &d.program.Launches[d.number] }

// restart begins anew on a new machine.
func (d *Debugger) restart() error {
	program, err := d.cfg.Prepare()
	if err != nil {
		return err
	}
	d.program, d.number, d.warnings = program, 0, nil
	d.since, d.l2 = 0, nil
	for _, p := range d.points {
		p.hits = 0
	}
	return d.begin()
}

// begin begins launch d.number. If the machine refuses it, none is under way.
func (d *Debugger) begin() error {
	d.session, d.functional, d.timed = nil, nil, nil
	d.failure, d.fns, d.graphs = nil, nil, nil
	err := d.take()
	if err != nil {
		d.failure = err
	}
	return err
}

// take is begin where nothing is known of the launch.
func (d *Debugger) take() error {
	d.log, d.passed = newEventLog(d), make(map[warpAt]position)
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
	if d.cfg.Clock != nil {
		return d.beginTimed(begun)
	}
	s, err := functional.Begin(d.program.Machine, begun)
	if err != nil {
		return err
	}
	d.session, d.functional = s, s
	return d.enter()
}
