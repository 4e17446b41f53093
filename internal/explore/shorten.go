package explore

import (
	"context"
	"slices"
)

// mostTries bounds the number of executions that search for a shorter schedule, and mostTransitions that of their
// transitions.
const (
	mostTries       = 400
	mostTransitions = 1 << 18
)

// shorten finds the schedules of the outcomes, and makes that of the first one that differs as short as removing
// segments can.
func (e *explorer) shorten(ctx context.Context) error {
	for i, o := range e.report.Outcomes {
		j := &job{prefix: o.choices, record: true}
		res := e.workers[0].execute(context.WithoutCancel(ctx), j)
		if o.Schedule = res.segs; i == 0 {
			o.Schedule = nil // it is the default
		} else if i == 1 {
			short, err := e.shorter(ctx, o)
			if err != nil {
				return err
			}
			o.Schedule = short
		}
	}
	return nil
}

// shorter returns a short schedule with the outcome o.
func (e *explorer) shorter(ctx context.Context, o *Outcome) (Schedule, error) {
	best := o.Schedule
	tries, most := 0, min(mostTries, mostTransitions/max(1, len(o.choices)))
	leads := func(s Schedule) (ok bool, err error) {
		tries++
		e.o.Progress.enter(shortening, uint64(tries))
		res := e.workers[0].execute(ctx, &job{follow: &follower{schedule: s}})
		return res.err == nil && res.outcome != nil && res.outcome.key == o.key, res.err
	}
	low, high := 0, len(best) // the default order after the first segments: usually few are needed
	for low < high && tries < most {
		ok, err := leads(best[:(low+high)/2])
		if err != nil {
			return nil, err
		}
		if ok {
			high = (low + high) / 2
		} else {
			low = (low+high)/2 + 1
		}
	}
	best = best[:high]
	// Long runs of segments first: in a launch of many threads most of a schedule says nothing but the default order.
	for _, later := range []bool{true, false} {
		for size := max(1, len(best)/2); size > 0; size /= 2 {
			for end := len(best); end > 0 && tries < most; end = min(end-size, len(best)) {
				without := best.without(max(0, end-size), end, later)
				ok, err := leads(without)
				if err != nil {
					return nil, err
				}
				if ok {
					best = without
				}
			}
		}
	}
	return e.recorded(ctx, best)
}

// without returns a schedule without the segments from first up to end. If later is set, the next segment of each of
// their threads executes their instructions, so that the thread comes as far as before. Neighbours of one thread become
// one segment.
func (s Schedule) without(first, end int, later bool) Schedule {
	rest := append(slices.Clone(s[:first]), s[end:]...)
	for i := first; later && i < end; i++ {
		if next := slices.IndexFunc(rest[first:], func(g Segment) bool { return g.same(&s[i]) }); next >= 0 {
			rest[first+next].Instrs += s[i].Instrs
		}
	}
	if first > 0 && first < len(rest) && rest[first-1].same(&rest[first]) {
		rest[first-1].Instrs += rest[first].Instrs
		rest = slices.Delete(rest, first, first+1)
	}
	return rest
}

// same reports whether two segments are of one thread.
func (s *Segment) same(o *Segment) bool {
	return s.Launch == o.Launch && s.Block == o.Block && s.Thread == o.Thread
}

// recorded returns a schedule as an execution that follows it records it, so that places and counts are right.
func (e *explorer) recorded(ctx context.Context, s Schedule) (Schedule, error) {
	res := e.workers[0].execute(ctx, &job{follow: &follower{schedule: s}, record: true})
	return res.segs[:min(len(s), len(res.segs))], res.err
}
