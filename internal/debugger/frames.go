package debugger

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// activation is a function that lanes are executing, and their PC in it: the call instruction, except in the
// innermost. Code that was inlined is an activation of its own.
type activation struct {
	frame divergence.FrameID
	code  codeAt
	outer int          // calls between the function's own code and the inlined code that is meant
	at    source.Frame // in the source; zero for PTX
}

// callChain returns the activations of a split's lanes, the innermost first.
func (d *Debugger) callChain(w interp.Warp, s *divergence.Split) (chain []activation) {
	for _, a := range d.activations(w, s) {
		frames := d.framesAt(a.code)
		if len(frames) == 0 {
			chain = append(chain, a)
		}
		for i, f := range frames {
			a.outer, a.at = len(frames)-1-i, f
			chain = append(chain, a)
		}
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
		return nil, errorf("lane %d is in no function: %s", d.focus.lane, d.laneState(w, d.focus.lane))
	}
	return d.callChain(w, &s), nil
}

// frameText returns text such as "#1 block at L16: call (%r2), twice, (%r1)"; of a function of the source with its
// parameters in the lane in focus, "#0 twice (x=5) at k.cu:23: int y = x + x;".
func (d *Debugger) frameText(level int, a activation) string {
	if a.at.File == "" {
		return fmt.Sprintf("#%-2d %s at %s: %s", level, d.fns[a.code.fn].Name, d.lineText(a.code), d.codeText(a.code))
	}
	text := ""
	if lines := d.linesOf(a.code.fn, a.at.File); int(a.at.Line) <= len(lines) && a.at.Line > 0 {
		text = ": " + strings.TrimSpace(lines[a.at.Line-1])
	}
	name := a.at.Function
	if name == "" {
		name = cxx.Short(d.fns[a.code.fn].Name)
	}
	return fmt.Sprintf("#%-2d %s (%s) at %s%s", level, name, d.argsText(a), fileText(a.at.Pos), text)
}

// argsText returns the parameters of a function of the source in the lane in focus, as gdb does.
func (d *Debugger) argsText(a activation) string {
	w, err := d.warp()
	if err != nil {
		return ""
	}
	s := &scope{d: d, w: w, frame: a.frame, pc: a.code.pc, outer: a.outer}
	var parts []string
	for _, v := range s.variables() {
		if !v.Param || v.Name == "" {
			continue
		}
		text := "optimised out"
		if l, _, err := s.namedObject(v.Name); err == nil {
			text = "..."
			if l.typ.IsScalar() {
				text = d.braced(l, d.focus.lane, "", s)
			}
		} else if errors.Is(err, errUnset) {
			text = "?"
		}
		parts = append(parts, v.Name+"="+text)
	}
	return strings.Join(parts, ", ")
}

// btCommand shows the activations of the lane in focus, and the paths of its warp.
func (d *Debugger) btCommand(c *call) error {
	chain, err := d.chainHere()
	if err != nil {
		return err
	}
	most := len(chain)
	text, full := strings.CutPrefix(strings.TrimPrefix(c.args, "-"), "full")
	if text = strings.TrimSpace(text); text != "" {
		if most, err = count(text); err != nil {
			return errorf("%q is not a count; bt N shows the innermost N calls, bt full their variables, too, and frame N selects one", c.args)
		}
	}
	for level, a := range chain[:min(most, len(chain))] {
		d.printf("%s %s\n", mark(level == d.level), d.frameText(level, a))
		if err := d.localsOf(level, full); err != nil {
			return err
		}
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

// localsOf shows the local variables of an activation, in PTX without a source its registers, if wanted.
func (d *Debugger) localsOf(level int, wanted bool) error {
	w, err := d.warp()
	if err != nil || !wanted {
		return err
	}
	selected := d.level
	d.level = level
	defer func() { d.level = selected }()
	return d.infoLocals(w, "")
}

// frameCommand selects an activation, or shows the selected one.
func (d *Debugger) frameCommand(c *call) error {
	level := d.level
	word, rest, _ := cutFirst(c.args, " ")
	if word == "function" {
		return d.frameOf(strings.TrimSpace(rest))
	}
	if text := strings.TrimSpace(strings.TrimPrefix(c.args, "level ")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errorf("%q is not a frame; bt numbers them from 0", c.args)
		}
		level = n
	}
	return d.selectFrame(level)
}

// frameOf selects the innermost call of a function.
func (d *Debugger) frameOf(name string) error {
	chain, err := d.chainHere()
	if err != nil {
		return err
	}
	for n, a := range chain {
		if isNamed(d.functionText(a.code), name) {
			return d.selectFrame(n)
		}
	}
	return errorf("the lane in focus is not in a call of %s; bt shows its calls", name)
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
		return errorf("no frame %d; bt shows %s", level, plural(uint64(len(chain)), "frame"))
	}
	d.level, d.listing = level, listing{}
	d.printf("%s\n", d.frameText(level, chain[level]))
	return nil
}
