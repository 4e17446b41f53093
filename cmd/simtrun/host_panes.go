package main

import (
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/hostlink"
	"github.com/simtrun/simtrun/internal/tui"
)

// drawEvery is the time between two looks at the output of a running program.
const drawEvery = 100 * time.Millisecond

// hostPanes is a terminal with panes for a debugger that runs in a program. The output pane also has what the program
// writes to its standard output and standard error.
type hostPanes struct {
	*paneTerminal
	output *outputPane
	colour bool
	over   chan struct{} // closed when the program's output is no longer followed

	interrupts chan struct{} // Ctrl-C while the program runs

	drawing sync.Mutex // its holder draws: the reader of a line, or the one who follows the output
	shown   *tui.Screen
}

// newHostPanes takes over the terminal until Close.
func newHostPanes(cmd *cobra.Command) (*hostPanes, error) {
	if err := needsPaneTerminal(cmd); err != nil {
		return nil, err
	}
	p := &hostPanes{output: new(outputPane), over: make(chan struct{}), interrupts: make(chan struct{}, 1), colour: colourOf(cmd).on(cmd.OutOrStdout()) != ""}
	var err error
	if p.paneTerminal, err = newPaneTerminal(cmd, messagePanes("the program has not called the driver yet"), p.output); err != nil {
		return nil, err
	}
	p.shown = p.panes()
	p.goOn()
	go p.follow()
	return p, nil
}

// messagePanes are the panes of a program without a debugger: a message in place of the source.
type messagePanes string

// Pane and Complete implement paneSource.
func (m messagePanes) Pane(p debugger.Pane, _, _ int) (lines []string, keep int) {
	if p == debugger.SourcePane {
		return []string{string(m)}, 0
	}
	return nil, 0
}

func (messagePanes) Complete(string) []string { return nil }

// goOn lets the program run: Ctrl-C then interrupts it, as it does at a terminal without panes.
func (p *hostPanes) goOn() {
	p.mu.Lock()
	p.cancel = func() {
		select {
		case p.interrupts <- struct{}{}:
		default: // the one before is on its way
		}
	}
	p.mu.Unlock()
	p.shown.Line = new(tui.Line)
	p.draw(p.shown, "(the program runs; Ctrl-C interrupts it) ")
}

// follow draws the output of the running program.
func (p *hostPanes) follow() {
	for {
		select {
		case <-p.over:
			return
		case <-p.ended:
			return
		case <-time.After(drawEvery):
		}
		if p.drawing.TryLock() {
			if p.output.changed() {
				p.draw(p.shown, "(the program runs; Ctrl-C interrupts it) ")
			}
			p.drawing.Unlock()
		}
	}
}

// ask reads a line for the debugger whose panes d has.
func (p *hostPanes) ask(d paneSource, prompt string) (string, error) {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	p.mu.Lock()
	p.cancel = nil
	p.mu.Unlock()
	p.d = d
	line, err := p.readLine(prompt)
	p.shown = p.panes()
	p.goOn()
	return line, err
}

// leave shows how the program has ended, until the user closes the panes.
func (p *hostPanes) leave(how string) {
	p.drawing.Lock()
	defer p.drawing.Unlock()
	p.mu.Lock()
	p.cancel = nil
	p.mu.Unlock()
	p.d = messagePanes("the program " + how)
	_, _ = p.readLine("(the program " + how + "; q closes) ")
}

// Close gives the terminal back.
func (p *hostPanes) Close() error {
	select {
	case <-p.over:
	default:
		close(p.over)
	}
	p.drawing.Lock() // what follows the output draws no more
	defer p.drawing.Unlock()
	return p.paneTerminal.Close()
}

// linkedPanes are the panes of the debugger that waits for a line at a terminal.
type linkedPanes struct{ t *hostTerminal }

// Pane and Complete implement paneSource. If the program has gone, the pane is empty.
func (l linkedPanes) Pane(p debugger.Pane, columns, rows int) (lines []string, keep int) {
	if l.t.asking.Send(hostlink.Says{Pane: &hostlink.Asked{Pane: int(p), Columns: columns, Rows: rows}}) != nil {
		return nil, 0
	}
	m, err := l.t.asking.Receive()
	if err != nil || m.Pane == nil {
		return nil, 0
	}
	return m.Pane.Lines, m.Pane.Keep
}

func (l linkedPanes) Complete(line string) []string { return l.t.complete(line) }
