package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// traceOptions are the flags for traces.
type traceOptions struct {
	kinds  []string // KIND[:FILE], at most one
	blocks string
	warps  string
	lines  string
	sms    string
	cycles string

	timeline timelineOptions
}

func (o *traceOptions) addFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&o.kinds, "trace", nil, "write a trace, `KIND[:FILE]`: "+strings.Join(trace.KindNames(), ", "))
	o.timeline.addFlags(f)
	f.StringVar(&o.blocks, "block-filter", "", "limit traces and the timeline to the blocks `NUMBERS`, as in 0,4-7")
	f.StringVar(&o.warps, "warp-filter", "", "limit traces and the timeline to the warps `NUMBERS` of each block")
	f.StringVar(&o.lines, "line-filter", "", "limit traces to the source lines `NUMBERS`")
	f.StringVar(&o.sms, "sm-filter", "", "limit --trace issue and the timeline to the SMs `NUMBERS` (timeline default: the first four SMs that get blocks)")
	f.StringVar(&o.cycles, "cycle-filter", "", "limit --trace issue and the timeline to the `CYCLES`, as in 0-999")
}

// attach makes the launches of plan write the requested trace and timeline. The trace goes to its file, or to out,
// interleaved with kernel output. The caller must call close.
func (o *traceOptions) attach(plan *launch.Plan, out io.Writer, cmd *cobra.Command) (close func() error, err error) {
	close = func() error { return nil }
	if len(o.kinds) > 1 {
		return close, &usageError{msg: fmt.Sprintf("--trace %s: a run writes one trace, and --trace %s is given already", o.kinds[1], o.kinds[0])}
	}
	kind := trace.Mask.String()
	if len(o.kinds) > 0 {
		kind = o.kinds[0]
	}
	name, file, toFile := strings.Cut(kind, ":")
	options, err := o.options(name)
	if err == nil {
		err = o.timeline.attach(plan, &options)
	}
	if err != nil || len(o.kinds) == 0 {
		return close, err
	}
	if toFile {
		f, err := openInPlace(cmd, file)
		if err != nil {
			return close, &codedError{exitIO, err}
		}
		b := bufio.NewWriter(resultWriter{f})
		out, close = b, func() error {
			err := cmp.Or(b.Flush(), written(0, f.Close()))
			if err == nil {
				noteWritten(cmd.Context(), file)
			}
			return err
		}
	}
	out = &stream{to: out}
	if options.Kind.IsTimed() {
		if plan.Clock == nil {
			return close, &usageError{msg: fmt.Sprintf("--trace %s needs a run with a clock", name)}
		}
		issues := trace.NewIssues(out, options)
		record(plan, issues)
		closeFile := close
		return func() error { return cmp.Or(issues.End(), closeFile()) }, nil
	}
	plan.Attach = func(m *interp.Machine, l *interp.Launch) (func() error, error) {
		t, err := trace.Attach(m, l, out, options)
		if err != nil {
			return nil, err
		}
		return t.End, nil
	}
	return close, nil
}

func (o *traceOptions) options(kind string) (trace.Options, error) {
	k, err := trace.ParseKind(kind)
	if err != nil {
		return trace.Options{}, badValue("trace", kind, err)
	}
	options := trace.Options{Kind: k}
	for _, f := range []struct {
		flag, text string
		to         *trace.Filter
	}{{"block-filter", o.blocks, &options.Blocks}, {"warp-filter", o.warps, &options.Warps}, {"line-filter", o.lines, &options.Lines}, {"sm-filter", o.sms, &options.SMs}, {"cycle-filter", o.cycles, &options.Cycles}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = trace.ParseFilter(f.text); err != nil {
			return options, badValue(f.flag, f.text, err)
		}
	}
	if !k.IsTimed() && o.timeline.file == "" && (o.sms != "" || o.cycles != "") {
		return options, &usageError{msg: "--sm-filter and --cycle-filter need --trace issue or --timeline: other traces have no clock"}
	}
	if len(o.kinds) == 0 && o.timeline.file == "" && o.blocks+o.warps+o.lines != "" {
		return options, &usageError{msg: "filters need --trace or --timeline"}
	}
	return options, nil
}

// isUntimed reports whether a requested trace needs a run without a clock.
func (o *traceOptions) isUntimed() bool {
	for _, kind := range o.kinds {
		name, _, _ := strings.Cut(kind, ":")
		if k, err := trace.ParseKind(name); err != nil || !k.IsTimed() {
			return true
		}
	}
	return false
}
