package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
)

// mostInOneList is how many flags a command may have whose help lists them without groups.
const mostInOneList = 16

// flagGroup is flags that the help of a command lists together.
type flagGroup struct{ title, names string }

// flagGroups are the groups in the order of the help. Flags that only one command has are in none, and come first.
var flagGroups = []flagGroup{
	{"What is run", "kernel grid block cluster shared cooperative arg symbol script threads stand-ins cc arch lax no-libdevice"},
	{"Results", "dump save profile expect"},
	{"The GPU", "gpu regs carveout idealised shared-init divergence path-order split"},
	{"The clock", "clock timed functional sched cta-order cost icache dual-issue sass"},
	{"Checks and findings", "check fail-on error-exitcode suppressions baseline replay require-launch"},
	{"The debugger", "debug listen command-file execute batch tui"},
	{"Limits", "max-steps max-launch-steps timeout launch-timeout memory history jobs"},
	{"Output", "page json csv output quiet verbose host-time ptx-lines report metrics log html pprof sarif sarif-category junit github help"},
	{"Traces", "trace timeline timeline-size block-filter warp-filter line-filter sm-filter cycle-filter"},
}

// writeFlags lists the flags of a command, by group if they are many.
func writeFlags(w io.Writer, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	lines := strings.Split(flagUsages(flags), "\n") // one for each flag that is not hidden
	if len(lines) <= mostInOneList {
		fmt.Fprintf(w, "\nFlags:\n%s\n", strings.Join(lines, "\n"))
		return
	}
	byGroup := make([][]string, 1+len(flagGroups))
	i := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			group := groupOf(f.Name)
			byGroup[group] = append(byGroup[group], lines[i])
			i++
		}
	})
	for group, lines := range byGroup {
		title := "Flags"
		if group > 0 {
			title = flagGroups[group-1].title
		}
		if len(lines) > 0 {
			fmt.Fprintf(w, "\n%s:\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
}

// groupOf returns the number of a flag's group, from 1; 0 if it is in none.
func groupOf(flag string) int {
	for i, g := range flagGroups {
		if slices.Contains(strings.Fields(g.names), flag) {
			return i + 1
		}
	}
	return 0
}

// flagUsages returns a line for each flag. It leaves out a default that the line already explains as "no limit".
func flagUsages(flags *pflag.FlagSet) string {
	flags.VisitAll(func(f *pflag.Flag) {
		if none := strings.TrimSuffix(f.DefValue, "s"); strings.HasSuffix(f.Usage, " "+none+" is no limit") {
			f.DefValue = "0" // pflag does not show it
		}
	})
	return strings.TrimRightFunc(flags.FlagUsages(), unicode.IsSpace)
}
