package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// Motion is a command of an editor that executes something, or goes back.
type Motion uint8

// The motions.
const (
	Into            Motion = iota // to the next line, into calls
	Over                          // to the next line, over calls
	Out                           // to the caller
	IntoInstruction               // one instruction
	OverInstruction               // one instruction, or a call
	Onwards                       // to a point, an error or the end
	BackOver                      // Over, backwards
	BackInstruction               // IntoInstruction, backwards
	Backwards                     // Onwards, backwards
	Rewind                        // to the start of the first launch, on the same machine
	StartOver                     // the same on a new machine
	BackOut                       // to the call of the selected frame's function, backwards
)

// motionCommands are the commands that carry out motions; the second one with a clock, where nothing steps over calls.
var motionCommands = [...][2]string{
	Into: {"step", "step"}, Over: {"next", "step"}, Out: {"finish", "finish"}, IntoInstruction: {"stepi", "stepi"},
	OverInstruction: {"nexti", "stepi"}, Onwards: {"continue", "continue"}, BackOver: {"reverse-next", "reverse-step"},
	BackInstruction: {"reverse-stepi", "reverse-step"}, Backwards: {"reverse-continue", "reverse-continue"},
	Rewind: {"rewind", "rewind"}, StartOver: {"restart", "restart"}, BackOut: {"reverse-finish", "reverse-finish"},
}

// Stop is where and why a motion has ended.
type Stop struct {
	Points      []int // that stopped it, by their numbers
	Interrupted bool  // its context has ended
	Ended       bool  // no launch is under way any more
	Begun       bool  // another launch has begun
	Failure     error // that has ended the launch during the motion, or nil
	// Why is where the program of the host has stopped, between launches or at the beginning of one; "" for in a launch.
	Why     string
	Thrown  bool // Why is a call that has failed, or findings
	Outside bool // the program of the host is executing something else, and goes on
}

// Move carries out a motion of the warp and lane in focus.
func (d *Debugger) Move(ctx context.Context, m Motion) (Stop, error) {
	clock := 0
	if d.cfg.Clock != nil {
		clock = 1
	}
	return d.watched(func() error { return d.dispatch(ctx, motionCommands[m][clock]) })
}

// Command executes a command line, as Execute does, and reports how it has ended if it has executed something.
func (d *Debugger) Command(ctx context.Context, line string) (Stop, error) {
	return d.watched(func() error { return d.Execute(ctx, line) })
}

// watched carries out a command, and returns how it has ended.
//
//go:noinline
func (d *Debugger) watched(do func() error) (Stop, error) {
	d.stopping = Stop{}
	launch, failed := d.number, d.failure
	err := do()
	stop := d.stopping
	stop.Ended, stop.Begun = d.session == nil, d.number != launch
	if d.failure != failed { //nolint:errorlint // the same error, not one like it
		stop.Failure = d.failure
	}
	return stop, err
}

// interrupted says that the user has interrupted a command.
func (d *Debugger) interrupted() {
	d.stopping.Interrupted = true
	if !d.cfg.Editor {
		d.printf("interrupted\n")
	}
}

// noteStop notes the point that stops a command.
func (d *Debugger) noteStop(p *point) {
	if p != nil && !p.trace {
		d.stopping.Points = append(d.stopping.Points, p.id)
	}
}

// pointNumbered returns the point with the last of some numbers; nil if there is none.
func (d *Debugger) pointNumbered(ids []int) *point {
	for _, p := range d.points {
		if len(ids) > 0 && p.id == ids[len(ids)-1] {
			return p
		}
	}
	return nil
}

// View is the part of a launch that a request of an editor is about.
type View struct {
	Warp  int64 // number of the warp in the grid: those of block 0 first
	Lane  int
	Level int  // of the frame, 0 for the innermost
	Only  bool // what is changed is changed in this lane alone
}

// Nowhere is the view between launches, and after them: there is memory, but no warp.
var Nowhere = View{Warp: -1}

// In calls do with the focus on a view, and then restores the focus.
func (d *Debugger) In(v View, do func() error) error {
	if d.session == nil && v == Nowhere {
		return do()
	}
	if d.session == nil {
		return errEnded
	}
	per := d.warpsPerBlock()
	grid := d.launch().Grid
	if v.Warp < 0 || v.Warp >= per*grid.Count() || v.Lane < 0 || v.Lane >= lanes.Width || v.Level < 0 {
		return errorf("no warp %d with a lane %d and a frame %d in this launch", v.Warp, v.Lane, v.Level)
	}
	at := warpAt{grid.At(v.Warp / per), int(v.Warp % per)}
	if _, err := d.find(at); err != nil {
		return err
	}
	back := d.scene()
	defer d.setScene(back)
	d.focus, d.level, d.only = focus{at.cta, at.id, v.Lane}, v.Level, 0
	if v.Only {
		d.only = 1 << v.Lane
	}
	return do()
}

// Focus returns the view in focus; false if no launch is under way, which is Nowhere, or its warps have gone.
func (d *Debugger) Focus() (View, bool) {
	w, err := d.warp()
	if d.session == nil {
		return Nowhere, false
	}
	if err != nil {
		return View{}, false
	}
	return View{Warp: d.numberOf(w), Lane: d.focus.lane, Level: d.level}, true
}

// MoveTo moves the focus to a warp, unless it is there.
func (d *Debugger) MoveTo(warp int64) error {
	if now, ok := d.Focus(); ok && now.Warp == warp {
		return nil
	}
	to := focus{}
	err := d.In(View{Warp: warp, Lane: d.LaneOf(warp)}, func() error { to = d.focus; return nil })
	if err == nil {
		d.focus, d.level, d.listing = to, 0, listing{}
	}
	return err
}

func (d *Debugger) numberOf(w interp.Warp) int64 {
	return d.blockNumber(w.CTA())*d.warpsPerBlock() + int64(w.ID())
}

// Warp is a warp of a resident block.
type Warp struct {
	Number  int64 // as in View
	Block   [3]uint32
	ID      int // in its block
	InFocus bool
}

// Warps returns the warps of the resident blocks, the one in focus first.
func (d *Debugger) Warps() []Warp {
	if d.session == nil {
		return nil
	}
	var first, all []Warp
	for _, w := range d.session.Warps() {
		cta := w.CTA()
		one := Warp{d.numberOf(w), [3]uint32{cta.X, cta.Y, cta.Z}, w.ID(), placeOf(w) == warpAt{d.focus.cta, d.focus.warp}}
		if one.InFocus {
			first = append(first, one)
		} else {
			all = append(all, one)
		}
	}
	return append(first, all...)
}

// LaneOf returns the lane of a warp that stands for it: the one in focus, or the first that executes next or is live.
func (d *Debugger) LaneOf(warp int64) int {
	if now, ok := d.Focus(); ok && now.Warp == warp || d.session == nil {
		return d.focus.lane
	}
	for _, w := range d.session.Warps() {
		if d.numberOf(w) != warp {
			continue
		}
		if s, ok := running(w); ok {
			return firstLane(s.Mask)
		}
		if live := w.Control().Live(); live != 0 {
			return firstLane(live)
		}
	}
	return 0
}

// Frame is a function that a lane is in.
type Frame struct {
	Function     string
	File         string // "" if it is not known
	Line, Column int
	Code         uint64 // address of the instruction
}

// Frames returns the calls of the lane in focus, the innermost first, with those that were inlined; none if the lane
// has ended.
func (d *Debugger) Frames() ([]Frame, error) {
	if _, err := d.warp(); err != nil {
		return nil, err
	}
	chain, err := d.chainHere()
	if err != nil {
		return nil, nil
	}
	var all []Frame
	for _, a := range chain {
		pos := d.pos(a.code)
		f := Frame{Function: d.functionText(a.code), Code: addressOf(a.code)}
		if a.at.File != "" {
			pos = a.at.Pos
			if a.at.Function != "" {
				f.Function = a.at.Function
			}
		}
		f.File, f.Line, f.Column = pos.File, int(pos.Line), int(pos.Col)
		all = append(all, f)
	}
	return all, nil
}

// Step returns the number of the step that the launch has reached, as when does.
func (d *Debugger) Step() string { return d.momentText(d.now()) }

// Edits returns how often the user has changed something with set, or in an editor's way.
func (d *Debugger) Edits() int { return d.edits }

// Progress returns how many of the launch's blocks have ended. It may be called while a motion is under way.
func (p *Program) Progress() (done, all int64) { return p.Machine.Progress() }

// Program returns the machine in use and its launches.
func (d *Debugger) Program() *Program { return d.program }

// Launch returns the number of the launch under way, or of the last one, from 0.
func (d *Debugger) Launch() int { return d.number }

// Fault is what is known of the error that has ended a launch.
type Fault struct {
	Rule string // of finding, or a general name
	Text string
}

// Fault returns what has ended the launch, if that was an error.
func (d *Debugger) Fault() (f Fault, ok bool) {
	if d.failure == nil {
		return f, false
	}
	f = Fault{"error", d.failure.Error()}
	if of, is := errors.AsType[*interp.Fault](d.failure); is && of.Rule != "" {
		f.Rule = string(of.Rule)
	}
	return f, true
}

// addressOf returns the address that an editor sees for an instruction. Each has one byte.
func addressOf(at codeAt) uint64 { return uint64(at.fn+1)<<32 + uint64(at.pc) }

// codeAtAddress returns the instruction at an address; false if there is none.
func (d *Debugger) codeAtAddress(addr uint64) (codeAt, bool) {
	at := codeAt{int(addr>>32) - 1, int(addr & 0xffffffff)}
	return at, at.fn >= 0 && at.fn < len(d.fns) && at.pc < len(d.fns[at.fn].Code)
}

// extentText returns an extent as text, "2x1x1".
func extentText(e isa.Dim) string { return fmt.Sprintf("%dx%dx%d", e.X, e.Y, e.Z) }

// IsCommand reports whether a word is the name of a command.
//
//go:noinline
func (d *Debugger) IsCommand(word string) bool { return slices.Contains(d.commandNames(), word) }

// motionless lists commands that execute nothing and do not go back. Of those with another command in their arguments,
// that one decides.
var motionless = []string{
	"break", "tbreak", "watch", "rwatch", "awatch", "trace", "delete", "clear", "disable", "enable", "toggle", "cond", "ignore", "commands", "define", "document", "save", "rbreak", "if", "while",
	"print", "printf", "dprintf", "display", "undisplay", "whatis", "ptype", "x", "set", "show", "info", "args", "locals", "breakpoints", "list", "search", "reverse-search", "disas",
	"bt", "frame", "up", "down", "why", "heat", "warps", "focus", "block", "warp", "lane", "thread",
	"when", "checkpoint", "checkpoints", "clear-checkpoint", "echo", "help", "apropos", "complete",
}

// MayExecute reports whether a command line may execute something or go back, which can take long. Others only look, or
// change values, points and the focus.
func (d *Debugger) MayExecute(line string) bool {
	if d.typing.done != nil {
		return d.typing.executes && d.typing.endsWith(strings.TrimSpace(line))
	}
	if line = strings.TrimSpace(line); line == "" {
		line = d.last
	}
	c, as, err := d.parseLine(line)
	if err != nil {
		return false
	}
	inner := ""
	switch c.name {
	case "warps":
		q, err := parseWarps(as.args)
		if err != nil {
			return false
		}
		inner = q.command
	case "block", "warp", "lane", "thread":
		_, inner = cutPlace(as.args)
		if words := strings.Fields(as.args); c.name == "thread" && len(words) > 2 && words[0] == "apply" {
			inner = strings.TrimLeft(strings.TrimPrefix(strings.Join(withoutFlags(words)[1:], " "), "all "), "-0123456789 ")
		}
	case "with":
		_, inner, _ = cutFirst(as.args, "-- ")
	}
	if inner != "" {
		return d.MayExecute(inner)
	}
	return !slices.Contains(motionless, c.name)
}

// IsAbbreviation reports whether a word is a name, another name or a beginning of one command.
func (d *Debugger) IsAbbreviation(word string) bool {
	word, _, _ = cutFirst(word, "/")
	c, err := d.lookUp(word)
	return err == nil && c != nil
}
