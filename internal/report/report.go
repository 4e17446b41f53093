package report

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/verdict"
)

// Run is the outcome of a run.
type Run struct {
	Plan    *launch.Plan    // nil if there is none
	Result  *launch.Result  // nil if nothing was launched
	Printed *launch.Printed // output of the kernels, if it was kept; may be nil
	Err     error           // error that ended the run early, or nil
	Sources Sources         // of the program, if available

	// Untimed is the flag that switches off the clock of launches; "" if they have one, or if the user wanted none.
	Untimed string
	// GPU is the name of the requested GPU; "" for none. It is used if there is no plan.
	GPU string
	// HostTime adds the host's CPU time of each launch to the JSON object.
	HostTime bool

	found   []Finding // all findings of the run, if they are judged
	verdict *verdict.Verdict
}

// Sources maps file names, as in positions, to lines.
type Sources map[string][]string

// Lines splits a text into lines without their ends, and without a byte order mark.
func Lines(text []byte) []string {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, "\r")
	}
	return lines
}

// line returns line n of a file, from 1; "" if it is not available.
func (s Sources) line(file string, n int) string {
	lines := s[file]
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// Count returns a number of things in words: "1 block", "2 blocks".
func Count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
