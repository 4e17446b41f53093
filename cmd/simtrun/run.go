package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/launch"
)

// divergenceModel is the only one there is yet.
const divergenceModel = "stack"

// runOptions are the flags of the run command that are no directives.
type runOptions struct {
	script  string
	json    bool
	quiet   bool
	verbose bool
}

func newRunCommand() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run a kernel and print its results (the default command)",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	f.StringVar(&o.script, "script", "", "run script: directives, one a line")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only dumps and errors")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the host's time, on standard error")
	return cmd
}

// addDirectiveFlags adds the flags that are directives by another way; package
// launch reads their values.
func addDirectiveFlags(f *pflag.FlagSet) {
	f.String("kernel", "", "kernel to launch (default the first)")
	f.String("grid", "", "blocks, X[xY[xZ]] (default 1)")
	f.String("block", "", "threads per block, X[xY[xZ]] (default .reqntid, else the header's, else 32)")
	f.String("shared", "", "bytes of dynamic shared memory per block (default 0)")
	f.StringArray("arg", nil, "argument, NAME=A or INDEX=A: a number, a buffer or zeros:N:TYPE, iota:N:TYPE …")
	f.StringArray("symbol", nil, "set a module variable before the run, NAME=VALUE")
	f.StringArray("dump", nil, "print a buffer after the run, NAME[:TYPE[:COUNT]]")
	f.StringArray("save", nil, "write a buffer's bytes after the run, NAME=FILE")
	f.StringArray("expect", nil, "check memory after the run, 'NAME[I:J] == V …'")
	f.String("max-steps", "", "most warp instructions of one warp (default 1e9)")
	f.String("divergence", "", "where diverged lanes meet again: stack (the default)")
	f.String("path-order", "", "which side of a divergent branch runs first: taken (the default), fallthrough, majority")
	f.Bool("functional", false, "no clock; there is none yet")
}

// run carries out the run command. Whatever happens, the JSON object is
// printed when it was asked for.
func (o *runOptions) run(cmd *cobra.Command, files []string) error {
	ctx, start := cmd.Context(), time.Now()
	// What kernels print comes before the results, or apart from the JSON object.
	prints := bufio.NewWriter(cmd.OutOrStdout())
	if o.json {
		prints.Reset(cmd.ErrOrStderr())
	}
	res, err := o.execute(ctx, cmd.Flags(), files, prints)
	if flushed := prints.Flush(); err == nil {
		err = written(0, flushed)
	}
	if err == nil && len(res.Failed) > 0 {
		err = errExpect
	}
	code := exitCode(ctx, err)
	if res != nil {
		code, err = firstError(code, err, saveAll(res.Saves))
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	switch {
	case o.json:
		writeJSON(out, res, err, code)
	case res != nil:
		writeText(out, res, err == nil || errors.Is(err, errExpect), o.quiet)
	}
	_, err = firstError(code, err, written(0, out.Flush()))
	if res != nil {
		writeFailures(cmd.ErrOrStderr(), res.Failed)
	}
	if o.verbose {
		fmt.Fprintf(cmd.ErrOrStderr(), "host time %.3f s\n", time.Since(start).Seconds())
	}
	return err
}

// firstError is, of a run's error and an error in writing its results, the one
// whose exit code wins.
func firstError(code int, err, writing error) (int, error) {
	if writing != nil && worse(code, exitIO) == exitIO {
		return exitIO, writing
	}
	return code, err
}

// execute reads, links and runs the files. Their headers count in order, a
// later one over those before. The result is nil if nothing could be run.
func (o *runOptions) execute(ctx context.Context, flags *pflag.FlagSet, files []string, prints io.Writer) (*launch.Result, error) {
	mod, sources, err := assemble(files)
	if err != nil {
		return nil, err
	}
	var layers []*launch.Layer
	for i, file := range files {
		header, err := launch.ParseHeader(file, filepath.Dir(file), sources[i])
		if err != nil {
			return nil, &codedError{exitProgram, err}
		}
		layers = append(layers, header)
	}
	if o.script != "" {
		script, err := readScript(o.script, flags)
		if err != nil {
			return nil, err
		}
		layers = append(layers, script)
	}
	words, err := directivesIn(flags)
	if err != nil {
		return nil, err
	}
	plan, err := launch.NewPlan(mod, append(layers, words)...)
	if err != nil {
		return nil, err
	}
	plan.Config.Stdout = prints
	return plan.Run(ctx)
}

// readScript reads a run script and sets the flags that stand in it, except
// those on the command line, which have the last word.
func readScript(name string, flags *pflag.FlagSet) (*launch.Layer, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, &usageError{msg: err.Error()}
	}
	l, err := launch.ParseScript(name, src, flagNames(flags))
	if err != nil {
		return nil, err
	}
	typed := make(map[string]bool)
	flags.Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	for _, f := range l.Flags {
		if f.Name == "script" || f.Name == "help" {
			return nil, &launch.Error{At: f.At, Msg: f.Name + " cannot stand in a script"}
		}
		if typed[f.Name] {
			continue
		}
		if err := flags.Set(f.Name, f.Value); err != nil {
			return nil, &launch.Error{At: f.At, Msg: err.Error()}
		}
	}
	return l, nil
}

// directivesIn is the layer of the directives among the flags given.
func directivesIn(flags *pflag.FlagSet) (*launch.Layer, error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	addDirectiveFlags(own)
	l := launch.NewFlags()
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if own.Lookup(f.Name) == nil {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err == nil {
				err = l.Set(f.Name, v, launch.Origin{Flag: "--" + f.Name + " " + v})
			}
		}
	})
	return l, err
}

// saveAll writes the files that were asked for.
func saveAll(saves []launch.Save) error {
	for _, s := range saves {
		if err := os.WriteFile(s.Path, s.Data, 0o666); err != nil {
			return &codedError{exitIO, fmt.Errorf("%s not saved: %w", s.Name, err)}
		}
	}
	return nil
}

// failurePlace names an expectation and where it stands; a flag is both.
func failurePlace(f launch.Failure) string {
	if f.At.Flag != "" {
		return f.At.Flag
	}
	return fmt.Sprintf("%s: expect %s", f.At, f.Expect)
}

// writeFailures reports the expectations that did not hold.
func writeFailures(w io.Writer, failed []launch.Failure) {
	for _, f := range failed {
		fmt.Fprintf(w, "%s: %d of %d elements differ\n", failurePlace(f), f.Differ, f.Compared)
		for _, m := range f.Mismatches {
			fmt.Fprintf(w, "  %s[%d] is %s, not %s\n", m.Name, m.Index, m.Got, m.Want)
		}
		if more := f.Differ - int64(len(f.Mismatches)); more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}
}
