package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
)

// pageOptions select the page of a report and its form.
type pageOptions struct {
	page string // "": none
	csv  bool
	json bool

	pictures pictureOptions
}

// check refuses invalid combinations.
func (o *pageOptions) check() error {
	switch {
	case o.csv && o.json:
		return &usageError{msg: "--csv and --json cannot be combined"}
	case o.page != "" && !slices.Contains(report.PageNames(), o.page):
		return badValue("page", o.page, isa.Unknown("page", o.page, report.PageNames()))
	}
	return nil
}

// chosen returns the selected page, or the first.
func (o *pageOptions) chosen() report.Page {
	if o.page == "" {
		return report.Pages()[0]
	}
	page, err := report.ParsePage(o.page)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return page
}

// writePage prints the selected page of the report, if any, in the given number of columns; 0 means unlimited. A
// write error stays in w.
func (o *pageOptions) writePage(w io.Writer, d *report.Document, columns int) {
	if o.page == "" || len(d.Launches) == 0 {
		return
	}
	io.WriteString(w, "\n")
	o.chosen().Write(w, d, columns)
}

func newMetricsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics [NAME|WORD]",
		Short: "List metrics with their units and definitions: all, or those that contain a word",
		Args:  arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return written(0, report.WriteMetrics(cmd.OutOrStdout()))
			}
			var text strings.Builder
			if err := report.WriteMetricsLike(&text, args[0]); err != nil {
				return &usageError{msg: explain(err)}
			}
			return written(io.WriteString(cmd.OutOrStdout(), text.String()))
		},
	}
}
