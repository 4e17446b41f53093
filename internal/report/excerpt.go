package report

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
)

// sourcedError is an error with positions in sources, which it shows.
type sourcedError struct {
	err     error
	sources Sources
}

func (e *sourcedError) Error() string { return e.err.Error() }
func (e *sourcedError) Unwrap() error { return e.err }

// WithSources returns err with sources, so that WriteError shows the lines at its positions.
func WithSources(err error, sources Sources) error { return &sourcedError{err, sources} }

// write writes an error with the lines at its positions.
func (e *sourcedError) write(w io.Writer) {
	if list, ok := errors.AsType[asm.Errors](e.err); ok {
		for _, one := range list.WithNotes() {
			WriteNote(w, one.Pos, one.Msg, e.sources)
		}
		if more := list.MoreText(); more != "" {
			fmt.Fprintln(w, more)
		}
		return
	}
	if one, ok := errors.AsType[*isa.Error](e.err); ok {
		WriteNote(w, one.Pos, one.Msg, e.sources)
		return
	}
	if one, ok := errors.AsType[*launch.Error](e.err); ok {
		WriteNote(w, one.At.Pos, one.Msg, e.sources)
		return
	}
	fmt.Fprintln(w, e.err)
}

// WriteNote writes a note on a position, and shows the line.
func WriteNote(w io.Writer, pos isa.Pos, text string, sources Sources) {
	fmt.Fprintf(w, "%s: %s\n", pos, text)
	io.WriteString(w, excerpt(sources.line(pos.File, int(pos.Line)), pos))
}

const (
	mostExcerpt   = 100 // columns of a line that are shown
	excerptBefore = 60  // the most of these before the position
)

// excerpt returns the line at a position with a caret below; "" if the line is shorter, or blank.
func excerpt(line string, pos isa.Pos) string {
	at := int(pos.Col) - 1
	if at < 0 || at > len(line) || strings.TrimSpace(line) == "" {
		return ""
	}
	before, after := visible(line[:at]), visible(line[at:])
	if cut := utf8.RuneCountInString(before) - excerptBefore; cut > 0 {
		before = "…" + string([]rune(before)[cut:])
	}
	if room := mostExcerpt - utf8.RuneCountInString(before); utf8.RuneCountInString(after) > room {
		after = string([]rune(after)[:room]) + "…"
	}
	gutter := fmt.Sprintf("%5d", pos.Line)
	return fmt.Sprintf("%s | %s%s\n%*s | %s%s\n", gutter, before, after, len(gutter), "",
		strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", max(1, tokenLength(after))))
}

// visible makes part of a line safe for terminals: tabs become blanks, and control characters are replaced. Every
// character remains one character.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '·'
		}
		return r
	}, text)
}

// tokenLength returns the number of characters of the name or number at the start of text.
func tokenLength(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_$%.", r) {
			break
		}
		n++
	}
	return n
}
