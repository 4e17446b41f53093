package main

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/accuracy"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/plot"
)

// compareLaunches compares whole launches with those that were profiled on an H100, and writes the result.
func (o *validateOptions) compareLaunches(cmd *cobra.Command, out *bufio.Writer, names []string) error {
	switch {
	case o.jobs < 1:
		return &usageError{msg: fmt.Sprintf("-j %d: expected a number of launches at a time, 1 or more", o.jobs)}
	case o.gpu != "" && o.gpu != accuracy.GPU:
		return &usageError{msg: fmt.Sprintf("--accuracy: launches were profiled on an %s only, not on %s", accuracy.GPU, o.gpu)}
	}
	format := ""
	if o.plot != "" {
		var err error
		if format, err = plot.Format(o.plot); err != nil {
			return &usageError{msg: "--plot: " + err.Error()}
		}
	}
	launches, err := selectLaunches(names)
	if err != nil {
		return err
	}
	results, err := accuracy.Run(cmd.Context(), launches, o.jobs)
	if err != nil {
		return err
	}
	if o.json {
		err = accuracy.WriteJSON(out, results)
	} else {
		accuracy.WriteText(out, results)
	}
	if err != nil || format == "" {
		return err
	}
	var picture bytes.Buffer
	if err := accuracy.Figure(results).Write(&picture, format); err != nil {
		return err
	}
	return written(0, writeFile(cmd, o.plot, picture.Bytes()))
}

// selectLaunches returns the profiled launches whose names begin with one of these; all without names.
func selectLaunches(names []string) ([]accuracy.Launch, error) {
	var some []accuracy.Launch
	for _, l := range accuracy.Launches() {
		if len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(l.Name(), name) }) {
			some = append(some, l)
		}
	}
	if len(some) == 0 {
		typed := strings.Join(names, " ")
		return nil, &usageError{msg: fmt.Sprintf("no launch %s; %s", typed, isa.Instead(typed, launchNames()))}
	}
	return some, nil
}

// launchNames returns the names of the profiled launches.
func launchNames() (names []string) {
	for _, l := range accuracy.Launches() {
		names = append(names, l.Name())
	}
	return names
}
