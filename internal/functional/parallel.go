package functional

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// team runs a launch on several threads of the host. Each thread takes one CTA after the other and runs it to its
// end. The result is that of Session.round; if that cannot be guaranteed, memory is restored, and the launch runs in
// order.
//
// The order of CTAs has no effect if no word of global memory that one of them writes is accessed by another. Then
// each CTA behaves the same independent of the others: its time slices are counted in its own instructions, and its
// warps depend only on its own state. These exceptions make the launch run in order:
//
//   - calls of functions of the system, which print and allocate, and CTAs that cancel others;
//   - atomics on global memory, except reductions of integers (see partial), and clocks, because their results depend
//     on the order;
//   - a CTA that makes no progress for a time slice, because the treatment depends on whether others make progress;
//   - faults, hangs and limits, because that of another CTA may come first;
//   - warnings, if CTAs have taken turns, because they name the first lanes;
//   - observers that are not interp.Summers, and instructions that are executed one by one.
//
// If a CTA ends within its first time slice, the CTA that replaces it starts afterwards, so that on one thread, which
// takes CTAs in order, both may access the same memory. If all CTAs that have started have ended within their first
// time slice, the launch is in a state that it also reaches in order. If it has executed much by then, that is kept,
// and a later conflict restores memory to this state.
//
// The CTAs of a cluster are run by one thread, alternating as in order, and count as one CTA for all of the above.
//
// Accesses of CTAs are not checked immediately, but recorded in footprints, one for each thread. From time to time
// all threads halt, and their footprints are compared. A CTA may therefore read what another one writes before this
// is found, and its behaviour may be arbitrary until then: it may fault, or loop until the next comparison.
type team struct {
	s       *Session
	ctx     context.Context
	workers []*worker
	backup  *memory.Backup
	all     *memory.Footprint // for use by check
	alone   bool              // only one worker executes
	keeps   bool              // the executed part is large, and should be kept if possible
	next    atomic.Int64      // number of the CTA to start next
	halt    atomic.Bool       // workers must return
}

// Numbers of warp instructions. The first worker executes Session.Alone of them, by default alone, before others help:
// many launches are shorter. Then each worker executes together instructions before footprints are compared, and eight
// times as many after each comparison. When each has executed Session.Kept, by default kept, the executed part can be
// kept. Keeping has a cost: pages that were written must be saved again, because neighbouring CTAs write most of them,
// too.
const (
	alone    = 1 << 14
	together = 1 << 18
	kept     = 1 << 21
)

// worthHelp is the default of Session.WorthHelp. Helping threads must be woken, the pages that they write are saved
// first, and their caches are cold, so that shorter launches become slower.
const worthHelp = time.Millisecond

// mostNoted is how many times a launch restarts to record the reads of one more region of memory. The next restart
// records the reads of all regions.
const mostNoted = 4

// outcome is the result of a team's run.
type outcome uint8

const (
	undecided outcome = iota
	complete          // all CTAs have ended, and their order does not matter
	ordered           // the order may matter
	mixed             // must be repeated with reads of more regions recorded
	stopped           // the context has ended
)

// runInParallel runs the launch on several threads if it may have them and its result does
// not depend on the order of CTAs, and reports whether it has. If it has not, or not to the
// end, the launch can go on in order. If ctx ends, the error is an *interp.Interrupted.
func (s *Session) runInParallel(ctx context.Context) (done bool, err error) {
	if !s.mayShare() {
		return false, nil
	}
	s.shown = nil
	mark := s.grid.Mark()
	var noted []int32 // regions with recorded reads
	for {
		t, ok := s.newTeam(ctx, noted)
		if !ok {
			s.grid.Return(mark, s.next)
			return false, nil
		}
		result := t.run()
		switch result {
		case complete:
			t.backup.Close()
			s.end(nil)
			return true, nil
		case stopped:
			err = s.interrupted(t)
		case mixed:
			noted = append(noted, t.all.Mixed)
		}
		t.backup.Restore()
		t.backup.Close()
		s.grid.Return(mark, s.next)
		if result != mixed {
			return false, err
		}
	}
}

// mayShare reports whether several threads may run the rest of the launch.
func (s *Session) mayShare() bool {
	return !s.done && s.cfg.Threads > 1 && s.total > 1 && s.next == s.apart && !s.single
}

// errNotBrief says that a launch executes more than was expected.
var errNotBrief = errors.New("not brief")

// expectsBrief reports whether the launch is run in order, without a team and its footprints, which cost more than
// they gain in launches of fewer than Session.Alone instructions: if the latest launch of the kernel was much shorter
// than that, scaled to this number of warps.
func (s *Session) expectsBrief() bool {
	warps := uint64(s.total) * uint64(s.grid.Shape.WarpsPerCTA)
	each, known := s.grid.Expected()
	return s.mayShare() && known && warps < s.Alone && each*warps < s.Alone/2
}

// isNotBrief reports whether the launch executes more than was expected, and all CTAs that have started have ended in
// their first time slice, so that a team can run the others. If one has not, the launch continues in order.
func (s *Session) isNotBrief() bool {
	return s.pause != 0 && s.live == 0 && s.engine.Stats.WarpInstrs >= s.pause && s.next < s.total
}

// newTeam makes a team that records the reads of some regions. It fails if an observer is not a Summer, or if the
// host's memory does not suffice.
func (s *Session) newTeam(ctx context.Context, noted []int32) (*team, bool) {
	t := &team{s: s, ctx: ctx, backup: s.grid.Machine().Backup()}
	for _, region := range noted {
		t.backup.NoteReads(region)
	}
	if len(noted) >= mostNoted {
		t.backup.NoteAllReads()
	}
	t.all = memory.NewFootprint(t.backup)
	t.next.Store(s.next)
	n := min(int64(s.cfg.Threads), (s.total-s.next)/int64(s.grid.Shape.ClusterSize()))
	for _, e := range s.grid.NewEngines(int(n), n) {
		os, ok := s.detector.plain.Another()
		if !ok {
			return nil, false
		}
		w := &worker{t: t, s: newSession(s.grid, e), number: -1,
			now: memory.NewFootprint(t.backup), before: memory.NewFootprint(t.backup)}
		w.s.observe(os)
		e.Watch(w)
		t.workers = append(t.workers, w)
	}
	return t, t.workers[0].settle()
}

// run runs the launch.
func (t *team) run() outcome {
	t.alone = true
	began := time.Now()
	t.workers[0].runUntil(t.s.Alone)
	t.alone = false
	first := t.s.next
	t.keeps = !t.paysHelp(time.Since(began))
	result := t.check()
	if result == undecided && t.s.next > first { // the executed part was kept
		return ordered
	}
	for _, w := range t.workers[1:] {
		if result == undecided && !w.settle() {
			return ordered
		}
	}
	for n := uint64(together); result == undecided; {
		t.halt.Store(false)
		var others sync.WaitGroup
		for _, w := range t.workers[1:] {
			others.Go(func() { w.runFor(n) })
		}
		t.workers[0].runFor(n)
		others.Wait()
		for _, w := range t.workers {
			if w.bug != "" {
				panic(w.bug) // on the caller's thread, so that it can recover
			}
		}
		t.keeps = n >= t.s.Kept
		result = t.check()
		if result == undecided && n > t.s.Kept && t.hangs(n/probeShare) {
			return ordered
		}
		if n < t.s.Kept || t.s.next < t.next.Load() || t.reduces() {
			n *= 8
		}
	}
	return result
}

// paysHelp reports whether the rest of the launch is worth the help of other threads, judging by the average time of
// the CTAs that have ended.
func (t *team) paysHelp(passed time.Duration) bool {
	ended, left := t.next.Load()-t.s.next, t.s.total-t.next.Load()
	return ended <= 0 || t.workers[0].busy() || passed*time.Duration(left)/time.Duration(ended) >= t.s.WorthHelp
}

// reduces reports whether a worker has partials, which take time to combine.
func (t *team) reduces() bool {
	return slices.ContainsFunc(t.workers, func(w *worker) bool { return len(w.partials) > 0 })
}

// check determines the state of the launch when all workers have halted. The executed part is kept if the rest cannot
// change it.
func (t *team) check() outcome {
	result := t.compare()
	switch {
	case t.ctx.Err() != nil:
		return stopped
	case result != undecided:
		return result
	case !t.withinLimits():
		return ordered
	case slices.ContainsFunc(t.workers, (*worker).busy):
		return undecided
	case t.next.Load() >= t.s.total:
		t.commit()
		return complete
	case t.keeps && !slices.ContainsFunc(t.workers, func(w *worker) bool { return w.turns }):
		t.commit()
	}
	return undecided
}

// commit brings the session into the state that the workers have reached, as if it had executed in order: all CTAs
// that have started have ended, in their first time slice unless it is the end of the launch.
func (t *team) commit() {
	s := t.s
	s.engine.Take(t.engines())
	s.next = min(t.next.Load(), s.total)
	s.apart, s.lastDone = s.next, s.engine.Stats.WarpInstrs
	s.midRound, s.progress = true, true
	for _, w := range t.workers {
		s.detector.plain.Add(w.s.detector.plain)
		for _, p := range w.partials {
			p.combine()
		}
		w.longest, w.stands = 0, true
	}
	t.backup.Forget()
}

// compare compares the footprints.
func (t *team) compare() outcome {
	t.all.Clear()
	for _, w := range t.workers {
		if w.failed {
			return ordered
		}
		for _, f := range [...]*memory.Footprint{w.before, w.now} {
			if f.Mixed >= 0 {
				t.all.Mixed = f.Mixed
				return mixed
			}
			switch t.all.Meets(f) {
			case memory.Common:
				return ordered
			case memory.Unknown:
				return mixed
			}
		}
		t.all.Join(w.before)
		t.all.Join(w.now)
	}
	if !t.reducesAlone() {
		return ordered
	}
	return undecided
}

// withinLimits reports whether the CTAs that have run would stay within the limits of the launch, with the same
// warnings, if they were executed in order.
func (t *team) withinLimits() bool {
	s := t.s
	resident := min(int64(s.capacity.CTAs), s.total)
	var instrs, longest uint64
	warned, turns := false, false
	for _, w := range t.workers {
		e := w.s.engine
		instrs += e.Stats.WarpInstrs
		if longest = max(longest, w.longest); w.number >= 0 {
			longest = max(longest, e.Stats.WarpInstrs-w.began)
		}
		warned = warned || len(e.Stats.Warnings) > 0
		turns = turns || w.turns
		if !e.FitStacks(resident) {
			return false
		}
	}
	// Between the ends of two CTAs the resident CTAs execute no more than all of each.
	most := min(instrs, longest*uint64(resident))
	return most < s.cfg.MaxLaunchSteps && !(warned && turns) && !t.backup.Short()
}

// engines returns the workers' engines.
func (t *team) engines() []*interp.Engine {
	var all []*interp.Engine
	for _, w := range t.workers {
		all = append(all, w.s.engine)
	}
	return all
}

// interrupted returns the error of a launch with a context that has ended. The executed part counts until the launch
// continues.
func (s *Session) interrupted(t *team) error {
	shown := interp.Total(append([]*interp.Engine{s.engine}, t.engines()...))
	s.shown = &shown
	running := slices.DeleteFunc(slices.Clone(t.workers), func(w *worker) bool { return w.number < 0 })
	slices.SortFunc(running, func(a, b *worker) int { return cmp.Compare(a.number, b.number) })
	var warps []interp.Warp
	for _, w := range running {
		for _, r := range w.peers {
			for _, state := range r.Warps {
				if r.Live > 0 {
					warps = append(warps, w.s.engine.Inspect(r.CTA, state))
				}
			}
		}
	}
	return interp.Interrupt(warps, t.ctx.Err())
}
