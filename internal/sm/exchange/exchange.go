// Package exchange applies deferred memory accesses of engines, in the order of cycle and SM, at the end of an epoch
// of cycles in which SMs execute independently (interp.Engine.Defer).
package exchange

import (
	"cmp"
	"math"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Moment is a cycle of an SM.
type Moment struct {
	Cycle int64
	SM    int
}

// Ever is later than every other Moment.
var Ever = Moment{Cycle: math.MaxInt64, SM: math.MaxInt}

// Compare orders moments by cycle, and by SM within it.
func (a Moment) Compare(b Moment) int {
	return cmp.Or(cmp.Compare(a.Cycle, b.Cycle), cmp.Compare(a.SM, b.SM))
}

// Completer is notified of deferred accesses and calls that have been made.
type Completer interface {
	// Completed is called after the access or call that an SM deferred under a tag was made, with its result in the
	// registers. Changed is true for an atomic that has changed memory.
	Completed(sm int, tag uint64, changed bool)
}

// Exchange applies what engines have logged. It reuses its memory, so later calls allocate nothing.
type Exchange struct {
	journals []*memory.Journal
	merger   memory.Merger
}

// Apply applies what the engines of all SMs have logged, in the order of cycle, SM and sequence, and empties their
// journals. It drops everything after a last moment. It stops at the first error, drops the rest, and returns the
// error and its moment.
func (x *Exchange) Apply(engines []*interp.Engine, last Moment, to Completer) (at Moment, err error) {
	x.journals = x.journals[:0]
	for _, e := range engines {
		x.journals = append(x.journals, e.Journal())
	}
	for _, r := range x.merger.Merge(x.journals) {
		at = Moment{r.Cycle, int(r.SM)}
		if at.Compare(last) > 0 {
			break
		}
		number, ok := x.journals[r.SM].Take(int(r.Entry))
		if !ok {
			continue
		}
		done, failed := engines[r.SM].Complete(number)
		if err = failed; err != nil {
			break
		}
		if done.Last {
			to.Completed(at.SM, done.Tag, done.Changed)
		}
	}
	for _, e := range engines {
		e.ForgetDeferred()
	}
	return at, err
}
