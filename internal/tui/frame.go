// Package tui draws the panes of a debugger on a terminal by ANSI escape sequences, and edits the line at the bottom.
// It knows neither the debugger nor how a terminal is opened.
package tui

import (
	"fmt"
	"strings"
)

// Pane is a part of the screen.
type Pane struct {
	Title string
	Lines []string
	// Keep is the line that stays visible if not all fit; -1 is the last one.
	Keep int
}

// Size is a number of columns and rows of characters.
type Size struct{ Columns, Rows int }

// Layout is how large the panes are, without their titles.
type Layout struct{ Source, Lanes, Warps, Output Size }

const (
	wide    = 120 // columns from which there are panes side by side
	divider = "│"
)

// LayoutOf returns the layout for a screen. On narrow screens the panes are one below the other. On wide ones, lanes
// and warps are to the right of the source. The last row of the screen is the prompt's.
func LayoutOf(screen Size) Layout {
	all := max(0, screen.Columns)
	if all < wide {
		rows := max(0, screen.Rows-5) // titles and the prompt
		output, source, warps := rows/4, rows/3, (rows+6)/10
		return Layout{Size{all, source}, Size{all, rows - output - source - warps}, Size{all, warps}, Size{all, output}}
	}
	rows := max(0, screen.Rows-3)
	output := rows / 4
	source, left := rows-output, all/2
	right := all - left - 1
	warps := max(0, source-1) / 3
	return Layout{Size{left, source}, Size{right, max(0, source-1-warps)}, Size{right, warps}, Size{all, output}}
}

// Screen is the content to draw.
type Screen struct {
	Size
	Source, Lanes, Warps, Output Pane
	Prompt                       string
	Line                         *Line
}

// rows returns the rows of the screen, except for the prompt.
func (s *Screen) rows() []string {
	l := LayoutOf(s.Size)
	source, output := s.Source.rows(l.Source), s.Output.rows(l.Output)
	right := append(s.Lanes.rows(l.Lanes), s.Warps.rows(l.Warps)...)
	if s.Columns < wide {
		return append(append(source, right...), output...)
	}
	for i := range source {
		if i < len(right) {
			source[i] += divider + right[i]
		}
	}
	return append(source, output...)
}

// rows returns the title and the lines of a pane, all equally wide.
func (p *Pane) rows(size Size) []string {
	title := "── " + p.Title + " "
	title += strings.Repeat("─", max(0, size.Columns-columns(title)))
	rows := []string{clip(title, size.Columns)}
	first, keep := 0, p.Keep
	if keep < 0 {
		keep = len(p.Lines) - 1
	}
	if keep >= size.Rows {
		first = min(keep-size.Rows+1, max(0, len(p.Lines)-size.Rows))
	}
	for i := first; i < first+size.Rows; i++ {
		line := ""
		if i < len(p.Lines) {
			line = p.Lines[i]
		}
		rows = append(rows, clip(line, size.Columns))
	}
	return rows
}

// Escape sequences that prepare the terminal, and put it back: another screen, without wrapping of long lines.
const (
	Open  = "\x1b[?1049h\x1b[?7l"
	Close = "\x1b[?7h\x1b[?1049l"
)

// Draw returns the text that draws the screen and puts the cursor into the prompt.
func (s *Screen) Draw() string {
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	all := s.rows()
	for i := range max(0, s.Rows-1) {
		row := strings.Repeat(" ", s.Columns)
		if i < len(all) {
			row = all[i]
		}
		fmt.Fprintf(&b, "\x1b[%d;1H%s", i+1, row)
	}
	before, after := string(s.Line.text[:s.Line.at]), string(s.Line.text[s.Line.at:])
	text := s.Prompt + before
	from := 0 // the first column that is shown of a long line
	if n := columns(text); n >= s.Columns {
		from = n - s.Columns + 1
	}
	for ; from > 0 && text != ""; from-- {
		text = string([]rune(text)[1:])
	}
	fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[%d;%dH\x1b[?25h", max(1, s.Rows), clip(text+after, s.Columns), max(1, s.Rows), columns(text)+1)
	return b.String()
}
