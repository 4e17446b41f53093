package sm

import (
	"cmp"
	"context"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/internal/sm/exchange"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// Session is a set of launches under way that run together.
type Session struct {
	machine
	pool *workerPool
	sms  []multiprocessor
	// SMs that have a CTA, by id, and some that had one; the others have no events, messages or requests
	used        []*multiprocessor
	memory      *cache.System
	distributor distributor
	exchanges   exchange.Exchange
	engines     []*interp.Engine // engines of used SMs, by SM and launch
	emptied     bool             // a CTA has ended that was the last one on its SM
	elsewhere   uint64           // warp instructions executed by SMs that are not used now
	retired     []*cta           // CTAs that have ended, and may have accesses that have yet to take effect
	window      int64            // cycles
	applied     bool             // what SMs have done to global memory has taken effect up to the epoch's end
	time        int64            // cycle up to which the SMs have run
	shown       int64            // cycle up to which Advance has run; nothing has happened since time
	someEnded   bool             // a CTA has ended in this epoch
	done        bool
	failed      error
	failedOf    *launch // launch with that error
	actingSMs
	smEvents
	hangProbe
	scratch
}

// hangProbe is when a session calls Prove to find out whether its warps can make progress.
type hangProbe struct {
	lastDone uint64 // warp instructions at the end of the latest epoch in which a CTA has ended
	probeAt  uint64 // warp instructions at which probe is called next
	perWarp  uint64 // instructions, for each warp that can run, between the latest probe and the next; 0 before the first
	probed   uint64 // warp instructions at the latest probe
	quiet    quiet
}

// actingSMs are those of the used SMs, with their engines, that may have done something since the latest exchange. All
// others have nothing to exchange.
type actingSMs struct {
	acting        []*multiprocessor
	actingEngines []*interp.Engine // by SM and launch
}

// scratch is what a session reuses, and what is not part of its state.
type scratch struct {
	ordered []*cache.Request
	counts  []int32
	placed  []*cta // CTAs that are to start together
	foundOn int    // index in used of the SM with the warp that Warp has found last
}

// Begin starts a launch without executing any of it yet. Errors are an *interp.LaunchError for a launch with invalid
// parameters, and an *isa.Error for an instruction that is not supported yet.
func Begin(m *interp.Machine, l interp.Launch, o Options) (*Session, error) {
	return BeginAll([]Launch{{Launch: l, Machine: m}}, o)
}

// BeginAll is Begin for launches that share the GPU. Each starts when the one before it in its stream has ended, and
// gets the resources that earlier ones leave. Their machines, at most MaxProcesses, must have the same configuration
// and share one budget of memory.
func BeginAll(ls []Launch, o Options) (*Session, error) {
	var machines []*interp.Machine
	var plain []interp.Launch
	for i := range ls {
		machines, plain = append(machines, ls[i].Machine), append(plain, ls[i].Launch)
	}
	grids, err := interp.PrepareAll(machines, plain)
	if err != nil {
		return nil, err
	}
	s := &Session{machine: newMachine(machines[0].Config().GPU, o)}
	for i, g := range grids {
		if err := s.newLaunch(g, &ls[i]); err != nil {
			return nil, err
		}
	}
	s.makeOps()
	if o.DualIssue {
		s.pairs = new([isa.NumUnits][isa.NumUnits]bool)
		for _, p := range pairs {
			s.pairs[p[0]][p[1]], s.pairs[p[1]][p[0]] = true, true
		}
	}
	s.roundTrip = int64(s.gpu.Memory.Flat)
	s.window = max(1, min(int64(s.gpu.CTAs.Turnaround), s.roundTrip))
	if s.gpu.Memory.Flat == 0 {
		s.roundTrip = int64(s.gpu.Memory.L2)
		if o.L2 == nil {
			o.L2 = NewL2(s.gpu)
		}
		s.memory = o.L2
		s.memory.Restart(len(ls))
		s.window = max(1, min(int64(s.gpu.CTAs.Turnaround), s.memory.Lookahead()))
	}
	if s.options.Instructions == nil {
		s.options.Instructions = NewInstructionCaches(s.gpu)
	}
	s.options.Instructions.begin(s.launches)
	if s.epoch = s.window; o.Window > 0 {
		s.window = min(s.window, o.Window)
	}
	s.counts = make([]int32, s.window+1)
	s.makeSMs()
	if err := s.makeEngines(); err != nil {
		return nil, err
	}
	if err := s.setPortions(ls); err != nil {
		s.close()
		return nil, err
	}
	s.record(ls)
	for _, l := range s.launches {
		if l.predecessor == nil {
			s.distributor.ready = append(s.distributor.ready, l)
		}
	}
	if err := s.distribute(0, 0); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// close releases the host memory that the launches use.
func (s *Session) close() {
	for _, l := range s.launches {
		l.grid.Close()
	}
}

// makeEngines makes an engine on each SM for each launch.
func (s *Session) makeEngines() error {
	taken := int64(0) // by CTAs of earlier launches
	for _, l := range s.launches {
		bytes, err := l.grid.CheckBudget(l.resident(s.gpu.SMs), taken)
		if err != nil {
			return err
		}
		taken += bytes
	}
	for _, l := range s.launches {
		l.engines = l.grid.NewEngines(len(s.sms), l.resident(s.gpu.SMs))
		l.grid.ReserveFiles(l.resident(s.gpu.SMs))
	}
	for i := range s.sms {
		for _, l := range s.launches {
			e := l.engines[i]
			e.Clock = &s.sms[i]
			e.Canceler = l
			e.Observe(s.sms[i].observers[l.index])
			l.journals = append(l.journals, e.Defer())
		}
	}
	return nil
}

// resident returns how many CTAs of the launch reside at once, at most.
func (l *launch) resident(sms int) int64 { return min(l.total, int64(l.most*sms)) }

func (s *Session) makeSMs() {
	on := s.gpu
	s.sms = make([]multiprocessor, on.SMs)
	s.events, s.counted = make([]int64, on.SMs), make([]uint64, on.SMs)
	for id := range s.sms {
		m := &s.sms[id]
		s.events[id] = idle
		m.id, m.free = id, newResources(on)
		m.accesses, m.textures = newIntake(isa.LSU, on.Schedulers, on.LSU.Queue), newIntake(isa.TEX, on.Schedulers, on.Texture.Queue)
		m.shared, m.of = -1, make([]share, len(s.launches))
		m.forgetTakes()
		m.schedulers = make([]scheduler, on.Schedulers)
		m.events = make([]int64, on.Schedulers, max(on.Schedulers, 8)) // in a line of the host's caches of its own
		for i := range m.schedulers {
			c := &m.schedulers[i]
			m.events[i], c.next = idle, &m.events[i]
			c.younger = make([]uint64, s.slots)
			c.id, c.stepped, c.last = id*on.Schedulers+i, -1, 63
			c.did, c.stable = make([]SchedulerTiming, len(s.launches)), make([]uint64, len(s.launches))
			own := make([]pipe, isa.NumUnits)
			for p := range c.pipes {
				if c.pipes[p] = &own[p]; on.SMWide[p] {
					c.pipes[p] = &m.pipes[p]
				}
			}
		}
	}
	threads := min(max(1, s.launches[0].grid.Machine().Config().Threads), len(s.sms))
	s.pool = s.newWorkerPool(s.sms, threads)
	for _, l := range s.launches {
		l.most = s.sms[0].takes(l)
	}
	s.distributor = newDistributor(s.options.Order, on, s.sms[0].plan)
}

// use notes that an SM gets a CTA; it may have no other.
func (s *Session) use(m *multiprocessor) {
	if s.applied {
		m.now = max(m.now, s.time) // endEpoch leaves it to SMs that have done nothing in the epoch
	}
	i, found := slices.BinarySearchFunc(s.used, m.id, func(m *multiprocessor, id int) int { return m.id - id })
	if found {
		return
	}
	m.now = max(m.now, s.time)
	s.used = sorted.Insert(s.used, i, m)
	i *= len(s.launches)
	for _, l := range s.launches {
		e := l.engines[m.id]
		s.elsewhere -= e.Stats.WarpInstrs
		s.engines = sorted.Insert(s.engines, i, e)
		i++
	}
}

// rest removes the SMs from the used ones that have nothing to do until they get a CTA, so that epochs do not visit
// them. Everything that they have done must have taken effect.
func (s *Session) rest() {
	if !s.emptied {
		return
	}
	s.emptied = false
	used, engines := s.used[:0], s.engines[:0]
	for i, m := range s.used {
		own := s.engines[i*len(s.launches):][:len(s.launches)]
		if m.residents == 0 && m.isAtRest() {
			for _, e := range own {
				s.elsewhere += e.Stats.WarpInstrs
			}
			continue
		}
		s.emptied = s.emptied || m.residents == 0
		used, engines = append(used, m), append(engines, own...)
	}
	s.used, s.engines = used, engines
}

// Stats returns the instruction counts of the first launch, or the only one, so far.
func (s *Session) Stats() interp.Stats { return s.StatsOf(0) }

// StatsOf returns the instruction counts of a launch so far.
func (s *Session) StatsOf(launch int) interp.Stats {
	return interp.Total(s.launches[launch].engines)
}

// Began reports whether a CTA of a launch has started.
func (s *Session) Began(launch int) bool { return s.launches[launch].start >= 0 }

// Failed returns the launch with the error that ended all of them; -1 if there is none.
func (s *Session) Failed() int {
	if s.failedOf == nil {
		return -1
	}
	return s.failedOf.index
}

// Ended reports whether a launch has ended.
func (s *Session) Ended(launch int) bool { return s.launches[launch].unfinished == 0 }

// instructions returns the number of warp instructions executed so far.
func (s *Session) instructions() uint64 {
	n := s.elsewhere
	for _, e := range s.engines {
		n += e.Stats.WarpInstrs
	}
	return n
}

// Done reports whether the launch has ended, with or without an error.
func (s *Session) Done() bool { return s.done }

// Continue runs the launch until it ends or ctx does. After the launch has ended, it returns the same error again. If
// ctx ends, the error is an *interp.Interrupted; the launch can then continue, as it can after an *interp.Awaiting.
func (s *Session) Continue(ctx context.Context) error {
	s.pool.begin()
	defer s.pool.stop()
	for !s.done {
		if err := ctx.Err(); err != nil {
			return interp.Interrupt(s.Warps(), err)
		}
		if err := s.turn(); err != nil {
			return err
		}
	}
	return s.failed
}

// turn runs a window, and notes which launches have ended. The error is the *interp.Awaiting of a launch that has not
// ended.
func (s *Session) turn() error {
	ended, err := s.runWindow()
	if _, awaits := err.(*interp.Awaiting); awaits {
		return err
	}
	if err != nil || ended {
		s.end(err)
	}
	return nil
}

// end ends the launches, and then adds up what the observers of all threads have counted.
func (s *Session) end(err error) {
	s.done, s.failed = true, err
	s.pool.sum()
	s.close()
}

// Abandon ends, with err, launches that Continue left when its context was cancelled. Observers have seen everything
// executed so far.
func (s *Session) Abandon(err error) {
	if !s.done {
		s.end(err)
	}
}

// runWindow runs all SMs until the end of the next window, and exchanges their requests and messages. It reports
// whether the launch has ended.
func (s *Session) runWindow() (ended bool, err error) {
	begin := s.nextEvent()
	if begin >= s.epochEnd && s.applied {
		if begin == idle {
			if len(s.distributor.ready) == 0 && s.empty() {
				return true, nil
			}
			return false, s.stalled()
		}
		s.rest()
		s.epochEnd, s.applied = begin-begin%s.epoch+s.epoch, false
		s.emptyCaches()
	}
	end := s.epochEnd
	if begin < end-s.window {
		end = begin + s.window
	}
	s.time, s.windowEnd = end, end
	s.findActing(end)
	s.pool.run(s.acting, end)
	s.recordPassed(end)
	if end == s.epochEnd {
		return false, s.endEpoch()
	}
	err = s.exchange(end)
	for _, m := range s.acting {
		s.noteEvent(m)
	}
	return false, err
}

// findActing finds the SMs that may do something before cycle end, or have done it when a CTA started. With clusters
// all may, because of others; with several windows in an epoch they may have done it in an earlier one.
func (s *Session) findActing(end int64) {
	s.acting, s.actingEngines = s.acting[:0], s.actingEngines[:0]
	if s.window < s.epoch || s.pool.groups != nil {
		s.acting, s.actingEngines = append(s.acting, s.used...), append(s.actingEngines, s.engines...)
		return
	}
	ahead := s.startedAhead
	for id, t := range s.events {
		if t >= end && !(ahead && s.sms[id].executedAhead) {
			continue
		}
		s.acting = append(s.acting, &s.sms[id])
		for _, l := range s.launches {
			s.actingEngines = append(s.actingEngines, l.engines[id])
		}
	}
	s.startedAhead = false
}

// endEpoch is the exchange at the end of an epoch. An error ends the launch here, and not in the window in which an
// SM has found it, because all SMs have then done the same for every window length.
func (s *Session) endEpoch() error {
	last := exchange.Ever
	if m := s.firstFailed(); m != nil {
		last = exchange.Moment{Cycle: m.errAt, SM: (slices.Index(s.acting, m)+1)*len(s.launches) - 1}
	}
	applied := s.apply(last)
	exchanged := s.exchange(s.epochEnd)
	for _, m := range s.acting {
		s.noteEvent(m)
		s.countInstructions(m)
	}
	if applied != nil {
		return applied
	}
	if err := cmp.Or(s.failure(), exchanged); err != nil {
		return err
	}
	return s.checkProgress()
}

// apply makes what SMs have done to global memory up to a moment take effect.
func (s *Session) apply(last exchange.Moment) error {
	for _, m := range s.acting {
		m.now, m.executedAhead = s.time, false
	}
	at, err := s.exchanges.Apply(s.actingEngines, last, s)
	if err != nil {
		s.failedOf = s.launches[at.SM%len(s.launches)]
	}
	s.applied = true
	s.reuse()
	return err
}

// Completed implements exchange.Completer.
func (s *Session) Completed(engine int, tag uint64, changed bool) {
	m := s.acting[engine/len(s.launches)]
	switch kind, id := tagKind(tag>>tagBits), int32(tag&(1<<tagBits-1)); kind {
	case flightTag:
		m.takenEffect(id, changed, s.time)
	case callTag:
		m.returned(id, s.time)
	}
}

// checkProgress returns an error if the launch has executed too much without the end of a CTA, or provably never
// ends.
func (s *Session) checkProgress() error {
	n := s.executed
	if p := s.options.Progress; p != nil {
		p.cycles.Store(s.time)
		p.instrs.Store(int64(n))
	}
	if s.someEnded {
		s.someEnded, s.lastDone = false, n
	}
	if s.options.Prove != nil {
		if err := s.proveHang(n); err != nil {
			return err
		}
	}
	if n -= s.lastDone; n >= s.launches[0].grid.Machine().Config().MaxLaunchSteps {
		started := int64(0)
		for _, l := range s.launches {
			if started += l.next; s.failedOf == nil && l.start >= 0 && l.unfinished > 0 {
				s.failedOf = l
			}
		}
		return s.launches[0].grid.LaunchStepLimit(n, s.Warps(), started)
	}
	return nil
}

// failure returns the error of the launch that an SM has found, or nil.
func (s *Session) failure() error {
	m := s.firstFailed()
	if m == nil {
		return nil
	}
	s.failedOf = m.errOf
	return m.err
}

// firstFailed returns the SM with the error of the launch, the first in the order of cycle and SM; nil if there is
// none.
func (s *Session) firstFailed() (first *multiprocessor) {
	if !slices.ContainsFunc(s.pool.workers, func(w *worker) bool { return w.failed }) {
		return nil
	}
	for _, m := range s.used {
		if m.err != nil && (first == nil || m.errAt < first.errAt) {
			first = m
		}
	}
	return first
}

func (s *Session) empty() bool {
	for _, m := range s.used {
		if m.residents > 0 {
			return false
		}
	}
	return true
}
