package sm

import (
	"math/bits"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/memory"
)

// multiprocessor is an SM. It runs independently from one exchange to the next: requests and messages to others wait
// in its outboxes.
type multiprocessor struct {
	*worker             // of the thread that runs it
	observer   Observer // nil without an observer
	id         int
	schedulers []scheduler
	events     []int64            // by scheduler: cycle of its next event
	first      int                // scheduler that steps first in a cycle
	pipes      [isa.NumUnits]pipe // pipes that its schedulers share
	residency
	instructions *instructionCaches // nil before the first fetch
	now          int64              // cycle
	// a warp has executed instructions ahead since the latest exchange at the end of an epoch, perhaps when it started
	executedAhead bool
	messages      []message
	sent          uint64 // messages sent

	barrierFree int64      // from this cycle on the barrier unit takes an arrival
	tensorCores tensorPort // for products and copies of tensor memory
	clusterPorts
	memoryPipe
	requests
	touched
	failure
}

// touched says whether an access has changed memory, or has read memory that others may change, since the session last
// reset it.
type touched struct{ wrote, polled bool }

// residency has the free and used resources of an SM, and the share of each launch.
type residency struct {
	free      resources
	residents int     // CTAs
	shared    int64   // bytes configured as shared memory while CTAs reside
	begins    []int64 // cycles from which on launches need empty caches
	of        []share // by launch
	nextStart int64   // cycle from which on another CTA of a launch that has not filled the GPU can start
}

// clusterPorts are the ports of an SM to other SMs of a cluster.
type clusterPorts struct {
	clusterSends, clusterReceives int64                // cycles from which on they are free
	remoteLines                   []memory.LineSectors // reused in each call
}

// memoryPipe is the pipe that L1 and shared memory have in common, and that of textures, with the memory instructions
// under way.
type memoryPipe struct {
	accesses     intake // the pipe of L1 and shared memory
	textures     intake // the texture pipe
	copyFree     int64  // from this cycle on the copy engine takes a bulk copy
	flights      []flight
	spareFlights []int32
	l1           *cache.L1
	// cycles, in order, in which acquires are done that L1 has not been notified of yet
	acquires  []int64
	constants [2]*cache.L1 // constant caches, nearer one first; nil before a constant is loaded
}

// requests are an SM's requests to L2 in a window, and the flights that wait for replies.
type requests struct {
	outbox    []cache.Request
	origins   []requestOrigin // by index in outbox
	merged    []mergedMiss
	storesOut storeQueue
}

// failure is the first error of an SM.
type failure struct {
	err     error
	errAt   int64 // cycle
	errSlot int   // slot.number of its warp
	errOf   *launch
}

// share is the state of one launch on an SM.
type share struct {
	takes       int   // CTAs that the SM can take, if takesKnown
	takesKnown  bool  // takes is valid: free resources have not changed since
	residents   int   // CTAs
	handed      int64 // CTAs handed to the SM since the launch began
	activeSince int64 // cycle from which on warps reside without a gap
	active      int64 // cycles in which warps resided before that
	first, last int64 // cycles: start of the first CTA, end of the latest to end so far
	turn        int   // SMs of its GPC that got a CTA of the launch before it
	fetched     bool  // a line of its machine code has been fetched from outside the SM
	constants   launchConstants
	memoryPipe  int64 // cycles in which the memory pipe was busy
	texturePipe int64 // cycles in which the texture pipe was busy
	states      States
	traffic     L1Traffic
}

// Now implements interp.Clock.
func (m *multiprocessor) Now() (cycle, nanoseconds uint64) {
	c := m.options.Since + m.now
	return uint64(c), uint64(float64(c) * 1000 / m.gpu.ClockMHz)
}

// run runs the SM up to, but not including, cycle end.
func (m *multiprocessor) run(end int64) {
	for {
		t := m.nextEvent()
		if t >= end {
			return
		}
		if t < m.now {
			panic("simtrun bug: an SM has an event in a past cycle")
		}
		m.tick(t)
	}
}

// tick runs cycle t of the SM.
func (m *multiprocessor) tick(t int64) {
	m.now = t
	if m.accesses.next == t {
		m.takeMemory(&m.accesses, t)
	}
	if m.textures.next == t {
		m.takeMemory(&m.textures, t)
	}
	first, schedulers := m.first, m.schedulers
	events := m.events[:len(schedulers)]
	for i := first; i < len(schedulers); i++ {
		if events[i] == t {
			m.step(&schedulers[i], t)
		}
	}
	for i := range first {
		if events[i] == t {
			m.step(&schedulers[i], t)
		}
	}
}

func (m *multiprocessor) nextEvent() int64 {
	next := min(m.accesses.next, m.textures.next)
	for _, t := range m.events {
		next = min(next, t)
	}
	return next
}

// isAtRest reports whether an SM without CTAs has no more events, and nothing that it has sent waits for the session.
func (m *multiprocessor) isAtRest() bool {
	return len(m.outbox)+len(m.messages) == 0 && m.nextEvent() == idle
}

// step runs a cycle of a scheduler.
func (m *multiprocessor) step(c *scheduler, t int64) {
	m.steps++
	c.stepped = t
	if c.far != 0 && c.farMin-t < wheelSpan {
		c.moveFar(t)
	}
	due := c.wheel[t&(wheelSpan-1)]
	if c.ready == 0 && due != 0 && due&(due-1) == 0 { // the most frequent case
		if x := &c.slots[bits.TrailingZeros64(due)]; c.issuesAtOnce(x, t) {
			c.wheel[t&(wheelSpan-1)] = 0
			c.occupied &^= 1 << (t & (wheelSpan - 1))
			x.did.Eligible++
			m.issueOp(c, x, t)
			c.setNext(t)
			return
		}
	}
	woken := uint64(0)
	if due != 0 {
		woken = m.wakeUp(c, t)
	}
	e := c.ready
	if e&(e-1) != 0 {
		e = c.eligible(t)
	} else if e != 0 && c.pipes[c.slots[bits.TrailingZeros64(e)].op.pipe].free > t {
		e = 0 // the only one waits for its pipe
	}
	if e == 0 {
		c.noteClosed(woken, t)
		c.setNext(t)
		return
	}
	c.countEligible(e)
	x := &c.slots[m.policy.pick(c, e, t)]
	if woken &^= x.bit; woken != 0 {
		c.noteClosed(woken, t)
	}
	m.issue(x, t)
	c.setNext(t)
}
