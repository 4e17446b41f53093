package sm

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/memory"
)

// multiprocessor is an SM. It runs by itself from one exchange to the next: what it
// has for others is in its outboxes.
type multiprocessor struct {
	*worker             // of the thread that runs it
	observer   Observer // nil if nobody observes it
	id         int
	schedulers []scheduler
	first      int                // the scheduler that is first in a cycle
	pipes      [isa.NumUnits]pipe // those that its schedulers share
	residency
	now      int64 // cycle
	messages []message
	sent     uint64 // messages

	barrierFree int64 // from this cycle on the barrier unit takes an arrival
	clusterPorts
	memoryPipe
	requests

	// An access has changed memory, or read memory that others may change, since the session last reset these.
	wrote, polled bool

	failure
}

// residency is what CTAs have of an SM, and what launches have had of it.
type residency struct {
	free      resources
	residents int     // CTAs
	shared    int64   // bytes of memory that are shared memory, while there are residents
	begins    []int64 // cycles from which on launches need empty caches
	of        []share // by launch
}

// clusterPorts are the ports of an SM to other SMs of a cluster.
type clusterPorts struct {
	clusterSends, clusterReceives int64                // from these cycles on they are free
	remoteLines                   []memory.LineSectors // for use within one call
}

// memoryPipe is the pipe that L1 and shared memory have in common, with the memory instructions under way.
type memoryPipe struct {
	pipeFree     int64 // from this cycle on it takes a request
	nextTake     int64 // cycle in which it takes one
	copyFree     int64 // from this cycle on the copy engine takes a bulk copy
	firstQueue   int   // the scheduler whose queue is the next in turn
	flights      []flight
	spareFlights []int32
	l1           *cache.L1
	acquires     []int64      // cycles in which acquires are done, in order, that L1 does not know of yet
	constants    [2]*cache.L1 // the constant caches, the nearer one first; nil before a constant is loaded
}

// requests are the requests of an SM to L2 in a window, and what waits for replies.
type requests struct {
	outbox     []cache.Request
	origins    []requestOrigin // by index in outbox
	merged     []mergedMiss
	storesOut  []pendingStore
	sectorsOut int32 // of storesOut
}

// failure is the first error of an SM.
type failure struct {
	err     error
	errAt   int64 // cycle
	errSlot int   // slot.number of its warp
	errOf   *launch
}

// share is what an SM does for one of the launches.
type share struct {
	takes       int   // CTAs that the SM can take, if takesKnown
	takesKnown  bool  // what the SM has was not changed since takes was found
	residents   int   // CTAs
	handed      int64 // CTAs, since the launch began
	activeSince int64 // the cycle since which, without a gap, or from which on warps reside
	active      int64 // cycles in which warps resided before
	first, last int64 // cycles: when the first CTA started, and the latest to end so far ended
	memoryPipe  int64 // cycles for which the memory pipe was busy
	states      States
	traffic     L1Traffic
}

// Now implements interp.Clock.
func (m *multiprocessor) Now() (cycle, nanoseconds uint64) {
	c := m.options.Since + m.now
	return uint64(c), uint64(float64(c) * 1000 / m.gpu.ClockMHz)
}

// run lets the SM run up to, but without, cycle end.
func (m *multiprocessor) run(end int64) {
	for {
		t := m.nextEvent()
		if t >= end {
			return
		}
		if t < m.now {
			panic("simtrun bug: an SM has something to do in a cycle that is over")
		}
		m.tick(t)
	}
}

// tick lets the SM do what it has to do in cycle t.
func (m *multiprocessor) tick(t int64) {
	m.now = t
	if m.nextTake == t {
		m.takeMemory(t)
	}
	for i, next := 0, m.first; i < len(m.schedulers); i++ {
		if c := &m.schedulers[next]; c.next == t {
			m.step(c, t)
		}
		if next++; next == len(m.schedulers) {
			next = 0
		}
	}
}

func (m *multiprocessor) nextEvent() int64 {
	next := m.nextTake
	for i := range m.schedulers {
		next = min(next, m.schedulers[i].next)
	}
	return next
}

// step is a cycle of a scheduler.
func (m *multiprocessor) step(c *scheduler, t int64) {
	m.steps++
	c.stepped = t
	c.wakeUp(t)
	if e := c.eligible(t); e != 0 {
		c.countEligible(e)
		m.issue(c, m.policy.pick(c, e, t), t)
	}
	c.setNext(t)
}
