package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// job is an execution to make.
type job struct {
	prefix []choice  // the first transitions
	sleep  []sleeper // before the last of them
	random *random   // chooses the others; nil for the default
	follow *follower
	record bool // the schedule is wanted
}

// result is the outcome of an execution.
type result struct {
	steps    []step // all
	requests []request
	// outcome is nil if the execution has not ended, or if it has no outcome of its own because threads were stopped.
	outcome *Outcome
	failed  *choice // the last transition, with its limit, if it ended with a fault
	sums    bool    // several threads have added to one value by floating-point atomics
	rounded []Rounded
	vain    bool  // the branch has polled in vain
	err     error // of the context, or of a launch that is not possible
	segs    Schedule
}

// worker makes executions on its own machine.
type worker struct {
	p       *Program
	codes   map[*isa.Func]*code
	threads int
	seen    map[string]*Outcome // by key: outcomes with memory that is kept
}

// mostThreads is the number of threads of a launch that can be explored.
const mostThreads = 4096

func newWorker(p *Program) (*worker, error) {
	n, err := threadsOf(p.Launches)
	if err != nil {
		return nil, err
	}
	p.Machine.Save(&p.initial)
	return &worker{p: p, codes: make(map[*isa.Func]*code), threads: n}, nil
}

// threadsOf returns the number of threads of the largest launch.
func threadsOf(launches []interp.Launch) (most int, err error) {
	for i := range launches {
		l := &launches[i]
		n := l.Grid.Count() * l.Block.Count()
		if n > mostThreads {
			return 0, fmt.Errorf("the launch of %s has %d threads: at most %d can be explored; choose a smaller grid or block", l.Kernel, n, mostThreads)
		}
		most = max(most, int(n))
	}
	return most, nil
}

// Configure sets the parts of a machine's configuration that exploration needs.
func Configure(cfg *interp.Config) {
	cfg.Divergence, cfg.Compile, cfg.Threads, cfg.Split = divergence.SingleLanes, interp.CompileNever, 1, 0
}

// execute makes an execution.
func (w *worker) execute(ctx context.Context, j *job) *result {
	r := w.newRun(j)
	w.p.Machine.Restore(&w.p.initial)
	var warnings []string
	var err error
	for i := range w.p.Launches {
		s, refused := w.begin(r, i)
		if refused != nil {
			return &result{err: refused}
		}
		err = s.Continue(ctx)
		for _, one := range s.Stats().Warnings {
			warnings = append(warnings, fmt.Sprintf("%s %v", one.Rule, one.Place.Code))
		}
		if err != nil {
			break
		}
	}
	res := &result{steps: r.steps, requests: r.requests, vain: err == errVain}
	if r.segments != nil {
		res.segs = r.segments.all
	}
	switch {
	case err == errRedundant, err == errVain, err == errStopped:
	case ctx.Err() != nil:
		res.err = ctx.Err()
	case err == nil && slices.ContainsFunc(r.threads, func(t thread) bool { return t.stopped }):
	default:
		slices.Sort(warnings)
		res.outcome = outcomeOf(w.p.Machine, err, slices.Compact(warnings), r.sums)
		if seen := w.seen[res.outcome.key]; seen == nil {
			res.outcome.keep()
		} else if err == nil {
			res.rounded, res.outcome.Memory = w.roundedFrom(res.outcome, seen, r.sums), nil
		}
		for _, s := range r.sums {
			res.sums = res.sums || s.more
		}
		if r.fails(err) {
			t := &r.threads[r.running]
			res.failed = &choice{thread: r.running, stops: true, limit: t.count - 1}
		}
	}
	return res
}

// newRun returns an execution before its first launch.
func (w *worker) newRun(j *job) *run {
	r := &run{codes: w.codes, prefix: j.prefix, random: j.random.begin(), follow: j.follow, sleep: slices.Clone(j.sleep), words: make(history), sums: make(map[sumAt]*sum), syncs: make(map[syncKey]*syncing),
		threads: make([]thread, w.threads), held: make(clock, w.threads), running: -1, last: -1}
	if j.record {
		r.segments = &segments{run: r}
	}
	for i := range r.threads {
		r.threads[i].clock = make(clock, w.threads)
	}
	return r
}

// begin begins a launch of an execution.
func (w *worker) begin(r *run, i int) (*functional.Session, error) {
	l := w.p.Launches[i]
	l.Order, l.Precise = r, true
	r.begin(&l, i)
	return functional.Begin(w.p.Machine, l)
}

// fails reports whether the running thread's latest instruction has ended the execution, so that later instructions of
// the others were not executed.
func (r *run) fails(err error) bool {
	if r.running < 0 || len(r.steps) == 0 {
		return false
	}
	if h, ok := errors.AsType[*interp.Hang](err); ok {
		return h.Rule != interp.RuleDeadlock && h.Rule != interp.RuleLivelock && h.Rule != interp.RuleSteps
	}
	return err != nil
}
