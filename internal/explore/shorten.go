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
	for i := len(best) - 1; i >= 0 && tries < most; i-- {
		without := append(slices.Clone(best[:i]), best[i+1:]...)
		if i > 0 && i+1 < len(best) && best[i-1].same(&best[i+1]) {
			without[i-1].Instrs += without[i].Instrs
			without = slices.Delete(without, i, i+1)
		}
		ok, err := leads(without)
		if err != nil {
			return nil, err
		}
		if ok {
			best = without
			i = min(i, len(best))
		}
	}
	return e.recorded(ctx, best)
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
