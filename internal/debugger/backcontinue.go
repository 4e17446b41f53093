package debugger

import (
	"bytes"
	"errors"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// backContinue goes back to the latest place at which a point stops.
func (d *Debugger) backContinue(c *call) error {
	if len(d.points) == 0 && d.now() != (moment{}) {
		return d.toBeginning("there are no breakpoints and no watchpoints")
	}
	s, captured := d.newSearch(c.ctx, 1, func(interp.Warp, *divergence.Split) bool { return false }), new(bytes.Buffer)
	d.searchFor(s, captured, d.points)
	found, _, err := d.back(s)
	switch {
	case errors.Is(err, errNothing) && d.now() == moment{}:
		return errBeginning
	case errors.Is(err, errNothing):
		return d.toBeginning("no breakpoint and no watchpoint stops before")
	case err != nil:
		return err
	}
	d.printf("%s", found.text)
	d.stopping.Points = nil
	d.noteStop(found.of)
	d.focusOn(found.at, found.mask)
	if found.of != nil && found.of.temporary {
		d.remove(found.of)
	}
	d.arrive()
	return nil
}

// searchFor makes a search find where points stop. captured receives what they print.
func (d *Debugger) searchFor(s *search, captured *bytes.Buffer, points []*point) {
	if d.cfg.Clock != nil {
		d.searchClock(s, captured, points)
		return
	}
	d.searchPoints(s, captured, points)
}

// searchPoints makes a search find where points stop. captured receives what they print.
func (d *Debugger) searchPoints(s *search, captured *bytes.Buffer, points []*point) {
	var a *armed
	// report calls something that prints about points, and returns what it has printed.
	report := func(of func()) string {
		out, quiet := d.cfg.Out, d.quiet
		captured.Reset()
		d.cfg.Out, d.quiet, d.searching = captured, 0, true
		of()
		d.cfg.Out, d.quiet, d.searching = out, quiet, false
		return captured.String()
	}
	s.hook.begin = func() {
		d.searching = true
		a = d.armPoints(points)
		d.searching = false
		d.log.armed = a
	}
	each := s.hook.each
	s.hook.each = func(w interp.Warp, split *divergence.Split) {
		each(w, split)
		var m lanes.Mask
		var of *point
		if text := report(func() { m, of = a.before(d, w, *split) }); m != 0 {
			s.mask = m
			s.find(text, of)
		}
	}
	s.hook.after = func() {
		stops := false
		d.stopping.Points = nil
		if text := report(func() { stops = a.after(d.log) }); stops && (len(s.hits) == 0 || s.hits[len(s.hits)-1].moment != s.last) {
			s.mask = d.log.split.Mask
			s.find(text, d.pointNumbered(d.stopping.Points))
		}
	}
}
