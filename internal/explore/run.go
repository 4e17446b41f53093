package explore

import (
	"bytes"
	"errors"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// choice is a transition of an execution: that of a thread.
type choice struct {
	thread int32
	// early says that the transition accesses no shared memory, and was made before others for that reason.
	early bool
	// stops says that the thread stops for ever after limit instructions of the launch, because the next one fails.
	stops bool
	limit uint64
}

// sleeper is a thread with its next transition, which others have explored from the present state.
type sleeper struct {
	thread   int32
	vain     bool // it polls in vain: see branch
	accesses []access
}

// step is a transition of an execution.
type step struct {
	choice
	index    uint32 // of the transition among those of its thread, from 1
	clock    clock  // transitions that happen before, and this one
	accesses []access
	enabled  bits     // threads that could run before it
	polling  bits     // threads that waited for a change then
	kinds    []uint64 // of the threads that could run; nil if none were twins
	preempts bool     // the thread of the previous transition could have gone on
	visible  bool     // it has executed an instruction that may access memory that threads share
	erased   bool     // it belongs to an iteration that polled in vain
}

// thread is the state of a thread.
type thread struct {
	warp, lane int    // warp is its index among the resident warps; -1 if it is not resident
	count      uint64 // instructions of the launch that it has executed
	stops      bool   // see choice
	limit      uint64
	stopped    bool   // at its limit
	polls      bool   // it waits until a word that it polls changes
	index      uint32 // of its latest transition
	clock      clock
	waits      bool  // at a barrier
	released   clock // of all arrivals at a complete barrier for which it has not waited yet; else nil
	changes    int   // changes of memory and synchronisations of the launch
	steps      []int
	marks      map[markKey]*mark
	kind       uint64 // see run.kind
	kindAt     uint64 // the value of count for which kind is known, plus 1
	retreats   int    // arrivals at loop heads since its latest change
}

// run is one execution: the order of its launches, and their observer.
type run struct {
	codes    map[*isa.Func]*code
	prefix   []choice
	random   *random // nil: threads run as long as they can
	sleep    []sleeper
	segments *segments // nil, or the record for a script
	follow   *follower // nil, or a script to follow

	warps   []interp.Warp // the resident ones
	launch  int           // number, from 0
	grid    isa.Dim
	block   int // threads
	threads []thread
	running int32 // the thread; -1 before the first
	last    int32 // the thread of the latest transition that was not made early; -1 before the first
	steps   []step
	words   history
	sums    map[sumAt]*sum
	before  []byte // memory at the places of an access before it
	held    clock  // all that has happened, at the start of a launch
	syncs   map[syncKey]*syncing
	place   divergence.Split // of the running thread
	found   divergence.Split // what next has found: its own variables would be allocated each time

	requests []request
	vainFrom int // the first transition of the latest iteration that has polled in vain
}

var (
	errRedundant = errors.New("other executions cover the rest of this one")
	errVain      = errors.New("the branch polls in vain: other branches of its node cover it")
	errStopped   = errors.New("only threads that have stopped before a fault are left")
)

// begin prepares for a launch. A thread of it happens after everything before.
func (r *run) begin(l *interp.Launch, number int) {
	r.launch, r.grid, r.block, r.warps, r.running, r.last = number, l.Grid, int(l.Block.Count()), nil, -1, -1
	for i := range r.threads {
		r.held.join(r.threads[i].clock)
	}
	clear(r.syncs)
	for i := range r.threads {
		t := &r.threads[i]
		*t = thread{warp: -1, index: t.index, clock: append(t.clock[:0], r.held...), steps: t.steps[:0], marks: make(map[markKey]*mark)}
	}
}

// codeOf returns the facts of the function of an activation.
func (r *run) codeOf(w interp.Warp, fr divergence.FrameID) *code {
	f := w.Func(fr)
	c := r.codes[f]
	if c == nil {
		c = codeOf(f, w.Frame(fr).Graph)
		r.codes[f] = c
	}
	return c
}

// number returns the number of a thread by its place.
func (r *run) number(cta isa.Dim, warp, lane int) int32 {
	return int32(int(r.grid.Number(cta))*r.block + warp*lanes.Width + lane)
}

// find records where the threads of the resident warps are.
func (r *run) find(all []interp.Warp) {
	for i := range r.threads {
		r.threads[i].warp = -1
	}
	r.warps = all
	for i, w := range all {
		for m := w.Threads(); m != 0; m &= m - 1 {
			t := &r.threads[r.number(w.CTA(), w.ID(), m.First())]
			t.warp, t.lane = i, m.First()
		}
	}
}

// next finds the split of a thread; false if it cannot run.
func (r *run) next(t *thread, s *divergence.Split) bool {
	if t.warp < 0 || !r.warps[t.warp].Control().Ready(^lanes.Mask(1<<t.lane), &r.found) {
		return false
	}
	*s = r.found
	return true
}

// Next implements interp.Order.
func (r *run) Next(all []interp.Warp) (warp, lane int, err error) {
	if len(r.warps) != len(all) || &r.warps[0] != &all[0] {
		r.find(all)
	}
	if r.running < 0 || !r.continues() {
		if err := r.choose(); err != nil {
			return 0, 0, err
		}
	}
	t := &r.threads[r.running]
	if !r.next(t, &r.place) {
		panic("simtrun bug: an execution chose a thread that cannot run")
	}
	st := &r.steps[len(r.steps)-1]
	st.visible = r.codeOf(r.warps[t.warp], r.place.Frame).visible[r.place.PC]
	t.count++
	r.follow.executes(r)
	if r.segments != nil {
		r.segments.add(r.running)
	}
	return t.warp, t.lane, nil
}

// continues reports whether the running thread's transition goes on. It handles the instruction that was executed.
func (r *run) continues() bool {
	t, st := &r.threads[r.running], &r.steps[len(r.steps)-1]
	was, interrupted := r.place, r.follow.interrupts()
	done := st.clock != nil // the transition has had its visible instruction
	if st.visible && !done {
		r.analyse(len(r.steps) - 1)
		done = true
	}
	st.visible = done
	if !r.next(t, &r.place) {
		r.close()
		return false
	}
	w := r.warps[t.warp]
	if f := w.Func(was.Frame); was.Frame == r.place.Frame && was.PC < len(f.Code) && f.Code[was.PC].Is(isa.CallKind) {
		t.changes++ // a function that is not executed as instructions
	}
	if t.stops && t.count >= t.limit {
		t.stopped = true
		r.close()
		return false
	}
	c := r.codeOf(w, r.place.Frame)
	regs, head := c.heads[r.place.PC]
	if head && r.pollsInVain(regs) || c.visible[r.place.PC] || interrupted {
		r.close()
		return false
	}
	return true
}

// close ends the running thread's transition.
func (r *run) close() {
	st := &r.steps[len(r.steps)-1]
	if st.clock == nil {
		st.clock = append(clock(nil), r.threads[st.thread].clock...)
	}
	if st.erased {
		return
	}
	for i := range st.accesses {
		a := &st.accesses[i]
		r.words.word(a.at).add(len(r.steps)-1, a, st.thread, r.steps, r.final(st.thread))
	}
}

// enabled finds the threads that can run, and those that poll.
func (r *run) enabled() (can, polling bits, some, stopped bool) {
	can, polling = newBits(len(r.threads)), newBits(len(r.threads))
	for i := range r.threads {
		t := &r.threads[i]
		var s divergence.Split
		switch {
		case !r.next(t, &s):
		case t.stopped:
			stopped = true
		case t.polls:
			polling.add(int32(i))
		default:
			can.add(int32(i))
			some = true
		}
	}
	return can, polling, some, stopped
}

// choose begins the next transition.
func (r *run) choose() error {
	for {
		c, can, polling, err := r.decide()
		if err != nil {
			return err
		}
		was, t := r.last, &r.threads[c.thread]
		r.running = c.thread
		if !c.early {
			r.last = c.thread
		}
		t.index++
		t.clock[c.thread] = t.index
		t.steps = append(t.steps, len(r.steps))
		r.steps = append(r.steps, step{choice: c, index: t.index, enabled: can, polling: polling, kinds: r.kinds(can), preempts: !c.early && was >= 0 && was != c.thread && can.has(was)})
		if c.stops {
			t.stops, t.limit = true, c.limit
		}
		if !t.stops || t.count < t.limit {
			return nil
		}
		t.stopped = true
		r.close()
	}
}

// decide returns the choice of the next transition, the threads that can run, and those that poll.
func (r *run) decide() (c choice, can, polling bits, err error) {
	if r.vain() {
		return c, nil, nil, errVain
	}
	can, polling, some, stopped := r.enabled()
	switch {
	case !some && stopped:
		return c, nil, nil, errStopped
	case !some:
		return c, nil, nil, interp.ErrLivelock
	case len(r.steps) >= len(r.prefix):
		if t := r.early(can); t >= 0 {
			c.thread, c.early = t, true
		} else if c.thread = r.prefers(can); c.thread < 0 {
			err = errRedundant
		}
	default:
		if c = r.prefix[len(r.steps)]; !can.has(c.thread) {
			panic("simtrun bug: an execution does not repeat")
		}
	}
	return c, can, polling, err
}

// early returns a thread that will access no shared memory in its next transition, or -1. Such transitions are
// independent of all others. If they are made at once, all threads that can run are about to access memory, which
// leaves fewer states in which they can be. An order that is given has no such transitions.
func (r *run) early(can bits) int32 {
	if r.follow != nil || r.random != nil {
		return -1
	}
	for i := range r.threads {
		t := &r.threads[i]
		var s divergence.Split
		if can.has(int32(i)) && r.next(t, &s) && !r.codeOf(r.warps[t.warp], s.Frame).visible[s.PC] && t.retreats <= patience {
			return int32(i)
		}
	}
	return -1
}

// prefers returns the thread to run after the prefix: the running one as long as it can, else the first. Threads that
// have been in loops for long without a change come last. It returns -1 if all of them sleep.
func (r *run) prefers(can bits) int32 {
	if r.follow != nil {
		if t := r.follow.next(r, can); t >= 0 {
			return t
		}
	}
	if r.random != nil {
		return r.random.choose(r, can)
	}
	best, patient := int32(-1), int32(-1)
	for i := range r.threads {
		t := int32(i)
		if !can.has(t) || r.sleeps(t) {
			continue
		}
		switch {
		case r.threads[i].retreats > patience:
			if patient < 0 || t == r.last {
				patient = t
			}
		case best < 0 || t == r.last:
			best = t
		}
	}
	if best < 0 {
		return patient
	}
	return best
}

func (r *run) sleeps(t int32) bool {
	for i := range r.sleep {
		if r.sleep[i].thread == t {
			return true
		}
	}
	return false
}

// Accessed implements interp.AccessObserver.
func (r *run) Accessed(at *interp.Place, a *interp.Access) {
	if !shared(a) {
		if a.Kind != isa.Load && isa.Space(a.Space) == isa.Local {
			r.threads[r.running].changes++
		}
		return
	}
	if a.Kind != isa.Load {
		r.before = a.AppendTo(r.before[:0], a.Lanes)
	}
}

// Completed implements interp.CompletionObserver.
func (r *run) Completed(at *interp.Place, a *interp.Access) {
	if !shared(a) {
		return
	}
	changed := false
	if a.Kind != isa.Load {
		after := a.AppendTo(nil, a.Lanes)
		changed = !bytes.Equal(r.before, after)
	}
	st := &r.steps[len(r.steps)-1]
	f := r.warps[r.threads[r.running].warp].Func(r.place.Frame)
	var c class
	if a.Kind == isa.Atomic && f.Code[a.PC].Is(isa.Atomic) {
		c = r.codes[f].class[a.PC]
	}
	if changed {
		r.threads[r.running].changes++
		r.threads[r.running].retreats = 0
	}
	if c.rounds() {
		r.adds(a)
	}
	for m := a.Lanes; m != 0; m &= m - 1 {
		from := a.At(m.First())
		if changed && !c.rounds() {
			r.overwrites(a.Region, from, from+a.Size)
		}
		for end := from + a.Size; from < end; {
			word := from / 4
			next := min((word+1)*4, end)
			mask := uint8(1<<(next-word*4) - 1<<(from-word*4))
			p := place{a.Region, word}
			st.accesses = append(st.accesses, access{p, mask, changed || c != 0, c})
			if changed {
				r.changes(p)
			}
			from = next
		}
	}
}

// shared reports whether threads share the memory of an access, and may change it.
func shared(a *interp.Access) bool {
	s := isa.Space(a.Space)
	return s != isa.Local && s != isa.Param && s != isa.Const
}

// changes records that the running transition has changed a word. Threads that poll it can run again.
func (r *run) changes(p place) {
	w := r.words.word(p)
	w.changed = len(r.steps) - 1
	for _, t := range w.waiting {
		r.threads[t].polls = false
	}
	w.waiting = w.waiting[:0]
}
