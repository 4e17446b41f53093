// Package validate compares the results of simtrun with published figures and definitions: a table of rows, each of
// which runs kernels of this package through the command and reads its JSON. Neither the package nor its kernels use
// knowledge of the model.
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

	"github.com/simtrun/simtrun/internal/sorted"
)

// Kind is the kind of agreement that a row requires.
type Kind string

// The kinds of rows.
const (
	Rule       Kind = "rule"       // it follows from a definition, or from a documented rule
	Input      Kind = "input"      // the figure is an input of the model: the row checks that it has its effect
	Prediction Kind = "prediction" // measured on a GPU, and not an input
)

// Row is one comparison: a figure, or figures at several points.
type Row struct {
	ID       string   // number of the table that it is from: 8.5, B4
	GPU      string   // the preset
	What     string   // the compared quantity
	At       []string // the points; nil if there is one
	Source   string   // of the expected figures
	Kind     Kind
	Expected []Band // for each point; nil if expect computes it
	// Holds, unless it is nil, reports whether the row agrees. It is for rows that predict only a direction.
	Holds func(got []float64) bool
	Long  bool // takes more than a second or two
	// measure determines the figures. It is nil if their subject is not modelled.
	measure func(l *lab) []float64
	// expect, unless it is nil, computes the expected figures from the inputs of a kernel.
	expect func(l *lab) []Band
	// unmodelled says why measure is nil.
	unmodelled string
}

// Name returns the row's name, which is unique.
func (r *Row) Name() string { return r.ID + " " + r.GPU + " " + r.What }

// Verdict is the outcome of a comparison.
type Verdict string

// The verdicts.
const (
	IsInput     Verdict = "input" // it agrees, as an input of the model
	Agrees      Verdict = "agrees"
	Misses      Verdict = "misses"
	NotModelled Verdict = "not modelled"
)

// Result is a row with its figures.
type Result struct {
	*Row
	Expected []Band    // for each point
	Got      []float64 // nil if not modelled
	Verdict  Verdict
	Reason   string   // why it misses, if that is known, or is not modelled
	Commands []string // executed command lines, as typed
}

// Unexpected reports whether the row misses without being in the list of known misses, or is in the list and does not
// miss.
func (r *Result) Unexpected() bool {
	_, known := knownMisses[r.Name()]
	return known != (r.Verdict == Misses)
}

// off returns the largest relative deviation from the expected figures; 0 if none has a middle.
func (r *Result) off() float64 {
	worst := 0.0
	for i, got := range r.Got {
		if middle := r.Expected[i].middle; middle != 0 && math.Abs(got/middle-1) > math.Abs(worst) {
			worst = got/middle - 1
		}
	}
	return worst
}

// compare computes the row's result, with runs shared between rows.
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

// bug is a panic other than a failure.
type bug struct{ said any }

func (b bug) Error() string { return fmt.Sprint(b.said) }

// judge sets the verdict.
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

// Rows returns the table.
func Rows() []*Row {
	rows := slices.Concat(
		occupancyRows(), sharedRows(), globalRows(), chaseRows(), instructionRows(), warpRows(), gridRows(), streamRows(), seriesRows(),
		textGridRows(), textOccupancyRows(), textSMRows(), textMemoryRows(),
	)
	sorted.Stable(rows, func(a, b *Row) int {
		letterA, numberA := a.place()
		letterB, numberB := b.place()
		return cmp.Or(cmp.Compare(letterA, letterB), cmp.Compare(numberA, numberB))
	})
	return rows
}

// place is the sort key of an ID: 8.10 comes after 8.9, and B1 after both.
func (r *Row) place() (letter byte, number int) {
	digits := strings.TrimPrefix(r.ID[1:], ".")
	number, err := strconv.Atoi(digits)
	if err != nil {
		panic("validate: row " + r.ID)
	}
	return r.ID[0], number
}

// Select returns the rows of a GPU (all GPUs for "") with one of the given IDs or prefixes: 8 selects 8.5, and B
// selects B4, but 8.1 does not select 8.11. Without IDs it returns all rows.
func Select(rows []*Row, gpu string, ids []string) []*Row {
	var some []*Row
	for _, r := range rows {
		if (gpu == "" || r.GPU == gpu) && (len(ids) == 0 || slices.ContainsFunc(ids, r.below)) {
			some = append(some, r)
		}
	}
	return some
}

// below reports whether the row's ID is id, or begins with it.
func (r *Row) below(id string) bool {
	rest, ok := strings.CutPrefix(r.ID, id)
	isDigit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	return ok && id != "" && (rest == "" || !isDigit(rest) || !isDigit(id[len(id)-1:]))
}

// Run compares rows concurrently, and passes on their results in order. It ends at the first error.
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
			cancel() // ends the others soon
			if b, ok := errors.AsType[bug](r.err); ok {
				panic(b.said) // the caller can recover it
			}
			return r.err
		}
		each(r.result)
	}
	return nil
}
