package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/report/html"
	"github.com/simtrun/simtrun/internal/report/pprof"
	"github.com/simtrun/simtrun/internal/timeline"
)

// pictureOptions are the files for pictures of the report.
type pictureOptions struct {
	pprof string
	html  string

	history *timeline.Recorder // of the run, for html
}

func (o *pictureOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.pprof, "pprof", "", "write the report to `FILE` as a profile for go tool pprof")
	f.StringVar(&o.html, "html", "", "write the report to `FILE` as one HTML page with charts")
}

// any reports whether there is something to draw.
func (o *pictureOptions) any() bool { return o.pprof != "" || o.html != "" }

// attach makes the launches of plan record the data of the page's sections over time.
func (o *pictureOptions) attach(plan *launch.Plan) {
	if o.html != "" && plan.Clock != nil {
		o.history = timeline.New(timeline.Options{Counters: true})
		record(plan, o.history)
	}
}

// addHistory adds the recorded history to the report of a run.
func (o *pictureOptions) addHistory(d *report.Document) {
	if o.history != nil && o.history.HasBegun() {
		bin, warps, issued := o.history.Counted()
		d.History = &report.History{BinCycles: bin, Warps: warps, Issued: issued}
	}
}

// write draws the requested pictures, if a launch has begun.
func (o *pictureOptions) write(cmd *cobra.Command, d *report.Document) error {
	if d == nil || len(d.Launches) == 0 {
		return nil
	}
	if o.pprof != "" {
		data, err := pprof.Encode(d)
		if err != nil {
			return err
		}
		if err := writePicture(cmd, o.pprof, "profile", data); err != nil {
			return err
		}
	}
	if o.html == "" {
		return nil
	}
	var page bytes.Buffer
	if err := html.Write(&page, d); err != nil {
		return err
	}
	return writePicture(cmd, o.html, "page", page.Bytes())
}

// writePicture writes a file; what names it in messages.
func writePicture(cmd *cobra.Command, path, what string, data []byte) error {
	err := writeResult(cmd, path, data)
	if err != nil && cmd.Context().Err() == nil {
		err = &codedError{exitIO, fmt.Errorf("%s not written: %w", what, err)}
	}
	return err
}
