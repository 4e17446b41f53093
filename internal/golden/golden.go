// Package golden runs golden cases: kernels with a run header, and text that pins
// what their runs give.
//
// What a case pins stands in sections of a txtar archive, each a line
// "-- NAME --" and the text after it: in NAME.golden beside NAME.s, or behind
// the source in one NAME.txtar. A golden file without such a line is the run's
// output. A case without sections is only run: its expectations count.
package golden

// Outcome is how a case went.
type Outcome struct {
	Case     string    // its file
	Runs     []string  // the machines that it ran on, as in "stack taken"; "" for the header's own
	Pinned   bool      // it has sections
	Updated  bool      // they were rewritten
	Problems []Problem // none if it passed
}

// Passed reports whether all is as it should be.
func (o *Outcome) Passed() bool { return len(o.Problems) == 0 }

// Problem is something that is not as it should be.
type Problem struct {
	Runs    []string // of Outcome.Runs, in which it is so
	All     bool     // these are all that the section is for, or all of the case
	Section string   // "" if it is about the run itself
	Text    string   // what, in one line or more
}
