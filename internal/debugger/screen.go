package debugger

import (
	"fmt"
	"strings"
)

// cell is a piece of text in a line or a row.
type cell struct {
	text string
	off  bool // it is about inactive lanes
}

// dimmed marks text about inactive lanes.
func (d *Debugger) dimmed(text string) string {
	if d.cfg.Dim == nil || text == "" {
		return text
	}
	return d.cfg.Dim(text)
}

func (d *Debugger) painted(c cell) string {
	if c.off {
		return d.dimmed(c.text)
	}
	return c.text
}

// columns returns the width for output, or 0 for unlimited.
func (d *Debugger) columns() int {
	if d.cfg.Columns == nil {
		return 0
	}
	return d.cfg.Columns()
}

const (
	apart   = "   " // between cells of a line
	forName = 24    // columns for the text before the cells
)

// joined puts cells in a line after the text in front of them or, if that is too long, in separate lines below it.
func (d *Debugger) joined(cells []cell) string {
	length := forName
	parts := make([]string, len(cells))
	for i, c := range cells {
		length += len(c.text) + len(apart)
		parts[i] = d.painted(c)
	}
	if all := d.columns(); all > 0 && length > all && len(cells) > 1 {
		return "\n  " + strings.Join(parts, "\n  ")
	}
	return strings.Join(parts, apart)
}

// inRows puts cells in a table with up to eight columns, each row labelled with the number of its first cell.
func (d *Debugger) inRows(cells []cell) string {
	width := 0
	for _, c := range cells {
		width = max(width, len(c.text))
	}
	n := perRow
	for all := d.columns(); all > 0 && n > 1 && len("  00:")+n*(1+width) > all; {
		n /= 2
	}
	var b strings.Builder
	for i, c := range cells {
		if i%n == 0 {
			fmt.Fprintf(&b, "\n  %2d:", i)
		}
		b.WriteString(" " + d.painted(c))
		if i%n < n-1 {
			b.WriteString(strings.Repeat(" ", width-len(c.text)))
		}
	}
	return b.String()
}
