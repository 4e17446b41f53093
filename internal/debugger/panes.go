package debugger

import (
	"bytes"
	"slices"
	"strings"
)

// Pane is a view that is always visible in a full-screen session.
type Pane int

// The panes: the source around the focus with its breakpoints, the masks of the warp in focus and the expressions that
// are displayed, and the warps of the block.
const (
	SourcePane Pane = iota
	LanesPane
	WarpsPane
)

// Pane returns the lines of a pane that has a number of columns and rows, and the line that is about the focus. They
// are what the commands list, info mask, display and info warps print. There may be more lines than rows; then only
// the masks of the next instruction are among them. The session stays as it is: a list that follows shows what it would
// have shown.
func (d *Debugger) Pane(p Pane, columns, rows int) (lines []string, keep int) {
	switch p {
	case SourcePane:
		listing := d.listing
		lines = d.paneOf(columns, func() error { return d.listAround(rows) })
		d.listing = listing
	case LanesPane:
		lines = d.paneOf(columns, func() error {
			err := d.topic("mask", "")
			if err == nil {
				d.showDisplays()
			}
			return err
		})
	case WarpsPane:
		lines = d.paneOf(columns, func() error { return d.topic("warps", "") })
	}
	if p == LanesPane && len(lines) > rows {
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "threads ") || strings.HasPrefix(line, "live ") || strings.HasPrefix(line, "waiting ")
		})
	}
	for i, line := range lines {
		if strings.HasPrefix(line, "=>") || strings.HasPrefix(line, "!>") || strings.HasPrefix(line, "* ") && p == WarpsPane {
			return lines, i
		}
	}
	return lines, 0
}

// paneOf returns the lines that show prints for a number of columns, or its error.
func (d *Debugger) paneOf(columns int, show func() error) []string {
	out, width := d.cfg.Out, d.cfg.Columns
	defer func() { d.cfg.Out, d.cfg.Columns = out, width }()
	var text bytes.Buffer
	d.cfg.Out, d.cfg.Columns = &text, func() int { return columns }
	if err := show(); err != nil {
		return []string{err.Error()}
	}
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}

// listAround lists rows lines around the instruction that the warp in focus executes next or, if another call is
// selected, around that call. There are fewer lines if the source is shorter.
func (d *Debugger) listAround(rows int) error {
	l, err := d.listPlace("")
	if w, gone := d.warp(); gone == nil && d.level == 0 {
		if now, ok := running(w); ok {
			l, err = d.listingOf(codeOf(w, &now)), nil
		}
	}
	if err != nil {
		return err
	}
	n := len(d.fns[l.fn].Code)
	if l.file != "" {
		n = len(d.sourceLines(l.file))
	}
	l.first = max(1, min(l.first-rows/2, n-rows+1))
	l.last = l.first + max(rows, 1) - 1
	return d.list(l)
}
