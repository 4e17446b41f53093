package debugger

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// Moment is a point in time: a launch, by its index, and a step of it. Steps are the warp instructions that the launch
// has executed or, with a clock, its cycles.
type Moment struct {
	Launch int
	Step   int64
}

// Deed is a set of things that an instruction did to the lanes of its warp.
type Deed uint8

// The deeds.
const (
	Diverged   Deed = 1 << iota // its lanes went to several places
	Reconverge                  // its lanes continue with others
	Switched                    // other lanes of the warp run next
	Arrived                     // lanes arrived at a barrier of the block
	Exited                      // lanes have ended
)

// deedOf is the deed of an event; 0 for others.
var deedOf = map[eventKind]Deed{diverge: Diverged, reconverge: Reconverge, switchPath: Switched, barrier: Arrived, exit: Exited}

// Passage is the execution of an instruction by a warp.
type Passage struct {
	Moment            // before the instruction; with a clock, the cycle of its execution
	Warp   int64      // number in the grid, as in View
	Func   int        // number of the function, as in Functions
	PC     int        // of the instruction
	Mask   lanes.Mask // lanes of the split that executes it, including those for which its guard does not hold
	Deeds  Deed
}

// Now returns the moment at which the launches are.
func (d *Debugger) Now() Moment { return Moment{d.number, d.step()} }

// IsOver reports whether no launch can continue: all have ended, or one with an error.
func (d *Debugger) IsOver() bool { return d.session == nil || d.session.Done() }

// Seek goes to a moment, forwards or backwards. It is an error if the launch ends before.
func (d *Debugger) Seek(ctx context.Context, m Moment) error {
	if m.Launch < 0 || m.Launch >= len(d.program.Launches) || m.Step < 0 {
		return errorf("no step %d of launch %d: launches are 0 to %d", m.Step, m.Launch, len(d.program.Launches)-1)
	}
	to := moment{m.Launch, m.Step}
	if d.now() == to {
		return nil
	}
	d.quiet++
	defer func() { d.quiet-- }()
	if end := d.timeline.end(); !to.before(end) && to != end && d.now() != to {
		return d.goOn(&call{ctx: ctx}, to)
	}
	return d.goTo(to)
}

// Resident returns the warps of the resident blocks, those of one block next to each other; none if all launches have
// ended. They are valid until the launch continues.
func (d *Debugger) Resident() []interp.Warp {
	if d.session == nil {
		return nil
	}
	return d.session.Warps()
}

// NumberOf returns the number of a warp in the grid, as in View.
func (d *Debugger) NumberOf(w interp.Warp) int64 { return d.numberOf(w) }

// Functions returns the functions of the present launch; none before it could begin.
func (d *Debugger) Functions() []*isa.Func { return d.fns }

// ReconvergencePC returns where the lanes of a branch of a function reconverge; flow.None if they need not.
func (d *Debugger) ReconvergencePC(fn, pc int) int { return d.graphs[fn].Reconvergence(pc) }

// CodeText returns an instruction, or the line of the source it was compiled from.
func (d *Debugger) CodeText(fn, pc int) string { return d.codeText(codeAt{fn, pc}) }

// Position returns the position of an instruction: in the source that the function is shown as.
func (d *Debugger) Position(fn, pc int) isa.Pos { return d.pos(codeAt{fn, pc}) }

// LaneState describes what a lane of a warp does, as info lanes shows it.
func (d *Debugger) LaneState(w interp.Warp, lane int) string { return d.laneState(w, lane) }

// SharedText names an address in the shared memory of a block, with the variable that is there.
func (d *Debugger) SharedText(addr uint64) string { return d.sharedText(addr) }

// RegisterText returns a register of an activation in each lane, as print shows numbers, and the type in which it does.
// Predicates are 0 or 1.
func (d *Debugger) RegisterText(w interp.Warp, fr divergence.FrameID, id isa.RegID) (typ string, lane [lanes.Width]string) {
	v := value{typ: shownAs(w.Func(fr).Regs[id].Type), bits: w.Reg(fr, id)}
	for i := range lane {
		if v.typ == isa.Pred {
			lane[i] = strconv.FormatUint(v.bits[i], 10)
		} else {
			lane[i] = d.text(&v, "", i)
		}
	}
	return v.typ.String(), lane
}

// Branching is a branch at which lanes of a warp diverged.
type Branching struct {
	Func, PC      int
	To            []divergence.Group // in text order of the targets, the fall-through last; not to be changed
	Reconvergence int                // PC, or flow.None
}

// Branchings returns the latest branches at which lanes of a warp diverged, the latest last.
func (d *Debugger) Branchings(w interp.Warp) (all []Branching) {
	for _, at := range d.log.divergences[placeOf(w)] {
		all = append(all, Branching{at.code.fn, at.code.pc, at.to, at.reconvergence})
	}
	return all
}

// SharedName returns the variable that is at an address in the shared memory of a block, of any function; "" for none.
func (d *Debugger) SharedName(addr uint64) string {
	for i := range d.objects {
		if o := &d.objects[i]; o.space == "shared" && addr >= o.addr && addr-o.addr < o.size {
			return o.name
		}
	}
	return ""
}

// ResidenceOf returns the SM on which a warp is resident, as it is between two cycles, and the warp's scheduler there;
// nil without a clock, and for warps that have ended.
func (d *Debugger) ResidenceOf(w interp.Warp) (on *sm.SMView, scheduler int) {
	at, err := d.residence(w)
	if err != nil {
		return nil, 0
	}
	return at.on, at.scheduler
}

// Cycle returns the cycle that comes next, counted over all launches; 0 without a clock.
func (d *Debugger) Cycle() int64 {
	if d.timed == nil {
		return 0
	}
	return d.timed.Cycle()
}

// StallText describes what a resident warp does in the next cycle, until when, and why.
func (d *Debugger) StallText(r *sm.Resident) string { return d.stallText(r) }

// BusyText describes pipes that are busy, and until when; "" for none.
func (d *Debugger) BusyText(all []sm.BusyPipe) string { return strings.TrimSpace(d.busyText(all)) }

// Running returns the split of a warp that executes next; false if all its lanes wait or have ended.
func Running(w interp.Warp) (divergence.Split, bool) { return running(w) }

// Parked returns the lanes of a warp that wait at barriers or for others of their warp.
func Parked(w interp.Warp) lanes.Mask { return parked(w) }

// AtReconvergence reports whether the lanes of a split wait at a reconvergence PC for others.
func (d *Debugger) AtReconvergence(w interp.Warp, s *divergence.Split) bool {
	return d.atReconvergence(w, s)
}

// Accesses goes to a moment, and then executes what follows it in the history: one instruction or, with a clock, one
// cycle. It shows the accesses to memory of a warp to see, before their data moves. The launches are then after that.
func (d *Debugger) Accesses(ctx context.Context, m Moment, warp int64, see func(*interp.Access)) error {
	if err := d.Seek(ctx, m); err != nil {
		return err
	}
	d.quiet++
	per := d.warpsPerBlock()
	d.onAccess = func(at *interp.Place, a *interp.Access) {
		if d.blockNumber(at.CTA)*per+int64(at.Warp) == warp {
			see(a)
		}
	}
	defer func() { d.onAccess = nil; d.quiet-- }()
	return d.replay(moment{m.Launch, m.Step + 1}, &hook{ctx: ctx})
}

// showAccess shows an access to the caller that asked for it.
func (d *Debugger) showAccess(at *interp.Place, a *interp.Access) {
	if d.onAccess != nil {
		d.onAccess(at, a)
	}
}

// Record continues the launches in their own order until all have ended, one fails, or limit instructions were
// executed, and shows each instruction to see after its execution. Copies for going back are made on the way. With a
// clock, see gets the instructions of a cycle in the order of warps. A launch that fails is not an error of Record:
// Fault has it.
func (d *Debugger) Record(ctx context.Context, limit int64, see func(*Passage)) error {
	d.quiet++
	d.timeline.worth = worthRecording
	defer func() { d.quiet--; d.timeline.worth = worthCopying }()
	r := &recorder{d: d, ctx: ctx, see: see, left: limit}
	for !d.IsOver() && r.left > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if d.timed != nil {
			err = r.cycle()
		} else {
			d.observe(d.log, r)
			err = d.proceed(ctx)
			r.after()
		}
		switch {
		case interrupted(ctx, err):
			return err
		case d.session.Done():
			if err := d.end(err); err != nil {
				return err
			}
		case err != nil:
			return err
		case d.timed == nil:
			d.copyIfDue()
		}
	}
	return nil
}

// recorder is the Stepper of Record.
type recorder struct {
	d     *Debugger
	ctx   context.Context
	see   func(*Passage)
	left  int64 // instructions that may still be executed
	steps int
	begun bool // now is being executed
	now   Passage
}

// Step implements interp.Stepper.
func (r *recorder) Step(w interp.Warp, s divergence.Split) bool {
	r.after()
	if r.steps++; r.left <= 0 || r.steps%contextEvery == 0 && (r.ctx.Err() != nil || r.d.timeline.due(r.d.work())) {
		return true
	}
	r.now = Passage{Moment: r.d.Now(), Warp: r.d.numberOf(w), Func: w.Frame(s.Frame).Func, PC: s.PC, Mask: s.Mask}
	r.d.log.before(w, s)
	r.begun = true
	return false
}

// after shows the instruction that was executed.
func (r *recorder) after() {
	if !r.begun {
		return
	}
	if r.begun = false; r.d.step() == r.now.Step {
		return // it has failed
	}
	l := r.d.log
	l.after()
	for i := range l.events {
		r.now.Deeds |= deedOf[l.events[i].kind]
	}
	r.left--
	r.see(&r.now)
}

// passageLog notes which instructions warps execute in a launch with a clock, while it is on.
type passageLog struct {
	d   *Debugger
	on  bool
	all []Passage
	of  []warpAt // their warps
}

// Ran implements interp.RunObserver.
func (l *passageLog) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	if !l.on {
		return
	}
	block := l.d.blockNumber(at.CTA)
	now := Moment{l.d.number, l.d.step() - 1} // the cycle that is being executed
	for pc := first; pc < end; pc++ {
		l.all = append(l.all, Passage{Moment: now, Warp: block*l.d.warpsPerBlock() + int64(at.Warp), Func: at.Func, PC: pc, Mask: m})
		l.of = append(l.of, warpAt{at.CTA, at.Warp})
	}
}

// everyEvent makes a clockLog note all events.
func everyEvent() *armed {
	a, any := &armed{}, &point{}
	for _, kind := range []eventKind{diverge, barrier, exit} {
		a.on[kind] = any
	}
	return a
}

// cycle lets the next cycle pass in which something happens, with a clock.
func (r *recorder) cycle() error {
	d, l := r.d, r.d.passages
	if l == nil {
		return errors.New("with a clock, Record needs Config.Recorded")
	}
	d.clock.armed, d.clock.events, l.all, l.of, l.on = everyEvent(), d.clock.events[:0], l.all[:0], l.of[:0], true
	err := d.advance(r.ctx, min(d.timed.NextCycle(), math.MaxInt64-1)+1)
	d.clock.armed, l.on = nil, false
	for i := range l.all {
		p := &l.all[i]
		w, resides := d.timed.Warp(l.of[i].cta, l.of[i].id)
		r.deeds(p, w, resides)
		r.left--
		r.see(p)
	}
	return err
}

// deeds adds what an instruction did in the cycle that has passed; w is its warp, if that resides still.
func (r *recorder) deeds(p *Passage, w interp.Warp, resides bool) {
	d := r.d
	for i := range d.clock.events {
		e := &d.clock.events[i]
		if (e.code == codeAt{p.Func, p.PC}) && d.blockNumber(e.at.cta)*d.warpsPerBlock()+int64(e.at.id) == p.Warp {
			p.Deeds |= deedOf[e.kind]
		}
	}
	if !resides {
		return
	}
	if s, ok := firstSplit(w); !ok || s.Mask == p.Mask {
		return
	}
	s, ok := running(w)
	switch {
	case !ok:
	case s.Mask&p.Mask != 0 && s.Mask&^p.Mask != 0:
		p.Deeds |= Reconverge
	case s.Mask&p.Mask == 0 && p.Deeds&Diverged == 0:
		p.Deeds |= Switched
	}
}
