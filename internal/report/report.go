package report

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/internal/launch"
)

// Run is what a run came to.
type Run struct {
	Plan    *launch.Plan    // nil if there is none
	Result  *launch.Result  // nil if nothing was launched
	Printed *launch.Printed // what the kernels printed, if it was kept; may be nil
	Err     error           // that ended the run before its end, or nil
	Sources Sources         // of the program, as far as they are at hand

	// Untimed is the flag for which launches have no clock; "" if they have one, or
	// if none was wanted.
	Untimed string
	// GPU is the name of the GPU that was asked for; "" for none. It is used if there is no plan.
	GPU string
	// HostTime says that the JSON object has the host's CPU time of each launch.
	HostTime bool
}

// Sources are the lines of source files, by the name that positions have.
type Sources map[string][]string

// Lines are the lines of a text without their ends, and without a byte order
// mark.
func Lines(text []byte) []string {
	lines := strings.Split(strings.TrimPrefix(string(text), "\ufeff"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, "\r")
	}
	return lines
}

// line is line n of a file, from 1; "" if that is not at hand.
func (s Sources) line(file string, n int) string {
	lines := s[file]
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// Count is a number of things in words: "1 block", "2 blocks".
func Count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
