package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// hit is a moment that a search has found: before an instruction of a warp.
type hit struct {
	moment
	at   warpAt
	mask lanes.Mask // lanes that it concerns
	text string     // about what was found
	of   *point     // that stops there, or nil
}

// search finds the latest moments with a property before the present one. It executes parts of the history again, the
// latest part first.
type search struct {
	d    *Debugger
	n    int   // moments wanted
	hits []hit // in the present part, the latest n
	hook hook
	// first is the earliest moment that was found in a later part.
	first *hit
	// progress returns how many instructions of the present launch can have been found so far: in a part at whose ends
	// it is the same, there are none. It is -1 where that is not known, and nil if it never is.
	progress func() int64
	// open is where the part before this one must go on to, because the first instruction of this one depends on it.
	open *moment

	// settle goes on after the end of a part until everything in it has taken effect; nil to do nothing.
	settle func(end moment) error

	none string // what to say if nothing is found; "" to go to the beginning then

	now  moment // when the search began
	last moment // of the latest instruction
	warp warpAt
	mask lanes.Mask
}

// find notes that the latest instruction has the property. One that has failed was not executed: it is the present.
func (s *search) find(text string, of *point) {
	if !s.last.before(s.now) {
		return
	}
	i := len(s.hits)
	for i > 0 && s.last.before(s.hits[i-1].moment) { // with a clock, stores may take effect in another order
		i--
	}
	if s.d.timed != nil && i > 0 && s.hits[i-1].moment == s.last { // several in a cycle are one, at the first
		s.findMore(text)
		return
	}
	s.hits = sorted.Insert(s.hits, i, hit{s.last, s.warp, s.mask, text, of})
	if len(s.hits) > s.n {
		s.hits = slices.Delete(s.hits, 0, 1)
	}
}

// findMore adds a text to that of the latest hit.
func (s *search) findMore(text string) {
	if i := slices.IndexFunc(s.hits, func(h hit) bool { return h.moment == s.last }); i >= 0 {
		s.hits[i].text += text
	}
}

// newSearch makes a search for the n latest instructions for which each returns true.
func (d *Debugger) newSearch(ctx context.Context, n int, each func(w interp.Warp, s *divergence.Split) bool) *search {
	s := &search{d: d, n: n}
	s.hook.ctx = ctx
	s.hook.each = func(w interp.Warp, split *divergence.Split) {
		s.last, s.warp, s.mask = d.now(), placeOf(w), split.Mask
		if each(w, split) {
			s.find("", nil)
		}
	}
	return s
}

// errNothing says that a search has found nothing.
var errNothing = errors.New("nothing was found")

// run executes a search. It returns the wanted moment, or the earliest that was found and false if there are fewer.
// Afterwards the launches are at any moment.
func (s *search) run() (found hit, all bool, err error) {
	d := s.d
	if !d.closeToCopy() {
		d.copyNow()
	}
	d.quiet++
	defer func() { d.quiet-- }()
	end, later := d.now(), s.progressHere()
	s.now = end
	for start := end; (moment{}).before(start); {
		i, _ := slices.BinarySearchFunc(d.timeline.all, start, func(w worldCopy, m moment) int { return w.compare(m) })
		if i > 0 {
			d.load(&d.timeline.all[i-1])
		} else if err := d.rebuild(); err != nil {
			return found, false, err
		}
		if start = d.now(); later < 0 || start.launch != end.launch || s.progressHere() != later {
			start, err = s.climb(start, end)
			here, done := s.progressHere(), false
			if err == nil {
				done, err = s.part(start, end)
			}
			if err != nil || done {
				return s.found(), done, err
			}
			later = here
		}
		if end = start; s.open != nil {
			end, s.open = *s.open, nil
		}
	}
	if s.first == nil {
		return found, false, errNothing
	}
	return *s.first, false, nil
}

// progressHere returns the progress at the present moment; -1 if it is not known.
func (s *search) progressHere() int64 {
	if s.progress == nil {
		return -1
	}
	return s.progress()
}

// found returns the moment that was wanted.
func (s *search) found() (h hit) {
	if len(s.hits) > 0 {
		h = s.hits[0]
	}
	return h
}

// firstLook is how many steps before its end the search of a part begins. It is executed without a look up to there,
// many times as fast. If that was too late, the search begins growingLook times as many steps before.
const (
	firstLook   = 1 << 12
	growingLook = 8
)

// part searches from a moment, where the launches are, up to another. It reports whether it has found as many as were
// wanted.
func (s *search) part(start, end moment) (done bool, err error) {
	d := s.d
	for look := int64(firstLook); ; look *= growingLook {
		from := start
		if start.launch == end.launch && end.step-start.step > 2*look {
			from.step = end.step - look
			if err := d.replay(from, &hook{ctx: s.hook.ctx}); err != nil {
				return false, err
			}
		}
		s.hits = s.hits[:0]
		err := d.replay(end, &s.hook)
		if err == nil && s.settle != nil {
			err = s.settle(end)
		}
		if err != nil {
			return false, err
		}
		switch n := len(s.hits); {
		case n == s.n:
			return true, nil
		case n > 0:
			first := s.hits[0]
			s.first, s.n = &first, s.n-n
		}
		if from == start {
			return false, nil
		}
		if end = from; s.open != nil {
			end, s.open = *s.open, nil
		}
		if err := d.loadBefore(start); err != nil {
			return false, err
		}
	}
}

// back goes to the moment that a search finds. If it finds nothing, the launches stay where they are.
func (d *Debugger) back(s *search) (found hit, all bool, err error) {
	now := d.now()
	found, all, err = s.run()
	if err != nil {
		if away := d.goTo(now); away != nil {
			return found, false, away
		}
		return found, false, err
	}
	return found, all, d.goTo(found.moment)
}

var errBeginning = errors.New("nothing was executed before: this is the beginning")

// backCommand makes a command that goes back N times.
//
//go:noinline
func backCommand(make func(*Debugger, *call, int) (*search, error)) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		n, err := count(c.args)
		if err != nil {
			return err
		}
		s, err := make(d, c, n)
		if err != nil {
			return err
		}
		_, all, err := d.back(s)
		switch {
		case errors.Is(err, errNothing) && d.now() == moment{}:
			return errBeginning
		case errors.Is(err, errNothing) && s.none != "":
			return errors.New(s.none)
		case errors.Is(err, errNothing):
			return d.toBeginning("it has executed nothing before")
		case err != nil:
			return err
		}
		if !all {
			d.printf("it has executed no more before\n")
		}
		d.arrive()
		return nil
	}
}

// toBeginning goes to the start of the launch, and says why.
func (d *Debugger) toBeginning(why string) error {
	start := moment{launch: d.number}
	if d.now() == start && d.number > 0 {
		start.launch--
	}
	if err := d.goTo(start); err != nil {
		return err
	}
	of := "the launch"
	if len(d.program.Launches) > 1 {
		of = fmt.Sprintf("launch %d", d.number+1)
	}
	d.printf("%s: at the beginning of %s\n", why, of)
	d.arrive()
	return nil
}

// ofFocus searches for the n latest instructions of the warp in focus for which is returns true.
func (d *Debugger) ofFocus(c *call, n int, is func(w interp.Warp, s *divergence.Split) bool) *search {
	at := warpAt{d.focus.cta, d.focus.warp}
	s := d.newSearch(c.ctx, n, func(w interp.Warp, split *divergence.Split) bool { return placeOf(w) == at && is(w, split) })
	s.progress = func() int64 { return d.executedBy(at) }
	var before int64
	lived := false // the warp had live lanes
	look := func() (after int64) {
		w, err := d.find(at)
		lived = err == nil && w.Control().Live() != 0
		if err != nil {
			return -1
		}
		return int64(w.Executed())
	}
	s.hook.begin = func() { before = look() }
	s.hook.cycle = func(_, to int64) {
		was := lived
		if after := look(); after != before && (after >= 0 || was) {
			s.last, s.warp = moment{d.number, to - 1}, at
			s.find("", nil)
			before = after
		}
	}
	return s
}

// executedBy returns how many instructions a warp has executed; -1 if it is not resident.
func (d *Debugger) executedBy(at warpAt) int64 {
	w, err := d.find(at)
	if err != nil {
		return -1
	}
	return int64(w.Executed())
}

// backwards makes a command that goes back by lines where the lane in focus is in code that is shown as source, and by
// instructions elsewhere.
//
//go:noinline
func backwards(byLine, byInstruction func(*Debugger, *call, int) (*search, error)) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		if d.cfg.Clock == nil && d.lineHere() {
			return backCommand(byLine)(d, c)
		}
		return backCommand(byInstruction)(d, c)
	}
}

// backStep is step, backwards.
func (d *Debugger) backStep(c *call) error {
	text, cycles := strings.CutPrefix(c.args, "-cycle")
	switch {
	case !cycles:
		return backwards(backLine(true), backInstruction)(d, c)
	case d.cfg.Clock == nil:
		return errNoClock
	}
	n, err := count(strings.TrimSpace(text))
	switch now := d.now(); {
	case err != nil:
		return err
	case now == moment{}:
		return errBeginning
	case now.step == 0:
		err = d.goTo(moment{now.launch - 1, max(0, d.timeline.lengthOf(now.launch-1)-int64(n))})
	default:
		err = d.goTo(moment{now.launch, max(0, now.step-int64(n))})
	}
	if err == nil {
		d.arrive()
	}
	return err
}

// withCode makes a command that shows instructions also where there is a source.
//
//go:noinline
func withCode(run func(*Debugger, *call) error) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		d.showCode = true
		defer func() { d.showCode = false }()
		return run(d, c)
	}
}

func anyInstruction(interp.Warp, *divergence.Split) bool { return true }

// backInstruction is step by instructions, backwards.
func backInstruction(d *Debugger, c *call, n int) (*search, error) {
	return d.ofFocus(c, n, anyInstruction), nil
}

// backLane is lstep, backwards.
func backLane(d *Debugger, c *call, n int) (*search, error) {
	lane := d.focus.lane
	return d.ofFocus(c, n, func(_ interp.Warp, s *divergence.Split) bool { return s.Mask>>lane&1 != 0 }), nil
}

// depthHere returns the number of callers of the lane in focus, up to the selected frame; 0 if it has ended.
func (d *Debugger) depthHere() int {
	w, err := d.warp()
	if err != nil {
		return 0
	}
	s, ok := splitOf(w, d.focus.lane)
	if !ok {
		return 0
	}
	return max(0, w.Frame(s.Frame).Depth-d.level)
}

// backOver is nexti, backwards.
func backOver(d *Debugger, c *call, n int) (*search, error) {
	depth := d.depthHere()
	return d.ofFocus(c, n, func(w interp.Warp, s *divergence.Split) bool { return w.Frame(s.Frame).Depth <= depth }), nil
}

// backOut goes to the call of the function of the selected frame.
func backOut(d *Debugger, c *call, n int) (*search, error) {
	lane := d.focus.lane
	if d.lineHere() {
		w, _ := d.warp()
		s, ok := splitOf(w, lane)
		if !ok {
			s, _ = running(w)
		}
		l, _ := d.lineOf(w, &s)
		depth := l.depth - d.level
		if depth <= 1 {
			return nil, errNoCaller
		}
		return d.ofFocus(c, n, func(w interp.Warp, s *divergence.Split) bool {
			if s.Mask>>lane&1 == 0 {
				return false
			}
			l, _ := d.lineOf(w, s)
			return l.depth < depth
		}), nil
	}
	depth := d.depthHere()
	if depth == 0 {
		return nil, errNoCaller
	}
	return d.ofFocus(c, n, func(w interp.Warp, s *divergence.Split) bool {
		return s.Mask>>lane&1 != 0 && w.Frame(s.Frame).Depth < depth
	}), nil
}

var errNoCaller = errors.New("the warp is in the kernel, which has no caller; rewind goes to its beginning")

// backDivergence searches for the latest divergence of the lane in focus and others.
func backDivergence(d *Debugger, c *call, n int) (*search, error) {
	lane, at := d.focus.lane, warpAt{d.focus.cta, d.focus.warp}
	s := d.ofFocus(c, n, func(interp.Warp, *divergence.Split) bool { return false })
	s.none = fmt.Sprintf("lane %d has not diverged from others before", lane)
	s.hook.after = func() {
		if d.log.at == at && d.log.split.Mask>>lane&1 != 0 && d.log.has(diverge) {
			s.find("", nil)
		}
	}
	return s, nil
}
