package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/hostlink"
)

// hostDebugOptions are the flags of host about the debugger.
type hostDebugOptions struct {
	on          bool
	commandFile string
	commands    []string
	panes       bool        // --tui
	listen      string      // where an editor attaches
	editor      *hostEditor // has the debugger instead of a terminal; nil for none
	terminal    *hostPanes  // nil without --tui
}

func (o *hostDebugOptions) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&o.on, "debug", false, "debug the program's launches; commands come from -x, then from -e, then from the terminal")
	f.StringVarP(&o.commandFile, "command-file", "x", "", "with --debug: execute the commands in `FILE`, one per line, before all others")
	f.StringArrayVarP(&o.commands, "execute", "e", nil, "with --debug: execute `COMMAND`; repeatable")
	f.BoolVar(&o.panes, "tui", false, "with --debug: show source, lanes, warps and output in panes of the terminal; the program has no standard input")
	f.StringVar(&o.listen, "listen", "", "in the first driver call, wait until an editor attaches at the TCP address `ADDR`, such as :4711")
}

// hostTerminal is the debugger's terminal: the debugger itself runs in the program. The program keeps its standard
// input and output, and the debugger's text goes to standard error. A program of several processes has a debugger in
// each, which take turns.
type hostTerminal struct {
	cmd    *cobra.Command
	editor *hostEditor
	folder string // of the socket; "" if nothing is debugged
	l      net.Listener
	tcp    net.Listener // for an editor; nil without one
	served sync.WaitGroup
	talks  sync.WaitGroup // with debuggers

	mu     sync.Mutex // its holder has the terminal
	given  *bufio.Reader
	remade int        // lines at its beginning that make again what the user has set
	typed  lineReader // nil before it is needed
	panes  *hostPanes // nil without --tui
	asking *hostlink.Terminal

	result sync.Mutex // of quit and failed, which processes set while another one waits for a line
	quit   bool
	again  *string // the program is to start over, with these lines
	failed error   // of the first line of -x and -e that failed
}

// begin opens the terminal, if the program is to be debugged. A terminal for one that is not does nothing.
func (o *hostDebugOptions) begin(cmd *cobra.Command, timed bool) (*hostTerminal, error) {
	t := &hostTerminal{cmd: cmd, editor: o.editor}
	if o.listen != "" {
		return t, t.listen(o, timed)
	}
	if !o.on {
		if o.commandFile != "" || o.commands != nil {
			return nil, &usageError{msg: "-x and -e give commands to the debugger: pass --debug, too"}
		}
		if o.panes {
			return nil, &usageError{msg: "--tui shows a debugger: pass --debug, too"}
		}
		return t, nil
	}
	if timed {
		return nil, &usageError{msg: "--debug needs launches without a clock; with a clock, debug a launch that --save has saved: simtrun debug --timed"}
	}
	var err error
	if t.given, err = (&debugOptions{commandFile: o.commandFile, commands: o.commands}).given(); err != nil {
		return nil, err
	}
	if err := t.open(); err != nil {
		return nil, err
	}
	if o.panes {
		if t.panes, err = newHostPanes(cmd); err != nil {
			os.RemoveAll(t.folder)
			return nil, err
		}
		t.typed, o.terminal = t.panes, t.panes
	}
	t.served.Go(t.accept)
	return t, nil
}

// open makes the socket.
func (t *hostTerminal) open() (err error) {
	if t.folder, err = os.MkdirTemp("", "simtrun-debug-*"); err != nil {
		return err
	}
	if t.l, err = net.Listen("unix", t.socket()); err != nil {
		os.RemoveAll(t.folder)
		t.folder = ""
	}
	return err
}

// listen waits for an editor, which is then connected to the debugger in the program.
func (t *hostTerminal) listen(o *hostDebugOptions, timed bool) error {
	switch {
	case o.on || o.panes || o.commandFile != "" || o.commands != nil:
		return &usageError{msg: "--listen waits for an editor: it cannot be combined with --debug, --tui, -x or -e"}
	case timed:
		return &usageError{msg: "--listen needs launches without a clock"}
	}
	at, err := parseListen(o.listen)
	if err != nil {
		return err
	}
	if t.tcp, err = net.Listen("tcp", at.String()); err != nil {
		return &usageError{msg: fmt.Sprintf("--listen %s: %v", o.listen, err)}
	}
	if err := t.open(); err != nil {
		t.tcp.Close()
		return err
	}
	t.served.Go(t.join)
	return nil
}

// join connects the debugger in the first process that uses the driver with the first editor. Other processes go on
// without one, as the first does once the editor has gone.
func (t *hostTerminal) join() {
	program, err := t.l.Accept()
	if err != nil {
		return
	}
	defer program.Close()
	go func() {
		for {
			if other, err := t.l.Accept(); err != nil {
				return
			} else {
				other.Close()
			}
		}
	}()
	fmt.Fprintf(t.cmd.ErrOrStderr(), "simtrun: waiting for an editor to attach at %s\n", t.tcp.Addr())
	editor, err := t.tcp.Accept()
	if err != nil {
		return
	}
	t.tcp.Close()
	go func() {
		io.Copy(program, editor)
		program.Close()
	}()
	io.Copy(editor, program)
	editor.Close()
}

func (t *hostTerminal) socket() string { return filepath.Join(t.folder, "socket") }

// folderOfProgram returns the folder in which the program runs, "" for the present one, and how long its output is
// awaited when it has ended, 0 for any time.
func (t *hostTerminal) folderOfProgram() (string, time.Duration) {
	switch {
	case t.editor != nil:
		return t.editor.Dir, outputWait
	case t.panes != nil:
		return "", outputWait
	}
	return "", 0
}

// connect connects the program's standard input and output.
func (t *hostTerminal) connect(program *exec.Cmd) {
	if t.panes != nil {
		program.Stdout, program.Stderr = t.panes.output, t.panes.output
		startsGroup(program)
		return
	}
	program.Stdin, program.Stdout, program.Stderr = t.cmd.InOrStdin(), unescaped(t.cmd.OutOrStdout()), unescaped(t.cmd.ErrOrStderr())
}

// out is where the debugger's text goes.
func (t *hostTerminal) out() io.Writer {
	if t.panes != nil {
		return t.panes.output
	}
	return t.cmd.ErrOrStderr()
}

// leave closes the panes, once the user has seen how the program has ended.
func (t *hostTerminal) leave(how string) {
	if t.panes == nil {
		return
	}
	t.l.Close()
	t.talks.Wait()
	if !t.quit {
		t.panes.leave(how)
	}
	t.panes.Close()
}

// environment returns the variables by which the driver library finds the terminal.
func (t *hostTerminal) environment() []string {
	if t.editor != nil {
		return t.editor.environment()
	}
	switch {
	case t.folder == "":
		return nil
	case t.tcp != nil:
		return []string{hostlink.EnvEditor + "=" + t.socket()}
	}
	at := []string{hostlink.Env + "=" + t.socket()}
	if t.panes != nil {
		at = append(at, "PYTHONUNBUFFERED=1") // its output is no terminal
	}
	return at
}

// close closes the terminal when the program has ended. It returns the error of the first line that failed, which was
// shown.
func (t *hostTerminal) close() error {
	if t.folder == "" {
		return nil
	}
	t.l.Close()
	if t.tcp != nil {
		t.tcp.Close()
	}
	t.served.Wait()
	t.talks.Wait()
	if closer, ok := t.typed.(io.Closer); ok {
		closer.Close()
	}
	os.RemoveAll(t.folder)
	t.folder = ""
	if t.failed != nil {
		return printedError{t.failed}
	}
	return nil
}

// accept serves the debuggers of all processes of the program.
func (t *hostTerminal) accept() {
	for {
		conn, err := t.l.Accept()
		if err != nil {
			return
		}
		t.talks.Go(func() {
			defer conn.Close()
			t.serve(hostlink.New[hostlink.Asks, hostlink.Says](conn))
		})
	}
}

// serve serves a debugger until its process ends.
func (t *hostTerminal) serve(link *hostlink.Terminal) {
	scripted := false
	for {
		m, err := link.Receive()
		switch {
		case err != nil:
			return
		case m.Quit:
			t.result.Lock()
			t.quit = true
			t.result.Unlock()
		case m.Again != nil:
			t.result.Lock()
			t.again = m.Again
			t.result.Unlock()
		case m.Out != "":
			fmt.Fprint(t.out(), m.Out)
		case m.Answered:
			t.result.Lock()
			if m.Failed != "" && scripted && t.failed == nil {
				t.failed = errors.New(m.Failed)
			}
			t.result.Unlock()
		case m.Prompt != "":
			var says hostlink.Says
			if says, scripted = t.read(link, m.Prompt); link.Send(says) != nil {
				return
			}
		}
	}
}

// hasQuit reports whether the user has ended the program by the command quit.
func (t *hostTerminal) hasQuit() bool {
	t.result.Lock()
	defer t.result.Unlock()
	return t.quit
}

// startsOver reports, once the program has ended, whether it is to start over, and puts the lines to begin with before
// those of -x and -e that are left.
func (t *hostTerminal) startsOver() bool {
	if t.folder == "" || t.tcp != nil {
		return false
	}
	over := make(chan bool)
	go func() { t.talks.Wait(); close(over) }()
	select {
	case <-over: // all that the debugger has sent was received
	case <-time.After(outputWait): // another process of the program goes on
	}
	t.result.Lock()
	defer t.result.Unlock()
	if t.again == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remade = strings.Count(*t.again, "\n")
	left, _ := io.ReadAll(t.given)
	t.given = bufio.NewReader(strings.NewReader(*t.again + string(left)))
	t.again = nil
	return true
}

// read reads a command line. scripted says that no user sees the answer.
func (t *hostTerminal) read(link *hostlink.Terminal, prompt string) (says hostlink.Says, scripted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panes != nil {
		says.Columns, says.Colour = t.panes.size().Columns, t.panes.colour
	} else if columns, ok := terminalWidth(t.cmd.ErrOrStderr()); ok {
		says.Columns, says.Colour = columns, colourOf(t.cmd).on(t.cmd.ErrOrStderr()) != ""
	}
	line, err := t.given.ReadString('\n')
	if line != "" {
		says.Line = strings.TrimRight(line, "\r\n")
		fmt.Fprintf(t.out(), "%s%s\n", prompt, says.Line)
		if strings.TrimSpace(says.Line) == "" {
			says.Line = "#"
		}
		if t.remade > 0 {
			t.remade--
			return says, false
		}
		return says, true
	}
	if err == io.EOF && t.typed == nil && isTerminalInput(t.cmd.InOrStdin()) {
		t.typed, _ = newTerminalLines(t.cmd.Context(), t.complete)
	}
	if t.typed == nil {
		says.End = true
		return says, true
	}
	t.asking = link
	if t.panes != nil {
		if says.Line, err = t.panes.ask(linkedPanes{t}, prompt); err != nil {
			says.End = true
		}
		return says, false
	}
	if says.Line, err = t.typed.readLine(prompt); err != nil {
		says.End = true
	}
	return says, false
}

// complete asks the debugger that waits for a line.
func (t *hostTerminal) complete(line string) []string {
	if t.asking.Send(hostlink.Says{Complete: "." + line}) != nil {
		return nil
	}
	m, err := t.asking.Receive()
	if err != nil || len(m.Words) == 0 {
		return nil
	}
	return m.Words[1:]
}
