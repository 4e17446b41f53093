package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/isa"
)

// laterCommands and laterFlags are parts of the interface that do not work yet.
var (
	laterCommands = []string{"check", "dap", "report", "diff", "gpu", "occupancy", "validate", "explain"}
	laterFlags    = []string{
		"gpu", "sched", "cta-order", "cost", "regs", "carveout", "idealised", "on-fault",
		"schedules", "min-severity", "max-findings", "suppress", "write-suppressions", "fail-on", "error-exitcode",
		"timeline", "pprof", "html", "o",
	}
)

// run executes one command line, without the program's name, and returns its
// exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return guarded(stderr, args, func() int {
		root := newRoot()
		began := false // a command: it answers for its own output
		root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
		words, err := impliedRun(args)
		if err == nil {
			root.SetArgs(words)
			root.SetOut(stdout)
			root.SetErr(stderr)
			err = root.ExecuteContext(ctx)
		}
		code := exitCode(ctx, err)
		if err != nil && !began && slices.Contains(args, "--json") {
			writeJSON(stdout, new(runOptions).report(nil, nil, err, code, ""))
		}
		if err != nil {
			printError(stderr, err, code, colourOf(root).on(stderr))
		}
		return code
	})
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "simtrun",
		Short:         "Run PTX kernels on a simulated SIMT machine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	colour := colourAuto
	root.PersistentFlags().Var(&colour, "color", "colours: "+strings.Join(colourModes, ", "))
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newRunCommand(), newDebugCommand(), newProfileCommand(), newMetricsCommand(), newTestCommand(), newAsmCommand(), newVersionCommand())
	root.AddCommand(helpTopics()...)
	completeRoot(root)
	return root
}

// colourOf is the value of --color.
func colourOf(cmd *cobra.Command) colourMode {
	return colourMode(cmd.Root().PersistentFlags().Lookup("color").Value.String())
}

// impliedRun puts the run command before a command line that begins with a
// file or with a flag.
func impliedRun(args []string) ([]string, error) {
	if len(args) > 0 && isCompletion(args[0]) {
		return completedRun(args), nil
	}
	if len(args) == 0 || namesCommand(args[0]) {
		return goTestFlag(args), nil
	}
	first := args[0]
	_, statErr := os.Stat(first)
	switch {
	case strings.HasPrefix(first, "-") || strings.ContainsAny(first, "./") || statErr == nil:
		return append([]string{"run"}, args...), nil
	case slices.Contains(laterCommands, first):
		return nil, &usageError{fmt.Sprintf("%s is not supported yet", first), "simtrun help"}
	}
	if near := isa.Nearest(first, commandNames()); near != "" {
		return nil, &usageError{fmt.Sprintf("no command or file %q; did you mean %s?", first, near), "simtrun help"}
	}
	return nil, &usageError{fmt.Sprintf("no command or file %q", first), "simtrun help"}
}

func commandNames() []string {
	names := []string{"help", "completion"}
	for _, c := range newRoot().Commands() {
		names = append(names, c.Name())
	}
	return names
}

// namesCommand reports whether the first word of a command line is a command,
// or asks for help on all of them.
func namesCommand(first string) bool {
	return slices.Contains(commandNames(), first) || first == "-h" || first == "--help"
}

// flagError says what is wrong with a flag, and what would do.
func flagError(cmd *cobra.Command, err error) error {
	hint := "simtrun help"
	if cmd.HasParent() {
		hint += " " + cmd.Name()
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return &usageError{err.Error(), hint}
	}
	name := unknown.GetSpecifiedName()
	dashed := "--" + name
	if unknown.GetSpecifiedShortnames() != "" {
		dashed = "-" + name
	}
	if slices.Contains(laterFlags, name) {
		return &usageError{dashed + " is not supported yet", hint}
	}
	if near := isa.Nearest(name, flagNames(cmd.Flags())); near != "" {
		return &usageError{fmt.Sprintf("no flag %s; did you mean --%s?", dashed, near), hint}
	}
	return &usageError{fmt.Sprintf("no flag %s", dashed), hint}
}

func flagNames(flags *pflag.FlagSet) []string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// someFiles checks that a command line names a file or more.
func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{fmt.Sprintf("no file; it is written simtrun %s FILE", cmd.Name()), "simtrun help " + cmd.Name()}
	}
	return nil
}

func newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return written(fmt.Fprintln(cmd.OutOrStdout(), versionText()))
		},
	}
}

func versionText() string {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	return fmt.Sprintf("simtrun %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// resultWriter marks the errors of writing results as such.
type resultWriter struct{ w io.Writer }

func (r resultWriter) Write(text []byte) (int, error) {
	n, err := r.w.Write(text)
	return n, written(n, err)
}

// written marks the error of writing a result as such.
func written(_ int, err error) error {
	if err != nil {
		return &codedError{exitIO, err}
	}
	return nil
}
