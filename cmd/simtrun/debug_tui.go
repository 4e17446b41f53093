package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/chzyer/readline"
	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/tui"
)

// singleKeys are commands of one key, while the line is empty.
var singleKeys = map[tui.Key]string{
	's': "step", 'n': "next", 'c': "continue", 'S': "reverse-step", 'N': "reverse-next", 'C': "reverse-continue",
}

const (
	singleKeysText = "output ── s step  n next  c continue  S N C backwards  : a command  q quit"
	mostOutput     = 10000 // lines that can be scrolled to
)

// paneTerminal is a terminal with panes: lines are read in the last row, and output goes to a pane.
type paneTerminal struct {
	d       paneSource
	out     *os.File
	line    tui.Line
	output  *outputPane
	back    int // lines that the user has scrolled back
	keys    chan tui.Key
	resized chan struct{}
	ended   <-chan struct{} // closed when the session is to end
	restore func()

	mu     sync.Mutex
	cancel context.CancelFunc // of the command that is executed, or nil
}

// paneSource is the debugger, which may run in another process.
type paneSource interface {
	Pane(p debugger.Pane, columns, rows int) (lines []string, keep int)
	Complete(line string) []string
}

// outputPane has the lines of text that was written.
type outputPane struct {
	mu    sync.Mutex
	lines []string
	wrote bool // since last was called
}

// Write implements io.Writer.
func (o *outputPane) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrote = true
	for i, part := range strings.Split(string(text), "\n") {
		if n := len(o.lines); i == 0 && n > 0 {
			o.lines[n-1] += part
		} else {
			o.lines = append(o.lines, part)
		}
	}
	o.lines = o.lines[max(0, len(o.lines)-mostOutput):]
	return len(text), nil
}

// shown returns the lines except for the last back ones, without an empty one at the end.
func (o *outputPane) shown(back int) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrote = false
	n := len(o.lines)
	if n > 0 && o.lines[n-1] == "" {
		n--
	}
	return slices.Clone(o.lines[:max(0, n-back)])
}

// changed reports whether text was written since shown was called.
func (o *outputPane) changed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.wrote
}

// canShowPanes returns an error if --tui cannot work.
func (o *debugOptions) canShowPanes(cmd *cobra.Command) error {
	if o.batch {
		return &usageError{msg: "--tui and --batch cannot be combined"}
	}
	return needsPaneTerminal(cmd)
}

// needsPaneTerminal returns an error if standard input and output are no terminal for panes.
func needsPaneTerminal(cmd *cobra.Command) error {
	out := fileOf(cmd.OutOrStdout())
	switch {
	case runtime.GOOS == "windows":
		return &usageError{msg: "not supported yet on Windows: --tui"}
	case !isTerminalInput(cmd.InOrStdin()), out == nil, !readline.IsTerminal(int(out.Fd())):
		return &usageError{msg: "--tui needs a terminal as standard input and output"}
	}
	return nil
}

// newPaneTerminal takes over the terminal until Close, or until ctx ends.
func newPaneTerminal(cmd *cobra.Command, d paneSource, output *outputPane) (*paneTerminal, error) {
	in := cmd.InOrStdin().(*os.File) // as canShowPanes has checked
	t := &paneTerminal{d: d, out: fileOf(cmd.OutOrStdout()), output: output, ended: cmd.Context().Done(), keys: make(chan tui.Key, 256), resized: make(chan struct{}, 1)}
	before, err := readline.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	t.line.Recalls(earlierLines())
	fmt.Fprint(t.out, tui.Open)
	t.restore = sync.OnceFunc(func() {
		fmt.Fprint(t.out, tui.Close)
		_ = readline.Restore(int(in.Fd()), before)
	})
	context.AfterFunc(cmd.Context(), t.restore)
	readline.DefaultOnWidthChanged(func() {
		select {
		case t.resized <- struct{}{}:
		default:
		}
	})
	go t.read(in)
	return t, nil
}

// Close restores the terminal.
func (t *paneTerminal) Close() error {
	t.restore()
	return nil
}

// read sends the keys. While a command is executed, Ctrl-C interrupts it. Keys that are not read for long are lost.
func (t *paneTerminal) read(in io.Reader) {
	defer close(t.keys)
	bytes := bufio.NewReader(in)
	for decoder := (tui.Decoder{}); ; {
		b, err := bytes.ReadByte()
		if err != nil {
			return
		}
		key, ok := decoder.Feed(b)
		if !ok || key == tui.Cancel && t.interrupt() {
			continue
		}
		select {
		case t.keys <- key:
		default:
		}
	}
}

// interrupt interrupts the command that is executed; false if there is none.
func (t *paneTerminal) interrupt() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel == nil {
		return false
	}
	t.cancel()
	return true
}

// context returns a context that Ctrl-C cancels.
func (t *paneTerminal) context(ctx context.Context) (context.Context, context.CancelFunc) {
	during, cancel := context.WithCancel(ctx)
	set := func(f context.CancelFunc) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cancel = f
	}
	set(cancel)
	return during, func() { set(nil); cancel() }
}

// answered does nothing: the user sees the answer.
func (t *paneTerminal) answered(error) {}

// readLine shows the panes, and reads a line. The output pane gets it, too.
func (t *paneTerminal) readLine(prompt string) (string, error) {
	t.back = 0
	panes := t.panes()
	for {
		t.draw(panes, prompt)
		select {
		case <-t.ended:
			return "", io.EOF
		case <-t.resized:
			panes = t.panes()
		case key, ok := <-t.keys:
			if !ok || key == tui.EndInput && t.line.String() == "" {
				return "", io.EOF
			}
			if line, done := t.press(key); done {
				remember(line)
				fmt.Fprintf(t.output, "%s%s\n", prompt, line)
				return line, nil
			}
		}
	}
}

// press handles a key; done says that it completes a line.
func (t *paneTerminal) press(key tui.Key) (line string, done bool) {
	layout := tui.LayoutOf(t.size())
	single, ok := singleKeys[key]
	switch empty := t.line.String() == ""; {
	case key == tui.Enter:
		return strings.TrimPrefix(t.line.Take(), ":"), true
	case empty && ok:
		return single, true
	case empty && key == 'q':
		return "quit", true
	case key == tui.PageUp:
		t.back = min(t.back+layout.Output.Rows, max(0, len(t.output.shown(0))-layout.Output.Rows))
	case key == tui.PageDown:
		t.back = max(0, t.back-layout.Output.Rows)
	case key == tui.Tab:
		t.complete()
	default:
		t.line.Press(key)
	}
	return "", false
}

// complete completes the last word as far as it is certain, and shows what it can be.
func (t *paneTerminal) complete() {
	line := t.line.String()
	colon := ""
	if strings.HasPrefix(line, ":") {
		colon, line = ":", line[1:]
	}
	words := t.d.Complete(line)
	if len(words) == 0 {
		return
	}
	common := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, common) {
			common = common[:len(common)-1]
		}
	}
	if len(words) == 1 {
		common += " "
	} else {
		fmt.Fprintln(t.output, strings.Join(words, "  "))
	}
	t.line.Set(colon + line[:strings.LastIndexByte(line, ' ')+1] + common)
}

func (t *paneTerminal) size() tui.Size {
	columns, rows, err := readline.GetSize(int(t.out.Fd()))
	if err != nil || columns < 1 || rows < 1 {
		return tui.Size{Columns: 80, Rows: 24}
	}
	return tui.Size{Columns: columns, Rows: rows}
}

// panes asks the debugger for its panes, for the terminal's size.
func (t *paneTerminal) panes() *tui.Screen {
	s := &tui.Screen{Size: t.size(), Line: &t.line}
	layout := tui.LayoutOf(s.Size)
	pane := func(title string, p debugger.Pane, size tui.Size) tui.Pane {
		lines, keep := t.d.Pane(p, size.Columns, size.Rows)
		return tui.Pane{Title: title, Lines: lines, Keep: keep}
	}
	s.Source = pane("source", debugger.SourcePane, layout.Source)
	s.Lanes = pane("lanes", debugger.LanesPane, layout.Lanes)
	s.Warps = pane("warps", debugger.WarpsPane, layout.Warps)
	return s
}

func (t *paneTerminal) draw(s *tui.Screen, prompt string) {
	s.Output = tui.Pane{Title: singleKeysText, Lines: t.output.shown(t.back), Keep: -1}
	s.Prompt = prompt
	fmt.Fprint(t.out, s.Draw())
}
