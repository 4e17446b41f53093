package debugger

import (
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/source"
)

// isLasting reports whether a place means the same in every launch: a function by its name, or a line of a file.
func isLasting(place string) bool {
	return strings.Trim(place, "L+-0123456789@*$pcx:") != "" && !strings.HasPrefix(place, "@") && !strings.ContainsAny(place, " ()")
}

// remember notes what the place of a point is, with which it is looked for in launches to come, and its instructions in
// the present one.
func (d *Debugger) remember(p *point, place string, all []codeAt) {
	if p.where = fileText(d.pos(all[0])); !isLasting(place) {
		return
	}
	p.place = place
	file, digits, ok := cutLast(place, ":")
	asked, err := strconv.ParseInt(digits, 10, 32)
	if !ok || err != nil {
		return
	}
	if lines := d.linesIn(all[0], file); slices.Contains(lines, int32(asked)) {
		p.line = int32(asked)
	} else if len(lines) > 0 {
		p.line = lines[0]
	}
}

// linesIn returns the lines of a file that an instruction belongs to, the innermost first.
func (d *Debugger) linesIn(at codeAt, file string) []int32 {
	fn := d.fns[at.fn]
	if pos := fn.Code[at.pc].Pos; source.IsFile(pos.File, file) {
		return []int32{pos.Line}
	}
	return source.LinesIn(fn, at.pc, file)
}

// placeAgain adds the instructions of a launch that begins to the points that have places in it, too: other kernels can
// have other instances of a template, and other calls of an inlined function.
func (d *Debugger) placeAgain() {
	for _, p := range d.points {
		if p.place == "" {
			continue
		}
		all, err := d.places(p.place)
		if err != nil || d.checkTimed(all) != nil {
			continue
		}
		file, _, _ := cutLast(p.place, ":")
		for _, at := range all {
			if (p.line == 0 || slices.Contains(d.linesIn(at, file), p.line)) && !p.at(d, at) {
				p.also = append(p.also, codePlace{d.fns[at.fn].Name, at.pc})
			}
		}
	}
}

// belongsToOther returns an error if a breakpoint for a line of a file, which is placed at a later one, belongs to a
// function that launches to come execute: code of that is at a line in between.
func (d *Debugger) belongsToOther(file string, line int, at codeAt) error {
	lines := d.linesIn(at, file)
	if len(lines) == 0 || slices.Contains(lines, int32(line)) {
		return nil
	}
	for _, fn := range d.program.Machine.Code().Module().Funcs {
		if slices.ContainsFunc(d.fns, func(here *isa.Func) bool { return here.Name == fn.Name }) {
			continue
		}
		for pc := range fn.Code {
			for _, l := range source.LinesIn(fn, pc, file) {
				if int(l) >= line && l < lines[0] {
					return errorf("%s:%d: no code of %s belongs to this line, but code of %s", file, line, source.Name(d.fns[0].Name), source.Name(fn.Name))
				}
			}
		}
	}
	return nil
}
