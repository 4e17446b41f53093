package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/hostlink"
)

// hostEditor is the part of a run of the host command that serves an editor.
type hostEditor struct {
	dap.HostProgram
	socket string
	kill   chan struct{} // ends the program at once
}

// environment returns the variables that are added to the program's environment. An editor shows at once what Python
// prints.
func (e *hostEditor) environment() []string {
	return append(append([]string{"PYTHONUNBUFFERED=1"}, e.Env...), hostlink.EnvEditor+"="+e.socket)
}

// outputWait is how long the output of a program is awaited after its end: other processes may still have it.
const outputWait = 2 * time.Second

// startHostForEditor starts a program of the host whose debugger an editor uses.
func startHostForEditor(ctx context.Context, p dap.HostProgram, to dap.Streams) (*dap.Process, error) {
	o := &hostOptions{}
	cmd := newHostCommandOf(o)
	root := newRoot()
	root.AddCommand(cmd)
	if err := cmd.ParseFlags(p.Words); err != nil {
		return nil, err
	}
	if o.debug.on || o.debug.commandFile != "" || o.debug.commands != nil {
		return nil, &usageError{msg: "type debugger commands in the editor's console: --debug, -x and -e do not apply"}
	}
	if _, err := libraryFolder(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(cmd.Flags().Args()[0]); err != nil {
		return nil, &usageError{msg: explain(err)}
	}
	folder, err := os.MkdirTemp("", "simtrun-debug-*")
	if err != nil {
		return nil, err
	}
	e := &hostEditor{HostProgram: p, socket: filepath.Join(folder, "socket"), kill: make(chan struct{}, 1)}
	l, err := net.Listen("unix", e.socket)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	debuggers, ended := make(chan io.ReadWriteCloser), make(chan int, 1)
	over := make(chan struct{})
	go accept(l, debuggers, over)
	o.debug.editor = e
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	cmd.SetContext(ctx)
	cmd.SetIn(strings.NewReader(""))
	cmd.SetOut(to.Kernel)
	cmd.SetErr(to.Notes)
	go func() {
		err := o.run(cmd, cmd.Flags().Args())
		code := exitCode(context.Background(), err)
		if err != nil {
			printError(cmd.ErrOrStderr(), err, code, "", "")
		}
		close(over)
		l.Close()
		os.RemoveAll(folder)
		ended <- code
	}()
	return &dap.Process{
		Debugger: debuggers, Ended: ended,
		Terminate: func() { cancel(interrupted{syscall.SIGTERM}) },
		Kill:      func() { e.kill <- struct{}{} },
	}, nil
}

// accept hands over the debuggers of a program's processes until it has ended.
func accept(l net.Listener, to chan<- io.ReadWriteCloser, over <-chan struct{}) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		select {
		case to <- conn:
		case <-over:
			conn.Close()
			return
		}
	}
}
