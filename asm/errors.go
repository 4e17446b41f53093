package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// maxErrors is how many errors one Parse reports: enough to work on, few enough to read. Further errors are counted.
const maxErrors = 10

// Errors are the errors in a source file.
type Errors struct {
	List []*isa.Error // in source order
	More int          // how many errors there are in addition
	// Notes may explain the errors: they name registers that are read and never written.
	Notes []*isa.Error
}

// WithNotes returns the errors, and the notes marked as warnings, in source order.
func (es Errors) WithNotes() []*isa.Error {
	all := slices.Clone(es.List)
	for _, n := range es.Notes {
		all = append(all, isa.Errorf(n.Pos, "warning: %s", n.Msg))
	}
	sorted.Stable(all, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return all
}

// Error returns one line per error.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	if more := es.MoreText(); more != "" {
		b.WriteString("\n" + more)
	}
	return b.String()
}

// MoreText says how many errors there are in addition to those of the list; "" if there are none.
func (es Errors) MoreText() string {
	switch es.More {
	case 0:
		return ""
	case 1:
		return "… and 1 more error"
	}
	return fmt.Sprintf("… and %d more errors", es.More)
}

// Unwrap makes the single errors available to errors.Is and errors.As.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es.List))
	for i, e := range es.List {
		all[i] = e
	}
	return all
}

// errorLog collects the errors of one Parse.
type errorLog struct {
	errs Errors
	seen map[isa.Error]bool
}

// count returns the number of errors.
func (l *errorLog) count() int { return len(l.errs.List) + l.errs.More }

// add records an error, unless it is nil. Errors in text that is read again for each function, such as registers of
// the module, are reported once.
func (l *errorLog) add(err *isa.Error) {
	if err == nil || l.seen[*err] {
		return
	}
	if l.seen == nil {
		l.seen = make(map[isa.Error]bool)
	}
	l.seen[*err] = true
	if l.full() {
		l.errs.More++
		return
	}
	l.errs.List = append(l.errs.List, err)
}

func (l *errorLog) addf(pos isa.Pos, format string, args ...any) {
	l.add(isa.Errorf(pos, format, args...))
}

// full reports whether further errors are only counted, so that their text does not matter.
func (l *errorLog) full() bool { return len(l.errs.List) >= maxErrors }

// err returns the recorded errors, in the order of recording; nil if there are none.
func (l *errorLog) err() error {
	if len(l.errs.List) == 0 {
		return nil
	}
	return l.errs
}

// inOrder returns the errors of one file sorted by position; nil if there are none.
func (l *errorLog) inOrder() error {
	sorted.Stable(l.errs.List, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return l.err()
}

// comparePos orders positions of one file.
func comparePos(a, b isa.Pos) int {
	if a.Line != b.Line {
		return int(a.Line) - int(b.Line)
	}
	return int(a.Col) - int(b.Col)
}
