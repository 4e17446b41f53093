package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/report"
)

// saveReport saves the report of a run that ends with err and an exit code, if that was asked for.
func (o *runOptions) saveReport(cmd *cobra.Command, r *report.Run, err error, code int) error {
	if o.output == "" {
		return nil
	}
	text, failed := json.Marshal(report.NewDocument(r, err, code))
	if failed != nil {
		panic("simtrun bug: " + failed.Error())
	}
	failed = writeFile(cmd, o.output, append(text, '\n'))
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
		return nil, &usageError{msg: err.Error()}
	}
	d, err := report.ReadDocument(text)
	if err != nil {
		return nil, &usageError{msg: fmt.Sprintf("%s is no report that run or profile saved with -o: %v", path, err)}
	}
	return d, nil
}

// reportOptions are the flags of the report command.
type reportOptions struct {
	json bool
}

func newReportCommand() *cobra.Command {
	o := &reportOptions{}
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show the report of a run that was saved with -o",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.show(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.json, "json", false, "print one JSON object, as docs/report.schema.json describes it")
	return cmd
}

func (o *reportOptions) show(cmd *cobra.Command, path string) error {
	d, err := readReport(path, cmd.InOrStdin())
	if err != nil {
		return err
	}
	if !o.json {
		return &usageError{msg: "pages of a saved run are not supported yet; --json prints all of it"}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return errors.Join(err)
	}
	return written(cmd.OutOrStdout().Write(append(text, '\n')))
}
