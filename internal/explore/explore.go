package explore

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"sync"
)

// Options says how much is explored.
type Options struct {
	Executions  int    // at most; 0 means DefaultExecutions
	Preemptions int    // at most, in an execution; -1 for any number
	Seed        uint64 // of random orders
	Workers     int    // threads of the host; the result does not depend on it
	// All goes on after outcomes that differ.
	All bool
	// Keep is how many different outcomes are kept; 0 means DefaultKeep. Others are only counted.
	Keep int
	// Progress is kept up to date; nil for none.
	Progress *Progress

	mixedAfter int // 0 means mixedAfter
}

// DefaultExecutions is the most executions unless Options say otherwise.
const DefaultExecutions = 20000

// Report has the results of exploration.
type Report struct {
	// Outcomes are the distinct outcomes; the first is that of the default order.
	Outcomes []*Outcome
	// Executions counts all of them; Random those in random order; Redundant those that were ended, because others cover
	// the rest.
	Executions, Random, Redundant int
	// Exhausted says that the outcomes are all that an order of accesses can have.
	Exhausted bool
	// Sums says that several threads have added to one value by floating-point atomics.
	Sums bool
	// LeftOut counts systematic executions that were not made because they have too many preemptions.
	LeftOut int
	// Known counts systematic executions that races ask for and that were not made for another reason.
	Known int
	// Preemptions is the most of a systematic execution. All systematic executions with at most Complete preemptions were
	// made, so far as races ask for them; -1 if not all of those without any.
	Preemptions, Complete int
	Ended                 Ended
	Threads               int
	Transitions           int // of the first execution
}

// Ended is why exploration ended.
type Ended int

const (
	Exhausted   Ended = iota // there are no other orders
	Different                // outcomes differ, and Options.All is not set
	Limited                  // by Options.Executions
	OutOfTime                // by the deadline of the context
	Interrupted              // the context was cancelled
)

// batch is the number of executions that are chosen at once. It must not depend on the number of workers.
const batch = 32

// mostNodes bounds the memory for the tree.
const mostNodes = 2 << 20

// DefaultKeep is the number of different outcomes that are kept unless Options say otherwise.
const DefaultKeep = 64

// randomShare is the part 1/randomShare of the executions that are random, unless all orders are exhausted before.
const randomShare = 4

// explorer is an exploration under way.
type explorer struct {
	o       *Options
	workers []*worker
	tree    tree
	report  Report
	seen    map[string]*Outcome // by key
	hung    bool                // an execution has reached a limit
	// transitions counts those of all executions.
	transitions int
}

// Explore executes a program in many orders. make makes a copy of the program, on a machine of its own; it is called
// once for each worker, by one goroutine at a time. If ctx ends exploration, its error comes with a report of the
// results so far, nil before the first execution has ended. Other errors are those of launches that are not possible.
func Explore(ctx context.Context, make func() (*Program, error), o Options) (*Report, error) {
	if o.Executions == 0 {
		o.Executions = DefaultExecutions
	}
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	e := &explorer{o: &o, tree: tree{preemptions: o.Preemptions}, seen: map[string]*Outcome{}}
	for range max(1, o.Workers) {
		p, err := make()
		if err != nil {
			return nil, err
		}
		w, err := newWorker(p)
		if err != nil {
			return nil, err
		}
		w.seen = e.seen
		e.workers = append(e.workers, w)
	}
	return e.explore(ctx)
}

func (e *explorer) explore(ctx context.Context) (*Report, error) {
	e.report.Threads = e.workers[0].threads
	first := &job{}
	res := e.execute(ctx, []*job{first})[0]
	if res.err != nil {
		return nil, res.err
	}
	e.report.Transitions = len(res.steps)
	e.tree.add(nil, first, res)
	e.note(first, res)
	err := e.search(ctx)
	e.sumUp(err)
	if err == nil || e.report.Ended == OutOfTime || e.report.Ended == Interrupted {
		err = cmp.Or(err, e.shorten(ctx))
	}
	return &e.report, err
}

// sumUp records how far the search has come when it ends with err.
func (e *explorer) sumUp(err error) {
	r := &e.report
	r.LeftOut, r.Known, r.Complete = e.tree.cut, len(e.tree.queue), e.o.Preemptions
	switch {
	case r.Known > 0:
		r.Complete = e.tree.queue[0].preempts - 1
	case r.LeftOut == 0:
		r.Complete = r.Preemptions
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.Ended = OutOfTime
	case errors.Is(err, context.Canceled):
		r.Ended = Interrupted
	case e.enough():
		r.Ended = Different
	case !r.Exhausted:
		r.Ended = Limited
	}
}

// search makes the executions after the first one.
func (e *explorer) search(ctx context.Context) error {
	if err := e.systematic(ctx); err != nil {
		return err
	}
	e.report.Exhausted = len(e.tree.queue) == 0 && e.tree.cut == 0 && !e.hung
	most := 0
	switch {
	case !e.report.Exhausted && !e.enough():
		most = e.o.Executions
	case e.report.Sums && len(e.report.Outcomes) == 1:
		most = e.report.Executions + roundingExecutions
	}
	return e.random(ctx, most)
}

// enough reports whether exploration can end.
func (e *explorer) enough() bool { return len(e.report.Outcomes) > 1 && !e.o.All }

// mixedAfter is the number of transitions of all executions after which one batch in randomShare is in random order
// before the systematic executions have ended. In a long launch these would take hours, and all preempt near its end.
const mixedAfter = 1 << 19

// systematic makes the executions that races ask for, with few preemptions first.
func (e *explorer) systematic(ctx context.Context) error {
	most := e.o.Executions - e.o.Executions/randomShare
	made := func() int { return e.report.Executions - e.report.Random }
	for turn := 0; len(e.tree.queue) > 0 && made() < most && e.tree.nodes < mostNodes && !e.enough(); turn++ {
		if n := e.o.Executions/randomShare - e.report.Random; e.transitions >= cmp.Or(e.o.mixedAfter, mixedAfter) && turn%randomShare == 0 && n > 0 {
			if err := e.random(ctx, e.report.Executions+min(n, batch)); err != nil || e.enough() {
				return err
			}
		}
		if err := e.systematicBatch(ctx, min(batch, most-made())); err != nil {
			return err
		}
	}
	return nil
}

// systematicBatch makes up to n systematic executions.
func (e *explorer) systematicBatch(ctx context.Context, n int) error {
	var jobs []*job
	var of []pending
	for len(jobs) < n && len(e.tree.queue) > 0 {
		p := heap.Pop(&e.tree.queue).(pending)
		of, jobs = append(of, p), append(jobs, p.job())
	}
	e.o.Progress.enter(systematically, uint64(of[0].preempts))
	for i, res := range e.execute(ctx, jobs) {
		if res.err != nil {
			for _, p := range of[i:] {
				heap.Push(&e.tree.queue, p)
			}
			return res.err
		}
		e.report.Preemptions = max(e.report.Preemptions, of[i].preempts)
		e.tree.add(&of[i], jobs[i], res)
		e.note(jobs[i], res)
	}
	return nil
}

// roundingExecutions is the number of executions in random order that show which values depend on the order of
// floating-point atomics, if all other orders are exhausted.
const roundingExecutions = 2 * batch

// random makes executions in random order, up to a number of executions in all.
func (e *explorer) random(ctx context.Context, most int) error {
	for e.report.Executions < most && !e.enough() {
		var jobs []*job
		first := e.o.Seed + uint64(e.report.Random)
		for len(jobs) < min(batch, most-e.report.Executions) {
			jobs = append(jobs, &job{random: &random{seed: first + uint64(len(jobs))}})
		}
		e.o.Progress.enter(randomly, first)
		for i, res := range e.execute(ctx, jobs) {
			if res.err != nil {
				return res.err
			}
			e.report.Random++
			e.note(jobs[i], res)
		}
	}
	return nil
}

// note records the outcome of an execution.
func (e *explorer) note(j *job, res *result) {
	r := &e.report
	r.Executions++
	e.transitions += len(res.steps)
	o := res.outcome
	if o == nil {
		r.Redundant++
		return
	}
	e.hung = e.hung || o.limited()
	r.Sums = r.Sums || res.sums
	for _, other := range r.Outcomes {
		if other.key == o.key {
			other.Executions++
			other.addRounded(res.rounded)
			return
		}
	}
	if len(r.Outcomes) < e.o.Keep {
		o.Derived = e.report.Exhausted
		e.seen[o.key] = o
		o.random = j.random
		for i := range res.steps {
			o.choices = append(o.choices, res.steps[i].choice)
		}
		r.Outcomes = append(r.Outcomes, o)
	}
}

// execute makes executions, on all workers. Results are in the order of the jobs.
func (e *explorer) execute(ctx context.Context, jobs []*job) []*result {
	results := make([]*result, len(jobs))
	var wait sync.WaitGroup
	next := make(chan int)
	for _, w := range e.workers[:min(len(e.workers), len(jobs))] {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				results[i] = w.execute(ctx, jobs[i])
				e.o.Progress.made()
			}
		}()
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wait.Wait()
	return results
}
