package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/report"
	"github.com/simtrun/simtrun/report/pprof"
)

// pictureOptions are the files that a report is drawn in.
type pictureOptions struct {
	pprof string
}

func (o *pictureOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.pprof, "pprof", "", "write the report to a `FILE` for go tool pprof")
}

// any reports whether there is something to draw.
func (o *pictureOptions) any() bool { return o.pprof != "" }

// write draws a report, if that was asked for and a launch has begun.
func (o *pictureOptions) write(cmd *cobra.Command, d *report.Document) error {
	if o.pprof == "" || d == nil || len(d.Launches) == 0 {
		return nil
	}
	data, err := pprof.Encode(d)
	if err != nil {
		return err
	}
	return writePicture(cmd, o.pprof, "profile", data)
}

// writePicture writes a file, which is called what it is in messages.
func writePicture(cmd *cobra.Command, path, what string, data []byte) error {
	err := writeFile(cmd, path, data)
	if err != nil && cmd.Context().Err() == nil {
		err = &codedError{exitIO, fmt.Errorf("%s not written: %w", what, err)}
	}
	return err
}
