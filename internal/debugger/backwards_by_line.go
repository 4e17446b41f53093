package debugger

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// backLine is step by lines, backwards, into calls or over them: it goes where step or next would have stopped before.
func backLine(into bool) func(*Debugger, *call, int) (*search, error) {
	return func(d *Debugger, c *call, n int) (*search, error) {
		w, err := d.warp()
		if err != nil {
			return nil, err
		}
		lane, here := d.focus.lane, (&walk{d: d, w: w})
		at, err := here.start()
		if err != nil {
			return nil, err
		}
		var from sourceLine
		known := false
		var s *search
		s = d.ofFocus(c, n, func(w interp.Warp, split *divergence.Split) bool {
			now, ok := d.lineOf(w, split)
			if split.Mask>>lane&1 == 0 || !ok || !into && now.depth > at.depth {
				return false
			}
			if was := from; known {
				if from = now; now.stopsAfter(was, true) {
					return true
				}
				from = was
				return false
			}
			from, known = now, true
			if w.Executed() > 0 {
				s.open = &moment{d.number, d.step() + 1}
				return false
			}
			return true
		})
		begin := s.hook.begin
		s.hook.begin = func() { begin(); known = false }
		return s, nil
	}
}

// stopsAfter reports whether a step from a line on stops at l.
func (l *sourceLine) stopsAfter(from sourceLine, into bool) bool {
	switch {
	case l.depth < from.depth:
		return true
	case l.depth > from.depth:
		return into && l.begun
	}
	return l.begun && (l.line != from.line || l.file != from.file)
}
