package main

import (
	"crypto/rand"
	"io"
	"os"

	"github.com/chzyer/readline"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
)

// colourMode is the value of --color.
type colourMode string

const colourAuto colourMode = "auto"

var colourModes = []string{"auto", "always", "never"}

// String, Set and Type implement pflag.Value.
func (m *colourMode) String() string { return string(*m) }

func (m *colourMode) Set(text string) error {
	for _, mode := range colourModes {
		if text == mode {
			*m = colourMode(text)
			return nil
		}
	}
	return isa.Unknown("mode", text, colourModes)
}

func (m *colourMode) Type() string { return "MODE" }

// on returns the painter for output to w.
func (m colourMode) on(w io.Writer) report.Paint {
	switch m {
	case "always":
		return report.Paint(paintMark)
	case "never":
		return ""
	}
	if !isTerminal(w) || os.Getenv("NO_COLOR") != "" {
		return ""
	}
	return report.Paint(paintMark)
}

// paintMark replaces the escape character in painted text until a stream writes it. It is random, so that no input
// can contain it.
var paintMark = "\x1b" + rand.Text()

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	_, ok := terminalWidth(w)
	return ok
}

// terminalWidth returns the number of columns of the terminal w; ok is false if w is not a terminal.
func terminalWidth(w io.Writer) (columns int, ok bool) {
	f := fileOf(w)
	if f == nil || !readline.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := readline.GetSize(int(f.Fd()))
	if err != nil || columns < 1 {
		columns = 80
	}
	return columns, true
}

// columnsOf returns the line width for w: that of the terminal, or 0 for unlimited.
func columnsOf(w io.Writer) int {
	columns, _ := terminalWidth(w)
	return columns
}
