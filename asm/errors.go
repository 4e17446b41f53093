package asm

import (
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// maxErrors is how many errors one Parse reports: enough to work on, few
// enough to read.
const maxErrors = 10

// Errors are what is wrong with a source file, in source order.
type Errors []*isa.Error

// Error is one line per error.
func (es Errors) Error() string {
	var b strings.Builder
	for i, e := range es {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Unwrap gives errors.Is and errors.As the single errors.
func (es Errors) Unwrap() []error {
	all := make([]error, len(es))
	for i, e := range es {
		all[i] = e
	}
	return all
}

// add notes an error, if there is one and there is still room for it. What is
// read for every function, as registers of the module are, is reported once.
func (es *Errors) add(err *isa.Error) {
	if err == nil || es.full() || slices.ContainsFunc(*es, func(e *isa.Error) bool { return *e == *err }) {
		return
	}
	*es = append(*es, err)
}

func (es *Errors) addf(pos isa.Pos, format string, args ...any) {
	es.add(isa.Errorf(pos, format, args...))
}

func (es *Errors) full() bool { return len(*es) >= maxErrors }

// inOrder is es sorted by place, as an error; nil when there are none.
func (es Errors) inOrder() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return es
}

// comparePos orders places of one file.
func comparePos(a, b isa.Pos) int {
	if a.Line != b.Line {
		return int(a.Line) - int(b.Line)
	}
	return int(a.Col) - int(b.Col)
}

// didYouMean suggests one of the candidates for a misspelt word; "" when none
// comes near. Every other name is near one of a single letter.
func didYouMean(word string, candidates []string) string {
	if len(word) < 2 {
		return ""
	}
	if near := isa.Nearest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
