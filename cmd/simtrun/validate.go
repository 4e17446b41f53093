package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/validate"
)

// validateOptions are the flags of the validate command.
type validateOptions struct {
	gpu      string
	jobs     int
	json     bool
	accuracy bool
	plot     string // a file
}

func newValidateCommand() *cobra.Command {
	o := &validateOptions{}
	cmd := &cobra.Command{
		Use:   "validate [ROW]...",
		Short: "Compare the model with published measurements",
		Long: `Compare the model with published measurements and with definitions.
Each row of the table runs kernels of the folder internal/validate/kernels, as simtrun run does,
and reads their results. A row is an "input" if it agrees because the figure is an input of the
model; otherwise the row agrees, misses, or is not modelled.

Rows are selected by a prefix of their number, such as 8.5 or B. --json lists the commands
of each row. docs/validation.md has the table and its sources.

--accuracy compares the clock with an H100 instead, on whole launches that Nsight Compute profiled
with cold caches. It prints the cycles of each launch and, for each kind of kernel, the mean absolute
percentage error (MAPE), median, geometric mean and correlations. No parameter of the model was tuned
on launches of held-out kernels. Launches are selected by the beginning of their names.`,
		RunE: func(cmd *cobra.Command, ids []string) error { return o.validate(cmd, ids) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.gpu, "gpu", "", "compare only the rows of the preset `NAME`")
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "compare `N` rows at a time; the output does not depend on N")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.BoolVar(&o.accuracy, "accuracy", false, "compare the cycles of whole launches with an H100's")
	f.StringVar(&o.plot, "plot", "", "with --accuracy, plot simtrun's cycles against the H100's, to `FILE`.svg or .png")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		if o.accuracy {
			return launchNames(), cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		for _, r := range validate.Rows() {
			ids = append(ids, r.ID)
		}
		return slices.Compact(ids), cobra.ShellCompDirectiveNoFileComp
	}
	completeFlag(cmd, "gpu", completeGPU)
	completeNothing(cmd, "jobs")
	return cmd
}

// validate executes the validate command. With --json it prints an object even if there is an error.
func (o *validateOptions) validate(cmd *cobra.Command, ids []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	write := o.write
	if o.accuracy {
		write = func(ctx context.Context, out *bufio.Writer, names []string) error {
			return o.compareLaunches(cmd, out, names)
		}
	}
	err := write(cmd.Context(), out, ids)
	if err != nil && !isVerdict(err) && o.json {
		report.WriteJSON(out, &report.Run{}, err, exitCode(cmd.Context(), err))
	}
	if flushed := written(0, out.Flush()); flushed != nil && (err == nil || isVerdict(err)) {
		err = flushed
	}
	return err
}

// write compares rows and writes the table, row by row as they are done.
func (o *validateOptions) write(ctx context.Context, out *bufio.Writer, ids []string) error {
	rows, err := o.rows(ids)
	if err != nil {
		return err
	}
	if !o.json {
		validate.WriteHead(out)
	}
	var results []*validate.Result
	err = validate.Run(ctx, rows, commandLine, o.jobs, func(r *validate.Result) {
		results = append(results, r)
		if !o.json {
			r.WriteText(out)
			out.Flush()
		}
	})
	switch {
	case err != nil:
		return err
	case o.json:
		err = validate.WriteJSON(out, results)
	default:
		validate.WriteEnd(out, results)
	}
	if err == nil && validate.Summarise(results).Unexpected > 0 {
		err = errExpect
	}
	return err
}

// rows returns the rows that the command line selects.
func (o *validateOptions) rows(ids []string) ([]*validate.Row, error) {
	if o.jobs < 1 {
		return nil, &usageError{msg: fmt.Sprintf("-j %d: expected a number of rows at a time, 1 or more", o.jobs)}
	}
	if o.plot != "" {
		return nil, &usageError{msg: "--plot needs --accuracy"}
	}
	if o.gpu != "" {
		if _, err := gpu.Preset(o.gpu); err != nil {
			return nil, err
		}
	}
	rows := validate.Select(validate.Rows(), o.gpu, ids)
	if len(rows) == 0 {
		of := ""
		if o.gpu != "" {
			of = " of " + o.gpu
		}
		var all []string
		for _, r := range validate.Select(validate.Rows(), o.gpu, nil) {
			all = append(all, r.ID)
		}
		return nil, &usageError{msg: fmt.Sprintf("no row%s %s; %s", of, strings.Join(ids, " "), isa.Instead(strings.Join(ids, " "), slices.Compact(all)))}
	}
	return rows, nil
}

// commandLine executes a command line in this process.
func commandLine(ctx context.Context, stdin string, args ...string) ([]byte, int) {
	var out bytes.Buffer
	code := commandReading(ctx, strings.NewReader(stdin), args, &stream{to: &out}, &stream{to: io.Discard})
	return out.Bytes(), code
}
