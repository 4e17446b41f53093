package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/debugger"
	"github.com/simtrun/simtrun/launch"
)

// debugOptions are the flags of the debug command that are no directives.
type debugOptions struct {
	runOptions
	commandFile string   // of -x
	commands    []string // of -e
	batch       bool
}

func newDebugCommand() *cobra.Command {
	o := &debugOptions{runOptions: runOptions{jobs: 1}}
	cmd := &cobra.Command{
		Use:   "debug FILE...",
		Short: "Step through a kernel and look at its lanes",
		Long: "Step through a kernel and look at its lanes. Commands come from -x, then from -e, then\n" +
			"from the terminal or standard input; 'simtrun debug FILE -e help --batch' lists them.",
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return o.debug(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	f.StringVar(&o.script, "script", "", "run script `FILE`: directives, one a line")
	f.StringVarP(&o.commandFile, "command-file", "x", "", "carry out the commands in `FILE`, one a line, first")
	f.StringArrayVarP(&o.commands, "execute", "e", nil, "carry out a `COMMAND`; repeatable")
	f.BoolVar(&o.batch, "batch", false, "end after -x and -e, with the exit code that the launch would have")
	completeDebug(cmd)
	return cmd
}

// debug carries out the debug command.
func (o *debugOptions) debug(cmd *cobra.Command, files []string) error {
	plan, err := o.plan(cmd.Flags(), files)
	if err != nil {
		return err
	}
	script, err := o.given()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(resultWriter{cmd.OutOrStdout()})
	plan.Config.Stdout = out
	d, err := debugger.New(debugger.Config{Out: out, Sources: o.sources, Prepare: preparing(plan)})
	if err != nil {
		return errors.Join(err, out.Flush())
	}
	s := &debugSession{d, out}
	if err = s.carryOut(cmd.Context(), &echoed{script, s}); err == io.EOF {
		err = s.carryOut(cmd.Context(), o.reader(cmd, s))
	}
	switch {
	case errors.Is(err, debugger.ErrQuit), err == io.EOF:
		err = nil
	case err != nil:
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if failure := d.Failure(); o.batch && failure != nil {
		return &codedError{errorCode(failure), failure}
	}
	return err
}

// preparing makes machines for the debugger.
func preparing(plan *launch.Plan) func() (*debugger.Program, error) {
	return func() (*debugger.Program, error) {
		ready, err := plan.Prepare()
		if err != nil {
			return nil, err
		}
		return &debugger.Program{Machine: ready.Machine, Launches: ready.Launches, Regions: ready.Regions}, nil
	}
}

// given is the command lines of -x and -e.
func (o *debugOptions) given() (*bufio.Reader, error) {
	var text bytes.Buffer
	if o.commandFile != "" {
		file, err := os.ReadFile(o.commandFile)
		if err != nil {
			return nil, &usageError{msg: err.Error()}
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

// lineReader gives command lines until io.EOF.
type lineReader interface {
	// readLine shows the prompt and reads a line.
	readLine(prompt string) (string, error)
	// context is what a command runs under; cancel is called after it.
	context(ctx context.Context) (context.Context, context.CancelFunc)
}

// reader is where the commands come from after those of -x and -e.
func (o *debugOptions) reader(cmd *cobra.Command, s *debugSession) lineReader {
	in := cmd.InOrStdin()
	switch {
	case o.batch:
		in = strings.NewReader("")
	case isTerminalInput(in):
		if t, err := newTerminalLines(s.d.Complete); err == nil {
			return t
		}
	}
	return &echoed{bufio.NewReader(in), s}
}

// debugSession is a debugger and where its text goes.
type debugSession struct {
	d   *debugger.Debugger
	out *bufio.Writer
}

// carryOut carries out command lines until one of them quits or there are no
// more, which is io.EOF. What is wrong with one is printed.
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
		switch {
		case errors.Is(err, debugger.ErrQuit):
			return err
		case err != nil:
			fmt.Fprintln(s.out, err)
		}
		if ended := endedBy(ctx, lines); ended != nil {
			return ended
		}
	}
}

// endedBy is the error of a context that is to end the session: at a terminal,
// Ctrl-C ends a command only.
func endedBy(ctx context.Context, lines lineReader) error {
	err := ctx.Err()
	if _, terminal := lines.(*terminalLines); terminal && !terminated(ctx) {
		return nil
	}
	return err
}

// terminated reports whether SIGTERM has ended ctx.
func terminated(ctx context.Context) bool {
	i, ok := errors.AsType[interrupted](context.Cause(ctx))
	return ok && i.signal == syscall.SIGTERM
}

// echoed is lines that nobody types: each is printed behind the prompt, as if
// somebody did.
type echoed struct {
	lines *bufio.Reader
	s     *debugSession
}

func (e *echoed) readLine(prompt string) (string, error) {
	line, err := e.lines.ReadString('\n')
	if line == "" && err != nil {
		return "", err
	}
	line = strings.TrimRight(line, "\r\n")
	fmt.Fprintf(e.s.out, "%s%s\n", prompt, line)
	return line, nil
}

func (e *echoed) context(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
