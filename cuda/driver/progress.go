package main

import (
	"fmt"
	"os"
	"time"

	"github.com/simtrun/simtrun/internal/cxx"
)

// progressLine is the line of a terminal that shows how far a launch is which takes long.
type progressLine struct {
	columns int // of the terminal; 0 for none
	shown   bool
}

// showAfter is how long a launch may take before it shows how far it is.
const showAfter = 2 * time.Second

// openProgress is the line on standard error, if that is still the terminal whose columns are given.
func openProgress(columns uint64) progressLine {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return progressLine{}
	}
	return progressLine{columns: int(min(columns, 1<<12))}
}

// show shows how far a launch is.
func (p *progressLine) show(u *underway, took time.Duration) {
	if p.columns == 0 || took < showAfter {
		return
	}
	at := u.r.Progress()
	text := fmt.Sprintf("%s  %d of %d blocks done  %d%%  %.0f s", cxx.Short(u.l.f.k.Name()), at.Done, at.Total, 100*at.Done/max(at.Total, 1), took.Seconds())
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
