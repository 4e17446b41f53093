package debugger

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// bookmark is a moment that the user wants to come back to, with the history up to it.
type bookmark struct {
	id   int
	name string // of the user, or ""
	moment
	entries []entry
	at      cursor
	place   string
	in      scene
}

// momentText returns "step 41", "cycle 41", or with several launches "step 41 of launch 2".
func (d *Debugger) momentText(m moment) string {
	unit := "step"
	if d.cfg.Clock != nil {
		unit = "cycle"
	}
	text := fmt.Sprintf("%s %d", unit, m.step)
	if len(d.program.Launches) > 1 {
		text += fmt.Sprintf(" of launch %d", m.launch+1)
	}
	return text
}

func (d *Debugger) whenCommand(*call) error {
	now, end := d.now(), d.timeline.end()
	d.printf("%s%s\n", d.momentText(now), d.untilText(now, end))
	return nil
}

// untilText says how far the history goes, if that is further than the present.
func (d *Debugger) untilText(now, end moment) string {
	if !now.before(end) {
		return ""
	}
	return "; executed up to " + d.momentText(end)
}

// parseMoment parses "41", or "2:41" for a step of the second launch.
func (d *Debugger) parseMoment(text string) (m moment, err error) {
	m.launch = d.number
	launch, step, of := cutFirst(text, ":")
	if of {
		n, err := strconv.Atoi(launch)
		if err != nil || n < 1 || n > len(d.program.Launches) {
			return m, errorf("%q is not a launch; there are 1 to %d", launch, len(d.program.Launches))
		}
		m.launch = n - 1
	} else {
		step = launch
	}
	if m.step, err = strconv.ParseInt(step, 10, 64); err != nil || m.step < 0 {
		return m, errorf("%q is not a step; when shows the present one, and goto LAUNCH:STEP goes to one of another launch", text)
	}
	return m, nil
}

// gotoCommand goes to a moment, before or after the present one.
func (d *Debugger) gotoCommand(c *call) error {
	if c.args == "" {
		return errors.New("goto which step? when shows the present one")
	}
	to, err := d.parseMoment(c.args)
	if err != nil {
		return err
	}
	if end := d.timeline.end(); !to.before(end) && to != end && d.now() != to {
		return d.goOn(c, to)
	}
	if err := d.goTo(to); err != nil {
		return err
	}
	d.arrive()
	return nil
}

// goOn executes what was not executed before, up to a moment.
func (d *Debugger) goOn(c *call, to moment) error {
	if d.now().before(d.timeline.end()) {
		if err := d.goTo(d.timeline.end()); err != nil {
			return err
		}
	}
	for d.number < to.launch || d.number == to.launch && d.step() < to.step {
		if d.session == nil || d.session.Done() {
			d.arrive()
			return errorf("the launch ends at %s", d.momentText(d.now()))
		}
		launch := d.number
		if err := d.runTowards(c, to); err != nil {
			return err
		}
		if d.number == launch && c.ctx.Err() != nil {
			d.interrupted()
			break
		}
	}
	d.arrive()
	return nil
}

// goToStart brings the launches to the first copy, or to the start of a new machine.
func (d *Debugger) goToStart() error {
	d.quiet++
	defer func() { d.quiet-- }()
	if len(d.timeline.all) > 0 {
		d.load(&d.timeline.all[0])
		return nil
	}
	return d.rebuild()
}

// runTowards executes what was not executed before, up to a moment or to the end of the launch.
func (d *Debugger) runTowards(c *call, to moment) error {
	limit := int64(math.MaxInt64)
	if d.number == to.launch {
		limit = to.step
	}
	if d.timed != nil {
		end := limit
		if limit < math.MaxInt64 {
			end += d.since
		}
		err := d.advance(c.ctx, end)
		if d.session.Done() {
			return d.end(err)
		}
		return nil
	}
	var err error
	if limit-d.step() > slowly && d.launch().Order == nil {
		err = d.runFast(c.ctx, limit-sliceSteps)
	} else {
		d.observe(d.log, &replayer{d: d, limit: limit})
		err = d.proceed(c.ctx)
	}
	switch {
	case d.session.Done():
		return d.end(err)
	case interrupted(c.ctx, err):
		return nil
	}
	d.copyIfDue()
	return err
}

// arrive shows where the launches are after they have gone to another moment.
func (d *Debugger) arrive() {
	if d.session != nil {
		if w, err := d.warp(); err == nil && !d.session.Done() && d.blockEnded(d.block(w.CTA())) {
			d.focusOnRunning()
		}
		d.settleFocus()
	}
	d.show()
}

// focusOnRunning moves the focus to a warp that can run, if there is one.
func (d *Debugger) focusOnRunning() {
	for _, w := range d.session.Warps() {
		if s, ok := running(w); ok {
			d.focusOn(placeOf(w), s.Mask)
			return
		}
	}
}

// rewindCommand goes to the start of the first launch.
func (d *Debugger) rewindCommand(*call) error {
	if err := d.goTo(moment{}); err != nil {
		return err
	}
	d.arrive()
	return nil
}

// checkpointCommand makes a bookmark of the present moment.
func (d *Debugger) checkpointCommand(c *call) error {
	if d.session == nil {
		return errEnded
	}
	t := &d.timeline
	t.numbers++
	b := bookmark{id: t.numbers, name: c.args, moment: d.now(), entries: slices.Clone(t.entries[:t.at.entry+1]), at: t.at, in: d.scene()}
	if w, err := d.warp(); err == nil {
		if s, ok := running(w); ok {
			b.place = d.lineText(codeOf(w, &s))
		}
	}
	d.copyNow()
	t.marks = append(t.marks, b)
	d.printf("%s\n", d.bookmarkText(&b))
	return nil
}

func (d *Debugger) bookmarkText(b *bookmark) string {
	text := fmt.Sprintf("checkpoint %d at %s", b.id, d.momentText(b.moment))
	if b.place != "" {
		text += "  " + b.place
	}
	if b.name != "" {
		text += "  " + b.name
	}
	return text
}

func (d *Debugger) infoCheckpoints(string) error {
	for i := range d.timeline.marks {
		d.printf("%s\n", d.bookmarkText(&d.timeline.marks[i]))
	}
	if len(d.timeline.marks) == 0 {
		d.printf("no checkpoints; checkpoint makes one\n")
	}
	return nil
}

// markNamed returns the bookmark with a number, or name.
func (d *Debugger) markNamed(text string) (int, error) {
	i := slices.IndexFunc(d.timeline.marks, func(b bookmark) bool { return strconv.Itoa(b.id) == text || b.name != "" && b.name == text })
	if i < 0 {
		return 0, errorf("no checkpoint %s; info checkpoints lists them", text)
	}
	return i, nil
}

// restartAt goes to a bookmark.
func (d *Debugger) restartAt(text string) error {
	i, err := d.markNamed(text)
	if err != nil {
		return err
	}
	b, t := d.timeline.marks[i], &d.timeline
	replaces := !t.goesThrough(&b)
	if replaces {
		t.entries = slices.Clone(b.entries)
		t.copies.forget(t)
		if err := d.goToStart(); err != nil {
			return err
		}
	}
	if err := d.goTo(b.moment); err != nil {
		return err
	}
	if replaces {
		t.shown = d.printed
	}
	d.setScene(b.in)
	d.arrive()
	return nil
}

// goesThrough reports whether the history goes through a bookmark, and has no change of the user at that moment that
// was made later.
func (t *timeline) goesThrough(b *bookmark) bool {
	n := len(b.entries)
	if n > len(t.entries) || !slices.EqualFunc(b.entries, t.entries[:n], func(x, y entry) bool { return x.id == y.id }) {
		return false
	}
	if n < len(t.entries) {
		if next := &t.entries[n]; next.kind == edit && next.launch == b.launch && next.from == b.step {
			return false
		}
	}
	if n == 0 {
		return true
	}
	return t.entries[n-1].reaches(b.moment, b.at)
}

// clearCheckpoint forgets a bookmark.
func (d *Debugger) clearCheckpoint(c *call) error {
	if c.args == "" {
		return errors.New("delete which checkpoint? info checkpoints lists them")
	}
	i, err := d.markNamed(c.args)
	if err == nil {
		d.timeline.marks = slices.Delete(d.timeline.marks, i, i+1)
	}
	return err
}

// markNames returns the numbers of the bookmarks as text.
func (d *Debugger) markNames() (names []string) {
	for _, b := range d.timeline.marks {
		names = append(names, strconv.Itoa(b.id))
	}
	return names
}
