// Package golden runs golden tests: kernels with a run header, and text that pins the results of their runs.
//
// Pinned texts are sections of a txtar archive. A section is a line "-- NAME --" and the text after it, in
// NAME.golden for NAME.s, or after the source in one NAME.txtar. A golden file without such a line is the run's
// output. A case without sections is only run, and its expectations are checked.
package golden

import "github.com/simtrun/simtrun/internal/verdict"

// Outcome is the outcome of a case.
type Outcome struct {
	Case     string    // its file
	Runs     []string  // the machines, such as "stack taken"; "" for the header's own
	Pinned   bool      // it has sections
	Updated  bool      // they were rewritten
	Problems []Problem // none if the case passed
	Warnings []string  // findings that do not make the case fail
	// Findings are the findings of the runs. If a case pins its standard error, findings that are written there are
	// left out.
	Findings []verdict.Finding
}

// Fail adds a problem that all runs of the case have.
func (o *Outcome) Fail(text string) {
	o.Problems = append(o.Problems, Problem{Runs: o.Runs, All: true, Text: text})
}

// passed reports whether there are no problems.
func (o *Outcome) passed() bool { return len(o.Problems) == 0 }

// Problem is an unmet expectation, a failed run, or a section that differs.
type Problem struct {
	Runs    []string // the runs in Outcome.Runs with the problem
	All     bool     // all runs that the section covers, or all of the case, have it
	Section string   // "" if it is about the run itself
	Text    string   // description, one line or more
}
