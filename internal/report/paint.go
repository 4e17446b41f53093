package report

import (
	"fmt"
	"strings"
)

// Paint puts colour around words, by the sequences of ANSI terminals. It is what
// stands for the escape character in them; "" leaves words plain.
type Paint string

// Green is for what is as it should be.
func (p Paint) Green(text string) string { return p.with("32", text) }

// Red is for what is not.
func (p Paint) Red(text string) string { return p.with("31", text) }

// Dim is for what is of less account.
func (p Paint) Dim(text string) string { return p.with("2", text) }

// Caution is for the word at the head of a warning.
func (p Paint) Caution(text string) string { return p.with("1;33", text) }

// alarm is for the word at the head of an error.
func (p Paint) alarm(text string) string { return p.with("1;31", text) }

func (p Paint) with(sgr, text string) string {
	if p == "" {
		return text
	}
	return string(p) + "[" + sgr + "m" + text + string(p) + "[0m"
}

// message paints the word error at the head of a message.
func (p Paint) message(text string) string {
	return strings.Replace(text, ": error: ", ": "+p.alarm("error:")+" ", 1)
}

// padded is text, painted, with the blanks that fill it up to width.
func padded(text, painted string, width int) string {
	return painted + fmt.Sprintf("%*s", max(0, width-len(text)), "")
}
