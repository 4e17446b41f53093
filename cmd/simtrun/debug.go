package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/golden"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/wholefile"
)

// debugOptions are the flags of the debug command that are not directives.
type debugOptions struct {
	runOptions
	commandFile string   // of -x
	commands    []string // of -e
	batch       bool
	timed       bool
	history     string
	races       string
	panes       bool // --tui
}

func newDebugCommand() *cobra.Command {
	cmd, _ := newDebugCommandOf()
	return cmd
}

// newDebugCommandOf makes the debug command, and the options that its flags set.
func newDebugCommandOf() (*cobra.Command, *debugOptions) {
	o := &debugOptions{runOptions: runOptions{jobs: 1}}
	cmd := &cobra.Command{
		Use:   "debug FILE...",
		Short: "Step through a kernel and inspect its lanes",
		Long: "Step through a kernel and inspect its lanes. Commands come from -x, then from -e, then\n" +
			"from the terminal or standard input; 'simtrun debug FILE -e help --batch' lists them.\n" +
			"If a command of -x or -e fails, the exit status is 2. Dumps, saves and expectations\n" +
			"are evaluated after the last launch has ended.",
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return o.debug(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	addClockFlags(f)
	addReadingFlags(f)
	f.BoolVar(&o.timed, "timed", false, "simulate with a clock: step by cycles, inspect schedulers, scoreboards and caches")
	f.StringVar(&o.script, "script", "", "read directives from the run script `FILE`, one per line (simtrun help directives)")
	addReplayFlag(f, &o.replay)
	f.StringVarP(&o.commandFile, "command-file", "x", "", "execute the commands in `FILE`, one per line, before all others")
	f.StringArrayVarP(&o.commands, "execute", "e", nil, "execute `COMMAND`; repeatable")
	f.StringVar(&o.races, "check", "", "`race`: check for races, at which 'break on finding' then stops")
	f.StringVar(&o.history, "history", "256M", "use at most `SIZE` of memory for copies of the state, which make going backwards fast; none: re-execute from the start")
	f.BoolVar(&o.batch, "batch", false, "exit after the commands of -x and -e, with the exit status of the run")
	f.BoolVar(&o.panes, "tui", false, "show source, lanes, warps and output in panes of the terminal")
	completeDebug(cmd)
	return cmd, o
}

// debug executes the debug command.
func (o *debugOptions) debug(cmd *cobra.Command, files []string) error {
	if slices.Contains(files, stdinPath) && !o.batch {
		return &usageError{msg: "debug reads commands from standard input, so the program needs a file name; or pass -e and --batch"}
	}
	script, err := o.given()
	if err != nil {
		return err
	}
	var output outputPane
	out, columns := bufio.NewWriter(resultWriter{cmd.OutOrStdout()}), func() int { return columnsOf(cmd.OutOrStdout()) }
	if o.panes {
		if err := o.canShowPanes(cmd); err != nil {
			return err
		}
		out = bufio.NewWriter(&output)
	}
	s := &debugSession{out: out, paint: colourOf(cmd).on(cmd.OutOrStdout()), cmd: cmd}
	if o.panes && s.paint != "" {
		s.paint = "\x1b" // which panes draw as it is
	}
	cfg := debugger.Config{Out: out, Ended: s.finish, ReadFile: readCommands, WriteFile: saveCommands, Dim: s.paint.Dim, Columns: columns}
	if err := o.begin(s, files, out, cfg); err != nil {
		return errors.Join(err, out.Flush())
	}
	given := &echoed{lines: script, s: s}
	if err = s.carryOut(cmd.Context(), given); err == io.EOF {
		var typed lineReader
		if typed, err = o.reader(cmd, s, &output); err == nil {
			err = s.carryOut(cmd.Context(), typed)
		}
	}
	if err != io.EOF && !errors.Is(err, debugger.ErrQuit) {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return o.outcome(cmd, s, given.failed)
}

// saveCommands writes a file of commands.
func saveCommands(name string, text []byte) error {
	return wholefile.Explain(os.WriteFile(name, text, 0o666))
}

// readCommands reads a file of commands.
func readCommands(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	return text, wholefile.Explain(err)
}

// begin begins the session of a debugger that is configured separately from the launches. prints receives the output of
// kernels.
func (o *debugOptions) begin(s *debugSession, files []string, prints io.Writer, cfg debugger.Config) error {
	o.variables, o.unoptimised = true, !o.timed // a clock is for the code that users run
	plan, err := o.plan(s.cmd, files)
	if err != nil {
		return err
	}
	if err := noMetrics(s.cmd.Flags()); err != nil {
		return err
	}
	if err := o.checkClock(s.cmd.Flags(), plan); err != nil {
		return err
	}
	history, err := o.historyBytes()
	if err != nil {
		return err
	}
	if o.races != "" && o.races != "race" {
		return &usageError{msg: fmt.Sprintf("--check %s: simtrun debug only checks for race; simtrun run has the other checks", o.races)}
	}
	plan.Config.Stdout = prints
	if s.prepare = plan.Prepare; o.replay != "" {
		if s.prepare, err = replayedPrepare(plan, o.replay); err != nil {
			return err
		}
	}
	cfg.Sources, cfg.Prepare, cfg.Clock, cfg.History, cfg.Races = o.sources, s.program, plan.Clock, history, o.races != ""
	s.d, err = debugger.New(cfg)
	return err
}

// historyBytes returns how much memory may be used for going back; -1 for none.
func (o *debugOptions) historyBytes() (int64, error) {
	if o.history == "none" {
		return -1, nil
	}
	n, err := launch.ParseSize(o.history)
	if err != nil {
		return 0, &usageError{msg: fmt.Sprintf("--history: %v, or none", err)}
	}
	return n, nil
}

// checkClock removes the clock from a plan unless the user asked for it, and then refuses flags about time.
func (o *debugOptions) checkClock(flags *pflag.FlagSet, plan *launch.Plan) error {
	if o.timed {
		if o.replay != "" {
			return &usageError{msg: "--replay needs launches without a clock: leave out --timed"}
		}
		if plan.Clock == nil {
			return &usageError{msg: "--timed: the launch is functional; --functional=false gives it a clock"}
		}
		return nil
	}
	plan.Clock = nil
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	addClockFlags(own)
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if own.Lookup(f.Name) != nil && err == nil {
			err = &usageError{msg: fmt.Sprintf("--%s needs launches with a clock: pass --timed", f.Name)}
		}
	})
	return err
}

// noMetrics refuses expectations on counters, because the debugger does not count.
func noMetrics(flags *pflag.FlagSet) error {
	wanted, err := flags.GetStringArray("expect")
	for _, text := range wanted {
		if strings.HasPrefix(strings.TrimSpace(text), "metric ") {
			return &usageError{msg: "--expect " + text + ": the debugger has no counters; simtrun run has"}
		}
	}
	return err
}

// outcome returns the error of a session that has ended: of the launches in a batch session, of failed commands that no
// user saw, and of flags that could not be carried out.
func (o *debugOptions) outcome(cmd *cobra.Command, s *debugSession, failed error) error {
	var worst error
	code := exitOK
	note := func(c int, err error) {
		if err != nil && worse(code, c) != code {
			code, worst = c, &codedError{c, err}
		}
	}
	note(exitIO, s.saving)
	if failed != nil {
		note(exitUsage, printedError{failed})
	}
	if failure := s.d.Failure(); o.batch && failure != nil {
		note(errorCode(failure), failure)
	}
	if o.batch {
		note(exitFindings, s.verdict)
	}
	for _, flag := range []string{"dump", "save", "expect"} {
		if cmd.Flags().Changed(flag) && !s.finished {
			note(exitFindings, fmt.Errorf("--%s applies when the last launch has ended, but the session ended before", flag))
		}
	}
	return worst
}

// given returns the command lines of -x and -e.
func (o *debugOptions) given() (*bufio.Reader, error) {
	var text bytes.Buffer
	if o.commandFile != "" {
		file, err := os.ReadFile(o.commandFile)
		if err != nil {
			return nil, &usageError{msg: explain(err)}
		}
		text.Write(file)
		if len(file) > 0 && file[len(file)-1] != '\n' {
			text.WriteByte('\n')
		}
	}
	for _, line := range o.commands {
		text.WriteString(line + "\n")
	}
	return bufio.NewReader(&text), nil
}

// lineReader returns command lines until io.EOF.
type lineReader interface {
	// readLine shows the prompt and reads a line.
	readLine(prompt string) (string, error)
	// context returns the context of a command; cancel is called after the command.
	context(ctx context.Context) (context.Context, context.CancelFunc)
	// answered records the error of the line that was read last, or nil.
	answered(err error)
}

// reader returns the source of commands after those of -x and -e. A terminal with panes shows output.
func (o *debugOptions) reader(cmd *cobra.Command, s *debugSession, output *outputPane) (lineReader, error) {
	in := cmd.InOrStdin()
	switch {
	case o.panes:
		return newPaneTerminal(cmd, s.d, output)
	case o.batch:
		in = strings.NewReader("")
	case isTerminalInput(in):
		if t, err := newTerminalLines(cmd.Context(), s.d.Complete); err == nil {
			return t, nil
		}
	}
	return &echoed{lines: bufio.NewReader(in), s: s}, nil
}

// debugSession is a debugger and its output.
type debugSession struct {
	d       *debugger.Debugger
	out     *bufio.Writer
	cmd     *cobra.Command
	paint   report.Paint
	prepare func(context.Context) (*launch.Prepared, error)
	ready   *launch.Prepared // the machine in use

	finished bool  // the last launch has ended, and the flags' requests are done
	verdict  error // of the expectations at that time
	saving   error
}

// program makes a machine for the debugger.
func (s *debugSession) program() (*debugger.Program, error) {
	ready, err := s.prepare(s.cmd.Context())
	if err != nil {
		return nil, err
	}
	s.ready, s.finished, s.verdict = ready, false, nil
	return golden.DebugProgram(ready), nil
}

// finish carries out dumps, saves and expectations after the last launch.
func (s *debugSession) finish() {
	res, unchecked, err := s.ready.Finish(s.cmd.Context())
	if err != nil {
		return // the session ends with this error
	}
	s.saving = saveAll(s.cmd, res.Saves)
	if s.saving != nil {
		fmt.Fprintln(s.out, s.saving)
	}
	golden.WriteFinish(s.out, res, unchecked, s.paint)
	s.finished, s.verdict = true, cmp.Or(err, plainVerdict(res))
}

// carryOut executes command lines until one quits, or until they end, which is io.EOF. It prints the errors of
// commands.
func (s *debugSession) carryOut(ctx context.Context, lines lineReader) error {
	if closer, ok := lines.(io.Closer); ok {
		defer closer.Close()
	}
	for {
		if err := s.out.Flush(); err != nil {
			return err
		}
		line, err := lines.readLine(s.d.Prompt())
		if err != nil {
			return err
		}
		during, cancel := lines.context(ctx)
		err = s.d.Execute(during, line)
		cancel()
		lines.answered(err)
		switch {
		case errors.Is(err, debugger.ErrQuit):
			return err
		case err != nil:
			fmt.Fprintln(s.out, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// echoed reads lines that are not typed. It prints each after the prompt, as if typed.
type echoed struct {
	lines  *bufio.Reader
	s      *debugSession
	failed error // of the first line that failed
}

func (e *echoed) readLine(prompt string) (string, error) {
	line, err := e.lines.ReadString('\n')
	if line == "" && err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	fmt.Fprintf(e.s.out, "%s%s\n", prompt, line)
	if strings.TrimSpace(line) == "" {
		return "#", nil // an empty line repeats the previous one at a terminal only
	}
	return line, nil
}

func (e *echoed) answered(err error) {
	if e.failed == nil && !errors.Is(err, debugger.ErrQuit) {
		e.failed = err
	}
}

func (e *echoed) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
