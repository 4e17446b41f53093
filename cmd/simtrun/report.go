package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/report"
)

// document returns the report of a run that ended with err and an exit status; nil if no output needs it.
func (o *runOptions) document(r *report.Run, err error, code int) *report.Document {
	if o.output == "" && (r.Result == nil || o.page == "" && !o.csv && !o.pictures.any()) {
		return nil
	}
	d := report.NewDocument(r, err, code)
	if r.Err == nil {
		o.pictures.addHistory(d)
	}
	return d
}

// dumpCopies is how many bytes each byte of a dump takes while a report is saved: it becomes text of 4 characters for
// 3 bytes, in two copies.
const dumpCopies = 4

// saveReport saves the report of a run, if requested. Memory for dumps, which may be large, counts towards the run's
// limit.
func (o *runOptions) saveReport(cmd *cobra.Command, r *report.Run, d *report.Document) error {
	if o.output == "" {
		return nil
	}
	bytes := int64(0)
	for i := range d.Dumps {
		bytes += dumpCopies * int64(len(d.Dumps[i].Data))
	}
	if bytes > 0 {
		if err := r.Plan.Config.Budget.Take("the report "+o.output, bytes); err != nil {
			return err
		}
	}
	text, failed := json.Marshal(d)
	if failed != nil {
		panic("simtrun bug: " + failed.Error())
	}
	failed = writeResult(cmd, o.output, append(text, '\n'))
	switch {
	case failed != nil && cmd.Context().Err() != nil:
		return failed
	case failed != nil:
		return &codedError{exitIO, fmt.Errorf("report not saved: %w", failed)}
	}
	return nil
}

// readReport reads a report that was saved.
func readReport(path string, in io.Reader) (*report.Document, error) {
	var text []byte
	var err error
	if path == stdinPath {
		text, err = io.ReadAll(in)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, &usageError{msg: explain(err)}
	}
	d, err := report.ReadDocument(text)
	if err != nil {
		return nil, &usageError{msg: fmt.Sprintf("%s is not a report that run or profile saved with -o: %v", path, err)}
	}
	return d, nil
}

func newReportCommand() *cobra.Command {
	o := &pageOptions{}
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show the report of a run saved with -o, as text, CSV or JSON",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.show(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.page, "page", report.Pages()[0].Name, "print a `PAGE` of the report: "+strings.Join(report.PageNames(), ", "))
	f.BoolVar(&o.csv, "csv", false, "print the page as CSV")
	f.BoolVar(&o.json, "json", false, "print the whole report as one JSON object (simtrun.report/v1)")
	completeWords(cmd, "page", report.PageNames())
	o.pictures.addFlags(f)
	return cmd
}

// show prints a saved report in the selected form.
func (o *pageOptions) show(cmd *cobra.Command, path string) error {
	if err := o.check(); err != nil {
		return err
	}
	d, err := readReport(path, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if err := o.pictures.write(cmd, d); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if s := &d.Summary; s.Exit != 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: the run ended with exit status %d: %s\n", path, s.Exit, s.Message)
	}
	switch {
	case o.json:
		text, err := json.Marshal(d)
		if err != nil {
			panic("simtrun bug: " + err.Error())
		}
		return written(out.Write(append(text, '\n')))
	case o.csv:
		return written(0, o.chosen().WriteCSV(out, d))
	}
	return written(0, o.chosen().Write(out, d, columnsOf(out)))
}
