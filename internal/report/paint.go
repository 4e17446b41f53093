package report

import (
	"fmt"
	"strings"
)

// Paint colours words with ANSI escape sequences. Its value stands for the escape character; "" disables colours.
type Paint string

// Green marks success.
func (p Paint) Green(text string) string { return p.with("32", text) }

// Red marks failure.
func (p Paint) Red(text string) string { return p.with("31", text) }

// Dim marks less important text.
func (p Paint) Dim(text string) string { return p.with("2", text) }

// Caution marks the word at the head of a warning.
func (p Paint) Caution(text string) string { return p.with("1;33", text) }

// alarm marks the word at the head of an error.
func (p Paint) alarm(text string) string { return p.with("1;31", text) }

func (p Paint) with(sgr, text string) string {
	if p == "" {
		return text
	}
	return string(p) + "[" + sgr + "m" + text + string(p) + "[0m"
}

// message colours the word error at the head of a message.
func (p Paint) message(text string) string {
	return strings.Replace(text, ": error: ", ": "+p.alarm("error:")+" ", 1)
}

// padded returns the coloured text, followed by blanks up to width.
func padded(text, painted string, width int) string {
	return painted + fmt.Sprintf("%*s", max(0, width-len(text)), "")
}
