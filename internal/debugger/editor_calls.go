package debugger

import (
	"context"
	"slices"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/source"
)

// Callees returns the functions that the line of the lane in focus calls, with those that were inlined, in the order
// of the code.
func (d *Debugger) Callees() (names []string) {
	chain, err := d.chainHere()
	if err != nil || len(chain) == 0 || d.level != 0 {
		return nil
	}
	here := chain[0].code
	now := d.framesAt(here)
	for pc := range d.fns[here.fn].Code {
		if name := d.calledAt(codeAt{here.fn, pc}, now); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// calledAt returns the function that an instruction calls, or is inlined from, in the line of some frames; else "".
func (d *Debugger) calledAt(at codeAt, line []source.Frame) string {
	in, frames := &d.fns[at.fn].Code[at.pc], d.framesAt(at)
	within := len(frames) - len(line)
	if within < 0 || len(line) == 0 {
		return ""
	}
	for i, f := range frames[within:] {
		if f.Line != line[i].Line || f.File != line[i].File {
			return ""
		}
	}
	switch {
	case within > 0:
		return frames[within-1].Function
	case in.Call != nil && !in.Indirect():
		return cxx.Short(in.Args[0].Sym)
	}
	return ""
}

// MoveInto steps into a function that the line of the lane in focus calls, over the others. If the lane does not call
// it, it stops at the next line.
func (d *Debugger) MoveInto(ctx context.Context, function string) (Stop, error) {
	d.into = function
	defer func() { d.into = "" }()
	return d.Move(ctx, Into)
}

// Select selects the frame of a view.
func (d *Debugger) Select(v View) error {
	err := d.MoveTo(v.Warp)
	if err == nil {
		d.level = v.Level
	}
	return err
}
