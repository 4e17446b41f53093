// Package validate compares what simtrun finds out with what is published, or follows from
// a definition: a table of rows, each of which runs kernels of this package through the
// command and reads its JSON. It knows nothing of the model, and no kernel does.
package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is what a row says about the model if it agrees.
type Kind string

// The kinds of rows.
const (
	Rule       Kind = "rule"       // it follows from a definition, or from a rule that is documented
	Input      Kind = "input"      // the figure is one that was put in: it comes out of the right path
	Prediction Kind = "prediction" // it was measured on a GPU, and not put in
)

// Row is one comparison: a figure, or a few at several points.
type Row struct {
	ID       string   // of the table that it is from: 8.5, B4
	GPU      string   // the preset
	What     string   // is compared
	At       []string // the points; nil if there is one
	Source   string   // of what is expected
	Kind     Kind
	Expected []Band // at each point; nil if expect finds it out
	// Holds, unless it is nil, says whether the row agrees, for a row from which only
	// a direction can be expected.
	Holds func(got []float64) bool
	Long  bool // it takes more than a second or two
	// measure finds the figures out. It is nil if what they are about is not modelled.
	measure func(l *lab) []float64
	// expect, unless it is nil, works out what is expected from what a kernel is given.
	expect func(l *lab) []Band
	// unmodelled says why measure is nil.
	unmodelled string
}

// Name names the row: no other one has the same.
func (r *Row) Name() string { return r.ID + " " + r.GPU + " " + r.What }

// Verdict is how a row compares.
type Verdict string

// The verdicts.
const (
	IsInput     Verdict = "input" // it agrees, as it was put in
	Agrees      Verdict = "agrees"
	Misses      Verdict = "misses"
	NotModelled Verdict = "not modelled"
)

// Result is a row with what was found out.
type Result struct {
	*Row
	Expected []Band    // at each point
	Got      []float64 // nil if it is not modelled
	Verdict  Verdict
	Reason   string   // why it misses, if that is known, or is not modelled
	Commands []string // that were run, as they are typed
}

// Unexpected reports whether the row misses and nobody knew, or does not although the
// list of known misses has it.
func (r *Result) Unexpected() bool {
	_, known := knownMisses[r.Name()]
	return known != (r.Verdict == Misses)
}

// off is the largest deviation from what is expected, as a share of it; 0 if nothing
// was expected that has a middle.
func (r *Result) off() float64 {
	worst := 0.0
	for i, got := range r.Got {
		if middle := r.Expected[i].middle; middle != 0 && math.Abs(got/middle-1) > math.Abs(worst) {
			worst = got/middle - 1
		}
	}
	return worst
}

// compare makes the row's result, of runs that other rows may have too.
func (r *Row) compare(ctx context.Context, c Command, all *runs) (res *Result, err error) {
	res = &Result{Row: r, Expected: r.Expected, Verdict: NotModelled, Reason: r.unmodelled}
	if r.measure == nil {
		return res, nil
	}
	l := &lab{ctx: ctx, command: c, gpu: r.GPU, runs: all}
	defer func() {
		if p := recover(); p != nil {
			failed, ok := p.(failure)
			if !ok {
				failed.error = bug{p}
			}
			res, err = nil, fmt.Errorf("%s: %w", r.Name(), failed.error)
		}
	}()
	if r.expect != nil {
		res.Expected = r.expect(l)
	}
	res.Got, res.Commands = r.measure(l), l.commands
	res.judge()
	return res, nil
}

// bug is a panic that is none of a lab's own.
type bug struct{ said any }

func (b bug) Error() string { return fmt.Sprint(b.said) }

// judge gives the result its verdict.
func (r *Result) judge() {
	holds := r.Holds == nil || r.Holds(r.Got)
	for i, v := range r.Got {
		holds = holds && r.Expected[i].has(v)
	}
	reason, known := knownMisses[r.Name()]
	switch {
	case !holds:
		r.Verdict, r.Reason = Misses, reason
		if !known {
			r.Reason = "it is not in the list of known misses"
		}
	case known:
		r.Verdict, r.Reason = Agrees, "it is in the list of known misses"
	case r.Kind == Input:
		r.Verdict = IsInput
	default:
		r.Verdict = Agrees
	}
}

// Rows is the table.
func Rows() []*Row {
	rows := slices.Concat(
		occupancyRows(), sharedRows(), globalRows(), chaseRows(), instructionRows(), warpRows(), gridRows(), streamRows(),
		textGridRows(), textOccupancyRows(), textSMRows(), textMemoryRows(),
	)
	slices.SortStableFunc(rows, func(a, b *Row) int {
		letterA, numberA := a.place()
		letterB, numberB := b.place()
		return cmp.Or(cmp.Compare(letterA, letterB), cmp.Compare(numberA, numberB))
	})
	return rows
}

// place is where an ID stands among others: 8.10 is behind 8.9, and B1 behind both.
func (r *Row) place() (letter byte, number int) {
	digits := strings.TrimPrefix(r.ID[1:], ".")
	number, err := strconv.Atoi(digits)
	if err != nil {
		panic("validate: row " + r.ID)
	}
	return r.ID[0], number
}

// Select is the rows of a GPU, or of all if it is "", whose IDs are among those given, or
// begin with one: 8 has 8.5, and B has B4, but 8.1 has not 8.11. If no ID is given it is all.
func Select(rows []*Row, gpu string, ids []string) []*Row {
	var some []*Row
	for _, r := range rows {
		if (gpu == "" || r.GPU == gpu) && (len(ids) == 0 || slices.ContainsFunc(ids, r.below)) {
			some = append(some, r)
		}
	}
	return some
}

// below reports whether the row's ID is id, or one of those of which id is the beginning.
func (r *Row) below(id string) bool {
	rest, ok := strings.CutPrefix(r.ID, id)
	isDigit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	return ok && id != "" && (rest == "" || !isDigit(rest) || !isDigit(id[len(id)-1:]))
}

// Run compares rows, several at a time, and hands on their results in order. It ends at
// the first error.
func Run(ctx context.Context, rows []*Row, c Command, jobs int, each func(*Result)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type compared struct {
		result *Result
		err    error
	}
	results := make([]chan compared, len(rows))
	for i := range results {
		results[i] = make(chan compared, 1)
	}
	all := &runs{by: make(map[string]func() ran)}
	next := make(chan int)
	var workers sync.WaitGroup
	defer workers.Wait()
	for range min(jobs, len(rows)) {
		workers.Go(func() {
			for i := range next {
				result, err := rows[i].compare(ctx, c, all)
				results[i] <- compared{result, err}
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range rows {
			select {
			case next <- i:
			case <-ctx.Done():
				results[i] <- compared{err: ctx.Err()}
			}
		}
	})
	for i := range results {
		r := <-results[i]
		if r.err != nil {
			cancel() // the others end soon
			if b, ok := errors.AsType[bug](r.err); ok {
				panic(b.said) // where the caller can see it
			}
			return r.err
		}
		each(r.result)
	}
	return nil
}
