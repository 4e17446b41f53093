package asm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// maxErrors is how many errors one Parse reports: enough to work on, few
// enough to read. Others are counted.
const maxErrors = 10

// Errors are what is wrong with a source file.
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
	slices.SortStableFunc(all, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return all
}

// Error is one line per error.
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

// MoreText says how many errors there are beside those of the list; "" if there
// are none.
func (es Errors) MoreText() string {
	switch es.More {
	case 0:
		return ""
	case 1:
		return "… and 1 more error"
	}
	return fmt.Sprintf("… and %d more errors", es.More)
}

// Unwrap gives errors.Is and errors.As the single errors.
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

// add notes an error, if there is one. What is read for every function, as
// registers of the module are, is reported once.
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

// full reports whether further errors are only counted, so that their text does
// not matter.
func (l *errorLog) full() bool { return len(l.errs.List) >= maxErrors }

// err is what was noted, in that order; nil when there is nothing.
func (l *errorLog) err() error {
	if len(l.errs.List) == 0 {
		return nil
	}
	return l.errs
}

// inOrder is the errors of one file sorted by place; nil when there are none.
func (l *errorLog) inOrder() error {
	slices.SortStableFunc(l.errs.List, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return l.err()
}

// comparePos orders places of one file.
func comparePos(a, b isa.Pos) int {
	if a.Line != b.Line {
		return int(a.Line) - int(b.Line)
	}
	return int(a.Col) - int(b.Col)
}
