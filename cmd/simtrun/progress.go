package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
)

// A run that takes longer than progressAfter shows its progress, and updates it every progressEvery.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// progressLine is one line of a terminal, rewritten in place. It is safe for
// use by several goroutines. A nil line shows nothing.
type progressLine struct {
	w       io.Writer
	columns int

	mu    sync.Mutex
	shown bool
	taken bool // by text that does not end in a newline
}

// newProgressLine returns a line on w, or nil if w is not a terminal.
func newProgressLine(w io.Writer) *progressLine {
	if columns, ok := terminalWidth(w); ok {
		return &progressLine{w: fileOf(w), columns: columns}
	}
	return nil
}

// show replaces the line, if it is free.
func (l *progressLine) show(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taken {
		return
	}
	// A full line would wrap, and a wrapped one cannot be rewritten.
	fmt.Fprintf(l.w, "\r\x1b[K%.*s", l.columns-1, text)
	l.shown = true
}

// clear removes the line; the caller holds mu.
func (l *progressLine) clear() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
		l.shown = false
	}
}

// follow shows text and updates it until the returned function is called, which removes the line.
func (l *progressLine) follow(text func() string) (stop func()) {
	if l == nil {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for wait := progressAfter; ; wait = progressEvery {
			select {
			case <-quit:
				return
			case <-time.After(wait):
				l.show(text())
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		l.mu.Lock()
		defer l.mu.Unlock()
		l.clear()
	}
}

// progressText returns "k  17 of 528 blocks done  3%", with the launch's number if there are several. With a
// clock it also has cycles and instructions, which show progress even if all blocks end at the same time:
// "k  1.2M cycles, 88.2M instructions  0 of 528 blocks done".
func progressText(p launch.Progress) string {
	if p.Launch == 0 {
		return "loading"
	}
	text := p.Kernel
	switch {
	case p.Beside > 0:
		text += fmt.Sprintf(" and others  launches %d-%d of %d", p.Launch, p.Launch+p.Beside, p.Launches)
	case p.Launches > 1:
		text += fmt.Sprintf("  launch %d of %d", p.Launch, p.Launches)
	}
	if p.Cycles > 0 {
		text += fmt.Sprintf("  %s cycles, %s instructions", shortCount(p.Cycles), shortCount(p.Instructions))
	}
	text += fmt.Sprintf("  %d of %s done", p.Done, report.Count(p.Total, "block"))
	if p.Total > 0 && (p.Done > 0 || p.Cycles == 0) {
		text += fmt.Sprintf("  %d%%", 100*p.Done/p.Total)
	}
	return text
}

// shortCount returns a number in a few characters: 999, 1.0k, 12.3k, 4.6M, 7.9G.
func shortCount(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	units, x := "kMGT", float64(n)/1000
	for ; x >= 999.95 && len(units) > 1; x /= 1000 {
		units = units[1:]
	}
	return fmt.Sprintf("%.1f%c", x, units[0])
}

// above wraps w for text that may go to the same terminal: the line is removed before the text.
func (l *progressLine) above(w io.Writer) io.Writer {
	if l == nil || !isTerminal(w) {
		return w
	}
	return aboveLine{l, w}
}

type aboveLine struct {
	line *progressLine
	w    io.Writer
}

func (a aboveLine) Write(text []byte) (int, error) {
	a.line.mu.Lock()
	defer a.line.mu.Unlock()
	a.line.clear()
	a.line.taken = !bytes.HasSuffix(text, []byte("\n"))
	return a.w.Write(text)
}
