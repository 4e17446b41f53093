package debugger

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/interp"
)

// activation is a function that lanes are executing, and their PC in it: the call instruction, except in the
// innermost.
type activation struct {
	frame divergence.FrameID
	code  codeAt
}

// callChain returns the activations of a split's lanes, the innermost first.
func (d *Debugger) callChain(w interp.Warp, s *divergence.Split) []activation {
	chain := []activation{{s.Frame, codeOf(w, s)}}
	for f := w.Frame(s.Frame); f.Parent != divergence.NoFrame; f = w.Frame(f.Parent) {
		chain = append(chain, activation{f.Parent, codeAt{w.Frame(f.Parent).Func, f.Ret - 1}})
	}
	return chain
}

// selected returns the activation of a chain in which names are looked up.
func (d *Debugger) selected(chain []activation) activation {
	return chain[min(d.level, len(chain)-1)]
}

// chainHere returns the activations of the lane in focus.
func (d *Debugger) chainHere() ([]activation, error) {
	w, err := d.warp()
	if err != nil {
		return nil, err
	}
	s, ok := splitOf(w, d.focus.lane)
	if !ok {
		return nil, fmt.Errorf("lane %d is in no function: %s", d.focus.lane, d.laneState(w, d.focus.lane))
	}
	return d.callChain(w, &s), nil
}

// frameText returns text such as "#1 block at L16: call (%r2), twice, (%r1)".
func (d *Debugger) frameText(level int, a activation) string {
	return fmt.Sprintf("#%-2d %s at %s: %s", level, d.fns[a.code.fn].Name, d.lineText(a.code), d.codeText(a.code))
}

// btCommand shows the activations of the lane in focus, and the paths of its warp.
func (d *Debugger) btCommand(c *call) error {
	chain, err := d.chainHere()
	if err != nil {
		return err
	}
	most := len(chain)
	if c.args != "" {
		if most, err = count(c.args); err != nil {
			return fmt.Errorf("%q is not a count; bt N shows the innermost N calls, frame N selects one, info regs then shows its registers", c.args)
		}
	}
	for level, a := range chain[:min(most, len(chain))] {
		d.printf("%s %s\n", mark(level == d.level), d.frameText(level, a))
	}
	if most < len(chain) {
		d.printf("  and %s more\n", plural(uint64(len(chain)-most), "caller"))
	}
	w, err := d.warp()
	if err != nil {
		return err
	}
	return d.infoStack(w, "")
}

// frameCommand selects an activation, or shows the selected one.
func (d *Debugger) frameCommand(c *call) error {
	level := d.level
	if c.args != "" {
		n, err := strconv.Atoi(c.args)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a frame; bt numbers them from 0", c.args)
		}
		level = n
	}
	return d.selectFrame(level)
}

func (d *Debugger) upCommand(c *call) error   { return d.moveFrame(c.args, 1) }
func (d *Debugger) downCommand(c *call) error { return d.moveFrame(c.args, -1) }

func (d *Debugger) moveFrame(text string, way int) error {
	n, err := count(text)
	if err != nil {
		return err
	}
	chain, err := d.chainHere()
	switch {
	case err != nil:
		return err
	case way > 0 && d.level == len(chain)-1:
		return errors.New("this is the kernel, which has no caller")
	case way < 0 && d.level == 0:
		return errors.New("this is the innermost frame")
	}
	return d.selectFrame(min(max(d.level+way*n, 0), len(chain)-1))
}

// selectFrame selects the activation in which names are looked up, and shows it.
func (d *Debugger) selectFrame(level int) error {
	chain, err := d.chainHere()
	if err != nil {
		return err
	}
	if level >= len(chain) {
		return fmt.Errorf("no frame %d; bt shows %s", level, plural(uint64(len(chain)), "frame"))
	}
	d.level, d.listing = level, listing{}
	d.printf("%s\n", d.frameText(level, chain[level]))
	return nil
}
