package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/loopback"
	"github.com/simtrun/simtrun/internal/view"
	"github.com/simtrun/simtrun/internal/view/load"
	"github.com/simtrun/simtrun/internal/view/page"
)

// viewOptions are the flags of the view command that are not directives.
type viewOptions struct {
	runOptions
	timed   bool
	steps   int64
	history string
}

func newViewCommand() *cobra.Command {
	cmd, o := newViewCommandOf()
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.view(cmd, args) }
	return cmd
}

// newViewCommandOf makes the view command, and the options that its flags set.
func newViewCommandOf() (*cobra.Command, *viewOptions) {
	o := &viewOptions{runOptions: runOptions{jobs: 1}}
	cmd := &cobra.Command{
		Use:   "view FILE",
		Short: "Show a launch in a browser: warps, barriers, memory, step by step",
		Long: "Show a launch in a browser, step by step, forwards and backwards: the lanes of a warp, where\n" +
			"they diverge and reconverge, the barriers of its block, bank conflicts and sectors. The kernel\n" +
			"can be edited on the page. The page is served to this machine alone, at an address with a\n" +
			"secret word, which is printed; docs/view.md describes it.",
		Args: viewedFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	addClockFlags(f)
	addReadingFlags(f)
	f.StringVar(&o.script, "script", "", "read directives from the run script `FILE`, one per line (simtrun help directives)")
	f.BoolVar(&o.timed, "timed", false, "simulate with a clock: a step is a cycle")
	f.Int64Var(&o.steps, "steps", view.DefaultSteps, "stop after `N` warp instructions")
	f.StringVar(&o.history, "history", "256M", "use at most `SIZE` of memory for copies of the state, from which the page goes backwards")
	completeView(cmd)
	return cmd, o
}

// viewedFiles checks that a command line names one file, which is not standard input.
func viewedFiles(cmd *cobra.Command, args []string) error {
	if err := someFiles(cmd, args); err != nil {
		return err
	}
	if len(args) > 1 || args[0] == stdinPath {
		return &usageError{"view shows one file, which can be edited", helpPage(cmd)}
	}
	return nil
}

// view serves the page until the context ends.
func (o *viewOptions) view(cmd *cobra.Command, files []string) error {
	history, err := launch.ParseSize(o.history)
	if err != nil {
		return &usageError{msg: fmt.Sprintf("--history: %v", err)}
	}
	if o.steps < 1 {
		return &usageError{msg: fmt.Sprintf("--steps %d: expected a number of instructions, 1 or more", o.steps)}
	}
	if _, err := directivesIn(cmd.Flags()); err != nil {
		return err
	}
	switch info, err := os.Stat(files[0]); { // what is wrong in the file is shown on the page
	case err != nil:
		return &usageError{msg: explain(err) + meantFile(files[0])}
	case info.IsDir():
		return &usageError{files[0] + " is a folder; view shows one file", helpPage(cmd)}
	}
	loader := &viewLoader{base: cmd, file: files[0]}
	session := view.New(view.Config{Load: loader.load, Text: load.Text, Steps: o.steps, History: history})
	server, err := loopback.Listen(loopback.Config{Files: page.Files(), Policy: page.Policy, Message: session.Message})
	if err != nil {
		return &codedError{exitIO, err}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s\n", server.URL())
	if flusher, ok := cmd.OutOrStdout().(interface{ Flush() error }); ok {
		if err := flusher.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "open this address in a browser of this machine; Ctrl-C ends\n")
	if err := server.Serve(cmd.Context()); err != nil && cmd.Context().Err() == nil {
		return &codedError{exitIO, err}
	}
	return cmd.Context().Err()
}

// settingFlags are the flags that are settings on the page.
var settingFlags = []string{"kernel", "grid", "block", "shared", "arg", "gpu", "divergence", "path-order", "timed"}

// settingsOf returns the settings that flags give.
func settingsOf(flags *pflag.FlagSet) view.Settings {
	text := func(name string) string { return flags.Lookup(name).Value.String() }
	args, _ := flags.GetStringArray("arg")
	timed, _ := flags.GetBool("timed")
	return view.Settings{Kernel: text("kernel"), Grid: text("grid"), Block: text("block"), Shared: text("shared"), Args: args, GPU: text("gpu"),
		Divergence: text("divergence"), PathOrder: text("path-order"), Timed: timed}
}

// settingWords returns settings as flags.
func settingWords(s *view.Settings) (words []string) {
	add := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name+"="+value)
		}
	}
	add("kernel", s.Kernel)
	add("grid", s.Grid)
	add("block", s.Block)
	add("shared", s.Shared)
	for _, arg := range s.Args {
		add("arg", arg)
	}
	add("gpu", s.GPU)
	add("divergence", s.Divergence)
	add("path-order", s.PathOrder)
	if s.Timed {
		add("timed", strconv.FormatBool(true))
	}
	return words
}

// viewedMemory is the memory of the host that a launch on the page may take, unless a flag says otherwise.
const viewedMemory = "1G"

// defaults sets flags that bound what a launch takes.
func (o *viewOptions) defaults(ctx context.Context, cmd *cobra.Command) error {
	cmd.SetContext(ctx)
	flags := cmd.Flags()
	for name, value := range map[string]string{"memory": viewedMemory, "max-steps": strconv.Itoa(load.WarpSteps)} {
		if !flags.Changed(name) {
			if err := flags.Set(name, cmp.Or(value)); err != nil {
				return err
			}
		}
	}
	return nil
}
