package sm

import (
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sm/cache"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
	"github.com/simtrun/simtrun/warp"
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
	free       resources
	now        int64 // cycle
	messages   []message
	sent       uint64 // messages

	barrierFree int64 // from this cycle on the barrier unit takes an arrival

	// From these cycles on the ports to other SMs of a cluster are free.
	clusterSends, clusterReceives int64
	remoteLines                   []memory.LineSectors // for use within one call

	// The memory pipe, which L1 and shared memory have in common.
	pipeFree     int64 // from this cycle on it takes a request
	nextTake     int64 // cycle in which it takes one
	copyFree     int64 // from this cycle on the copy engine takes a bulk copy
	firstQueue   int   // the scheduler whose queue is the next in turn
	flights      []flight
	spareFlights []int32
	l1           *cache.L1
	acquires     []int64      // cycles in which acquires are done, in order, that L1 does not know of yet
	constants    [2]*cache.L1 // the constant caches, the nearer one first; nil before a constant is loaded
	outbox       []cache.Request
	origins      []requestOrigin // by index in outbox
	merged       []mergedMiss
	storesOut    []pendingStore
	sectorsOut   int32 // of storesOut

	// An access has changed memory, or read memory that others may change, since the session last reset these.
	wrote, polled bool

	residents int     // CTAs
	shared    int64   // bytes of memory that are shared memory, while there are residents
	begins    []int64 // cycles from which on launches need empty caches
	of        []share // by launch
	err       error   // the first
	errAt     int64   // cycle
	errSlot   int     // slot.number of its warp
	errOf     *launch
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

// slot is a place for a warp on a scheduler. What each issue needs comes first.
type slot struct {
	op           *op         // that is issued next
	in           *instr      // of which it is one
	nextOp       int         // index of op in in.ops; negative for those of before, the last of which is -1
	wake         moment      // when it was to be ready
	issuedAt     int64       // cycle of the latest issue
	closedAtWake int64       // what closedBefore was at wake, of the pipe of op
	scoreboard   *scoreboard // of the frame
	younger      uint64      // slots of the scheduler whose warp started later

	// Of the warp's launch, on this SM and scheduler.
	engine  *interp.Engine
	journal *memory.Journal
	share   *share
	did     *SchedulerTiming
	sites   []States // by PC of code: those of warps that the thread of the host has run

	split   divergence.Split // that issues
	cta     *cta
	warp    *warp.State
	frame   divergence.FrameID // of the split
	code    *code              // of the frame's function
	blocked bool               // no split can run until lanes of other warps arrive or end
	parked  bool               // it is not known when the sources of the next instruction can be read
	ends    bool               // it has ended, and waits for its stores to leave
	failed  bool               // it has an error, and stays where it is

	number int    // of the SM's slots
	starts uint32 // warps that have started here
	start  int64  // cycle

	prologue      []op          // machine instructions that are issued before those of in, and execute nothing
	scoreboards   []*scoreboard // by divergence.FrameID
	scoreboardsOf *launch       // whose functions they are for

	flights  []int32 // for whose results registers wait
	absent   int     // of them, those whose results are not there either
	late     moment  // when such a result came last
	earliest moment  // when a parked warp is to issue, but for its sources

	copies             asyncGroups // asynchronous copies
	stored, sourceRead asyncGroups // bulk copies to global memory: those that have arrived, and those whose sources were read
	products           asyncGroups // products of its warpgroup

	unsent int   // stores in the memory queue
	sent   int64 // cycle in which its latest store has left the SM

	atBarrier lanes.Mask // that wait at a barrier, or have not gone on since
	released  moment     // when those go on that the latest barrier released

	slice timeSlice
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
