package explore

import (
	"fmt"
	"sync/atomic"
)

// phase is the current phase of an exploration.
type phase uint64

const (
	systematically phase = iota
	randomly
	shortening
)

// Progress is how far exploration has come. It is safe for use by several goroutines; nil records nothing.
type Progress struct {
	executions atomic.Int64
	phase      atomic.Uint64
	detail     atomic.Uint64 // preemptions of systematic executions, or the seed of random ones
}

// made counts an execution of the search.
func (p *Progress) made() {
	if p != nil {
		p.executions.Add(1)
	}
}

// enter records what is done from now on.
func (p *Progress) enter(now phase, detail uint64) {
	if p != nil {
		p.phase.Store(uint64(now))
		p.detail.Store(detail)
	}
}

// String returns a line such as "96 executions  systematic, within 2 preemptions".
func (p *Progress) String() string {
	text := times(uint64(p.executions.Load()), "execution") + "  "
	switch n := p.detail.Load(); phase(p.phase.Load()) {
	case randomly:
		return text + fmt.Sprintf("random, seed %d", n)
	case shortening:
		return text + fmt.Sprintf("shortening the schedule, try %d", n)
	default:
		return text + "systematic, within " + times(n, "preemption")
	}
}

// times returns a number of things in words: "1 preemption", "2 preemptions".
func times(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
