package functional

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// team runs a launch on several threads of the host, each of which takes one CTA after
// the other and runs it to its end. What comes of it is what Session.round comes to, or
// nothing: then memory is put back, and the launch runs in order.
//
// The order of CTAs decides nothing if no word of global memory that one of them writes
// is accessed by another. Then a CTA does the same whatever others do: its time slices
// are counted in its own instructions, and what its warps do in them depends on
// its own state. The exceptions make the launch run in order:
//
//   - calls of functions of the system, which print and allocate, and CTAs that cancel others;
//   - atomics on global memory, but for reductions of integers (see partial), and clocks, of
//     which the order decides what they give;
//   - a CTA that makes no progress for a time slice: what is done about that depends on
//     whether others do;
//   - faults, hangs and limits, as one of another CTA may come first;
//   - warnings, if CTAs have taken turns: they name the first lanes;
//   - observers that are no interp.Summers, instructions executed one by one.
//
// Of two CTAs the one that started first may have ended in its first time slice: then
// the other one starts when it has ended, and they may access the same if they run on
// one thread, which takes CTAs in order. Where all CTAs that have started have ended in their
// first time slice, the launch has come to where it comes to in order, too. What has been
// executed then stands, if it is much, and it is to this state that memory is put back.
//
// The CTAs of a cluster are run by one thread, in turn as in order, and are one CTA for all of the above.
//
// What CTAs access is not checked when they do, but kept in footprints, one for
// each thread. Now and then all threads come to a halt, and their footprints are compared.
// So a CTA may have read what another one writes, and do anything on account of that,
// before this is found: run into a fault, or loop until the next comparison.
type team struct {
	s       *Session
	ctx     context.Context
	workers []*worker
	backup  *memory.Backup
	all     *memory.Footprint // for use by check
	alone   bool              // one worker executes
	keeps   bool              // what has been executed is to stand if it can, as it is much
	next    atomic.Int64      // number of the CTA to start next
	halt    atomic.Bool       // workers are to come back
}

// worker runs CTAs on a thread of its own.
type worker struct {
	t       *team
	s       *Session // of which the worker uses what runs a CTA
	peers   []*resident
	number  int64 // of the CTA that runs, or of the first of the cluster; -1 if none does
	claimed int64 // number of the CTA to start next; those up to, but without, end are the worker's
	end     int64
	began   uint64 // in the worker's instructions: where that began, or those which it has followed in code
	longest uint64 // instructions of the longest CTA, or cluster, that has ended; at most, as CTAs that follow each other in code are counted as one

	// What the CTAs have accessed: as long as each has ended in its first time slice, all
	// of them together; then the CTA that runs, and those before it.
	now, before *memory.Footprint
	turns       bool       // a CTA has not ended in its first time slice
	partials    []*partial // a few
	stands      bool       // what the footprints say stands, and does not matter any more
	failed      bool       // the launch has to run in order
	bug         string     // what a panic said; "" if there was none
}

// alone is Session.Alone where nothing is said: many launches have no more. Then each worker
// executes together instructions before footprints are compared, and from then on eight times as many each time,
// until what was executed can stand. That is once each has executed Session.Kept, which is kept where nothing is said: pages that have been
// written have to be saved again from then on, as most are that the CTAs next to them write.
const (
	alone    = 1 << 14
	together = 1 << 18
	kept     = 1 << 21
)

// worthHelp is Session.WorthHelp where nothing is said. Threads that help have to be woken, what they write is saved before, and
// caches of the host are cold: shorter launches take longer so.
const worthHelp = time.Millisecond

// mostNoted is how many times a launch begins anew to have the reads of one more region noted.
// Then those of all are.
const mostNoted = 4

// outcome is what a team's run has come to.
type outcome uint8

const (
	undecided outcome = iota
	complete          // all CTAs have ended, and their order does not matter
	ordered           // the order may matter
	mixed             // to be tried again, as more is to be known of what is read
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
	var noted []int32 // regions of which it is noted what is read
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

// expectsBrief reports whether the launch is run in order, without a team and its footprints, which take longer than launches that execute
// less than Session.Alone: as the latest launch of the kernel did by far, if each warp executes as much as those did.
func (s *Session) expectsBrief() bool {
	warps := uint64(s.total) * uint64(s.grid.Shape.WarpsPerCTA)
	each, known := s.grid.Expected()
	return s.mayShare() && known && warps < s.Alone && each*warps < s.Alone/2
}

// isNotBrief reports whether the launch executes more than was expected, and all CTAs that have started have ended in their
// first time slice, so that a team can run the others. Where one has not, the launch goes on in order.
func (s *Session) isNotBrief() bool {
	return s.pause != 0 && s.live == 0 && s.engine.Stats.WarpInstrs >= s.pause && s.next < s.total
}

// newTeam makes a team which notes what is read of some regions. It fails if an observer is
// no Summer, or the host's memory does not suffice.
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

// settle makes room for the CTAs that the worker runs. It fails if the host's memory does
// not suffice.
func (w *worker) settle() bool {
	w.peers = w.s.addCluster()
	return w.peers != nil
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
	if result == undecided && t.s.next > first { // what was executed stands
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
				panic(w.bug) // on the thread of the caller, which may recover
			}
		}
		t.keeps = n >= t.s.Kept
		result = t.check()
		if n < t.s.Kept || t.s.next < t.next.Load() || t.reduces() {
			n *= 8
		}
	}
	return result
}

// paysHelp reports whether the rest of the launch is worth the help of other threads, if CTAs take as long as those that
// have ended in the time that has passed.
func (t *team) paysHelp(passed time.Duration) bool {
	ended, left := t.next.Load()-t.s.next, t.s.total-t.next.Load()
	return ended <= 0 || t.workers[0].busy() || passed*time.Duration(left)/time.Duration(ended) >= t.s.WorthHelp
}

// reduces reports whether a worker has partials, which it takes some time to combine.
func (t *team) reduces() bool {
	return slices.ContainsFunc(t.workers, func(w *worker) bool { return len(w.partials) > 0 })
}

// runFor is runUntil for so many more instructions. It keeps what a panic says.
func (w *worker) runFor(instrs uint64) {
	defer w.catch()
	w.runUntil(w.s.engine.Stats.WarpInstrs + instrs)
}

// runUntil runs CTAs until the worker has executed so many instructions, another one has
// or none is left.
func (w *worker) runUntil(instrs uint64) {
	t, e := w.t, w.s.engine
	if w.stands {
		w.stands = false
		w.now.Clear()
	}
	for (!t.halt.Load() || w.inRow()) && t.ctx.Err() == nil && w.start() {
		w.s.progress = false
		done, err := w.runCluster()
		switch {
		case err != nil || !done && !w.s.progress || e.ClockReads > 0:
			w.failed = true
		case done:
			w.ended()
		default:
			w.turns = true
		}
		if w.failed || w.now.Mixed >= 0 || w.before.Mixed >= 0 || t.backup.Short() || e.Stats.WarpInstrs >= instrs {
			t.halt.Store(true)
		}
	}
}

// runCluster gives each CTA of the cluster that runs a time slice, as Session.round does, and reports
// whether all of them have ended.
func (w *worker) runCluster() (done bool, err error) {
	for _, r := range w.peers {
		if r.Live == 0 && !r.slice.begun { // it has not ended just where it was started
			continue
		}
		ended, err := w.s.runCTA(r, math.MaxUint64) // see withinLimits
		if err != nil {
			return false, err
		}
		if ended {
			w.s.engine.End(r.CTA)
		}
	}
	return w.peers[0].Cluster.Live() == 0, nil
}

// catch keeps what a panic says, and where it was.
func (w *worker) catch() {
	if p := recover(); p != nil {
		w.bug = fmt.Sprintf("%v\n%s", p, debug.Stack())
	}
}

// start starts the next CTA unless one runs. It is false if there is none.
func (w *worker) start() bool {
	if w.number >= 0 {
		return true
	}
	if w.claimed == w.end && !w.claim() {
		return false
	}
	w.number, w.began = w.claimed, w.s.engine.Stats.WarpInstrs
	ctas := w.end - w.number
	if w.turns {
		ctas = 1 // each has a footprint of its own
	}
	w.number += w.s.startAt(w.peers, w.number, ctas, math.MaxUint64)
	w.claimed = w.number + int64(len(w.peers))
	return true
}

// claim claims CTAs that have not started, some in a row: those lie side by side in memory,
// as a rule. It is false if there are none.
func (w *worker) claim() bool {
	const most = 16
	next, total, size := &w.t.next, w.t.s.total, int64(len(w.peers))
	n := max(1, min(most, (total-next.Load())/int64(8*len(w.t.workers)))/size) * size
	if w.t.alone {
		n = size
	}
	end := next.Add(n)
	w.claimed, w.end = min(end-n, total), min(end, total)
	return w.claimed < w.end
}

// inRow reports whether the worker is to go on with the CTAs that it has claimed, although
// others halt: a launch can be taken up in order again only behind CTAs that have all ended.
func (w *worker) inRow() bool { return w.claimed < w.end && !w.turns && !w.failed }

// busy reports whether CTAs of the worker have not ended.
func (w *worker) busy() bool { return w.number >= 0 || w.claimed < w.end }

// ended ends the CTA that runs.
func (w *worker) ended() {
	w.longest = max(w.longest, w.s.engine.Stats.WarpInstrs-w.began)
	w.number = -1
	if w.turns {
		w.failed = w.failed || w.before.Meets(w.now) == memory.Common
		w.before.Add(w.now)
		w.now.Clear()
	}
}

// Access implements interp.Watcher.
func (w *worker) Access(kind isa.Kind, in *program.Info, a *lanes.Access, m lanes.Mask) {
	switch {
	case kind == isa.Load:
		w.now.Read(a, m)
	case kind == isa.Store:
		w.now.Write(a, m)
	case in.Reduction != nil && w.reduce(in.Reduction, a):
	default:
		w.failed = true
		w.now.Write(a, m) // which saves what is there
	}
}

// Notes implements interp.Watcher.
func (w *worker) Notes(kind isa.Kind, in *program.Info, r *memory.Region) (data []byte, pages []*memory.Page, ok bool) {
	if kind != isa.Atomic {
		return r.Data, w.now.Notes(r.Number, kind == isa.Store), true
	}
	if in.Reduction == nil {
		return nil, nil, false
	}
	p := w.partialFor(in.Reduction, r.Number)
	if p == nil {
		return nil, nil, false
	}
	return p.data, nil, true
}

// NeedsPage implements interp.Watcher.
func (w *worker) NeedsPage(kind isa.Kind, r *memory.Region, off uint64) {
	w.now.NeedsPage(r.Number, kind == isa.Store, off)
}

// check finds what the launch has come to where all workers have come to a halt. What has
// been executed stands if the rest cannot change it.
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

// commit makes the session one that has executed in order what the workers have: all CTAs that
// have started have ended, and unless it is the end of the launch in their first time slice.
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

// withinLimits reports whether nothing but the order of CTAs decides what comes of the
// limits of the launch, and of warnings.
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
	// Between the ends of two CTAs those that reside execute no more than all of each.
	most := min(instrs, longest*uint64(resident))
	return most < s.cfg.MaxLaunchSteps && !(warned && turns) && !t.backup.Short()
}

// engines are those of the workers.
func (t *team) engines() []*interp.Engine {
	var all []*interp.Engine
	for _, w := range t.workers {
		all = append(all, w.s.engine)
	}
	return all
}

// interrupted is the error of a launch whose context has ended. What was executed counts
// until the launch goes on.
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
