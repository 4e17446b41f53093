package debugger

import (
	"errors"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// lineStep makes a command that steps by lines where the lane in focus is in code that is shown as source, and by
// instructions elsewhere.
//
//go:noinline
func lineStep(byLine, byInstruction func(*walk) error) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		if d.lineHere() {
			return counted(byLine)(d, c)
		}
		return counted(byInstruction)(d, c)
	}
}

// instructionStep makes a command that steps by instructions, and shows them.
//
//go:noinline
func instructionStep(step func(*walk) error) func(*Debugger, *call) error {
	return func(d *Debugger, c *call) error {
		d.showCode = true
		defer func() { d.showCode = false }()
		return counted(step)(d, c)
	}
}

// lineHere reports whether the lane in focus is at a line of a source.
func (d *Debugger) lineHere() bool {
	w, err := d.warp()
	if err != nil {
		return false
	}
	s, ok := splitOf(w, d.focus.lane)
	if !ok {
		s, ok = running(w)
	}
	if !ok {
		return false
	}
	_, ok = d.lineOf(w, &s)
	return ok
}

// here returns where the lane in focus is; ok is false if it has exited, or is not the next to execute.
func (k *walk) here() (l sourceLine, ok bool) {
	s, lives := splitOf(k.w, k.d.focus.lane)
	now, runs := running(k.w)
	if !lives || !runs || now.Mask>>k.d.focus.lane&1 == 0 {
		return l, false
	}
	return k.d.lineOf(k.w, &s)
}

// gone reports whether the lane in focus has exited, or is not a thread of the block.
func (k *walk) gone() bool {
	_, lives := splitOf(k.w, k.d.focus.lane)
	return !lives
}

// start returns where the lane in focus is, even if it waits.
func (k *walk) start() (sourceLine, error) {
	s, lives := splitOf(k.w, k.d.focus.lane)
	if !lives {
		s, lives = running(k.w)
	}
	if !lives {
		return sourceLine{}, errors.New("the warp has ended")
	}
	l, _ := k.d.lineOf(k.w, &s)
	return l, nil
}

// line runs until the lane in focus is at another line, or in a function that it calls or returns to.
func (k *walk) line() error { return k.lines(true) }

// lineOver is line, but over calls.
func (k *walk) lineOver() error { return k.lines(false) }

func (k *walk) lines(into bool) error {
	from, err := k.start()
	if err != nil {
		return err
	}
	return k.untilLine(func(now sourceLine) bool {
		if now.depth > from.depth && k.d.into != "" && k.d.into != k.d.functionText(now.code) {
			return false
		}
		return now.stopsAfter(from, into)
	})
}

// untilLine runs until the lane in focus is about to execute where there returns true, or has exited.
func (k *walk) untilLine(there func(sourceLine) bool) error {
	err := k.until(func() bool {
		now, ok := k.here()
		return ok && there(now) || k.gone()
	})
	if err == nil && k.gone() {
		k.d.printf("%s\n", k.d.goneText(k.w, k.d.focus.lane))
		if s, ok := running(k.w); ok {
			k.d.focusOn(placeOf(k.w), s.Mask)
		}
	}
	return err
}

// lineOut runs until the lane in focus is back in the caller of the selected frame.
func (k *walk) lineOut() error {
	from, err := k.start()
	if err != nil {
		return err
	}
	to := from.depth - 1 - k.d.level
	if to < 1 {
		return errors.New("the warp is in the kernel, which has no caller; continue runs to its end")
	}
	k.leaving()
	loud := k.loud
	k.loud = false
	defer func() { k.loud = loud }()
	err = k.untilLine(func(now sourceLine) bool { return now.depth <= to })
	k.inCaller = err == nil && !k.gone()
	return err
}

// laterLine runs until the lane in focus is at a later line of its function, which leaves a loop, or in a caller.
func (k *walk) laterLine() error {
	from, err := k.start()
	if err != nil {
		return err
	}
	return k.untilLine(func(now sourceLine) bool {
		return now.depth < from.depth || now.depth == from.depth && now.begun && (now.line > from.line || now.file != from.file)
	})
}

// activations returns the calls of a split's lanes, without those that were inlined, the innermost first.
func (d *Debugger) activations(w interp.Warp, s *divergence.Split) []activation {
	chain := []activation{{frame: s.Frame, code: codeAt{w.Frame(s.Frame).Func, s.PC}, outer: outermost}}
	for f := w.Frame(s.Frame); f.Parent != divergence.NoFrame; f = w.Frame(f.Parent) {
		chain = append(chain, activation{frame: f.Parent, code: codeAt{w.Frame(f.Parent).Func, f.Ret - 1}, outer: outermost})
	}
	return chain
}
