package main

import (
	"fmt"
	"strconv"
	"strings"
)

// exitStatuses are the exit statuses with their meanings, in Markdown without links. The help and docs/ci.md have this
// table.
var exitStatuses = []struct {
	status  int
	meaning string
}{
	{exitOK, "success: no finding that fails the run, and all expectations are met"},
	{exitFindings, "findings, such as races; unmet expectations; golden tests that fail; results that depend on the order of threads (`explore`); " +
		"runs, memory or layouts that differ (`diff`, `verify`, `fmt -l`); failed points of a `sweep`; no launch, with `--require-launch`"},
	{exitUsage, "a wrong command line, a missing file, or a launch that the kernel or the GPU does not allow"},
	{exitProgram, "the program does not compile or assemble, or its header has a mistake"},
	{exitFault, "a fault: an access past the end of a buffer, a trap"},
	{exitHang, "a hang: a deadlock, a livelock, or a limit of steps or time, such as `--timeout`"},
	{exitInternal, "a bug in simtrun"},
	{exitIO, "results could not be written"},
	{exitResumable, "interrupted, or points are missing (`sweep -o`, `sweep --merge`): repeat the command to continue"},
	{exitInterrupt, "interrupted (SIGINT)"},
	{exitTerminated, "terminated (SIGTERM)"},
}

// exitPage is the name of the page of help about exit statuses: exit alone is an instruction.
const exitPage = "exit-status"

// exitHelp returns that page.
func exitHelp() string {
	var b strings.Builder
	for _, s := range exitStatuses {
		for i, line := range wrapped(strings.ReplaceAll(s.meaning, "`", ""), 78) {
			label := ""
			if i == 0 {
				label = strconv.Itoa(s.status)
			}
			fmt.Fprintf(&b, "  %-5s %s\n", label, line)
		}
	}
	order := make([]string, 0, len(precedence))
	for _, status := range precedence[:len(precedence)-1] {
		order = append(order, strconv.Itoa(status))
	}
	return b.String() + `
If several apply, the status is the first of ` + strings.Join(order, ", ") + `.
With --error-exitcode N it is N for findings, faults and hangs, instead of 1, 4 and 5.

simtrun host ends with the first status that applies:
  2     the command line is wrong, or a command of -x or -e failed
  5     --timeout has ended the program
  N     findings fail the run, and --error-exitcode N is given
  own   the status of the program, if it is not 0; 128 + N if signal N ended it
  4     a launch had a fault
  5     a launch hung
  1     other findings fail the run; or no launch, with --require-launch
  0     otherwise

Output names the rule of a finding in brackets: simtrun explain RULE.`
}

// wrapped returns the lines of a text, which has no word longer than width.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
