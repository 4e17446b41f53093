package main

import (
	"fmt"
	"os"
	"time"

	"github.com/simtrun/simtrun/internal/cxx"
)

// progressLine is the line of a terminal that shows the progress of a long launch.
type progressLine struct {
	columns int // of the terminal; 0 for none
	shown   bool
}

// showAfter is the time after which a launch shows its progress.
const showAfter = 2 * time.Second

// openProgress returns the line on standard error, with the given columns, if standard error is still a terminal.
func openProgress(columns uint64) progressLine {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return progressLine{}
	}
	return progressLine{columns: int(min(columns, 1<<12))}
}

// show shows the progress of a launch.
func (p *progressLine) show(u *runningLaunch, took time.Duration) {
	if p.columns == 0 || took < showAfter {
		return
	}
	at := u.r.Progress()
	text := fmt.Sprintf("%s  %v  %d%%  %.0f s", cxx.Short(u.l.f.k.Name()), at, 100*at.Done/max(at.Total, 1), took.Seconds())
	fmt.Fprintf(os.Stderr, "\r\x1b[K%.*s", p.columns-1, text) // a full line would wrap
	p.shown = true
}

// clear removes the line.
func (p *progressLine) clear() {
	if p.shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
		p.shown = false
	}
}
