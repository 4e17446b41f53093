package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/report"
)

// writePage prints the page of the report that was asked for, if one was, in so
// many columns, or as many as it takes if they are 0. Its error, if any, is w's,
// which keeps it.
func (o *runOptions) writePage(w io.Writer, r *report.Run, columns int) {
	if o.page == "" || len(r.Result.Launches) == 0 {
		return
	}
	page, err := report.ParsePage(o.page)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	io.WriteString(w, "\n")
	page.Write(w, r, columns)
}

// writeCSV prints the report as CSV. Its error is w's, too.
func (o *runOptions) writeCSV(w io.Writer, r *report.Run) {
	if o.page == "source" {
		report.WriteLinesCSV(w, r)
	} else {
		report.WriteCSV(w, r)
	}
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
