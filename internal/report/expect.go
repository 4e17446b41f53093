package report

import (
	"fmt"
	"io"

	"github.com/simtrun/simtrun/internal/launch"
)

// ExpectText counts the expectations: "2 passed, 1 failed".
func ExpectText(res *launch.Result, paint Paint) string {
	text := fmt.Sprintf("%d passed", res.Passed)
	if n := len(res.Failed); n > 0 {
		text += ", " + paint.Red(fmt.Sprintf("%d failed", n))
	}
	if res.LeftOut > 0 {
		text += fmt.Sprintf(", %d on counters left out: they apply to the header's launch", res.LeftOut)
	}
	if res.NoClock > 0 {
		text += fmt.Sprintf(", %d left out: the run has no clock", res.NoClock)
	}
	return text
}

// WriteFailures writes the unmet expectations.
func WriteFailures(w io.Writer, res *launch.Result, paint Paint) {
	for i := range res.Failed {
		f := &res.Failed[i]
		fmt.Fprintf(w, "%s: %s\n", f.Place(), paint.Red(f.What()))
		for _, line := range f.Details() {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// Expects is the outcome of the expectations.
type Expects struct {
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	LeftOut  int       `json:"left_out"`
	Failures []Failure `json:"failures"`
}

// Failure is an unmet expectation.
type Failure struct {
	Expect     string     `json:"expect"`
	At         string     `json:"at"`
	Compared   int64      `json:"compared"`
	Differ     int64      `json:"differ"`
	Mismatches []Mismatch `json:"mismatches"`
	Got        string     `json:"got,omitempty"` // of a metric
	Want       string     `json:"want,omitempty"`
}

// Mismatch is an element that differs.
type Mismatch struct {
	Index int64  `json:"index"`
	Got   string `json:"got"`
	Want  string `json:"want"`
}

func expectsOf(res *launch.Result) Expects {
	all := Expects{Passed: res.Passed, Failed: len(res.Failed), LeftOut: res.LeftOut + res.NoClock, Failures: []Failure{}}
	for _, f := range res.Failed {
		one := Failure{Expect: f.Expect, At: f.At.String(), Compared: f.Compared, Differ: f.Differ, Mismatches: []Mismatch{}, Got: f.Got, Want: f.Want}
		for _, m := range f.Mismatches {
			one.Mismatches = append(one.Mismatches, Mismatch{m.Index, m.Got, m.Want})
		}
		all.Failures = append(all.Failures, one)
	}
	return all
}
