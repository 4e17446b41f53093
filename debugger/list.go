package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/lanes"
)

// listed is how many lines list shows.
const listed = 10

// listCommand shows lines around a place, or around the focus.
func (d *Debugger) listCommand(c *call) error {
	at, err := d.parsePlace(c.args)
	if err != nil {
		return err
	}
	pos := d.pos(at)
	first := max(1, int(pos.Line)-listed/2)
	if c.again {
		first = d.listedTo + 1
	}
	lines := d.cfg.Sources[pos.File]
	if n := len(lines); n > 0 && lines[n-1] == "" { // behind the last line's end
		lines = lines[:n-1]
	}
	if len(lines) == 0 {
		d.listCode(at)
		return nil
	}
	if first > len(lines) {
		return fmt.Errorf("%s ends at line %d", pos.File, len(lines))
	}
	d.listedTo = min(first+listed-1, len(lines))
	for n := first; n <= d.listedTo; n++ {
		gutter, mark := d.gutter(func(code codeAt) bool {
			p := d.pos(code)
			return int(p.Line) == n && p.File == pos.File && code.pc < len(d.fns[code.fn].Code)
		})
		d.printf("%s\n", strings.TrimRight(fmt.Sprintf("%s %5d %5s  %s", mark, n, gutter, lines[n-1]), " \t\r"))
	}
	return nil
}

// listCode lists instructions where there is no source.
func (d *Debugger) listCode(at codeAt) {
	first := max(0, at.pc-listed/2)
	for pc := first; pc < min(first+listed, len(d.fns[at.fn].Code)); pc++ {
		gutter, mark := d.gutter(func(code codeAt) bool { return code == codeAt{at.fn, pc} })
		d.printf("%s %5s %5s  %s\n", mark, fmt.Sprintf("@%d", pc), gutter, d.fns[at.fn].Text(pc))
	}
}

// gutter is how many lanes of the warp in focus are at a line, and what marks
// it: => where it goes on, b a breakpoint.
func (d *Debugger) gutter(here func(codeAt) bool) (count, mark string) {
	mark = "  "
	if slices.ContainsFunc(d.points, func(p *point) bool {
		for i, fn := range d.fns {
			if fn.Name == p.fn && here(codeAt{i, p.pc}) {
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
		if here(codeOf(&s)) {
			m |= s.Mask
		}
	}
	if now, ok := running(w); ok && here(codeOf(&now)) {
		mark = "=>"
	}
	if m == 0 {
		return "", mark
	}
	return fmt.Sprint(m.Count()), mark
}
