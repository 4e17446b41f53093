package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
)

// laterCommands and laterFlags are parts of the interface that do not work yet.
var (
	laterCommands = []string{"check"}
	laterFlags    = []string{"on-fault", "schedules", "min-severity", "max-findings", "write-suppressions"}
)

// run executes one command line, without the program's name, and returns its exit status. When ctx ends, the command
// has graceTime to end. Then run returns without it, because opening a FIFO, or writing to a pipe that is not read,
// cannot be cancelled.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx = context.WithValue(ctx, resumableKey{}, &atomic.Bool{})
	results := &atomic.Int32{}
	ctx = context.WithValue(ctx, resultsKey{}, results)
	out, errs := &stream{to: stdout}, &stream{to: stderr}
	ended := make(chan int, 1)
	go func() {
		ended <- guarded(errs, args, func() int { return command(ctx, args, out, errs) })
	}()
	var late <-chan time.Time
	over := ctx.Done()
	patience := resultsGrace
	for {
		select {
		case code := <-ended:
			return code
		case <-over:
			over, late = nil, time.After(graceTime)
		case <-late:
			switch state := results.Load(); {
			case state == resultsWritten, state == programRuns:
				patience = resultsGrace
			case state == resultsWanted && patience > graceTime:
				patience -= graceTime
			default:
				return abandon(ctx, args, out, errs)
			}
			late = time.After(graceTime)
		}
	}
}

// graceTime is how long a command may take to end after its context has ended.
const graceTime = 150 * time.Millisecond

// resultsGrace is the grace period of a run that writes results to files: the kernel has to reach a point where it can
// stop.
const resultsGrace = 20 * graceTime

// abandon ends the output of a command that did not end in time. It prints the JSON object, unless the command has
// begun to write.
func abandon(ctx context.Context, args []string, out, errs *stream) int {
	err := ctx.Err()
	code := exitCode(ctx, err)
	if out.close() && slices.Contains(args, "--json") {
		report.WriteJSON(out.to, &report.Run{}, err, code)
	}
	errs.close()
	printError(errs.to, err, code, "simtrun help", "")
	return code
}

// command executes one command line. An output error counts even if the command ignores it.
func command(ctx context.Context, args []string, out, errs *stream) int {
	return commandReading(ctx, os.Stdin, args, out, errs)
}

// commandReading is command with another standard input.
func commandReading(ctx context.Context, in io.Reader, args []string, out, errs *stream) int {
	root := newRoot()
	root.SetIn(in)
	files := &wrote{}
	ctx = context.WithValue(ctx, wroteKey{}, files)
	began := false // a command ran, and is responsible for its own output
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := cmp.Or(checkLanes(cmd), checkValues(cmd))
		began = err == nil
		return err
	}
	cmd := root
	words, err := impliedRun(root, args)
	if err == nil {
		root.SetArgs(words)
		root.SetOut(out)
		root.SetErr(errs)
		refuseUnknown(root)
		cmd, err = root.ExecuteContextC(ctx)
	}
	files.print(errs, cmd)
	code := exitCode(ctx, err)
	if err != nil && !began && slices.Contains(args, "--json") {
		report.WriteJSON(out, &report.Run{}, err, code)
	}
	if code, err = firstError(ctx, code, err, written(0, out.end())); err != nil {
		printError(errs, err, code, helpPage(cmd), colourOf(root).on(errs))
	}
	errs.end()
	return code
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "simtrun",
		Short:         "Run, check, debug and profile CUDA kernels without a GPU",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	colour := colourAuto
	root.PersistentFlags().Var(&colour, "color", "colours: "+strings.Join(colourModes, ", "))
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(writeUsage)
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(newRunCommand(), newDebugCommand(), newDAPCommand(), newLSPCommand(), newViewCommand(), newProfileCommand(), newReportCommand(), newDiffCommand(), newMetricsCommand(), newExplainCommand(), newTestCommand(), newAsmCommand(), newFmtCommand(), newCCCommand(), newHostCommand(), newGPUCommand(), newOccupancyCommand(), newSweepCommand(), newExploreCommand(), newValidateCommand(), newVerifyCommand(), newVersionCommand())
	root.AddCommand(helpTopics()...)
	completeRoot(root)
	addPages(root, ownRevision())
	return root
}

// refuseUnknown makes completion for an unknown shell an error. cobra would print a help text.
func refuseUnknown(root *cobra.Command) {
	root.InitDefaultCompletionCmd() // for root's current output
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	completion.Use = "completion bash|zsh|fish|powershell"
	completion.Short = "Print shell completions (bash, zsh, fish, powershell)"
	completion.Long = "Print a script for a shell that completes commands, flags, files and values of simtrun.\n\n" +
		"  source <(simtrun completion bash)        completes in this shell; put the line into ~/.bashrc for all\n\n" +
		"'simtrun completion SHELL --help' explains how each shell loads its script."
	var shells []string
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	completion.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return &usageError{isa.Unknown("shell", args[0], shells).Error(), "simtrun help completion"}
	}
	for _, shell := range completion.Commands() {
		script := shell.RunE
		shells = append(shells, shell.Name())
		shell.Args = arguments(0, 0)
		shell.RunE = func(cmd *cobra.Command, args []string) error { return written(0, script(cmd, args)) }
	}
}

// helpPage names the command that shows the help of cmd.
func helpPage(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "simtrun help"
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return "simtrun help " + path
}

// colourOf returns the value of --color.
func colourOf(cmd *cobra.Command) colourMode {
	return colourMode(cmd.Root().PersistentFlags().Lookup("color").Value.String())
}

// impliedRun puts the run command before a command line that begins with a
// file or with a flag.
func impliedRun(root *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 && isCompletion(args[0]) {
		return completedRun(root, args), nil
	}
	if len(args) > 0 && args[0] == "--version" {
		return append([]string{"version"}, args[1:]...), nil
	}
	args = compilerFlags(goTestFlag(args))
	if err := oneDash(root, args); err != nil {
		return nil, err
	}
	if len(args) == 0 || namesCommand(root, args[0]) {
		return args, nil
	}
	first := args[0]
	_, statErr := os.Stat(first)
	switch {
	case strings.HasPrefix(first, "-") || strings.ContainsAny(first, "./") || statErr == nil:
		return append([]string{"run"}, args...), nil
	case slices.Contains(laterCommands, first):
		return nil, &usageError{fmt.Sprintf("%s is not supported yet", first), "simtrun help"}
	}
	meant := cmp.Or(isa.DidYouMean(first, commandNames(root)), meantFile(first))
	return nil, &usageError{fmt.Sprintf("no command or file %q%s", first, meant), "simtrun help"}
}

// commandNames returns the names of root's commands.
func commandNames(root *cobra.Command) []string {
	names := []string{"help", "completion"}
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// namesCommand reports whether the first word of a command line is a command,
// or asks for help on all of them.
func namesCommand(root *cobra.Command, first string) bool {
	return slices.Contains(commandNames(root), first) || first == "-h" || first == "--help"
}

// oneDash refuses a long flag with one dash, because pflag would read its letters as separate flags. It ignores the
// options of cc, and those of the program of host.
func oneDash(root *cobra.Command, args []string) error {
	if len(args) > 0 && (args[0] == ccName || args[0] == hostName) {
		return nil
	}
	page := "simtrun help run"
	if len(args) > 0 && namesCommand(root, args[0]) {
		page = "simtrun help " + args[0]
	}
	for _, arg := range args {
		word, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch {
		case arg == "--":
			return nil
		case len(word) > 1 && word[0] != '-' && arg[0] == '-' && (word == "help" || word == "version" || slices.Contains(longFlags(root), word)):
			return &usageError{fmt.Sprintf("no flag -%s; did you mean --%s?", word, word), page}
		}
	}
	return nil
}

// longFlags returns the long flags of all commands.
func longFlags(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, flagNames(c.Flags())...)
	}
	return names
}

func flagNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// someFiles checks that a command line names at least one file.
func someFiles(cmd *cobra.Command, args []string) error {
	if slices.Contains(args, "=") {
		return &usageError{"NAME=VALUE is one word: without blanks, or in quotes", helpPage(cmd)}
	}
	if len(args) == 0 {
		return &usageError{fmt.Sprintf("no file; expected simtrun %s FILE", cmd.Name()), "simtrun help " + cmd.Name()}
	}
	return nil
}

// resultWriter marks errors of w as errors of writing results.
type resultWriter struct{ w io.Writer }

func (r resultWriter) Write(text []byte) (int, error) {
	n, err := r.w.Write(text)
	return n, written(n, err)
}

// written marks an error as one of writing results.
func written(_ int, err error) error {
	if err != nil {
		return &codedError{exitIO, err}
	}
	return nil
}
