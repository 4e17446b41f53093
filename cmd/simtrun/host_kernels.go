package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/simtrun/simtrun/internal/cxx"
)

// mostKernels is how many kernels are listed.
const mostKernels = 10

// kernelColumn is the width of the names in the list. Figures of a longer name are in the next line.
const kernelColumn = 24

// writeLaunches writes the totals of all launches, and of kernels.
func (t *hostTotal) writeLaunches(w io.Writer) {
	fmt.Fprintf(w, "simtrun: %s of %s, %d warp instructions, %s\n", quantity(t.all.launches, "launch", "launches"), quantity(len(t.kernels), "kernel", "kernels"), t.all.instrs, t.all.time())
	for i := range t.kernels[:min(len(t.kernels), mostKernels)] {
		k := &t.kernels[i]
		launches := "launches"
		if k.launches == 1 {
			launches = "launch  "
		}
		name := cxx.Short(k.name)
		if utf8.RuneCountInString(name) > kernelColumn {
			fmt.Fprintf(w, "  %s\n", name)
			name = ""
		}
		fmt.Fprintf(w, "  %-*s %8d %s %14d instructions  %s\n", kernelColumn, name, k.launches, launches, k.instrs, k.time())
	}
	if more := len(t.kernels) - mostKernels; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	for _, note := range t.notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
}
