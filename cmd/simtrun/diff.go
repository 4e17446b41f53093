package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/report"
)

func newDiffCommand() *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two runs: time, counters, lines, dumped memory",
		Long: `Compare two runs: cycles, counters, source lines, and dumps. Each run is a file that
simtrun run or profile saved with -o or, in quotes, the arguments of simtrun run:

  simtrun diff before.run after.run
  simtrun diff 'transpose.s --grid 64' 'transpose_swizzle.s --grid 64'

The exit status is 1 if any of these differ. Differing conditions, such as the GPU, are printed, but
do not affect the exit status.`,
		Args: arguments(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error { return diff(cmd, args[0], args[1], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// diff executes the diff command.
func diff(cmd *cobra.Command, a, b string, asJSON bool) error {
	var runs [2]*report.Document
	for i, text := range []string{a, b} {
		var err error
		if runs[i], err = runOf(cmd, text); err != nil {
			return err
		}
	}
	d, out := report.NewDiff(runs[0], runs[1]), cmd.OutOrStdout()
	var err error
	if asJSON {
		text, failed := json.Marshal(d)
		if failed != nil {
			panic("simtrun bug: " + failed.Error())
		}
		err = written(out.Write(append(text, '\n')))
	} else {
		err = written(0, d.Write(out, columnsOf(out)))
	}
	if err == nil && d.Different {
		err = errDifferent
	}
	return err
}

// isSource reports whether a word names a source.
func isSource(word string) bool {
	return slices.Contains(sourceExtensions, strings.TrimPrefix(filepath.Ext(word), "."))
}

// runOf returns a run saved in a file, or executes a command line.
func runOf(cmd *cobra.Command, text string) (*report.Document, error) {
	if _, err := os.Stat(text); err == nil && !isSource(text) {
		return readReport(text, cmd.InOrStdin())
	}
	words, err := shellwords.Parse(text)
	if err != nil || len(words) == 0 {
		return nil, &usageError{msg: fmt.Sprintf("%q is neither a saved run nor a command line", text)}
	}
	if len(words) == 1 && !isSource(text) {
		return readReport(text, cmd.InOrStdin())
	}
	r, err := counted(cmd, words)
	if err != nil {
		return nil, err
	}
	if err = r.Err; err == nil {
		err = plainVerdict(r.Result)
	}
	return report.NewDocument(r, err, exitCode(cmd.Context(), err)), nil
}

// counted executes a command line with all counters, and prints nothing. The error says why the line cannot be
// executed.
func counted(cmd *cobra.Command, words []string) (*report.Run, error) {
	o := &runOptions{}
	line := &cobra.Command{Use: "run"}
	o.addFlags(line, "")
	colour := colourAuto
	line.PersistentFlags().Var(&colour, "color", "")
	line.SetContext(cmd.Context())
	line.SetIn(cmd.InOrStdin())
	line.SetOut(io.Discard)
	line.SetErr(cmd.ErrOrStderr())
	if err := line.ParseFlags(words); err != nil {
		return nil, flagError(line, err)
	}
	o.quiet, o.csv = true, true
	r := o.perform(line, line.Flags().Args())
	if r.Result == nil {
		return nil, r.Err
	}
	return r, nil
}
