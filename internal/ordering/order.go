// Package ordering finds data races between the operations of a program that uses a GPU: launches, copies, fills, and
// allocations in streams. Two operations race if they access the same bytes, one of them writes, and nothing orders
// them: neither a stream, nor events, the dependencies of a graph, or a wait of the host. It finds them whatever the
// order in which the operations were executed.
//
// Each operation belongs to a timeline: a stream or a branch of a graph. It has a vector clock, which says for each
// timeline how many of its operations come before it (Order, Op). Memory has a shadow, which says for each byte which
// access has written it last and which have read it since (Shadow).
package ordering

import "slices"

// Timeline is a sequence of operations that are ordered by it.
type Timeline int

// Clock says for each timeline up to which of its operations all are known to come before; it may be shorter than the
// number of timelines. The nil clock knows nothing.
type Clock []uint32

// Joined returns a clock with the operations of both c and d. It may return c itself.
func (c Clock) Joined(d Clock) Clock {
	if c.includes(d) {
		return c
	}
	all := make(Clock, max(len(c), len(d)))
	copy(all, c)
	for t, n := range d {
		all[t] = max(all[t], n)
	}
	return all
}

// includes reports whether c knows all that d knows.
func (c Clock) includes(d Clock) bool {
	for t, n := range d {
		if n > c.of(Timeline(t)) {
			return false
		}
	}
	return true
}

func (c Clock) of(t Timeline) uint32 {
	if int(t) < len(c) {
		return c[t]
	}
	return 0
}

// Order is the timelines of a program.
type Order struct {
	counts []uint32 // operations, by timeline
	unused []Timeline
}

// Begin returns a timeline.
func (o *Order) Begin() Timeline {
	if n := len(o.unused); n > 0 {
		t := o.unused[n-1]
		o.unused = o.unused[:n-1]
		return t
	}
	o.counts = append(o.counts, 0)
	return Timeline(len(o.counts) - 1)
}

// End ends a timeline. It is used again if its last operation comes before all later ones of the program, which host
// knows.
func (o *Order) End(t Timeline, host Clock) {
	if host.of(t) >= o.counts[t] {
		o.unused = append(o.unused, t)
	}
}

// All returns the clock that knows all operations.
func (o *Order) All() Clock { return slices.Clone(Clock(o.counts)) }

// Op is an operation.
type Op struct {
	What  any // for the user of the package
	on    Timeline
	count uint32 // number of the operation in its timeline; 0 for one that comes before all others
	After Clock  // the operations before it, and the operation itself
}

// Next returns the next operation of a timeline, which comes after the operations of clocks.
func (o *Order) Next(t Timeline, what any, after ...Clock) *Op {
	var all Clock
	for _, c := range after {
		all = all.Joined(c)
	}
	o.counts[t]++
	mine := make(Clock, max(len(all), int(t)+1))
	copy(mine, all)
	mine[t] = o.counts[t]
	return &Op{What: what, on: t, count: o.counts[t], After: mine}
}

// Join orders the operations of a clock before the rest of the operation.
func (op *Op) Join(c Clock) { op.After = op.After.Joined(c) }

// uncheck takes the operation out of the check: nothing races with it any more.
func (op *Op) uncheck() { op.count = 0 }

// IsBefore reports whether a clock contains the operation.
func (op *Op) IsBefore(c Clock) bool { return c.of(op.on) >= op.count }
