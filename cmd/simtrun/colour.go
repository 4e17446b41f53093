package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
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
	return errors.New("it is " + strings.Join(colourModes, ", "))
}

func (m *colourMode) Type() string { return "MODE" }

// on is how to paint what goes to w.
func (m colourMode) on(w io.Writer) paint {
	switch m {
	case "always":
		return true
	case "never":
		return false
	}
	return paint(isTerminal(w) && os.Getenv("NO_COLOR") == "")
}

// paint puts colour around words; false leaves them plain.
type paint bool

func (p paint) green(text string) string { return p.with("32", text) }
func (p paint) red(text string) string   { return p.with("31", text) }

// dim sets back what is of less account.
func (p paint) dim(text string) string { return p.with("2", text) }

// caution marks what says that the lines after it are a warning.
func (p paint) caution(text string) string { return p.with("1;33", text) }

// alarm marks what says that the lines after it are an error.
func (p paint) alarm(text string) string { return p.with("1;31", text) }

func (p paint) with(sgr, text string) string {
	if !p {
		return text
	}
	return paintMark + "[" + sgr + "m" + text + paintMark + "[0m"
}

// paintMark stands for the escape character of paint, until a stream puts that
// in its place. No input can hold it, as it differs from run to run.
var paintMark = "\x1b" + rand.Text()

// message paints the word error at the head of a message.
func (p paint) message(err error) string {
	return strings.Replace(err.Error(), ": error: ", ": "+p.alarm("error:")+" ", 1)
}

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

// padded is text, painted, with the blanks that fill it up to width.
func padded(text, painted string, width int) string {
	return painted + fmt.Sprintf("%*s", max(0, width-len(text)), "")
}
