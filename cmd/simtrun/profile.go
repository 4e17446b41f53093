package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/launch"
	"github.com/simtrun/simtrun/report"
)

func pageNames() string {
	var names []string
	for _, p := range report.Pages() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// writePage prints the page of the report that was asked for, if one was, in so
// many columns, or as many as it takes if they are 0. Its error, if any, is w's,
// which keeps it.
func (o *runOptions) writePage(w io.Writer, res *launch.Result, columns int) {
	if o.page == "" || len(res.Launches) == 0 {
		return
	}
	page, err := report.ParsePage(o.page)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	io.WriteString(w, "\n")
	r := o.reported(res)
	r.Columns = columns
	page.Write(w, r)
}

// writeCSV prints the report as CSV. Its error is w's, too.
func (o *runOptions) writeCSV(w io.Writer, res *launch.Result) {
	if o.page == "source" {
		report.WriteLinesCSV(w, o.reported(res))
	} else {
		report.WriteCSV(w, o.reported(res))
	}
}

// reported is a result as package report takes it.
func (o *runOptions) reported(res *launch.Result) *report.Run {
	r := &report.Run{Source: o.sourceLine}
	for i := range res.Launches {
		r.Launches = append(r.Launches, reportOf(&res.Launches[i]))
	}
	return r
}

// sourceLine is a line of a source file, from 1, or "".
func (o *runOptions) sourceLine(file string, line int) string {
	lines := o.sources[file]
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[line-1], "\r")
}

func newMetricsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics",
		Short: "List the counters: name, unit, definition",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return written(0, report.WriteMetrics(cmd.OutOrStdout()))
		},
	}
}
