package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/timeline"
	"github.com/simtrun/simtrun/internal/trace"
)

// timelineOptions are the flags of a timeline.
type timelineOptions struct {
	file string
	size string

	recorder *timeline.Recorder // of the run
}

// usualTimeline is the size of a timeline for which no flag asks.
const usualTimeline = "50M"

func (o *timelineOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.file, "timeline", "", "write a timeline of SMs and warps to `FILE`, for ui.perfetto.dev; a name that ends in .gz compresses it")
	f.StringVar(&o.size, "timeline-size", usualTimeline, "limit the timeline to `SIZE` bytes, uncompressed")
}

// attach makes the launches of plan record a timeline, if requested, of the events that pass the trace's filters.
func (o *timelineOptions) attach(plan *launch.Plan, filters *trace.Options) error {
	size, err := launch.ParseSize(o.size)
	switch {
	case err != nil || size < 1<<20:
		return &usageError{msg: fmt.Sprintf("--timeline-size %s: expected a size such as 200M, 1M or more", o.size)}
	case o.file == "" && o.size != usualTimeline:
		return &usageError{msg: "--timeline-size needs --timeline FILE"}
	case o.file == "":
		return nil
	case plan.Clock == nil:
		return &usageError{msg: "--timeline needs a run with a clock"}
	case len(filters.Lines) > 0:
		return &usageError{msg: "--line-filter does not apply to a timeline, which has all lines"}
	}
	o.recorder = timeline.New(timeline.Options{Bytes: size, SMs: filters.SMs, Order: plan.Clock.Order, Cycles: filters.Cycles, Blocks: filters.Blocks, Warps: filters.Warps})
	record(plan, o.recorder)
	return nil
}

// record adds a recorder to the launches of plan, which have a clock.
func record(plan *launch.Plan, r sm.Recorder) {
	if plan.Clock.Recorder != nil {
		r = sm.Recorders{plan.Clock.Recorder, r}
	}
	plan.Clock.Recorder = r
}

// write writes the timeline, if any, and reports omissions on standard error.
func (o *timelineOptions) write(cmd *cobra.Command) error {
	if o.recorder == nil || !o.recorder.HasBegun() {
		return nil
	}
	w := o.recorder.Write()
	data := w.JSON
	if strings.HasSuffix(o.file, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(data)
		z.Close() // neither fails on a buffer
		data = b.Bytes()
	}
	for _, text := range w.LeftOut {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: left out: %s\n", o.file, text)
	}
	if err := writeResult(cmd, o.file, data); err != nil {
		return &codedError{exitIO, fmt.Errorf("timeline not written: %w", err)}
	}
	return nil
}
