package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/simtrun/simtrun/cuda"
)

// exitSignal is added to the number of the signal that ended a program, to form its exit status, as in shells.
const exitSignal = 128

// endOf returns a program's exit status and, if that is not 0, how it ended.
func endOf(p *os.ProcessState) (code int, how string) {
	if number, name, ok := endedBy(p); ok {
		return exitSignal + number, "was ended by " + name
	}
	return max(p.ExitCode(), 0), fmt.Sprintf("ended with exit status %d", p.ExitCode())
}

// killAfter is the time between SIGTERM and SIGKILL.
const killAfter = 5 * time.Second

// await runs a program to its end. It forwards signals, and ends the program at its time limit; late says that it did.
func (o *hostOptions) await(ctx context.Context, program *exec.Cmd, summary string) (late bool, err error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, forwarded...) // the terminal also signals the program, which decides how to end
	defer signal.Stop(signals)
	// SIGPIPE is ignored, and the program would inherit that. It might then run on when its output is not read.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err := program.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- program.Wait() }()
	var limit, kill <-chan time.Time
	var killed <-chan struct{} // by an editor
	if o.debug.editor != nil {
		killed = o.debug.editor.kill
	}
	var interrupts <-chan struct{} // by the user of panes
	if o.debug.terminal != nil {
		interrupts = o.debug.terminal.interrupts
	}
	if o.timeout > 0 {
		limit = time.After(time.Duration(o.timeout))
	}
	stop := func(s os.Signal) {
		if program.Process.Signal(s); s == syscall.SIGTERM {
			signalLaunching(summary, s, program.Process.Pid)
			kill = time.After(killAfter)
		}
	}
	end := func() {
		program.Process.Kill()
		signalLaunching(summary, syscall.SIGKILL, program.Process.Pid)
	}
	cancelled := ctx.Done()
	for {
		select {
		case err := <-ended:
			return late, err
		case <-cancelled:
			cancelled = nil
			s := os.Signal(os.Interrupt)
			if i, ok := context.Cause(ctx).(interrupted); ok {
				s = i.signal
			}
			stop(s)
		case s := <-signals:
			if s != os.Interrupt { // which ends ctx
				stop(s)
			}
		case <-limit:
			late = true
			stop(syscall.SIGTERM)
		case <-kill:
			end()
		case <-interrupts:
			interruptGroup(program)
		case <-killed:
			end()
		}
	}
}

// signalLaunching signals all processes that run a launch, except one. Without it, programs that a script started
// would continue after the script.
func signalLaunching(summary string, s os.Signal, but int) {
	f, err := os.Open(summary)
	if err != nil {
		return
	}
	defer f.Close()
	launches, _ := readLaunches(f)
	for _, l := range totalOf(launches).cut {
		if l.Process > 1 && l.Process != but {
			signalProcess(l.Process, s)
		}
	}
}

// readLaunches reads the output of the driver library: lines of JSON. The last line may be incomplete.
func readLaunches(from io.Reader) ([]cuda.Launched, error) {
	var all []cuda.Launched
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var l cuda.Launched
		if err := json.Unmarshal(bytes.TrimSpace(line), &l); err != nil {
			return nil, fmt.Errorf("the driver library's summary: %w", err)
		}
		all = append(all, l)
	}
}
