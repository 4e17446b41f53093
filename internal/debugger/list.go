package debugger

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
)

// usuallyListed is how many lines list shows unless the user has set another number.
const usuallyListed = 10

// listSize returns how many lines list shows.
//
//go:noinline
func (d *Debugger) listSize() int { return cmp.Or(d.listed, usuallyListed) }

// mostListed limits the lines of a range or a function.
const mostListed = 1000

// listing is the lines that list has shown since the last stop: lines first to last of a file or, without a source
// file, instructions of a function.
type listing struct {
	file        string
	fn          int
	first, last int // both 0 if there was no listing
}

// listCommand shows the source around a place, from A to B, or around the focus; a repetition shows the lines that
// follow.
func (d *Debugger) listCommand(c *call) error {
	shown := d.listing
	switch from, to, isRange := cutFirst(c.args, ","); {
	case c.args == "-" && shown.last > 0:
		if shown.first <= 1 {
			return errors.New("that was the first line")
		}
		shown.first, shown.last = max(1, shown.first-d.listSize()), shown.first-1
	case shown.last > 0 && (c.args == "" || c.again):
		shown.first, shown.last = shown.last+1, shown.last+d.listSize()
	case isRange:
		var err error
		if shown, err = d.listRange(strings.TrimSpace(from), strings.TrimSpace(to)); err != nil {
			return err
		}
	default:
		line, err := d.listPlace(strings.TrimSuffix(c.args, "-"))
		if err != nil {
			return err
		}
		shown = line
		shown.first = max(1, line.first-d.listSize()/2)
		shown.last = shown.first + d.listSize() - 1
	}
	return d.list(shown)
}

// listPlace returns the line of a place. A number is a line even if it has no instruction.
func (d *Debugger) listPlace(text string) (listing, error) {
	if len(d.fns) == 0 {
		return listing{}, errEnded
	}
	here, err := d.here()
	if err != nil {
		here = codeAt{}
	}
	name, number, ok := cutLast(text, ":")
	if !ok {
		name, number = d.pos(here).File, text
	}
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		files := slices.Sorted(maps.Keys(d.cfg.Sources))
		if d.onSource(here.fn) { // PTX that was compiled has the name of its source
			files = append(d.codeFiles(), files...)
		} else {
			files = append(files, d.codeFiles()...)
		}
		for _, file := range files {
			if isFile(file, name) && len(d.sourceLines(file)) > 0 {
				return listing{file, here.fn, n, n}, nil
			}
		}
	}
	at, err := d.parsePlace(text)
	if err != nil {
		return listing{"", at.fn, at.pc + 1, at.pc + 1}, err
	}
	return d.listingOf(at), nil
}

// listingOf returns the line of an instruction or, without a source file, the instruction.
func (d *Debugger) listingOf(at codeAt) listing {
	pos := d.pos(at)
	if n := int(pos.Line); len(d.sourceLines(pos.File)) > 0 {
		return listing{pos.File, at.fn, n, n}
	}
	return listing{"", at.fn, at.pc + 1, at.pc + 1} // instructions are numbered from 1 here
}

// listRange parses "A,B", "A," and ",B", which shows ten lines up to B.
func (d *Debugger) listRange(from, to string) (listing, error) {
	if from == "" && to == "" {
		return listing{}, errors.New("list from where to where? list A,B")
	}
	first, err := d.listPlace(cmp.Or(from, to))
	if err != nil {
		return first, err
	}
	last := first
	if file, _, ok := cutLast(from, ":"); ok && to != "" && !strings.Contains(to, ":") {
		to = file + ":" + to // in the same file
	}
	switch {
	case from == "":
		first.first = max(1, last.last-d.listSize()+1)
	case to == "":
		last.last = first.first + d.listSize() - 1
	default:
		if last, err = d.listPlace(to); err != nil {
			return first, err
		}
	}
	if last.file != first.file || last.last < first.first {
		return first, errorf("%s does not come after %s", to, from)
	}
	first.last = min(last.last, first.first+mostListed-1)
	return first, nil
}

// sourceLines returns the lines of a source file, without an empty one at the end.
func (d *Debugger) sourceLines(file string) []string {
	lines := d.cfg.Sources[file]
	if lines == nil && len(d.fns) > 0 {
		lines = source.Lines(d.fns[0], file) // of a header
	}
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}

// list shows lines, and records them.
func (d *Debugger) list(l listing) error {
	if l.file == "" {
		return d.listCode(l)
	}
	lines := d.sourceLines(l.file)
	if l.first > len(lines) {
		return errorf("%s ends at line %d", l.file, len(lines))
	}
	l.last = min(l.last, len(lines))
	d.listing = l
	for n := l.first; n <= l.last; n++ {
		gutter, mark := d.gutter(func(code codeAt) bool { return d.isOn(code, l.file, n) })
		d.printf("%s\n", strings.TrimRight(fmt.Sprintf("%s %5d %5s  %s", mark, n, gutter, lines[n-1]), " \t\r"))
	}
	return nil
}

// isOn reports whether an instruction is on a line of a file, or was compiled from it.
func (d *Debugger) isOn(code codeAt, file string, line int) bool {
	fn := d.fns[code.fn]
	if code.pc >= len(fn.Code) {
		return false
	}
	if p := d.pos(code); p.File == file {
		return int(p.Line) == line
	}
	n, ok := source.LineIn(fn, code.pc, path.Base(file))
	return ok && int(n) == line
}

// listCode lists instructions, for code without a source file.
func (d *Debugger) listCode(l listing) error {
	fn := d.fns[l.fn]
	if l.first > len(fn.Code) {
		return errorf("%s ends at @%d", source.Name(fn.Name), len(fn.Code)-1)
	}
	l.last = min(l.last, len(fn.Code))
	d.listing = l
	d.instructions(l.fn, l.first-1, l.last)
	return nil
}

// instructions shows instructions from to to-1 of a function.
func (d *Debugger) instructions(fn, from, to int) {
	for pc := from; pc < to; pc++ {
		for _, label := range source.LabelsAt(d.fns[fn], pc) {
			d.printf("%s:\n", label)
		}
		gutter, mark := d.gutter(func(code codeAt) bool { return code == codeAt{fn, pc} })
		d.printf("%s %5s %5s  %-6s %s\n", mark, fmt.Sprintf("@%d", pc), gutter, d.lineText(codeAt{fn, pc}), source.Text(d.fns[fn], pc))
	}
}

// instructionsByLine is instructions, with the line of the source before those of each.
func (d *Debugger) instructionsByLine(fn, from, to int) {
	for from < to {
		next, line := from+1, d.lineText(codeAt{fn, from})
		for next < to && d.lineText(codeAt{fn, next}) == line {
			next++
		}
		if text, ok := d.sourceText(codeAt{fn, from}); ok {
			d.printf("%s  %s\n", line, text)
		}
		d.instructions(fn, from, next)
		from = next
	}
}

// instructionsFormat returns the count in x/4i; ok is false for other formats.
func instructionsFormat(format string) (n int, ok bool) {
	digits, ok := strings.CutSuffix(format, "i")
	if n, err := count(digits); ok && err == nil {
		return n, true
	}
	return 0, false
}

// examineInstructions shows instructions at a place, as x/4i does in gdb.
func (d *Debugger) examineInstructions(n int, place string) error {
	at, err := d.parsePlace(place)
	if err != nil {
		return err
	}
	d.instructions(at.fn, at.pc, min(at.pc+min(n, mostListed), len(d.fns[at.fn].Code)))
	return nil
}

// disasCommand shows all or some instructions of a function.
//
// The formats are those of gdb: /s and /m show the lines of the source between the instructions, /r nothing more.
func (d *Debugger) disasCommand(c *call) error {
	if strings.Trim(c.format, "smr") != "" {
		return errorf("no format /%s; /s shows the lines of the source, too", c.format)
	}
	from, to, isRange := cutFirst(c.args, ",")
	at, err := d.parsePlace(strings.TrimSpace(from))
	if err != nil {
		return err
	}
	code := d.fns[at.fn].Code
	first, last := 0, len(code)
	if isRange {
		to = strings.TrimSpace(to)
		if n, count := strings.CutPrefix(to, "+"); count && (strings.HasPrefix(from, "$pc") || strings.HasPrefix(from, "*") || strings.HasPrefix(from, "@")) {
			to = n // as in disas $pc,+8
			if length, err := strconv.Atoi(n); err == nil {
				to = fmt.Sprintf("@%d", min(at.pc+max(length, 1), len(code))-1)
			}
		}
		end, err := d.parsePlace(to)
		switch {
		case err != nil:
			return err
		case end.fn != at.fn || end.pc < at.pc:
			return errorf("%s does not come after %s in %s", to, from, source.Name(d.fns[at.fn].Name))
		}
		first, last = at.pc, min(end.pc+1, len(code))
	}
	d.printf("%s\n", cxx.Short(d.fns[at.fn].Name))
	shown := min(last, first+mostListed)
	if strings.ContainsAny(c.format, "sm") {
		d.instructionsByLine(at.fn, first, shown)
	} else {
		d.instructions(at.fn, first, shown)
	}
	if left := last - first - mostListed; left > 0 {
		d.printf("  and %d more; disas @%d,@%d shows them\n", left, first+mostListed, last-1)
	}
	return nil
}

// gutter returns how many lanes of the warp in focus are at a line, and its mark: => for the next instruction, b for
// a breakpoint.
func (d *Debugger) gutter(here func(codeAt) bool) (count, mark string) {
	mark = "  "
	if slices.ContainsFunc(d.points, func(p *point) bool {
		for at := range p.places(d) {
			if !p.disabled && here(at) {
				return true
			}
		}
		return false
	}) {
		mark = "b "
	}
	w, err := d.warp()
	if err != nil {
		return "", mark
	}
	m := lanes.Mask(0)
	for s := range w.Control().Splits() {
		if here(codeOf(w, &s)) {
			m |= s.Mask
		}
	}
	if now, ok := running(w); ok && here(codeOf(w, &now)) {
		mark = "=>"
	}
	if m == 0 {
		return "", mark
	}
	return fmt.Sprint(m.Count()), mark
}
