package main

import (
	"crypto/rand"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
)

// colourMode is the value of --color.
type colourMode string

const colourAuto colourMode = "auto"

var colourModes = []string{"auto", "always", "never"}

// String, Set and Type make it a flag's value.
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

// on is how to paint what goes to w.
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

// paintMark stands for the escape character of paint, until a stream puts that
// in its place. No input can hold it, as it differs from run to run.
var paintMark = "\x1b" + rand.Text()

// isTerminal reports whether w is one.
func isTerminal(w io.Writer) bool {
	_, ok := terminalWidth(w)
	return ok
}

// terminalWidth is the number of columns of the terminal w; ok is false if it
// is none.
func terminalWidth(w io.Writer) (columns int, ok bool) {
	f := fileOf(w)
	if f == nil || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns < 1 {
		columns = 80
	}
	return columns, true
}

// columnsOf is the number of columns that lines should keep to on w: those of a
// terminal, or 0 for any.
func columnsOf(w io.Writer) int {
	columns, _ := terminalWidth(w)
	return columns
}
